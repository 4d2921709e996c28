"""`make failover`: the master of Redis is killed in the middle of a tournament, and what comes of it is printed."""

from __future__ import annotations

import time
from collections.abc import Callable

from bots.random_bot import RandomBot
from service.engine.record import verify
from service.errors import Unavailable
from service.operations.context import Context
from service.operations.games.records import record
from service.operations.tournaments.matches import results
from service.operations.tournaments.read import standings
from service.processes.supervisor import wait_until
from tests.e2e.random_kills import finished_matches, is_over
from tests.operations.game_setup import service
from tests.operations.tournament_setup import game_of
from tests.sentinel_trio import Trio, sentinel_trio
from tests.workers.processes import Workers
from tests.workers.tournament_setup import Entrant, cup, faults_of, served

NAMES = ("ann", "ben", "cid")
DEALS = 20
WITHIN_S = 120
PAUSE_S = 0.2


def run(report: Callable[[str], None], deals: int = DEALS) -> None:
    """Plays a tournament of three bots through a failover. `report` gets a line for each thing that happens. Raises
    AssertionError if anything is lost, counts twice, or is charged to a bot."""
    bots: dict[str, Entrant] = {name: RandomBot(name, seed=name) for name in NAMES}
    with (
        sentinel_trio() as trio,
        service(trio.url, wait_replicas=1) as ctx,
        served(ctx, bots),
        Workers(trio.url, 2, MONTEGO_WAIT_REPLICAS="1") as workers,
    ):
        report(f"Three servers of Redis, three Sentinels; the master is at port {trio.master()}.")
        tournament = cup(ctx, *NAMES, deals=deals, warmup_ms=30_000)
        matches = 3 * deals
        assert wait_until(lambda: len(results(ctx, tournament)) >= matches // 4, WITHIN_S, pause=PAUSE_S), workers.log()
        _fail_over(trio, ctx, tournament, report)
        assert wait_until(lambda: is_over(ctx, tournament), WITHIN_S, pause=PAUSE_S), workers.log()
        report("The tournament is over.")
        for row in standings(ctx, tournament)["standings"]:
            report(f"  {row['rank']}. {row['name']}: {row['score_per_match']:.3f} a match, {row['matches']} matches")
        told = finished_matches(ctx, tournament)
        assert len(told) == len(set(told)) == matches, "each match counts once"
        for number in range(matches):
            verify(record(ctx, game_of(ctx, tournament, number)))
        assert not any(faults_of(ctx, name) for name in NAMES)
        report(f"Each of {matches} matches counts once, all records replay, and no bot was charged with a fault.")


def _fail_over(trio: Trio, ctx: Context, tournament: str, report: Callable[[str], None]) -> None:
    before = len(results(ctx, tournament))
    began = time.monotonic()
    report(f"{before} matches have a result. The master at port {trio.master()} is killed now.")
    master = trio.fail_over()
    report(f"After {time.monotonic() - began:.1f} s the Sentinels name the server at port {master}.")
    assert wait_until(lambda: _count(ctx, tournament) > before, WITHIN_S, pause=PAUSE_S)
    report(f"After {time.monotonic() - began:.1f} s the next result was written.")


def _count(ctx: Context, tournament: str) -> int:
    try:
        return len(results(ctx, tournament))
    except Unavailable:
        return 0


if __name__ == "__main__":
    run(lambda line: print(line, flush=True))
