"""Rulings on "Winner", and on games that end early."""

import pytest

from service.engine.actions import Play
from service.engine.errors import GameIsOver, InvalidInput
from service.engine.game import Game, placing
from tests.engine.positions import PILOT, WIDE, choose, happened, lay

NOBODY: frozenset[int] = frozenset()
LAST_ROUND = (PILOT, WIDE, WIDE)


@pytest.mark.parametrize(
    ("points", "places"),
    [
        ((31, 40, 28, 39), (3, 1, 4, 2)),
        ((40, 31, 31, 28), (1, 2, 2, 4)),
        ((40, 40, 31, 28), (1, 1, 3, 4)),
        ((40, 31, 31, 31), (1, 2, 2, 2)),
        ((40, 40, 40, 28), (1, 1, 1, 4)),
        ((5, 5, 5, 5), (1, 1, 1, 1)),
        ((5, 5), (1, 1)),
        ((0, 7, 0), (2, 1, 2)),
    ],
)
def test_equal_points_share_the_place(points: tuple[int, ...], places: tuple[int, ...]) -> None:
    assert placing(points, NOBODY) == places
    cards = [(seat + 1, seat + 1) for seat in range(len(points))]
    over = choose(lay(len(points), docks=LAST_ROUND, stack=(), points=points), *cards).game
    assert over.outcome is not None
    assert (over.outcome.points, over.outcome.places, over.outcome.ended) == (points, places, "played")


def test_who_resigned_ranks_behind_all_others_by_points_among_its_like() -> None:
    assert placing((31, 40, 28, 39), frozenset({1, 2})) == (2, 3, 4, 1)
    assert placing((31, 40, 31, 40), frozenset({1, 3})) == (1, 3, 1, 3)


def play_defaults(game: Game) -> Game:
    while game.open_defaults:
        owed = game.open_defaults[0].id
        game = game.apply(owed, game.default_action(owed)).game
    return game


def test_a_resigned_seat_owes_default_actions_until_the_game_has_ended() -> None:
    step = lay(4, docks=LAST_ROUND, stack=(), points=(0, 9, 5, 5)).resign([1], "forfeit")
    assert happened(step.events, "resigned") == [{"seats": [1], "reason": "forfeit"}]
    assert [decision.id for decision in step.game.open_defaults] == ["2.play.1.0"]
    assert step.game.default_action("2.play.1.0") == Play(1, 1)
    game = play_defaults(step.game)
    for seat in (0, 2, 3):
        game = game.apply(f"2.play.{seat}.0", Play(seat + 2, 1)).game
    assert game.outcome is not None
    assert (game.outcome.places, game.outcome.ended) == ((3, 4, 1, 1), "played")


def test_the_game_ends_when_a_single_seat_is_left_and_that_seat_is_first() -> None:
    docks = ((9, (7, 4, 3), (3, 1, 0)), WIDE, WIDE, WIDE)
    game = lay(3, docks=docks, points=(10, 20, 30)).resign([2], "resigned").game
    assert game.outcome is None
    step = game.resign([1], "resigned")
    assert step.game.outcome is not None
    # No ship is paid.
    assert step.game.outcome.points == (10, 20, 30)
    assert (step.game.outcome.places, step.game.outcome.ended) == ((1, 3, 2), "resigned")
    assert happened(step.events, "finished") == [{"points": [10, 20, 30], "places": [1, 3, 2], "ended": "resigned"}]
    assert (step.game.phase, step.game.decisions) == ("over", ())


def test_if_no_seat_is_left_all_rank_by_points() -> None:
    over = lay(3, points=(10, 30, 20)).resign([0, 1, 2], "forfeit").game
    assert over.outcome is not None
    assert (over.outcome.places, over.outcome.ended) == ((3, 1, 2), "resigned")


def test_a_game_ends_by_resignation_also_while_cards_are_chosen() -> None:
    game = lay(2).apply("2.play.0.0", Play(1, 1)).game
    over = game.resign([0], "resigned").game
    assert over.outcome is not None
    assert over.outcome.places == (2, 1)


def test_to_resign_again_changes_nothing() -> None:
    game = lay(3).resign([1], "resigned").game
    step = game.resign([1], "forfeit")
    assert step.game is game
    assert step.events == ()


def test_an_aborted_game_has_no_places() -> None:
    step = lay(3, points=(1, 2, 3)).abort()
    assert step.game.outcome is not None
    assert (step.game.outcome.points, step.game.outcome.places) == ((1, 2, 3), None)
    assert (step.game.outcome.ended, step.game.outcome.rounds) == ("aborted", 2)
    assert [event.type for event in step.events] == ["aborted"]


@pytest.mark.parametrize("ended", ["played", "resigned", "aborted"])
def test_nothing_can_be_done_in_a_game_that_is_over(ended: str) -> None:
    game = lay(2, docks=LAST_ROUND, stack=())
    if ended == "played":
        over = choose(game, (1, 1), (2, 2)).game
    else:
        over = (game.resign([0], "resigned") if ended == "resigned" else game.abort()).game
    with pytest.raises(GameIsOver):
        over.apply("2.play.0.0", Play(1, 1))
    with pytest.raises(GameIsOver):
        over.resign([1], "resigned")
    with pytest.raises(GameIsOver):
        over.abort()


def test_a_resignation_names_seats_and_a_known_reason() -> None:
    with pytest.raises(InvalidInput, match="seats: there is no seat 2"):
        lay(2).resign([2], "resigned")
    with pytest.raises(InvalidInput, match="reason: must be one of resigned, forfeit, withdrawn"):
        lay(2).resign([1], "bored")
