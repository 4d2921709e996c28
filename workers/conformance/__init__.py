"""Checks whether a bot does what the bot protocol asks of it: a graded report that says what to fix."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from service.addresses import check_url
from workers.conformance.caller import Target
from workers.conformance.push import check_push
from workers.conformance.report import Report
from workers.operator_calls import new_secret, unrestricted_outbound


def check_bot_at(url: str, known_secrets: Sequence[str]) -> Report:
    """Checks the push bot at a URL, without a service. The caller may call any address.

    `known_secrets`: those that the bot checks signatures with; none if they are not known. Takes up to 25 s. Raises
    service.addresses.UrlRefused.
    """
    check_url(url)
    with unrestricted_outbound() as outbound:
        return check_push(outbound, Target(url, tuple(known_secrets), new_secret(), f"check{secrets.token_hex(4)}"))
