"""Secrets that replace one another, and until when each of them is valid."""

from __future__ import annotations

import json

Secrets = tuple[tuple[str, int | None], ...]
"""(secret, or hash of a token; Redis time in ms until which it is valid, None for the newest), newest first."""


def dump(secrets: Secrets) -> str:
    """The secrets as JSON text."""
    return json.dumps(secrets, separators=(",", ":"))


def load(text: str) -> Secrets:
    """Reads what `dump` wrote."""
    return tuple((secret, until_ms) for secret, until_ms in json.loads(text))
