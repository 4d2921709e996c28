"""Rulings on "Paying a ship": a ship sails from dock 0 with these barrels aboard."""

import pytest

from service.engine.setup import Variants
from tests.engine.positions import WIDE, choose, happened, lay


def paid(points: tuple[int, int, int], barrels: tuple[int, ...], last_place: str = "paid") -> list[int]:
    docks = ((16, points, barrels), WIDE, WIDE, WIDE)
    game = lay(len(barrels), docks=docks, variants=Variants(last_place=last_place))
    step = choose(game, *[(1 + seat, 1 + seat) for seat in range(len(barrels))])
    found: list[int] = happened(step.events, "ship_sailed")[0]["paid"]
    assert list(step.game.points) == found
    return found


@pytest.mark.parametrize(
    ("points", "barrels", "shares"),
    [
        ((7, 4, 3), (4, 4, 2, 1), [6, 6, 3, 0]),
        ((5, 3, 2), (3, 3), [4, 4]),
    ],
)
def test_the_examples_of_the_rules(points: tuple[int, int, int], barrels: tuple[int, ...], shares: list[int]) -> None:
    assert paid(points, barrels) == shares


@pytest.mark.parametrize(
    ("barrels", "shares"),
    [
        ((4, 3, 2, 1), [7, 4, 3, 0]),
        ((1, 2, 3, 4), [0, 3, 4, 7]),
        ((3, 2, 1), [7, 4, 3]),
        ((2, 1), [7, 4]),
        ((1, 9), [4, 7]),
    ],
)
def test_the_first_three_ranks_are_paid_and_with_two_players_the_first_two(
    barrels: tuple[int, ...], shares: list[int]
) -> None:
    assert paid((7, 4, 3), barrels) == shares


@pytest.mark.parametrize(
    ("barrels", "shares"),
    [
        ((1, 0, 0, 0), [7, 0, 0, 0]),
        ((0, 2, 0, 1), [0, 7, 0, 4]),
        ((0, 3, 2, 1), [0, 7, 4, 3]),
        ((0, 0, 5), [0, 0, 7]),
        ((0, 3), [0, 7]),
        ((0, 0), [0, 0]),
    ],
)
def test_who_has_no_barrel_aboard_gets_nothing(barrels: tuple[int, ...], shares: list[int]) -> None:
    assert paid((7, 4, 3), barrels) == shares


@pytest.mark.parametrize(
    ("barrels", "shares"),
    [
        ((2, 2, 1, 0), [6, 6, 3, 0]),  # (7 + 4) / 2 = 5.5
        ((2, 2, 0, 0), [6, 6, 0, 0]),
        ((3, 2, 2, 0), [7, 4, 4, 0]),  # (4 + 3) / 2 = 3.5
        ((3, 2, 2, 1), [7, 4, 4, 0]),
        ((4, 3, 1, 1), [7, 4, 2, 2]),  # (3 + 0) / 2 = 1.5
        ((2, 2, 1, 1), [6, 6, 2, 2]),
        ((2, 1, 1), [7, 4, 4]),
        ((2, 2, 1), [6, 6, 3]),
        ((1, 1), [6, 6]),
    ],
)
def test_two_tied_players_share_the_ranks_they_cover_rounded_up(barrels: tuple[int, ...], shares: list[int]) -> None:
    assert paid((7, 4, 3), barrels) == shares


@pytest.mark.parametrize(
    ("points", "barrels", "shares"),
    [
        ((7, 4, 3), (2, 2, 2, 1), [5, 5, 5, 0]),  # 14 / 3
        ((7, 4, 3), (3, 2, 2, 2), [7, 3, 3, 3]),  # (4 + 3 + 0) / 3
        ((7, 4, 3), (1, 1, 1), [5, 5, 5]),
        ((4, 2, 1), (0, 1, 1, 1), [0, 3, 3, 3]),  # 7 / 3
        ((3, 2, 1), (2, 2, 2), [2, 2, 2]),
    ],
)
def test_three_tied_players_share_the_ranks_they_cover_rounded_up(
    points: tuple[int, int, int], barrels: tuple[int, ...], shares: list[int]
) -> None:
    assert paid(points, barrels) == shares


@pytest.mark.parametrize(
    ("points", "share"), [((7, 4, 3), 4), ((8, 5, 3), 4), ((3, 2, 1), 2), ((5, 3, 1), 3), ((0, 0, 0), 0)]
)
def test_four_tied_players_share_all_ranks_rounded_up(points: tuple[int, int, int], share: int) -> None:
    assert paid(points, (3, 3, 3, 3)) == [share] * 4


@pytest.mark.parametrize(
    ("barrels", "shares"),
    [
        ((2, 1), [7, 0]),
        ((1, 1), [6, 6]),
        ((0, 1), [0, 7]),
        ((3, 2, 1), [7, 4, 0]),
        ((2, 1, 1), [7, 4, 4]),
        ((2, 2, 1), [6, 6, 0]),
        ((2, 1, 0), [7, 4, 0]),
        ((1, 1, 1), [5, 5, 5]),
        ((4, 3, 2, 1), [7, 4, 3, 0]),
        ((2, 2, 1, 1), [6, 6, 2, 2]),
        ((3, 2, 1, 0), [7, 4, 3, 0]),
    ],
)
def test_with_last_place_unpaid_whom_every_other_player_of_the_game_surpasses_gets_nothing(
    barrels: tuple[int, ...], shares: list[int]
) -> None:
    assert paid((7, 4, 3), barrels, "unpaid") == shares
