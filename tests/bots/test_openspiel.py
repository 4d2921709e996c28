"""The game for OpenSpiel keeps to OpenSpiel's own checks, to the rules, and lets its algorithms run."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

import numpy as np
import pyspiel
from open_spiel.python.algorithms import (
    cfr,
    exploitability,
    external_sampling_mccfr,
    generate_playthrough,
    mcts,
    outcome_sampling_mccfr,
)

from bots.environments import openspiel_game  # noqa: F401  (registers the game)
from service.engine.core.layout import CARD, STACK

SMALL = {"seed": 3, "cards": 2, "rounds": 1}


def game_of(**parameters: int) -> Any:
    return pyspiel.load_game("python_montego_bay", parameters)


def played(game: Any, seed: int, decisions: int = 10_000) -> Any:
    """A state after so many random decisions, or the end."""
    chance = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal() and decisions:
        if state.is_chance_node():
            state.apply_action(chance.choice([item for item, _ in state.chance_outcomes()]))
        else:
            state.apply_action(chance.choice(state.legal_actions()))
            decisions -= 1
    return state


@pytest.mark.parametrize("players", [2, 3, 4])
def test_openspiels_random_simulations_pass(players: int) -> None:
    pyspiel.random_sim_test(game_of(players=players), num_sims=3, serialize=False, verbose=False)


def test_openspiels_playthrough_is_the_same_each_time() -> None:
    name = "python_montego_bay(cards=2,rounds=1,seed=3)"
    text = generate_playthrough.playthrough(name, action_sequence=None, seed=1)
    assert "IsTerminal() = True" in text
    assert generate_playthrough.playthrough(name, action_sequence=None, seed=1) == text


def test_chance_deals_each_item_once_with_equal_chance() -> None:
    game = game_of(players=2)
    state = game.new_initial_state()
    sizes = []
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        assert sum(share for _, share in outcomes) == pytest.approx(1)
        sizes.append(len(outcomes))
        state.apply_action(outcomes[-1][0])
    assert sizes == [*range(7, 0, -1), *range(15, 0, -1), *range(4, 0, -1)]
    assert state.current_player() == 0


def test_a_fixed_seed_leaves_nothing_to_chance_at_the_start() -> None:
    assert game_of(seed=0).new_initial_state().current_player() == 0
    boards = {game_of(seed=seed).new_initial_state().board for seed in range(5)}
    assert len(boards) > 1


@pytest.mark.parametrize("parameters", [{"players": 5}, {"cards": 0}, {"rounds": -1}])
def test_a_game_that_does_not_exist_is_refused(parameters: dict[str, int]) -> None:
    with pytest.raises((ValueError, pyspiel.SpielError)):
        game_of(**parameters)


def test_information_states_tell_nothing_hidden() -> None:
    """Neither the order of the stack nor cards of others before they are revealed."""
    state = played(game_of(players=3, seed=5), 5, 1)
    assert state.current_player() == 1
    assert state.information_state_string(0).endswith(f"actions 0:{state.history()[-1]}")

    def seen() -> list[Any]:
        return [
            (
                state.information_state_string(seat),
                state.information_state_tensor(seat),
                state.observation_string(seat),
                state.observation_tensor(seat),
            )
            for seat in (1, 2)
        ]

    before = seen()
    state.core[STACK:] = reversed(state.core[STACK:])
    state.core[CARD] = 6 - state.core[CARD]
    assert seen() == before


def test_tensors_of_information_states_differ_where_their_texts_differ() -> None:
    game = game_of(players=3)
    tensors: dict[str, bytes] = {}
    for seed in range(3):
        state = game.new_initial_state()
        chance = random.Random(seed)
        while not state.is_terminal():
            for seat in range(3):
                tensor = np.array(state.information_state_tensor(seat), np.float32)
                assert tensors.setdefault(state.information_state_string(seat), tensor.tobytes()) == tensor.tobytes()
            options = [item for item, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            state.apply_action(chance.choice(options))
    assert len(set(tensors.values())) == len(tensors) > 300


def test_the_parts_of_an_information_state_tensor_can_be_read() -> None:
    game = game_of(players=2)
    state = played(game, 8)
    observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    observer.set_from(state, 1)
    assert observer.dict["player"].tolist() == [0, 1]
    assert observer.dict["board"].argmax(axis=1).tolist() == state.houses
    assert observer.dict["ships"].sum() == len(state.ships)
    first, *later = observer.dict["orders"]
    assert first.argmax(axis=1).tolist() == state.orders[0]
    assert sum(order.any() for order in later) == len(state.orders) - 1 > 0
    history = [(item.player, item.action) for item in state.full_history() if item.player >= 0]
    sequence = observer.dict["actions"][: len(history)]
    numbers = sequence[:, 2:] @ 2 ** np.arange(8)
    assert list(zip(sequence[:, :2].argmax(axis=1), numbers, strict=True)) == history
    assert not observer.dict["actions"][len(history) :].any()


def test_a_copy_of_a_state_goes_its_own_way() -> None:
    state = played(game_of(players=2, seed=1), 1, 5)
    told = str(state)
    copy = state.clone()
    assert str(copy) == told
    copy.apply_action(copy.legal_actions()[0])
    assert str(state) == told != str(copy)


def test_a_small_game_offers_only_its_cards_and_ends_after_its_rounds() -> None:
    state = game_of(**SMALL).new_initial_state()
    assert [state.action_to_string(action) for action in state.legal_actions()] == [
        "big 1, little 1",
        "big 1, little 2",
        "big 2, little 1",
        "big 2, little 2",
    ]
    assert sum(played(game_of(**SMALL), 1).returns()) == 0


def test_openspiels_mcts_beats_random_on_the_whole_game() -> None:
    game = game_of(players=2)
    chance = np.random.RandomState(1)
    won = 0.0
    for number in range(4):
        state = game.new_initial_state()
        searching = mcts.MCTSBot(game, 1.4, 30, mcts.RandomRolloutEvaluator(1, chance), random_state=chance)
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.choice([item for item, _ in state.chance_outcomes()]))
            elif state.current_player() == number % 2:
                state.apply_action(searching.step(state))
            else:
                state.apply_action(chance.choice(state.legal_actions()))
        won += state.returns()[number % 2]
    assert won > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_openspiels_cfr_solves_a_small_game() -> None:
    game = game_of(**SMALL)
    solver = cfr.CFRSolver(game)
    conv = []
    for _ in range(2):
        for _ in range(5):
            solver.evaluate_and_update_policy()
        conv.append(exploitability.nash_conv(game, solver.average_policy()))
    assert conv[1] < conv[0] < 1


def test_openspiels_external_sampling_runs_on_a_small_game() -> None:
    solver = external_sampling_mccfr.ExternalSamplingSolver(game_of(**SMALL))
    solver.iteration()
    state = game_of(**SMALL).new_initial_state()
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)


def test_openspiels_outcome_sampling_runs_on_the_whole_game_for_a_while() -> None:
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game_of(players=2, seed=3))
    until = time.monotonic() + 3
    iterations = 0
    while time.monotonic() < until:
        solver.iteration()
        iterations += 1
    assert iterations > 0
    state = game_of(players=2, seed=3).new_initial_state()
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)
