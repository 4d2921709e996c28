"""The environments keep to the rules of the game and to those of PettingZoo and Gymnasium."""

from __future__ import annotations

import pickle
import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="needs the extra rl: PettingZoo")
pytest.importorskip("gymnasium", reason="needs the extra rl: Gymnasium")

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from bots.environments import montego_bay_v1, single_seat
from bots.environments.actions import ACTIONS, FIRST_LOAD, FIRST_UNLOAD, LOADS, UNLOADS, codes_by_number, mask_of
from bots.environments.episode import Episode, MaskedActionError
from bots.environments.vector import VectorEnv
from bots.random_bot import RandomBot
from montego_bot import Action, Ask, BadChoice
from service.engine.action_codes import code_of
from service.engine.actions import action_to_json
from service.engine.components import standard_components
from service.engine.core import flow
from service.engine.core.layout import CARD, STACK
from service.engine.errors import InvalidInput
from service.engine.game import Game
from service.engine.setup import Reshuffles, Variants, draw_setup

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
PLAYERS = (2, 3, 4)


def new_episode(players: int = 4, seed: str = "episode", variants: Variants | None = None) -> Episode:
    return Episode(players, variants or Variants(), standard_components(players), seed)


def played(env: Any, seed: int) -> dict[str, float]:
    """Plays one game at random, with the seed for its deal and its actions; the rewards by agent."""
    env.reset(seed=seed)
    chance = random.Random(seed)
    rewards = {}
    for agent in env.agent_iter():
        observation, reward, over, cut, _ = env.last()
        if over or cut:
            rewards[agent] = reward
            env.step(None)
        else:
            env.step(chance.choice(observation["action_mask"].nonzero()[0]))
    return rewards


@pytest.mark.parametrize("players", PLAYERS)
def test_pettingzoo_finds_its_interface(players: int) -> None:
    with warnings.catch_warnings():
        # An observation with a mask is a dict, as in PettingZoo's own games.
        warnings.filterwarnings("ignore", message="Observation")
        api_test(montego_bay_v1.env(players), num_cycles=1000)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_same_seed_gives_the_same_games(players: int) -> None:
    seed_test(lambda: montego_bay_v1.env(players), num_cycles=200)


def test_gymnasium_finds_its_interface() -> None:
    check_env(single_seat.SingleSeatEnv(("random",)), skip_render_check=True)


@pytest.mark.parametrize("players", PLAYERS)
def test_a_game_of_an_environment_is_the_game_of_the_checked_rules(players: int) -> None:
    variants = Variants(starting_coins=3)
    components = standard_components(players)
    for seed in ("one", "two", "three"):
        episode = new_episode(players, seed, variants)
        setup = draw_setup(components, players, seed)
        game = Game.deal(players, variants, components, setup, Reshuffles(seed)).game
        chance = random.Random(seed)
        while not episode.over:
            assert episode.game() == game
            decision = game.decisions[0]
            codes = codes_by_number(episode.key)
            legal = game.legal_actions(decision.id)
            assert list(codes.values()) == [code_of(game.config, game.core, decision, action) for action in legal]
            index = chance.randrange(len(legal))
            episode.step(list(codes)[index])
            game = game.apply(decision.id, legal[index]).game
        assert episode.game() == game
        assert sum(episode.rewards()) == pytest.approx(0)


def test_an_action_number_says_what_it_does_whatever_the_position() -> None:
    loads, unloads = 0, 0
    for seed in range(20):
        episode = new_episode(seed=f"numbers-{seed}")
        chance = random.Random(seed)
        while not episode.over:
            game = episode.game()
            docked = game.config.docked(game.core)
            for number, action in zip(
                codes_by_number(episode.key), game.legal_actions(game.decisions[0].id), strict=True
            ):
                told = action_to_json(action)
                if told["type"] in ("load", "unload"):
                    row = (LOADS, UNLOADS)[number >= FIRST_UNLOAD][
                        number - (FIRST_LOAD if number < FIRST_UNLOAD else FIRST_UNLOAD)
                    ]
                    assert told["ships"] == {docked[dock]: barrels for dock, barrels in enumerate(row) if barrels}
                    loads, unloads = loads + (told["type"] == "load"), unloads + (told["type"] == "unload")
            episode.step(chance.choice(list(codes_by_number(episode.key))))
    assert loads > 100 and unloads > 10


def test_masks_have_a_one_for_each_legal_action_and_nothing_else() -> None:
    episode = new_episode()
    assert mask_of(episode.key).sum() == 25
    assert set(np.flatnonzero(mask_of(episode.key))) == set(range(3, 28))
    assert mask_of(0).tolist() == [1, 1, 1] + [0] * (ACTIONS - 3)


@pytest.mark.parametrize("players", PLAYERS)
def test_observations_depend_on_nothing_hidden(players: int) -> None:
    """Two states that differ in the order of the stack and in cards of other seats look the same."""
    env = montego_bay_v1.raw_env(players)
    env.reset(seed=3)
    chance = random.Random(3)
    for _ in range(60):
        episode = env.episode
        if episode.over:
            break
        state, seat = episode.state, episode.seat
        other = [*state[:STACK], *reversed(state[STACK:])]
        for worker in range(2 * players):
            if worker // 2 != seat and state[CARD + worker]:
                other[CARD + worker] = 6 - state[CARD + worker]
        features = env.features
        assert (features.encode(episode.config, state, seat) == features.encode(episode.config, other, seat)).all()
        env.step(chance.choice(list(codes_by_number(episode.key))))


def test_observations_tell_where_everything_is() -> None:
    env = montego_bay_v1.raw_env(4)
    env.reset(options={"seed": "seen"})
    for _ in range(40):
        env.step(next(iter(codes_by_number(env.episode.key))))
    seat = env.episode.seat
    numbers = dict(zip(env.features.names, env.observe(f"seat_{seat}")["observation"].tolist(), strict=True))
    assert len(numbers) == env.features.size
    told = env.episode.observation(seat)
    for relative in range(4):
        shown = told["seats"][(seat + relative) % 4]
        assert numbers[f"seat {relative}: supply"] == pytest.approx(shown["supply"] / 16)
        assert numbers[f"seat {relative}: coins"] == pytest.approx(shown["coins"] / 15)
    for worker in told["workers"]:
        name = f"{worker['worker']} of seat {(worker['seat'] - seat) % 4}"
        stops = [stop for stop in range(16) if numbers[f"{name} on stop {stop}"]]
        assert stops == ([] if worker["stop"] is None else [worker["stop"]])
    for dock, ship in enumerate(told["docks"]):
        assert numbers[f"dock {dock}: capacity"] == pytest.approx(ship["capacity"] / 16)
        free = max(ship["capacity"] - sum(ship["barrels"]), 0)
        assert numbers[f"dock {dock}: free"] == pytest.approx(free / 16)
        for relative in range(4):
            aboard = ship["barrels"][(seat + relative) % 4]
            assert numbers[f"dock {dock}: barrels of seat {relative}"] == pytest.approx(aboard / 16)
    unseen = {name.removeprefix("unseen: ") for name, value in numbers.items() if name.startswith("unseen") and value}
    assert unseen == {ship["ship"] for ship in told["unseen"]}
    for place, token in enumerate(told["order"]):
        assert numbers[f"order {place}: {token['worker']} of seat {(token['seat'] - seat) % 4}"] == 1


def test_the_json_observation_is_in_the_info_of_the_agent_to_act() -> None:
    env = montego_bay_v1.env(2)
    env.reset(seed=1)
    told = env.last()[4]["observation"]
    assert told["decisions"][0]["seat"] == told["seat"] == 0
    assert montego_bay_v1.env(2, json_info=False).metadata["name"] == "montego_bay_v1"


def test_an_observation_of_a_new_game_is_within_its_space() -> None:
    for players, size in zip(PLAYERS, (207, 263, 353), strict=True):
        env = montego_bay_v1.env(players)
        env.reset(seed=players)
        assert env.observation_space("seat_0").contains(env.observe("seat_0"))
        assert env.unwrapped.features.size == size


def test_a_masked_action_ends_the_game_by_pettingzoos_own_rule() -> None:
    env = montego_bay_v1.env(2)
    env.reset(seed=1)
    env.step(0)
    assert env.terminations == {"seat_0": True, "seat_1": True}
    assert env.rewards == {"seat_0": -1, "seat_1": 0}


def test_a_masked_action_is_refused_without_pettingzoos_checks() -> None:
    env = montego_bay_v1.raw_env(2)
    env.reset(seed=1)
    with pytest.raises(MaskedActionError, match="action 0 is not legal here"):
        env.step(0)


def test_an_action_out_of_bounds_or_before_the_reset_is_refused_by_pettingzoo() -> None:
    env = montego_bay_v1.env(2)
    with pytest.raises(AssertionError, match="reset"):
        env.step(3)
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(ACTIONS)


def test_an_action_after_the_end_is_refused() -> None:
    env = montego_bay_v1.env(2)
    env.reset(seed=1)
    while not env.unwrapped.episode.over:
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(3)


@pytest.mark.parametrize(("players", "variants"), [(5, {}), (2, {"tally": "sideways"})])
def test_a_game_that_does_not_exist_is_refused(players: int, variants: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        montego_bay_v1.env(players, variants)


def test_a_masked_action_ends_a_game_against_bots_with_the_worst_reward() -> None:
    env = gymnasium.make("MontegoBay-v1", opponents=("random",), disable_env_checker=True)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(ACTIONS - 1)
    assert (reward, over, info["masked_action"]) == (-1, True, ACTIONS - 1)


def test_a_seat_that_the_game_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="a game of 2 has no seat 2"):
        single_seat.SingleSeatEnv(("random",), seat=2)


class Foolish(RandomBot):
    def act(self, ask: Ask) -> Action:
        return Action("play", big=9, little=9)


def test_an_opponent_that_answers_an_illegal_action_ends_the_game_with_an_error() -> None:
    env = single_seat.SingleSeatEnv((Foolish("foolish"),), seat=1)
    with pytest.raises(BadChoice, match="is not legal"):
        env.reset(seed=1)


def test_greedy_beats_random_in_the_single_seat() -> None:
    env = single_seat.SingleSeatEnv(("greedy",), json_info=False)
    chance = random.Random(5)
    rewards = []
    for seed in range(20):
        env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            _, reward, over, _, _ = env.step(chance.choice(env.action_masks().nonzero()[0]))
        rewards.append(reward)
    assert sum(rewards) < -10


def test_many_games_at_once_are_the_same_as_one_by_one() -> None:
    env = VectorEnv(16, players=3)
    turn = env.reset(seed=9)
    chance = np.random.default_rng(9)
    ended = 0
    for _ in range(300):
        for row, episode in enumerate(env.episodes):
            seen = env.features.encode(episode.config, episode.state, episode.seat)
            assert (turn.observations[row] == seen).all()
            assert (turn.masks[row] == mask_of(episode.key)).all()
            assert turn.seats[row] == episode.seat
        turn = env.step((chance.random(turn.masks.shape) * turn.masks).argmax(axis=1))
        ended += int(turn.over.sum())
        assert (turn.rewards[~turn.over] == 0).all()
        assert (np.abs(turn.rewards.sum(axis=1)) < 1e-6).all()
    assert ended > 16


def test_many_games_refuse_a_wrong_number_of_actions_and_masked_ones() -> None:
    env = VectorEnv(4)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="4 games take as many actions, not 3"):
        env.step(np.array([3, 3, 3]))
    with pytest.raises(MaskedActionError):
        env.step(np.array([3, 3, 3, 0]))


def test_an_environment_can_be_copied_to_another_process() -> None:
    env = pickle.loads(pickle.dumps(montego_bay_v1.raw_env(3, {"tally": "circuit"})))
    assert played(env, 4) == played(montego_bay_v1.raw_env(3, {"tally": "circuit"}), 4)


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL))
def test_what_the_guide_shows_works(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "docs/environments.md", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("players", PLAYERS)
def test_random_play_has_the_results_of_the_engines_own_random_play(players: int) -> None:
    """Points of a seat: the means of the two differ by less than four standard errors."""
    games = 300
    env = VectorEnv(games, players)
    seen = env.reset(seed=11)
    chance = np.random.default_rng(11)
    points: dict[int, tuple[int, ...]] = {}
    while len(points) < games:
        played = env.episodes.copy()
        seen = env.step((chance.random(seen.masks.shape) * seen.masks).argmax(axis=1))
        for number in np.flatnonzero(seen.over).tolist():
            points.setdefault(number, played[number].game().points)
    draw = random.Random(12).random
    ends = []
    for number in range(games):
        episode = new_episode(players, f"playout-{number}")
        flow.playout(episode.state, episode.config.tables, draw)
        ends.append(episode.game().points)
    ours, engines = np.array(list(points.values())), np.array(ends)
    error = np.sqrt((ours.var(axis=0) + engines.var(axis=0)) / games)
    assert (np.abs(ours.mean(axis=0) - engines.mean(axis=0)) < 4 * error).all()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_steps_through_pettingzoos_interface_without_an_error() -> None:
    env = montego_bay_v1.raw_env(json_info=False)
    chance = random.Random(1)
    env.reset(seed=1)
    steps = 0
    while steps < 1_000_000:
        for _ in env.agent_iter():
            observation, _, over, _, _ = env.last()
            legal = observation["action_mask"].nonzero()[0]
            env.step(None if over else legal[int(chance.random() * len(legal))])
            steps += not over
        env.reset()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_steps_of_many_games_at_once_without_an_error() -> None:
    env = VectorEnv(1024)
    turn = env.reset(seed=1)
    chance = np.random.default_rng(1)
    for _ in range(1_000_000 // 1024 + 1):
        turn = env.step((chance.random(turn.masks.shape, np.float32) * turn.masks).argmax(axis=1))
        assert turn.observations.min() >= 0 and turn.observations.max() <= 1
