"""Where greedy expects its workers to end, on paths where the rules leave little or no doubt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bots.greedy.path import Spread, path_of
from montego_bot import read_ask
from tests.bots.positions import cards, observation


def spreads(places: Mapping[tuple[int, str], int | None], big: int, little: int, **changes: Any) -> list[Spread]:
    """Where seat 0's workers end; the order is that of `places`."""
    workers = [{"seat": seat, "worker": worker, "stop": stop} for (seat, worker), stop in places.items()]
    order = [{"seat": seat, "worker": worker} for seat, worker in places if worker != "jack"]
    seen = read_ask(cards(observation(workers=workers, order=order, **changes))).observation
    path = path_of(seen, 0, None)
    found = path.spreads({"big": big, "little": little})
    for spread in found:
        assert sum(spread.values()) == pytest.approx(1)
    return [{stop: chance for stop, chance in spread.items() if chance > 1e-9} for spread in found]


def test_a_worker_alone_ends_where_its_card_takes_it() -> None:
    places = {(0, "big"): 12, (0, "little"): 5, (1, "big"): 6, (1, "little"): None}
    # The others reach stops 7 to 11; big goes round the end of the path.
    assert spreads(places, big=3, little=1)[0] == {1: 1.0}


def test_from_the_taverns_the_first_step_leads_onto_the_path() -> None:
    places = {(1, "big"): 3, (1, "little"): 3, (0, "big"): None, (0, "little"): None}
    assert spreads(places, big=1, little=5) == [{0: 1.0}, {11: 1.0}]


def test_one_who_stands_there_and_moves_later_is_pushed_over() -> None:
    places = {(0, "big"): 0, (0, "little"): 12, (1, "big"): 2, (1, "little"): 9}
    # Stop 2 is taken, and nobody comes back to it: one who is on it goes on from where it was pushed to.
    assert spreads(places, big=2, little=1)[0] == {2: 1.0}


def test_a_blocked_worker_falls_back_to_the_first_free_stop() -> None:
    places = {(0, "big"): 1, (0, "little"): 12, (1, "big"): 4, (1, "little"): 9}
    # Stops 4 and 9 face each other, and both are taken when big comes: it stays on stop 3, which nobody else reaches.
    assert spreads(places, big=3, little=1)[0] == {3: 1.0}


def test_one_who_may_be_met_later_may_be_pushed_over() -> None:
    places = {(0, "big"): 0, (0, "little"): 9, (1, "big"): 1, (1, "little"): 13}
    found = spreads(places, big=3, little=1)[0]
    # Each of the two others comes to stop 3 with a fifth; the stop on the other side is 10.
    assert set(found) == {3, 10}
    assert found[10] == pytest.approx(9 / 25)


def test_ones_own_second_worker_pushes_ones_first() -> None:
    places = {(0, "big"): 0, (0, "little"): 1, (1, "big"): 6, (1, "little"): 7}
    assert spreads(places, big=3, little=2) == [{10: 1.0}, {3: 1.0}]


def test_another_seats_jack_moves_first() -> None:
    places = {(1, "jack"): 0, (0, "big"): 13, (0, "little"): 8, (1, "big"): 0, (1, "little"): 7}
    seen = read_ask(
        cards(
            observation(
                workers=[{"seat": s, "worker": w, "stop": stop} for (s, w), stop in places.items()],
                order=[{"seat": s, "worker": w} for s, w in places if w != "jack"],
                jack={"seat": 1, "companion": "big"},
            )
        )
    ).observation
    path = path_of(seen, 0, None)
    assert path.runners[0].name == (1, "jack")
    assert path.own() == [1, 2]
