"""How quick bots are, as the store keeps it."""

from __future__ import annotations

import time

from service.operations.context import Context
from service.operations.tournaments.document import load_tournament
from service.operations.tournaments.matches import results
from service.processes.ports import free_port
from tests.workers.tournament_setup import NeverSlow, Scripted, cup, honest, served, worker_on
from workers.blocks import run_block


def response_times(ctx: Context, tournament: str) -> dict[str, float]:
    """By name."""
    _, doc = load_tournament(ctx, tournament)
    return {name: ms for bot, ms in ctx.blocks.response_times(tournament).items() if (name := doc.name_of(bot))}


def test_a_slow_bot_is_known_as_the_slowest_while_its_first_match_is_played(ctx: Context) -> None:
    known: list[dict[str, float]] = []

    def think(ask: object) -> dict[str, int]:
        known.append(response_times(ctx, tournament))
        time.sleep(0.15)
        return {"index": 0}

    bots = {"snail": Scripted(act=think), **honest("ann", "ben")}
    with served(ctx, bots), worker_on(ctx, lambda: len(known) > 12) as worker:
        tournament = cup(ctx, "snail", "ann", "ben")
        run_block(worker, tournament, 0, NeverSlow())
    assert known[0] == {} or "snail" not in known[0]
    assert any(times.get("snail", 0) >= 150 for times in known)
    assert results(ctx, tournament) == {}, "long before it has a result"
    found = response_times(ctx, tournament)
    assert set(found) == {"snail", "ann", "ben"}
    assert max(found, key=lambda name: found[name]) == "snail"


def test_the_pace_of_each_bot_is_known_after_a_block_however_short(ctx: Context) -> None:
    with served(ctx, honest("ann", "ben", "cid", "dot")), worker_on(ctx) as worker:
        tournament = cup(ctx, "ann", "ben", "cid", "dot")
        run_block(worker, tournament, 0, NeverSlow())
    assert set(response_times(ctx, tournament)) == {"ann", "ben", "cid", "dot"}


def test_a_bot_that_does_not_come_up_held_its_place_as_long_as_it_was_waited_for(ctx: Context) -> None:
    with served(ctx, {"down": f"http://127.0.0.1:{free_port()}", **honest("ann")}), worker_on(ctx) as worker:
        tournament = cup(ctx, "down", "ann", warmup_ms=700)
        run_block(worker, tournament, 0, NeverSlow())
    assert [len(result.not_started) for result in results(ctx, tournament).values()] == [1, 1]
    assert response_times(ctx, tournament) == {"down": 700.0}
