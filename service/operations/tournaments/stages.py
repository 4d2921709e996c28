"""Drawing a tournament's next stage, for formats that are drawn from results (service.tournament.stages)."""

from __future__ import annotations

import json
from typing import Any

from service.operations.context import Context
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.events import event_text
from service.operations.tournaments.matches import results
from service.store.tournaments import TournamentRow
from service.tournament import formats
from service.tournament.plan import Plan
from service.tournament.stages import Stage, StagedSchedule


def draw_next_stage(ctx: Context, tournament: str, row: TournamentRow, doc: TournamentDoc) -> bool:
    """Draws the next stage of a tournament whose known blocks are all done. False: none follows, it is complete.

    It is written only if nothing has changed since `row` was read; else the next reader draws it. Raises Unavailable.
    """
    plan = doc.plan()
    if not plan.is_staged:
        return False
    names = {doc.name_of(bot) for bot in row.withdrawn}
    withdrawn = [name for name in doc.names if name in names]
    stage = formats.next_stage(plan, doc.stages, results(ctx, tournament).values(), withdrawn)
    if stage is None:
        return False
    text = json.dumps(stage.to_json(), separators=(",", ":"), ensure_ascii=False)
    event = event_text(ctx, "stage_drawn", stage=len(doc.stages), round=stage.round)
    ctx.tournaments.add_stage(tournament, text, event, after=len(doc.stages), blocks=doc.schedule().blocks)
    return True


def stages(ctx: Context, tournament: str) -> dict[str, Any]:
    """The stages that are drawn, with the blocks of each. Empty for a round robin and a gauntlet. Raises NotFound,
    Unavailable."""
    row, doc = load_tournament(ctx, tournament)
    return {
        "tournament": tournament,
        "status": row.status,
        "format": doc.format,
        "stages": described(doc.plan(), doc.stages),
    }


def described(plan: Plan, drawn: tuple[Stage, ...]) -> list[dict[str, Any]]:
    """The stages as JSON, each with its number, that of its first block, and how many blocks it has."""
    schedule = StagedSchedule(plan, drawn)
    ends = [*schedule.first_blocks[1:], schedule.blocks]
    return [
        {"stage": number, "first_block": first, "blocks": end - first, **stage.to_json()}
        for number, (stage, first, end) in enumerate(zip(drawn, schedule.first_blocks, ends, strict=False))
    ]
