"""Redis has lost the end of a game that a process still knows: the store is right, and the game goes on."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from service.engine.record import verify
from service.errors import NotFound, OperationError
from service.operations.access.tokens import ANONYMOUS
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.change import Settlement, abort, load, resign, settle
from service.operations.games.read import decision, events, observe, wait_for_events, wait_for_observation
from service.operations.games.records import record
from tests.operations.game_setup import Seated, answer, at_random, begin, due, legal_of, play, service
from tests.outage import Outage

PAST = 30
"""Seconds after which a wait counts as one that never ends."""


def lose(outage: Outage, ctx: Context, seated: Seated, seat: int, index: int = 0) -> str:
    """The seat answers, is told so, and Redis loses it; the decision that is open again."""
    remembered = outage.remember()
    done = answer(ctx, seated, seat, index)
    outage.rewind(remembered)
    return done.decision


def test_a_process_that_knows_more_than_the_store_sees_what_the_store_has(ctx: Context, outage: Outage) -> None:
    seated = begin(ctx, 3)
    before = load(ctx, seated.game)
    lost = lose(outage, ctx, seated, 0)
    assert load(ctx, seated.game).version == before.version
    assert lost not in load(ctx, seated.game).closed
    assert observe(ctx, ANONYMOUS, seated.game).observation["due"] == [0, 1, 2]


def test_an_answer_that_was_lost_is_taken_again_and_another_one_too(ctx: Context, outage: Outage) -> None:
    for index in (0, 7):
        seated = begin(ctx, 2)
        lost = lose(outage, ctx, seated, 0)
        again = act(ctx, seated.seats[0], seated.game, Submission(lost, index=index))
        assert again.version == load(ctx, seated.game).version
        play(ctx, seated)
        verify(record(ctx, seated.game))


def test_a_process_does_not_go_on_from_a_past_that_another_one_has_replaced(
    ctx: Context, other: Context, outage: Outage
) -> None:
    seated = begin(ctx, 3)
    lost = lose(outage, ctx, seated, 0, 7)
    known = ctx.projections.latest(seated.game)
    assert known is not None and lost in known.closed
    answer(other, seated, 1)
    assert load(other, seated.game).version == known.version, "another version of the same number"
    given = act(ctx, seated.seats[2], seated.game, Submission(due(known)[2], index=0))
    assert [seat["chosen"] for seat in given.observation["seats"]] == [False, True, True]
    assert due(load(ctx, seated.game)) == due(load(other, seated.game)) == {0: lost}


@pytest.mark.parametrize(
    "write",
    [
        lambda ctx, seated, known: resign(ctx, seated.game, [1], "resigned", known=known),
        lambda ctx, seated, known: settle(ctx, seated.game, Settlement(due(known)[1], None), known=known),
        lambda ctx, seated, known: abort(ctx, seated.game),
    ],
    ids=["resign", "settle", "abort"],
)
def test_whatever_a_process_writes_follows_what_the_store_has(
    ctx: Context, other: Context, outage: Outage, write: Callable[[Context, Seated, Any], Any]
) -> None:
    seated = begin(ctx, 3)
    lost = lose(outage, ctx, seated, 0)
    write(ctx, seated, ctx.projections.latest(seated.game))
    assert lost not in load(ctx, seated.game).closed
    assert load(other, seated.game).chain == load(ctx, seated.game).chain


def test_a_game_whose_creation_was_lost_is_gone(ctx: Context, outage: Outage) -> None:
    remembered = outage.remember()
    seated = begin(ctx, 2)
    answer(ctx, seated, 0)
    outage.rewind(remembered)
    with pytest.raises(NotFound):
        act(ctx, seated.seats[1], seated.game, Submission("1.play.1.0", index=0))
    with pytest.raises(NotFound):
        load(ctx, seated.game)


def test_a_view_follows_the_versions_of_its_own_past_only(ctx: Context, other: Context, outage: Outage) -> None:
    seated = begin(ctx, 3)
    first = load(ctx, seated.game)
    lose(outage, ctx, seated, 0)
    known = ctx.projections.latest(seated.game)
    assert known is not None
    view = load(ctx, seated.game)
    assert view.follows(first.version) and view.follows(first.version, first.changed_ms)
    assert not view.follows(known.version) and not view.follows(known.version, known.changed_ms)
    time.sleep(0.002)
    answer(other, seated, 1)
    view = load(ctx, seated.game)
    assert view.follows(known.version), "a number alone does not tell"
    assert not view.follows(known.version, known.changed_ms)
    assert view.follows(first.version, first.changed_ms) and view.follows(view.version, view.changed_ms)


def waiting(ctx: Context, seated: Seated, ready: threading.Event) -> tuple[int, list[str]]:
    """Looks at a game, waits for another version of it, and tells which it was and what happened after the first."""
    seen = observe(ctx, ANONYMOUS, seated.game)
    ready.set()
    found = wait_for_observation(ctx, ANONYMOUS, seen, PAST)
    return found.view.version - seen.view.version, [event.type for event in found.view.history]


@pytest.mark.parametrize("regrown", [False, True], ids=["earlier", "as many again"])
def test_a_viewer_that_waits_at_a_lost_version_is_answered(
    ctx: Context, other: Context, outage: Outage, regrown: bool
) -> None:
    seated = begin(ctx, 3)
    remembered = outage.remember()
    answer(ctx, seated, 0)
    ready = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        waiter = pool.submit(waiting, ctx, seated, ready)
        assert ready.wait(PAST)
        time.sleep(0.2)
        assert not waiter.done()
        outage.rewind(remembered)
        if regrown:
            answer(other, seated, 1)
        fallen, _ = waiter.result(PAST)
    assert fallen in ((0, -1) if regrown else (-1,))


def test_events_after_a_lost_one_begin_anew_and_say_so(ctx: Context, other: Context, outage: Outage) -> None:
    seated = begin(ctx, 3)
    remembered = outage.remember()
    answer(ctx, seated, 0)
    told = events(ctx, seated.game, 0).events
    last = told[-1]
    outage.rewind(remembered)
    found = wait_for_events(ctx, ANONYMOUS, seated.game, last["n"], PAST, last["at"])
    assert found.reset and found.events == told[:-1]
    assert not events(ctx, seated.game, last["n"] - 1).reset, "what is left is as it was"
    time.sleep(0.002)
    answer(other, seated, 1)
    found = wait_for_events(ctx, ANONYMOUS, seated.game, last["n"], PAST, last["at"])
    assert found.reset and [event["n"] for event in found.events] == list(range(1, last["n"] + 1))
    assert found.events[-1]["seat"] == 1


def test_a_seat_that_waits_for_its_decision_is_asked_again_what_it_had_answered(ctx: Context, outage: Outage) -> None:
    seated = begin(ctx, 2)
    remembered = outage.remember()
    lost = answer(ctx, seated, 0).decision
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(decision, ctx, seated.seats[0], seated.game, PAST)
        time.sleep(0.2)
        assert not asked.done()
        outage.rewind(remembered)
        ask = asked.result(PAST)
    assert ask is not None and ask["decision"]["id"] == lost


def keep_playing(ctx: Context, seated: Seated, seed: int) -> None:
    """Plays for all seats until the game is over; what is refused is tried again."""
    chance = random.Random(seed)
    while True:
        time.sleep(0.01)
        try:
            view = load(ctx, seated.game)
            if view.over:
                return
            asked = chance.choice(view.game.decisions)
            index = at_random("load")(asked.id, legal_of(view, asked.id))
            act(ctx, seated.seats[asked.seat], seated.game, Submission(asked.id, index=index))
        except OperationError:
            continue


@pytest.mark.parametrize("sync", ["always", pytest.param("everysec", marks=pytest.mark.slow)])
def test_games_under_load_live_through_losses_and_their_records_are_sound(
    redis_url: str, outage: Outage, sync: str
) -> None:
    """Four processes play the same games while Redis loses its end again and again, at any byte."""
    chance = random.Random(sync)
    with ExitStack() as stack:
        processes = [stack.enter_context(service(redis_url)) for _ in range(4)]
        games = [begin(processes[0], 4, seed=f"load {number}") for number in range(3)]
        pool = stack.enter_context(ThreadPoolExecutor(12))
        players = [
            pool.submit(keep_playing, ctx, seated, seed) for seed, ctx in enumerate(processes) for seated in games
        ]
        fallen = 0
        for _ in range(5):
            outage.sync(sync)
            begin_of_loss = outage.remember()
            time.sleep(0.2)
            known = {seated.game: load(processes[0], seated.game) for seated in games}
            outage.rewind(chance.randint(begin_of_loss, outage.remember()))
            fallen += sum(
                not load(processes[0], game).follows(was.version, was.changed_ms) for game, was in known.items()
            )
        for player in players:
            player.result(120)
        assert fallen, "games were set back under the hands of those who play them"
        for number, seated in enumerate(games):
            # A game whose end was lost has nobody left who plays it.
            keep_playing(processes[0], seated, number)
            assert len({load(ctx, seated.game).chain for ctx in processes}) == 1
            verify(record(processes[0], seated.game))
