"""What would follow, as far as it is certain, is what does follow."""

from __future__ import annotations

import random

import pytest

from service.engine.core.layout import CARD
from service.engine.game import Game
from service.engine.preview import landing, payment
from tests.web.games import document


def deal(players: int, seed: str) -> Game:
    meta = document(players, seed)
    return Game.deal(players, meta.variants, meta.component_set(), meta.dealt(), meta.reshuffles()).game


@pytest.mark.parametrize(
    ("ship", "barrels", "paid"),
    [
        ("s14", (4, 3, 1, 1), (8, 5, 2, 2)),
        ("s14", (3, 3, 2, 0), (7, 7, 3, 0)),
        ("s14", (0, 0, 0, 0), (0, 0, 0, 0)),
        ("pilot", (0, 0, 0, 0), (0, 0, 0, 0)),
    ],
)
def test_a_ship_pays_by_the_rules(ship: str, barrels: tuple[int, ...], paid: tuple[int, ...]) -> None:
    assert payment(deal(4, "preview").config, ship, barrels) == paid


def test_a_ship_that_the_game_does_not_have_pays_nothing_but_an_error() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        payment(deal(4, "preview").config, "s99", (0, 0, 0, 0))


@pytest.mark.parametrize("chance", range(8))
def test_the_first_worker_to_move_lands_where_it_was_foretold(chance: int) -> None:
    draw = random.Random(chance)
    game = deal(4, f"preview-{chance}")
    compared = 0
    while game.outcome is None:
        decision = draw.choice(game.decisions)
        step = game.apply(decision.id, draw.choice(game.legal_actions(decision.id)))
        if len(game.decisions) == 1 and decision.type == "play":
            first = next(event.data for event in step.events if event.type == "moved")
            shown = next(event.data["cards"] for event in step.events if event.type == "revealed")
            seat, worker = first["seat"], first["worker"]
            assert isinstance(seat, int)
            assert isinstance(worker, str)
            assert isinstance(shown, list)
            assert landing(game, seat, worker, shown[seat][worker]) == first["to"]
            compared += 1
        game = step.game
    assert compared > 3


def test_foretelling_changes_no_game_and_looks_at_no_card() -> None:
    game = deal(2, "preview")
    before = game.core
    played = game.apply("1.play.1.0", game.legal_actions("1.play.1.0")[7]).game
    for card in range(1, 6):
        assert landing(game, 0, "big", card) == landing(played, 0, "big", card)
    assert game.core == before
    assert game.core[CARD] == 0
