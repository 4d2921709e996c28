"""Nothing that a seat, a spectator or a stranger can read differs with the cards that others have chosen."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from service.engine.actions import Play
from service.errors import DecisionClosed, IllegalAction, NotYourDecision, OperationError
from service.operations.access.tokens import ANONYMOUS, Caller
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.change import Settlement, abort, load, settle
from service.operations.games.projection import ProjectionCache
from service.operations.games.read import decision, events, legal_actions, observe
from tests.operations.game_setup import Choose, Seated, at_random, begin, due, in_phase, legal_of, play, service

PLAYERS = 3
CHOSEN = (0, 12, 24)
"""Indices of the cards that the watched seats choose, in one world each."""


def same_chance() -> Callable[[int], bytes]:
    """Random bytes that are the same in each world, so that ids and commitments are."""
    counter = itertools.count()
    return lambda length: (next(counter).to_bytes(4, "big") * (length // 4 + 1))[:length]


@contextmanager
def worlds(redis_url: str) -> Iterator[list[tuple[Context, Seated]]]:
    """The same game in databases of their own, to the byte."""
    with ExitStack() as stack:
        made = []
        for number in range(len(CHOSEN)):
            plain = stack.enter_context(service(redis_url.rsplit("/", 1)[0] + f"/{number + 1}"))
            ctx = replace(
                plain,
                random_bytes=same_chance(),
                wall_ms=lambda: 1_800_000_000_000,
                projections=ProjectionCache(),
            )
            made.append((ctx, begin(ctx, PLAYERS, seed="worlds", variants={"starting_coins": 3})))
        yield made


def refusal(call: Callable[[], Any]) -> str:
    """What a refused call says, to the byte."""
    with pytest.raises(OperationError) as refused:
        call()
    return f"{refused.value.code} {refused.value.detail} {json.dumps(refused.value.extra)}"


def everything(ctx: Context, seated: Seated, seat: int | None) -> str:
    """All that whoever sits there can read, to the byte; also what they are refused."""
    game = seated.game
    caller: Caller = ANONYMOUS if seat is None else seated.seats[seat]
    seen: list[Any] = [
        observe(ctx, caller, game).observation,
        observe(ctx, caller, game).view.version,
        observe(ctx, seated.creator, game).observation,
        [dict(event) for event in events(ctx, game, 0).events],
    ]
    if seat is not None and seat in due(load(ctx, game)):
        seen += [decision(ctx, caller, game, 0), legal_actions(ctx, caller, game)]
        own = due(load(ctx, game))[seat]
        seen.append(refusal(partial(act, ctx, caller, game, Submission(own, index=10_000))))
    for stranger in range(PLAYERS):
        if stranger != seat and seat is not None:
            asked = f"{load(ctx, game).game.round}.play.{stranger}.0"
            seen.append(refusal(partial(act, ctx, caller, game, Submission(asked, index=0))))
    return json.dumps(seen, sort_keys=False)


def choose(ctx: Context, seated: Seated, seat: int, index: int) -> None:
    """The seat's cards: the legal ones of that index, counted over and over."""
    view = load(ctx, seated.game)
    asked = due(view)[seat]
    act(ctx, seated.seats[seat], seated.game, Submission(asked, index=index % len(legal_of(view, asked))))


def no_jack(decision: str, legal: list[dict[str, Any]]) -> int:
    return 0 if ".hire." in decision else at_random("worlds")(decision, legal)


def hires(decision: str, legal: list[dict[str, Any]]) -> int:
    return 1 if ".hire." in decision else at_random("worlds")(decision, legal)


@pytest.mark.parametrize(
    ("policy", "number", "order"),
    [(no_jack, 1, (0, 2, 1)), (hires, 1, (1, 0, 2)), (hires, 1, (2, 1, 0)), (no_jack, 3, (2, 0, 1))],
)
def test_before_the_reveal_nothing_differs_with_the_cards_of_others(
    redis_url: str, policy: Choose, number: int, order: tuple[int, int, int]
) -> None:
    with worlds(redis_url) as both:
        views = [play(ctx, seated, policy, in_phase("play", number)) for ctx, seated in both]
        assert len({view.id for view in views}) == 1, "the worlds are the same to the byte"
        assert (views[0].game.jack is not None) == (policy is hires)
        first, second, third = order
        check(both, [first], watchers=[second, third, None])
        check(both, [second], watchers=[third, None], before=[first])
        for ctx, seated in both:
            choose(ctx, seated, third, 5)
        revealed = {everything(ctx, seated, third) for ctx, seated in both}
        assert len(revealed) == len(CHOSEN), "after the reveal everybody sees them"


def check(
    both: list[tuple[Context, Seated]], choosing: list[int], watchers: list[int | None], before: Any = ()
) -> None:
    """Each world's seats choose other cards; nobody who watches can tell the worlds apart, but the seat itself can."""
    for (ctx, seated), index in zip(both, CHOSEN, strict=True):
        for seat in choosing:
            choose(ctx, seated, seat, index)
    for watcher in watchers:
        assert len({everything(ctx, seated, watcher) for ctx, seated in both}) == 1, f"seen by {watcher}"
    for seat in (*before, *choosing):
        assert len({json.dumps(observe(ctx, seated.seats[seat], seated.game).observation) for ctx, seated in both}) > 1


def test_a_seat_sees_its_own_cards_and_that_others_have_chosen(ctx: Context) -> None:
    seated = begin(ctx, 3)
    choose(ctx, seated, 1, 8)
    own = observe(ctx, seated.seats[1], seated.game).observation
    seen = observe(ctx, seated.seats[0], seated.game).observation
    assert own["cards"] == {"big": 2, "little": 4}
    assert seen["cards"] is None
    assert [seat["chosen"] for seat in seen["seats"]] == [False, True, False]
    assert seen["due"] == [0, 2]


def test_an_ask_shows_the_game_as_it_stood_when_its_question_was_opened(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 3)
    play(ctx, seated, until=in_phase("play", 2))
    opened = load(ctx, seated.game)
    first = decision(ctx, seated.seats[2], seated.game, 0)
    assert first is not None
    choose(ctx, seated, 0, 4)
    choose(ctx, seated, 1, 9)
    for place in (ctx, other):
        again = decision(place, seated.seats[2], seated.game, 0)
        assert json.dumps(again) == json.dumps(first)
    shown = first["observation"]
    assert shown["version"] == opened.version
    assert shown["due"] == [0, 1, 2]
    assert [seat["chosen"] for seat in shown["seats"]] == [False] * 3
    assert first["legal_actions"] == legal_of(opened, first["decision"]["id"])
    assert first["previous"]["outcome"] == "ok"


def test_a_repeated_answer_shows_no_cards_of_others(ctx: Context) -> None:
    seated = begin(ctx, 3)
    asked = due(load(ctx, seated.game))
    choose(ctx, seated, 0, 3)
    choose(ctx, seated, 1, 3)
    repeated = act(ctx, seated.seats[1], seated.game, Submission(asked[1], index=3))
    assert repeated.observation["cards"] == {"big": 1, "little": 4}
    with pytest.raises(DecisionClosed) as refused:
        act(ctx, seated.seats[1], seated.game, Submission(asked[1], index=4))
    assert refused.value.extra["settled"]["action"] == {"type": "play", "big": 1, "little": 4}
    with pytest.raises(NotYourDecision):
        act(ctx, seated.seats[1], seated.game, Submission(asked[0], index=3))
    with pytest.raises(IllegalAction):
        act(ctx, seated.seats[2], seated.game, Submission(asked[2], index=25))


def told(ctx: Context, seated: Seated) -> list[tuple[str, Any]]:
    """The events of round 1, each with its seat."""
    return [(event["type"], event.get("seat")) for event in events(ctx, seated.game, 0).events if event["round"] == 1]


def test_that_cards_are_the_default_ones_is_told_at_the_reveal(redis_url: str) -> None:
    with worlds(redis_url) as both:
        (first, seated), (second, _), _ = both
        for ctx, action, fault in ((first, None, "illegal"), (second, Play(5, 3), None)):
            asked = due(play(ctx, seated, no_jack, in_phase("play")))
            settle(ctx, seated.game, Settlement(asked[1], action, fault, 30))
        for watcher in (0, 2, None):
            assert everything(first, seated, watcher) == everything(second, seated, watcher)
        for ctx in (first, second):
            choose(ctx, seated, 0, 3)
            choose(ctx, seated, 2, 3)
        kinds = [kind for kind, _ in told(first, seated)]
        assert kinds[kinds.index("revealed") - 1] == "defaulted"
        shown = next(event for event in events(first, seated.game, 0).events if event["type"] == "defaulted")
        assert (shown["seat"], shown["decision"], shown["fault"]) == (1, "1.play.1.0", "illegal")
        assert "defaulted" not in [kind for kind, _ in told(second, seated)]


def test_a_fault_is_told_also_when_the_cards_are_never_revealed(ctx: Context) -> None:
    seated = begin(ctx, 3)
    settle(ctx, seated.game, Settlement(due(load(ctx, seated.game))[1], None, "late", 30))
    assert ("defaulted", 1) not in told(ctx, seated)
    abort(ctx, seated.game)
    assert told(ctx, seated)[-2:] == [("defaulted", 1), ("aborted", None)]


def test_a_default_action_that_is_no_secret_is_told_at_once(ctx: Context) -> None:
    seated = begin(ctx, 3)
    play(ctx, seated, until=in_phase("load"))
    (asked,) = due(load(ctx, seated.game)).values()
    before = events(ctx, seated.game, 0).last
    settle(ctx, seated.game, Settlement(asked, None, "late", 30))
    kinds = [event["type"] for event in events(ctx, seated.game, before).events]
    assert kinds[:2] == ["defaulted", "loaded"]
