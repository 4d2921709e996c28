"""The one way in which a game moves on."""

from __future__ import annotations

import pytest

from service.engine.actions import Load, NotLegal, Play
from service.errors import NotFound
from service.operations.context import Context
from service.operations.games.change import Settlement, abort, load, resign, settle
from service.store.leases import LeaseLost
from tests.operations.game_setup import answer, begin, due, play


def test_settling_a_closed_decision_does_nothing(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 3)
    decision = due(load(ctx, seated.game))[1]
    first = settle(ctx, seated.game, Settlement(decision, Play(2, 3), None, 12)).view
    for again in (Settlement(decision, Play(2, 3), None, 12), Settlement(decision, None, "late", 99)):
        assert settle(ctx, seated.game, again).view.version == first.version
        assert settle(other, seated.game, again).view.version == first.version
    view = load(other, seated.game)
    assert view.closed[decision].fault is None
    assert view.ledgers[1].answer_ms == 12


def test_settling_what_was_never_asked_or_is_over_does_nothing(ctx: Context) -> None:
    seated = begin(ctx, 2)
    version = load(ctx, seated.game).version
    assert settle(ctx, seated.game, Settlement("9.load.0.0", None, "late", 1)).view.version == version
    over = play(ctx, seated)
    for late in (
        settle(ctx, seated.game, Settlement("1.play.0.0", None)).view,
        abort(ctx, seated.game),
        resign(ctx, seated.game, [0], "forfeit"),
    ):
        assert late.version == over.version
    with pytest.raises(NotFound):
        settle(ctx, "nosuchgame", Settlement("1.play.0.0", None))


def test_an_open_game_has_nothing_to_settle(ctx: Context) -> None:
    seated = begin(ctx, 2, seats=["creator", "open"])
    version = load(ctx, seated.game).version
    assert settle(ctx, seated.game, Settlement("1.play.0.0", None)).view.version == version
    assert resign(ctx, seated.game, [0], "resigned").version == version


def test_an_illegal_action_is_not_settled(ctx: Context) -> None:
    seated = begin(ctx, 2)
    view = load(ctx, seated.game)
    for action in (Play(6, 1), Play(1, 1, 2), Load((("s01", 1),))):
        with pytest.raises(NotLegal):
            settle(ctx, seated.game, Settlement(due(view)[0], action))
    assert load(ctx, seated.game).version == view.version


def test_an_append_under_a_lease_that_is_anothers_is_refused(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 3)
    asked = due(load(ctx, seated.game))
    old = ctx.leases.acquire("view", 60_000)
    assert old is not None
    settle(ctx, seated.game, Settlement(asked[0], None), lease=old)
    ctx.leases.release(old)
    new = other.leases.acquire("view", 60_000)
    assert new is not None
    with pytest.raises(LeaseLost):
        settle(ctx, seated.game, Settlement(asked[1], None), lease=old)
    settle(other, seated.game, Settlement(asked[1], None), lease=new)
    other.leases.release(new)
    with pytest.raises(LeaseLost):
        resign(ctx, seated.game, [2], "forfeit", lease=old)
    with pytest.raises(LeaseLost):
        abort(ctx, seated.game, lease=old)
    assert due(load(ctx, seated.game)) == {2: asked[2]}


def test_a_process_that_has_read_less_sees_what_another_wrote(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 3)
    load(other, seated.game)
    for seat in range(3):
        version = answer(ctx, seated, seat).version
        assert load(other, seated.game).version == version
    assert load(other, seated.game).game == load(ctx, seated.game).game


def test_what_a_process_knows_of_a_removed_game_is_forgotten(ctx: Context) -> None:
    seated = begin(ctx, 2)
    ctx.games.remove(seated.game)
    with pytest.raises(NotFound):
        load(ctx, seated.game)
    assert ctx.projections.latest(seated.game) is None


def test_an_old_view_is_settled_on_the_newest_state(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 3)
    old = load(ctx, seated.game)
    answer(other, seated, 0)
    view = resign(ctx, seated.game, [1], "resigned", known=old)
    assert view.version == old.version + 3, "the answer, the resignation, and the default card"
    assert due(view) == {2: due(old)[2]}
