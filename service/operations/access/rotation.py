"""Replacing a token or a secret: each old one stays valid as long as was promised (PROTOCOL "Tokens")."""

from __future__ import annotations

from service.errors import WrongState
from service.store.secrets import Secrets
from service.timestamps import timestamp

GRACE_MS = 24 * 3600 * 1000
"""How long a token or secret stays valid after it was replaced."""
MAX_LIVE = 5


def live(secrets: Secrets, now_ms: int) -> list[str]:
    """Those of the secrets that are valid, newest first."""
    return [secret for secret, until_ms in secrets if until_ms is None or until_ms > now_ms]


def rotated(secrets: Secrets, new: str, now_ms: int, *, at_once: bool) -> Secrets:
    """The secrets after `new` has replaced the newest one. `at_once`: the old ones are no longer valid; else each keeps
    its time, the newest of them from now.

    Raises WrongState, which says when there is room again, if MAX_LIVE are valid.
    """
    if at_once:
        return ((new, None),)
    kept = [(secret, now_ms + GRACE_MS if until_ms is None else until_ms) for secret, until_ms in secrets]
    kept = [(secret, until_ms) for secret, until_ms in kept if until_ms > now_ms]
    if len(kept) >= MAX_LIVE:
        first = min(until_ms for _, until_ms in kept)
        raise WrongState(
            f"{MAX_LIVE} are valid, which is the most there can be; the first expires at {timestamp(first)}. "
            "With `at_once` the new one replaces them all."
        )
    return ((new, None), *kept)


def old_valid_until(secrets: Secrets) -> str | None:
    """Until when the one that was replaced last is valid; None if no old one is."""
    return None if len(secrets) < 2 or secrets[1][1] is None else timestamp(secrets[1][1])
