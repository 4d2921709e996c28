"""Checks that a request comes from the service: Standard Webhooks signatures over id, time and body."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable, Mapping

from standardwebhooks import Webhook, WebhookVerificationError
from standardwebhooks.webhooks import EmptyWebhookSecretError

TOLERANCE_S = 300
"""By how much the time of a request may differ from ours (Standard Webhooks)."""
MAX_DIGITS = 12


class BadSecret(ValueError):
    """A malformed signing secret."""


class BadSignature(ValueError):
    """A request without a signature that fits, or one that is more than 5 minutes old."""


class Verifier:
    """Checks signatures against the secrets of a bot. There may be several, since an old secret stays valid for a while
    after a rotation."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Takes secrets as the service shows them, `whsec_…`. Raises BadSecret if there is none or one is malformed."""
        self._webhooks = [_webhook(secret) for secret in secrets]
        if not self._webhooks:
            raise BadSecret("no signing secret was given")

    def check(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Returns if one of the secrets fits. Raises BadSignature otherwise, with the reason."""
        reason = "no matching signature found"
        for webhook in self._webhooks:
            try:
                webhook.verify(body, dict(headers), json_parse=False)
            except (WebhookVerificationError, ValueError) as error:
                reason = str(error) or reason
            else:
                return
        raise BadSignature(f"the signature was refused: {_clock_trouble(headers) or reason}")


def _clock_trouble(headers: Mapping[str, str]) -> str | None:
    """What is wrong with the time of the request, the most common reason; None if nothing is."""
    sent = next((value for name, value in headers.items() if name.lower() == "webhook-timestamp"), "")
    if not sent.isdecimal() or len(sent) > MAX_DIGITS:
        return None
    ahead_s = int(sent) - time.time()
    if abs(ahead_s) <= TOLERANCE_S:
        return None
    where = "behind" if ahead_s > 0 else "ahead of"
    return (
        f"this machine's clock is {abs(ahead_s):.0f} s {where} the time at which the request was signed, and "
        f"{TOLERANCE_S} s are allowed; set the clock, or the request is an old one"
    )


def _webhook(secret: str) -> Webhook:
    try:
        if not secret.startswith("whsec_"):
            raise ValueError("it does not begin with whsec_")
        # Webhook itself leaves out characters that are not base64.
        base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        return Webhook(secret)
    except (ValueError, EmptyWebhookSecretError) as error:
        raise BadSecret(f"not a signing secret such as whsec_…: {error}") from None
