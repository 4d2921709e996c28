"""What came of a call: an answer, or a failure of a kind that PROTOCOL's "Faults" names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FailureKind = Literal["late", "unreachable", "bad_status", "bad_body"]


@dataclass(frozen=True, slots=True)
class Answered:
    """Status 200 and a whole, plain body of at most 64 KiB, the last byte of which came before the deadline."""

    status: int
    body: bytes
    elapsed_ms: int
    """From the call to the last byte."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that brought no answer. A fact for the author: neither text holds secrets or control characters."""

    kind: FailureKind
    detail: str
    """What went wrong, in plain words; at most `DETAIL_LIMIT` characters."""
    received: str
    """The beginning of what came: of the body if one began, else of all; at most `RECEIVED_LIMIT` characters."""
    status: int | None
    """None if no status line came."""
    elapsed_ms: int
    """From the call to the failure; at least 1, since a failure takes time."""


Exchange = Answered | Failed
