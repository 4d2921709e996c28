"""What is true of every state of every game, looked for by hypothesis in games of its own making."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from service.engine.actions import (
    Action,
    Decline,
    Hire,
    Load,
    NotLegal,
    Play,
    Unload,
    action_to_json,
    parse_action,
)
from service.engine.components import ComponentSet
from service.engine.core.layout import STACK
from service.engine.errors import GameIsOver
from service.engine.game import Game
from service.engine.invariants import check_core
from service.engine.observation import GameHeader, observe
from service.engine.playthrough import Playthrough
from service.engine.record import replay
from service.engine.setup import LAST_PLACES, TALLIES, Reshuffles, Variants, draw_setup
from tests.engine.games import record_of
from tests.engine.odd_sets import SETS

Sets = Callable[[int], ComponentSet]
VARIANTS = st.builds(Variants, st.sampled_from(TALLIES), st.sampled_from(LAST_PLACES), st.integers(0, 3))
SHARES = st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 6)), max_size=5)


class AnyGame(RuleBasedStateMachine):
    """A game of any size, variants and components, with actions legal and illegal."""

    @initialize(players=st.integers(2, 4), variants=VARIANTS, sets=st.sampled_from(SETS), seed=st.integers(0, 10**6))
    def deal(self, players: int, variants: Variants, sets: Sets, seed: int) -> None:
        self.seed = str(seed)
        components = sets(players)
        setup = draw_setup(components, players, self.seed)
        self.play = Playthrough.start(players, variants, components, setup, Reshuffles(self.seed))

    @property
    def game(self) -> Game:
        return self.play.game

    def goes_on(self) -> bool:
        return bool(self.game.decisions)

    @precondition(goes_on)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        decision = data.draw(st.sampled_from(self.game.decisions)).id
        actions = self.game.legal_actions(decision)
        assert len(set(actions)) == len(actions) > 1
        before = self.game
        content = repr(before)
        self.play.settle(decision, data.draw(st.sampled_from(actions)), "player")
        assert repr(before) == content

    @precondition(goes_on)
    @rule(data=st.data(), number=st.integers(5, 40))
    def go_on(self, data: st.DataObject, number: int) -> None:
        """Many decisions in one step, so that games get far."""
        for _ in range(number):
            if self.goes_on():
                decision = self.game.decisions[-1].id
                actions = self.game.legal_actions(decision)
                self.play.settle(decision, actions[data.draw(st.integers(0, len(actions) - 1))], "player")

    @precondition(goes_on)
    @rule(data=st.data(), shares=SHARES, cards=st.tuples(*[st.integers(0, 6)] * 3))
    def refuse(self, data: st.DataObject, shares: list[tuple[int, int]], cards: tuple[int, int, int]) -> None:
        """Every action that is not on the list is refused, and nothing has changed."""
        decision = data.draw(st.sampled_from(self.game.decisions)).id
        legal = self.game.legal_actions(decision)
        before = self.game
        for action in self._guesses(shares, cards):
            if action not in legal:
                with pytest.raises(NotLegal) as refused:
                    self.game.apply(decision, action)
                assert refused.value.reason
                assert refused.value.legal == legal
        assert self.game is before

    @precondition(lambda self: not self.goes_on())
    @rule(seat=st.integers(0, 3))
    def refuse_all_when_over(self, seat: int) -> None:
        with pytest.raises(GameIsOver):
            self.game.apply(f"{self.game.round}.play.{seat}.0", Play(1, 1))

    def _guesses(self, shares: list[tuple[int, int]], cards: tuple[int, int, int]) -> list[Action]:
        docked = [dock["ship"] for dock in self.view()["docks"]]
        ships = tuple(((*docked, "s01", "nowhere")[place % (len(docked) + 2)], count) for place, count in shares)
        big, little, jack = cards
        return [Decline(), Hire("big"), Play(big, little), Play(big, little, jack), Load(ships), Unload(ships)]

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return observe(self.game, seat, GameHeader("", 0, "running", (None,) * self.game.players, "", ""))

    @invariant()
    def every_listed_action_is_accepted(self) -> None:
        if self.goes_on():
            decision = self.game.decisions[0].id
            for action in self.game.legal_actions(decision):
                assert parse_action(action_to_json(action)) == action
                self.game.apply(decision, action)

    @invariant()
    def barrels_and_coins_are_conserved(self) -> None:
        view = self.view()
        assert view["bank"] + sum(seat["coins"] for seat in view["seats"]) == 15
        assert view["bank"] >= 0
        for seat in view["seats"]:
            aboard = sum(dock["barrels"][seat["seat"]] for dock in view["docks"])
            assert seat["aboard"] == aboard
            assert seat["supply"] + aboard == 16
            assert min(seat["coins"], seat["supply"], seat["points"], aboard) >= 0

    @invariant()
    def no_ship_holds_more_than_it_can(self) -> None:
        for dock in self.view()["docks"]:
            assert 0 <= sum(dock["barrels"]) <= dock["capacity"]
            # A full ship has sailed.
            assert sum(dock["barrels"]) < dock["capacity"] or dock["ship"] == "pilot"

    @invariant()
    def no_two_workers_share_a_stop(self) -> None:
        view = self.view()
        # Jack starts where his companion is, and moves before anybody is asked again.
        stops = [
            entry["stop"]
            for entry in view["workers"]
            if entry["stop"] is not None and (entry["worker"] != "jack" or view["phase"] != "play")
        ]
        assert len(set(stops)) == len(stops)
        assert all(0 <= stop < 2 * len(view["board"]) for stop in stops)

    @invariant()
    def every_ship_is_docked_or_in_the_stack_or_gone(self) -> None:
        view = self.view()
        ships = [entry["ship"] for entry in view["docks"] + view["unseen"]]
        assert len(set(ships)) == len(ships)
        assert view["stack"] == len(view["unseen"]) == len(self.game.core) - STACK
        assert len(view["docks"]) == 4 or view["stack"] == 0

    @invariant()
    def every_state_passes_the_check_of_states(self) -> None:
        check_core(self.game.config, list(self.game.core))

    def teardown(self) -> None:
        """A game always ends, and its record replays to the same state."""
        if not hasattr(self, "play"):
            return
        decisions = 0
        while self.goes_on():
            decision = self.game.decisions[0].id
            self.play.settle(decision, self.game.legal_actions(decision)[-1], "player")
            decisions += 1
            assert decisions < 5000
        assert replay(record_of(self.play, self.seed)).play.game == self.game


AnyGame.TestCase.settings = settings(
    max_examples=20,
    stateful_step_count=10,
    # The phase that explains failures traces every line, which makes a run ten times as long.
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestAnyGame = AnyGame.TestCase
