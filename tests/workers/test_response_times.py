"""How quick bots are, as the store keeps it."""

from __future__ import annotations

import time

from service.operations.context import Context
from service.operations.tournaments.lifecycle import read
from service.operations.tournaments.matches import results
from service.processes.ports import free_port
from service.tournament.dispatch import ResponseTimes
from tests.workers.tournament_setup import Scripted, cup, deps, honest, served
from workers.jobs import run_block


def response_times(ctx: Context, tournament: str) -> dict[str, float]:
    """By name."""
    _, doc = read(ctx, tournament)
    return {name: ms for bot, ms in ctx.blocks.response_times(tournament).items() if (name := doc.name_of(bot))}


def test_a_slow_bot_is_known_as_such_while_its_first_match_is_played(ctx: Context) -> None:
    known: list[dict[str, float]] = []

    def think(ask: object) -> dict[str, int]:
        known.append(response_times(ctx, tournament))
        time.sleep(0.15)
        return {"index": 0}

    bots = {"snail": Scripted(act=think), **honest("ann", "ben")}
    with served(ctx, bots), deps(ctx, lambda: len(known) > 12) as given:
        tournament = cup(ctx, "snail", "ann", "ben")
        run_block(given, tournament, 0)
    assert known[0] == {} or "snail" not in known[0]
    assert any(times.get("snail", 0) >= 150 for times in known)
    assert results(ctx, tournament) == {}, "long before it has a result"
    found = response_times(ctx, tournament)
    assert set(found) == {"snail", "ann", "ben"}
    assert ResponseTimes.of(found).slow == {"snail"}


def test_the_pace_of_each_bot_is_known_after_a_block_however_short(ctx: Context) -> None:
    with served(ctx, honest("ann", "ben", "cid", "dot")), deps(ctx) as given:
        tournament = cup(ctx, "ann", "ben", "cid", "dot")
        run_block(given, tournament, 0)
    assert set(response_times(ctx, tournament)) == {"ann", "ben", "cid", "dot"}


def test_a_bot_that_does_not_come_up_held_its_place_as_long_as_it_was_waited_for(ctx: Context) -> None:
    with served(ctx, {"down": f"http://127.0.0.1:{free_port()}", **honest("ann")}), deps(ctx) as given:
        tournament = cup(ctx, "down", "ann", warmup_ms=700)
        run_block(given, tournament, 0)
    assert [len(result.not_started) for result in results(ctx, tournament).values()] == [1, 1]
    assert response_times(ctx, tournament) == {"down": 700.0}
