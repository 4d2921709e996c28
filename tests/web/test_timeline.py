"""Positions: events folded over the first observation come to what the rules say."""

from __future__ import annotations

from typing import Any

import pytest

from service.engine.setup import Variants
from service.operations.games.asks import observation
from service.web.timeline import GamePosition, Timeline, Timelines
from tests.web.games import aborted, document, finished, played


def as_observed(position: GamePosition) -> dict[str, Any]:
    """What an observation says of a position."""
    workers: list[dict[str, Any]] = [
        {"seat": number // 2, "worker": ("big", "little")[number % 2], "stop": stop}
        for number, stop in enumerate(position.stops)
    ]
    jack = position.jack
    if jack is not None:
        workers.append({"seat": jack.seat, "worker": "jack", "stop": jack.stop})
    return {
        "version": position.version,
        "status": position.status,
        "round": position.round,
        "due": sorted(position.due),
        "workers": workers,
        "order": [{"seat": number // 2, "worker": ("big", "little")[number % 2]} for number in position.order],
        "docks": [(ship.id, ship.aboard(position.players)) for ship in position.docks],
        "unseen": sorted(position.unseen),
        "last_six": position.last_six,
        "reshuffle": position.reshuffle,
        "bank": position.bank,
        "jack": None if jack is None else {"seat": jack.seat, "companion": jack.companion},
        "seats": [
            (
                position.names[seat],
                position.points[seat],
                position.coins[seat],
                position.supply[seat],
                seat in position.chosen,
                seat in position.resigned,
            )
            for seat in range(position.players)
        ],
        "places": None if position.places is None else list(position.places),
    }


def observed(seen: dict[str, Any]) -> dict[str, Any]:
    """The same of an observation."""
    kept = ("version", "status", "round", "due", "workers", "order", "last_six", "reshuffle", "bank", "jack", "places")
    return {
        **{name: seen[name] for name in kept},
        "docks": [(ship["ship"], ship["barrels"]) for ship in seen["docks"]],
        "unseen": [ship["ship"] for ship in seen["unseen"]],
        "seats": [
            (seat["name"], seat["points"], seat["coins"], seat["supply"], seat["chosen"], seat["resigned"])
            for seat in seen["seats"]
        ],
    }


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("chance", range(6))
def test_after_each_entry_the_position_is_what_a_spectator_observes(players: int, chance: int) -> None:
    variants = Variants(starting_coins=chance % 4, tally=("warehouses", "circuit")[chance % 2])
    timeline = None
    for view in played(
        document(players, f"timeline-{chance}", variants=variants), chance=chance, resigning=0.002, late=0.05
    ):
        timeline = timeline or Timeline(view)
        timeline.extend(view)
        if view.status == "running" and view.game.outcome is not None:
            continue  # its end is an entry of the same append
        assert as_observed(timeline.positions[-1]) == observed(observation(view, None))
    assert timeline is not None
    assert timeline.positions[-1].status == "finished"


def test_a_timeline_has_a_position_for_each_event() -> None:
    view = finished(document())
    timeline = Timeline(view)
    timeline.extend(view)
    assert [position.event["n"] for position in timeline.positions[1:]] == list(range(1, len(view.history) + 1))
    assert timeline.last == len(view.history)


def test_positions_do_not_depend_on_when_the_timeline_was_extended() -> None:
    at_once = finished(document())
    whole = Timeline(at_once)
    whole.extend(at_once)
    piecewise = None
    for view in played(document()):
        piecewise = piecewise or Timeline(view)
        piecewise.extend(view)
    assert piecewise is not None
    assert piecewise.positions == whole.positions


def test_a_barrel_keeps_its_number_while_it_is_aboard() -> None:
    view = finished(document())
    timeline = Timeline(view)
    timeline.extend(view)
    for before, after in zip(timeline.positions, timeline.positions[1:], strict=False):
        then = {barrel: ship.id for ship in before.docks for barrel in ship.barrels}
        for ship in after.docks:
            for barrel in ship.barrels:
                assert then.get(barrel, ship.id) == ship.id
                assert len(ship.barrels) == len(set(ship.barrels))


def test_between_two_decisions_nobody_is_due() -> None:
    view = finished(document())
    timeline = Timeline(view)
    timeline.extend(view)
    for before, after in zip(timeline.positions, timeline.positions[1:], strict=False):
        if before.version == after.version:
            assert before.decisions == ()


def test_a_game_that_is_broken_off_ends_without_places() -> None:
    view = aborted(document(), 30)
    timeline = Timeline(view)
    timeline.extend(view)
    last = timeline.positions[-1]
    assert (last.status, last.places, last.due) == ("aborted", None, frozenset())


def test_a_process_keeps_the_timelines_that_it_used_last() -> None:
    view = finished(document())
    timelines = Timelines(size=1)
    kept = timelines.of(view)
    assert timelines.of(view) is kept


def test_a_game_that_was_imported_under_an_old_id_gets_a_timeline_of_its_own() -> None:
    timelines = Timelines()
    old = timelines.of(finished(document(seed="old")))
    new = timelines.of(finished(document(seed="new")))
    assert new is not old
    assert new.positions[-1] != old.positions[-1]
