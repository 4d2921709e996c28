"""A fault is a fact, written where the bot's author reads it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass

from service.operations.context import Context
from service.operations.games.projection import GameView
from service.timestamps import timestamp

DETAIL_LIMIT = 200
"""Characters of `Fault.detail` that are kept."""
RECEIVED_LIMIT = 200
"""Characters of `Fault.received` that are kept."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an answer does not count. `detail` is for the bot's author; `received` is the beginning of what came;
    `status` that of the bot's answer (None over poll, or if it had none)."""

    kind: str
    detail: str
    received: str = ""
    status: int | None = None


def note_fault(ctx: Context, bot: str, view: GameView, decision: str, fault: Fault, elapsed_ms: int | None) -> None:
    """Adds a fault to the bot's ledger (`GET /v1/bots/{id}/faults`). Raises Unavailable."""
    match = view.meta.match
    row = {
        "kind": fault.kind,
        "game": view.id,
        "match": match.id if match else None,
        "tournament": (match.tournament or None) if match else None,
        "decision": decision,
        "elapsed_ms": elapsed_ms,
        "status": fault.status,
        "detail": printable(fault.detail, DETAIL_LIMIT),
        "received": printable(fault.received, RECEIVED_LIMIT),
        "at": timestamp(ctx.wall_ms()),
    }
    ctx.bots.add_fault(bot, json.dumps(row, separators=(",", ":"), ensure_ascii=False))


def note_absence(ctx: Context, bot: str, tournament: str, match: str, detail: str) -> None:
    """Notes why the bot has not come up for a match, which is no fault (`not_started` of `GET /v1/bots/{id}`). The last
    one is kept. Raises Unavailable."""
    row = {
        "tournament": tournament,
        "match": match,
        "detail": printable(detail, DETAIL_LIMIT),
        "at": timestamp(ctx.wall_ms()),
    }
    ctx.bots.note_absence(bot, json.dumps(row, separators=(",", ":"), ensure_ascii=False))


def printable(text: str | bytes, limit: int) -> str:
    """The text cut to `limit` characters and safe to print: one line, no control, format or unassigned characters.

    Bytes are read as UTF-8; what is none, and what must not reach a terminal, becomes U+FFFD.
    """
    if isinstance(text, bytes):
        # A character has at most 4 bytes, so more of them cannot show.
        text = text[: 4 * (limit + 1)].decode("utf-8", "replace")
    shown = text[: limit + 1]
    if not (shown.isascii() and shown.isprintable()):
        shown = "".join(map(_safe, shown))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _safe(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\r\n" or category.startswith("Z"):
        return " "
    return "\N{REPLACEMENT CHARACTER}" if category.startswith("C") else character
