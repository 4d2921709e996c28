"""Rulings on what a seat may see, and what `determinize` makes of it."""

import json
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from service.engine.actions import Play
from service.engine.components import standard_components
from service.engine.core.layout import CARD, JACK, STACK
from service.engine.determinize import determinize
from service.engine.errors import InvalidInput
from service.engine.game import Game
from service.engine.invariants import check_core
from service.engine.observation import GameHeader, observe
from service.engine.setup import Reshuffles, Setup, Variants, draw_setup
from tests.engine.positions import choose, good, hire, lay

View = dict[str, Any]
MEMBERS = (
    "game version status players variants seat round phase decisions due board workers order docks stack unseen "
    "last_six reshuffle bank jack seats cards deal commitment places"
).split()


def table(players: int, status: str = "running", names: tuple[str | None, ...] | None = None) -> GameHeader:
    return GameHeader("g", 17, status, names or ("ann", "bob", "cid", None)[:players], "c0ffee", "drawn")


def seen(game: Game, seat: int | None, status: str = "running") -> View:
    return observe(game, seat, table(game.players, status))


def dealt(players: int, seed: str, variants: Variants | None = None) -> Game:
    components = standard_components(players)
    setup = draw_setup(components, players, seed)
    return Game.deal(players, variants or Variants(), components, setup, Reshuffles(seed)).game


def test_an_observation_has_these_members_in_this_order() -> None:
    view = seen(dealt(4, "kill-1"), 2)
    assert list(view) == MEMBERS
    assert view["game"] == "g"
    assert (view["version"], view["status"], view["deal"], view["commitment"]) == (17, "running", "drawn", "c0ffee")
    assert list(view["seats"][0]) == [
        "seat", "name", "points", "coins", "supply", "aboard", "chosen", "resigned",
    ]  # fmt: skip


def test_the_start_of_a_dealt_game_as_a_seat_sees_it() -> None:
    view = seen(dealt(2, "kill-1"), 0)
    assert view["board"][0] == {
        "warehouse": "w4",
        "upper": {"good": 3, "broken": 0, "coin": 0},
        "lower": {"good": 0, "broken": 1, "coin": 1},
    }
    assert view["workers"][1] == {"seat": 0, "worker": "little", "stop": None}
    assert view["order"][0] == {"seat": 1, "worker": "big"}
    assert view["docks"][:2] == [
        {"ship": "pilot", "capacity": 0, "points": [0, 0, 0], "barrels": [0, 0]},
        {"ship": "s02", "capacity": 3, "points": [3, 2, 1], "barrels": [0, 0]},
    ]
    assert view["stack"] == 12
    assert [ship["ship"] for ship in view["unseen"]] == sorted(ship["ship"] for ship in view["unseen"])
    assert view["unseen"][0] == {"ship": "s01", "capacity": 3, "points": [3, 2, 1]}
    assert (view["last_six"], view["reshuffle"], view["bank"], view["jack"]) == (False, False, 15, None)
    assert view["seats"][1] == {
        "seat": 1, "name": "bob", "points": 0, "coins": 0, "supply": 16, "aboard": 0, "chosen": False,
        "resigned": False,
    }  # fmt: skip
    assert (view["cards"], view["places"], view["due"]) == (None, None, [0, 1])
    assert view["decisions"] == [
        {"id": "1.play.0.0", "seat": 0, "type": "play"},
        {"id": "1.play.1.0", "seat": 1, "type": "play"},
    ]


def test_own_cards_are_seen_from_the_choice_until_the_round_ends() -> None:
    game = lay(2, rooms={0: good(2)})
    game = game.apply("2.play.0.0", Play(1, 1)).game
    assert (seen(game, 0)["cards"], seen(game, 1)["cards"], seen(game, None)["cards"]) == (
        {"big": 1, "little": 1}, None, None,
    )  # fmt: skip
    assert [seat["chosen"] for seat in seen(game, 1)["seats"]] == [True, False]
    game = game.apply("2.play.1.0", Play(2, 2)).game
    assert game.phase == "clear"
    assert (seen(game, 0)["cards"], seen(game, 1)["cards"]) == ({"big": 1, "little": 1}, {"big": 2, "little": 2})
    assert [seat["chosen"] for seat in seen(game, 1)["seats"]] == [False, False]
    game = game.apply(game.decisions[0].id, game.default_action(game.decisions[0].id)).game
    assert seen(game, 0)["cards"] is None


def test_jack_is_seen_while_he_is_hired() -> None:
    game = hire(lay(2, at={"0 little": 9}, coins=(3,)), "little")
    view = seen(game, None)
    assert view["jack"] == {"seat": 0, "companion": "little"}
    assert view["workers"][-1] == {"seat": 0, "worker": "jack", "stop": 9}
    assert seen(choose(game, (1, 1, 2), (3, 3)).game, None)["jack"] is None


def test_a_game_that_is_not_running_asks_nobody() -> None:
    game = dealt(2, "seed")
    for status in ("open", "finished", "aborted"):
        view = seen(game, 0, status)
        assert (view["decisions"], view["due"]) == ([], [])
        assert list(view) == MEMBERS


def test_names_of_empty_seats_are_null() -> None:
    assert [seat["name"] for seat in seen(dealt(4, "seed"), None)["seats"]] == ["ann", "bob", "cid", None]


def with_other_secrets(game: Game, seat: int | None, draw: random.Random) -> Game:
    """The same game with another stack, other reshuffles, and other cards of the other seats."""
    core = list(game.core)
    stack = core[STACK:]
    draw.shuffle(stack)
    core[STACK:] = stack
    if game.phase == "play":
        for other in range(game.players):
            if other != seat and core[CARD + 2 * other] and (game.jack is None or game.jack[0] != other):
                core[CARD + 2 * other : CARD + 2 * other + 2] = [draw.randint(1, 5), draw.randint(1, 5)]
    check_core(game.config, core)
    return replace(game, core=tuple(core), reshuffles=Reshuffles(str(draw.random())))


def random_states(players: int, seed: str, games: int = 3) -> list[Game]:
    states = []
    draw = random.Random(seed)
    for number in range(games):
        game = dealt(players, f"{seed}-{number}", Variants(starting_coins=draw.randrange(4)))
        while game.decisions:
            states.append(game)
            decision = draw.choice(game.decisions).id
            game = game.apply(decision, draw.choice(game.legal_actions(decision))).game
        states.append(game)
    return states


@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_states_that_differ_in_what_a_seat_cannot_see_look_the_same_to_it(players: int) -> None:
    draw = random.Random(players)
    different = 0
    for game in random_states(players, f"hidden-{players}"):
        for seat in [None, *range(players)]:
            other = with_other_secrets(game, seat, draw)
            different += other != game
            assert json.dumps(seen(other, seat)) == json.dumps(seen(game, seat))
            for decision in game.decisions:
                if decision.seat == seat:
                    assert other.legal_actions(decision.id) == game.legal_actions(decision.id)
    assert different > 100


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_determinized_state_looks_the_same_to_the_seat(players: int) -> None:
    components = standard_components(players)
    for number, game in enumerate(random_states(players, f"drawn-{players}")):
        for seat in [None, *range(players)]:
            view = seen(game, seat)
            if game.outcome is not None:
                with pytest.raises(InvalidInput, match="the game is over"):
                    determinize(view, components, "x")
                continue
            drawn = determinize(json.loads(json.dumps(view)), components, f"seed {number}")
            assert json.dumps(seen(drawn, seat)) == json.dumps(view)
            assert drawn.decisions == game.decisions
            check_core(drawn.config, list(drawn.core))


def test_no_card_is_made_up_for_a_jack_whom_nobody_has_hired() -> None:
    components = standard_components(3)
    views = [(seen(game, 0), game) for game in random_states(3, "no jack") if game.outcome is None]
    revealed = [view for view, game in views if view["jack"] is None and view["phase"] == "clear"]
    assert revealed
    for view in revealed:
        assert determinize(view, components, "x").core[CARD + JACK] == 0


def test_determinizing_does_not_depend_on_the_truth() -> None:
    components = standard_components(3)
    draw = random.Random(5)
    for game in random_states(3, "truth", 1):
        if game.outcome is None:
            other = with_other_secrets(game, 1, draw)
            assert determinize(seen(game, 1), components, "s") == determinize(seen(other, 1), components, "s")


def test_every_order_of_a_small_stack_is_drawn_about_equally_often() -> None:
    game = lay(2, stack=((5, (5, 3, 2)),) * 3)
    view = seen(game, 0)
    counts = Counter(determinize(view, game.components, str(number)).core[STACK:] for number in range(1800))
    assert len(counts) == 6
    assert all(230 < count < 370 for count in counts.values())


def test_cards_that_others_have_put_down_are_drawn_uniformly() -> None:
    game = dealt(2, "cards").apply("1.play.1.0", Play(3, 3)).game
    view = seen(game, 0)
    drawn = [determinize(view, standard_components(2), str(number)).cards(1) for number in range(2500)]
    counts = Counter(json.dumps(cards) for cards in drawn)
    assert len(counts) == 25
    assert all(60 < count < 145 for count in counts.values())
    mine = seen(game, 1)
    assert determinize(mine, standard_components(2), "x").cards(1) == {"big": 3, "little": 3}


@pytest.mark.parametrize("member", ["docks", "workers", "seats", "order", "board"])
@pytest.mark.parametrize("content", [None, 7, [], [{}]])
def test_what_is_no_observation_is_refused(member: str, content: object) -> None:
    view = seen(dealt(2, "seed"), 0)
    with pytest.raises(InvalidInput):
        determinize({**view, member: content}, standard_components(2), "x")


def test_a_setup_deals_exactly_that_game() -> None:
    components = standard_components(2)
    setup = draw_setup(components, 2, "kill-1")
    turned = Setup(setup.warehouses[::-1], setup.ships[::-1], setup.order[::-1])
    game = Game.deal(2, Variants(), components, turned, Reshuffles("x")).game
    view = seen(game, None)
    assert [entry["warehouse"] for entry in view["board"]] == "w1 w6 w3 w5 w2 w7 w4".split()
    assert [dock["ship"] for dock in view["docks"]] == ["pilot", "s07", "s13", "s12"]
    assert [game.config.ships[ship] for ship in reversed(game.core[STACK:])][:2] == ["s15", "s04"]


def test_a_state_that_no_game_could_be_in_is_refused() -> None:
    draw = random.Random(11)
    refused = 0
    for game in random_states(3, "damage", 2):
        for _ in range(20):
            core = list(game.core)
            place = draw.randrange(len(core))
            core[place] = draw.choice([-2, -1, 0, 1, 5, 9, 32, 7000, core[place] + 1])
            try:
                check_core(game.config, core)
            except InvalidInput:
                refused += 1
                continue
            # A state that is accepted can be played on.
            other = replace(game, core=tuple(core))
            for _ in range(10):
                if other.decisions:
                    decision = other.decisions[-1].id
                    other = other.apply(decision, draw.choice(other.legal_actions(decision))).game
    assert refused > 1000
