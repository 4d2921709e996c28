"""Writes a fault where the bot's author reads it."""

from __future__ import annotations

import json

from service.operations.context import Context
from service.operations.tables import Table, timestamp
from workers.answers import Fault


def note_fault(ctx: Context, bot: str, table: Table, decision: str, fault: Fault, elapsed_ms: int) -> None:
    """Adds a fault to the bot's ledger (`GET /v1/bots/{id}/faults`). Raises Unavailable."""
    match = table.meta.match
    row = {
        "kind": fault.kind,
        "game": table.id,
        "match": match.id if match else None,
        "tournament": match.tournament if match else None,
        "decision": decision,
        "elapsed_ms": elapsed_ms,
        "status": fault.status,
        "detail": fault.detail,
        "received": fault.received,
        "at": timestamp(ctx.wall_ms()),
    }
    ctx.bots.add_fault(bot, json.dumps(row, separators=(",", ":"), ensure_ascii=False))
