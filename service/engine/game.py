"""The checked interface of the rules. A game never changes; each step gives the next one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from service.engine.action_codes import code_of, legal_actions, why_not
from service.engine.actions import Action, NotLegal
from service.engine.components import ComponentSet, parse_players
from service.engine.core import flow
from service.engine.core.layout import (
    CARD,
    COMPANION,
    HIRE,
    JACK,
    JACK_SEAT,
    NOBODY,
    OVER,
    PHASE,
    PLAY,
    POINTS,
    ROUND,
    SHUFFLE,
    Log,
)
from service.engine.decisions import NONE_ASKED, Decision, one_more, open_decisions
from service.engine.errors import GameIsOver, InvalidInput, NotOpen
from service.engine.events import Event, events_of
from service.engine.game_config import GameConfig
from service.engine.setup import Reshuffles, Setup, Variants
from service.protocol import RESIGNATION_REASONS


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: points by seat, places by seat (None if aborted), rounds begun, and whether it was "played",
    "resigned" or "aborted"."""

    points: tuple[int, ...]
    places: tuple[int, ...] | None
    rounds: int
    ended: str


class Step(NamedTuple):
    """What an action, a resignation or an abort leads to: the next state, and what happened on the way.

    `log` is what the core wrote down. It starts in `round`, when the seat `jack_seat` (or NOBODY) has hired Jack.
    `further` are events that the core knows nothing of.
    """

    game: "Game"
    log: Log
    round: int
    jack_seat: int
    further: tuple[Event, ...] = ()

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order. They are made anew at each call; a search that only plays on needs none."""
        return (*events_of(self.game.config, self.log, self.round, self.jack_seat), *self.further)


@dataclass(frozen=True, slots=True)
class Game:
    """A state of a game of Montego Bay, the whole truth. Games with the same content are equal.

    `core` is the state as `service.engine.core.layout` lays it out; it holds what no seat may see. `asked` counts the
    load and unload decisions settled in this round, for the ids of the next ones.
    """

    config: GameConfig
    reshuffles: Reshuffles
    core: tuple[int, ...]
    asked: tuple[int, ...] = NONE_ASKED
    resigned: frozenset[int] = frozenset()
    outcome: Outcome | None = None
    decisions: tuple[Decision, ...] = field(init=False, compare=False)
    """The decisions that are open and not settled, in seat order."""

    def __post_init__(self) -> None:
        decisions = () if self.outcome is not None else open_decisions(self.config, self.core, self.asked)
        object.__setattr__(self, "decisions", decisions)

    @classmethod
    def deal(
        cls, players: int, variants: Variants, components: ComponentSet, setup: Setup, reshuffles: Reshuffles
    ) -> Step:
        """A new game, run on to its first open decisions. The events start with round_began."""
        config = GameConfig(parse_players(players), variants, components, setup.warehouses)
        ships = [config.ships.index(ship) for ship in setup.ships]
        order = [config.number(seat, worker) for seat, worker in setup.order]
        log: Log = []
        core = flow.deal(config.tables, ships, order, variants.starting_coins, log)
        return Step(cls(config, reshuffles, tuple(core)), log, 1, NOBODY)

    @property
    def players(self) -> int:
        return self.config.players

    @property
    def variants(self) -> Variants:
        return self.config.variants

    @property
    def components(self) -> ComponentSet:
        return self.config.components

    @property
    def round(self) -> int:
        """Rounds count from 1."""
        return self.core[ROUND]

    @property
    def phase(self) -> str:
        """ "hire", "play", "clear" or "over"."""
        if self.outcome is not None:
            return "over"
        return {HIRE: "hire", PLAY: "play"}.get(self.core[PHASE], "clear")

    @property
    def points(self) -> tuple[int, ...]:
        """Points by seat, as they stand."""
        return self.core[POINTS : POINTS + self.players]

    @property
    def jack(self) -> tuple[int, str] | None:
        """The seat that has hired Jack, and the name of the worker he was placed with."""
        seat = self.core[JACK_SEAT]
        return None if seat == NOBODY else (seat, self.config.workers[self.core[COMPANION]][1])

    @property
    def open_defaults(self) -> tuple[Decision, ...]:
        """Open decisions of seats that have resigned: their default actions are to be played."""
        return tuple(decision for decision in self.decisions if decision.seat in self.resigned)

    def cards(self, seat: int) -> dict[str, int] | None:
        """The cards that a seat has chosen in this round, also before the reveal; None if it has not chosen."""
        big, little = self.core[CARD + 2 * seat : CARD + 2 * seat + 2]
        if big == 0:
            return None
        cards = {"big": big, "little": little}
        if self.core[JACK_SEAT] == seat:
            cards["jack"] = self.core[CARD + JACK]
        return cards

    def decision(self, decision_id: str) -> Decision:
        """The open decision with this id. Raises NotOpen."""
        for decision in self.decisions:
            if decision.id == decision_id:
                return decision
        raise NotOpen(decision_id)

    def legal_actions(self, decision_id: str) -> Sequence[Action]:
        """All legal actions of an open decision, in canonical order. Raises NotOpen."""
        return legal_actions(self.config, self.core, self.decision(decision_id))

    def default_action(self, decision_id: str) -> Action:
        """What is played for a seat that does not answer: the first legal action. Raises NotOpen."""
        return self.legal_actions(decision_id)[0]

    def apply(self, decision_id: str, action: Action) -> Step:
        """Settles an open decision and runs on to the next ones.

        Raises GameIsOver, NotOpen, or NotLegal, which says why and what is legal.
        """
        self._check_going_on()
        decision = self.decision(decision_id)
        code = code_of(self.config, self.core, decision, action)
        if code is None:
            reason = why_not(self.config, self.core, decision, action)
            raise NotLegal(reason, legal_actions(self.config, self.core, decision))
        core, tables, current = list(self.core), self.config.tables, self.round
        log: Log = []
        if core[PHASE] == PLAY:
            flow.choose(core, tables, decision.seat, code, log)
        else:
            flow.apply(core, tables, code, log)
        if core[PHASE] == SHUFFLE:
            order = self.reshuffles.order_for(core[ROUND] + 1, self.players)
            flow.reshuffle(core, tables, [self.config.number(*token) for token in order], log)
        asked = one_more(self.asked, decision) if core[ROUND] == current else NONE_ASKED
        game = Game(self.config, self.reshuffles, tuple(core), asked, self.resigned)
        step = Step(game, log, current, self.core[JACK_SEAT])
        return _ended(step, "played") if core[PHASE] == OVER else step

    def resign(self, seats: Iterable[int], reason: str) -> Step:
        """Seats give up, all at once: "resigned", "forfeit" or "withdrawn". Those who had done so stay as they are.

        The game ends if at most one seat is left; no ship is paid then. Otherwise default actions are to be played for
        them, see `open_defaults`. Raises GameIsOver, InvalidInput.
        """
        self._check_going_on()
        if reason not in RESIGNATION_REASONS:
            raise InvalidInput(("reason",), f"must be one of {', '.join(RESIGNATION_REASONS)}, not {reason!r}")
        resigning = set(seats)
        for seat in resigning:
            if seat not in range(self.players):
                raise InvalidInput(("seats",), f"there is no seat {seat!r}")
        new = sorted(resigning - self.resigned)
        if not new:
            return self._reported()
        game = Game(self.config, self.reshuffles, self.core, self.asked, self.resigned | set(new))
        step = game._reported(Event("resigned", self.round, False, {"seats": new, "reason": reason}))
        return _ended(step, "resigned") if len(game.resigned) >= self.players - 1 else step

    def abort(self) -> Step:
        """Ends the game without places. Raises GameIsOver."""
        self._check_going_on()
        outcome = Outcome(self.points, None, self.round, "aborted")
        game = Game(self.config, self.reshuffles, self.core, self.asked, self.resigned, outcome)
        return game._reported(Event("aborted", self.round, False, {}))

    def _check_going_on(self) -> None:
        if self.outcome is not None:
            raise GameIsOver

    def _reported(self, *events: Event) -> Step:
        """This state as what something led to that the core knows nothing of."""
        return Step(self, [], self.round, self.core[JACK_SEAT], events)


def _ended(step: Step, ended: str) -> Step:
    """The same step as the one that ended the game."""
    game = step.game
    outcome = Outcome(game.points, placing(game.points, game.resigned), game.round, ended)
    over = Game(game.config, game.reshuffles, game.core, game.asked, game.resigned, outcome)
    return step._replace(game=over, further=(*step.further, finished_event(outcome)))


def finished_event(outcome: Outcome) -> Event:
    """The event that ends a game which was not aborted."""
    data: dict[str, object] = {
        "points": list(outcome.points),
        "places": list(outcome.places or ()),
        "ended": outcome.ended,
    }
    return Event("finished", outcome.rounds, False, data)


def placing(points: Sequence[int], resigned: frozenset[int]) -> tuple[int, ...]:
    """Places by seat, standard competition ranking: those who resigned behind all others (RULES "Who has won")."""
    ranks = [(seat in resigned, -own) for seat, own in enumerate(points)]
    return tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
