"""A warm-up ends as soon as nobody waits for it any more, however long a bot may take."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from service.operations.context import Context
from service.operations.tournaments import lifecycle
from service.operations.tournaments.matches import results
from tests.operations.game_setup import organiser, register
from tests.operations.tournament_setup import game_of
from tests.workers.tournament_setup import Entrant, NeverSlow, Reply, Scripted, cup, honest, served, worker_on
from workers.blocks import run_block
from workers.leases import block_lease

FOREVER_MS = 3_600_000
PROMPTLY_S = 8.0


class Loading(Scripted):
    """A push bot that never comes up, and does something when it is asked for the second time whether it has."""

    def __init__(self, what: Callable[[], object]) -> None:
        super().__init__(information=self._not_yet)
        self._what = what
        self.tried = 0

    def _not_yet(self) -> Reply:
        self.tried += 1
        if self.tried == 2:
            self._what()
        return 503, b"still loading"


def play(ctx: Context, tournament: str, draining: Callable[[], bool] = lambda: False) -> float:
    """How many seconds a worker was at block 0."""
    began = time.monotonic()
    with worker_on(ctx, draining) as worker:
        run_block(worker, tournament, 0, NeverSlow())
    return time.monotonic() - began


def test_a_worker_that_is_to_end_leaves_a_warm_up_at_once(ctx: Context) -> None:
    drained = threading.Event()
    loading = Loading(drained.set)
    with served(ctx, {"ann": loading, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben", warmup_ms=FOREVER_MS)
        assert play(ctx, tournament, drained.is_set) < PROMPTLY_S
        assert results(ctx, tournament) == {}
        assert ctx.games.read(game_of(ctx, tournament, 0)) is None, "the match has not begun: the warm-up is made anew"
        assert ctx.leases.live([block_lease(tournament, 0)]) == set(), "another may have it at once"


def test_a_poll_bot_that_does_not_come_is_waited_for_no_longer_than_anybody_wants(ctx: Context) -> None:
    register(ctx, "polly", kind="poll")
    looks = iter([False])  # before the warm-up, it is not to end yet
    with served(ctx, honest("ann")):
        tournament = cup(ctx, "ann", "polly", warmup_ms=FOREVER_MS)
        assert play(ctx, tournament, lambda: next(looks, True)) < PROMPTLY_S
    assert list(looks) == []
    assert results(ctx, tournament) == {}


def test_a_cancelled_tournament_ends_its_warm_ups(ctx: Context) -> None:
    loading = Loading(lambda: lifecycle.cancel(ctx, organiser(ctx), tournament))
    with served(ctx, {"ann": loading, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben", warmup_ms=FOREVER_MS)
        assert play(ctx, tournament) < PROMPTLY_S
    assert results(ctx, tournament) == {}
    assert '"type":"cancelled"' in ctx.tournaments.events(tournament, 0, 100)[-1][1]


def test_the_warm_up_of_a_bot_that_is_withdrawn_ends_and_its_block_is_cancelled(ctx: Context) -> None:
    loading = Loading(lambda: lifecycle.withdraw(ctx, organiser(ctx), tournament, "ann"))
    with served(ctx, {"ann": loading, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben", warmup_ms=FOREVER_MS)
        assert play(ctx, tournament) < PROMPTLY_S
    assert [result.status for result in results(ctx, tournament).values()] == ["cancelled", "cancelled"]
    assert ctx.blocks.done(tournament, [0]) == {0}


def test_a_bot_that_hangs_while_it_comes_up_holds_nobody(ctx: Context) -> None:
    """The call itself cannot be taken back; it ends by itself, and what it brings is heard by nobody."""
    drained, answered = threading.Event(), threading.Event()

    def hang() -> Reply:
        drained.set()
        answered.wait(30)
        return {}

    hanging: dict[str, Entrant] = {"ann": Scripted(information=hang), **honest("ben")}
    with served(ctx, hanging):
        tournament = cup(ctx, "ann", "ben", warmup_ms=FOREVER_MS)
        try:
            assert play(ctx, tournament, drained.is_set) < PROMPTLY_S
        finally:
            answered.set()
    assert results(ctx, tournament) == {}


def test_a_pause_is_no_reason_to_stop_a_warm_up(ctx: Context) -> None:
    loading = Loading(lambda: lifecycle.pause(ctx, organiser(ctx), tournament))
    with served(ctx, {"ann": loading, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben", warmup_ms=1500)
        play(ctx, tournament)
    assert loading.tried > 3
    assert results(ctx, tournament)[0].not_started == (0,), "the match that was begun is played on"
