"""One bot that uses up its time does not hold the others up."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from service.operations.context import Context
from service.operations.tournaments.lifecycle import cancel
from service.operations.tournaments.matches import results
from tests.benchmarks.quick_bots import quick_bots
from tests.operations.game_setup import organiser, service
from tests.workers.processes import Workers
from tests.workers.tournament_setup import cup, served

OTHERS = ("ann", "ben", "cid", "dot")
SLOW = "snail"
MOVE_MS = 1000
THINK_MS = 20
PROCESSES = 8
SECONDS = 5.0
WARM_MATCHES = 2 * PROCESSES


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    with service(redis_url) as ctx:
        yield ctx


def without_it(ctx: Context, tournament: str) -> int:
    return sum(SLOW not in result.seats for result in results(ctx, tournament).values())


def throughput(ctx: Context, *entrants: str) -> float:
    """Matches a second that the slow bot is not in, of a tournament of these."""
    tournament = cup(ctx, *entrants, players=2, deals=200, move_ms=MOVE_MS, warmup_ms=20_000)
    while without_it(ctx, tournament) < WARM_MATCHES:
        time.sleep(0.1)
    before, began = without_it(ctx, tournament), time.monotonic()
    time.sleep(SECONDS)
    found = (without_it(ctx, tournament) - before) / (time.monotonic() - began)
    cancel(ctx, organiser(ctx), tournament)
    while ctx.blocks.active():
        time.sleep(0.1)
    return found


def test_a_bot_at_its_limit_leaves_matches_without_it_nine_tenths_of_their_throughput(
    ctx: Context, redis_url: str
) -> None:
    with (
        Workers(redis_url, PROCESSES),
        quick_bots(len(OTHERS), THINK_MS) as urls,
        quick_bots(1, 0.99 * MOVE_MS) as slow,
        served(ctx, dict(zip((*OTHERS, SLOW), (*urls, *slow), strict=True)), max_games=64),
    ):
        # By turns, so that what else the machine has to do meets both.
        alone = throughput(ctx, *OTHERS)
        beside = throughput(ctx, *OTHERS, SLOW)
        alone = (alone + throughput(ctx, *OTHERS)) / 2
    assert beside >= 0.9 * alone, f"{beside:.2f} matches a second instead of {alone:.2f}"
