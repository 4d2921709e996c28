"""The door to the rules: typed, checked, and never changing what a caller holds."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from service.engine.action_codes import actions_of, legal_code, why_not
from service.engine.actions import Action
from service.engine.components import ComponentSet, parse_players
from service.engine.core import flow
from service.engine.core.layout import JACK_SEAT, NOBODY, OVER, PHASE, PLAY, POINTS, ROUND, SHUFFLE, Log, State
from service.engine.decisions import NONE_ASKED, Decision, one_more, open_decisions
from service.engine.errors import GameIsOver, IllegalAction, InvalidInput, NotOpen
from service.engine.events import Event, told
from service.engine.game_config import IMPOSSIBLE, GameConfig
from service.engine.game_state import GameState, Outcome, placing
from service.engine.setup import Reshuffles, Setup, Variants
from service.engine.snapshot import game_to_json, parse_game
from service.protocol import RESIGNATION_REASONS


class Step:
    """What follows from one action: the new state, and what happened on the way.

    Events are put into words only when somebody asks for them: a search never does.
    """

    __slots__ = ("_events", "_tell", "game")

    def __init__(
        self, game: "Game", events: tuple[Event, ...] = (), tell: Callable[[], tuple[Event, ...]] | None = None
    ) -> None:
        self.game = game
        self._events = events
        self._tell = tell

    @property
    def events(self) -> tuple[Event, ...]:
        """In the order in which they happened."""
        if self._tell is not None:
            self._events = self._tell() + self._events
            self._tell = None
        return self._events

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        return self.game == other.game and self.events == other.events

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, init=False)
class Game(GameState):
    """One game of Montego Bay. Every step gives a new one; equal games are those with the same content."""

    @classmethod
    def deal(
        cls, players: int, variants: Variants, components: ComponentSet, setup: Setup, reshuffles: Reshuffles
    ) -> Step:
        """A new game, run on to its first open decisions. The events start with round_began."""
        config = GameConfig(parse_players(players), variants, components, setup.warehouses)
        log: Log = []
        ships = [config.ships.index(ship) for ship in setup.ships]
        order = [config.number(seat, worker) for seat, worker in setup.order]
        core = flow.deal(config.tables, ships, order, variants.starting_coins, log)
        game = assemble(config, reshuffles, core, NONE_ASKED, frozenset(), None)
        return Step(game, tell=partial(told, config, log, 1, NOBODY))

    def decision(self, decision_id: str) -> Decision:
        """The open decision with this id. Raises NotOpen."""
        for decision in self.decisions:
            if decision.id == decision_id:
                return decision
        raise NotOpen(decision_id)

    def legal_actions(self, decision_id: str) -> tuple[Action, ...]:
        """All legal actions of an open decision, in canonical order. Raises NotOpen."""
        return actions_of(self.config, self.core, self.decision(decision_id))

    def default_action(self, decision_id: str) -> Action:
        """What is played for a seat that does not answer: the first legal action. Raises NotOpen."""
        return self.legal_actions(decision_id)[0]

    def apply(self, decision_id: str, action: Action) -> Step:
        """Settles an open decision and runs on to the next ones.

        Raises GameIsOver, NotOpen, or IllegalAction, which says why and what is legal.
        """
        if self.outcome is not None:
            raise GameIsOver
        config, before = self.config, self.core
        decision = self.decision(decision_id)
        code = legal_code(config, before, decision, action)
        if code == IMPOSSIBLE:
            raise IllegalAction(why_not(config, before, decision, action), actions_of(config, before, decision))
        core, tables = list(before), config.tables
        log: Log = []
        if core[PHASE] == PLAY:
            flow.choose(core, tables, decision.seat, code, log)
        else:
            flow.apply(core, tables, code, log)
        if core[PHASE] == SHUFFLE:
            order = self.reshuffles.order_for(core[ROUND] + 1, config.players)
            flow.reshuffle(core, tables, [config.number(*token) for token in order], log)
        asked = one_more(self.asked, decision) if core[ROUND] == before[ROUND] else NONE_ASKED
        outcome = None if core[PHASE] != OVER else _outcome(config, core, self.resigned, "played")
        game = assemble(config, self.reshuffles, core, asked, self.resigned, outcome)
        ended = () if outcome is None else (finished_event(outcome),)
        return Step(game, ended, partial(told, config, log, before[ROUND], before[JACK_SEAT]))

    def resign(self, seats: frozenset[int] | set[int] | tuple[int, ...] | list[int], reason: str) -> Step:
        """Seats give up, all at once: "resigned", "forfeit" or "withdrawn". Those who had done so stay as they are.

        The game ends if at most one seat is left; no ship is paid then. Else default actions are to be played for them,
        see `owed_defaults`. Raises GameIsOver, InvalidInput.
        """
        if self.outcome is not None:
            raise GameIsOver
        if reason not in RESIGNATION_REASONS:
            raise InvalidInput(("reason",), f"must be one of {', '.join(RESIGNATION_REASONS)}, not {reason!r}")
        for seat in seats:
            if seat not in range(self.config.players):
                raise InvalidInput(("seats",), f"there is no seat {seat!r}")
        new = sorted(set(seats) - self.resigned)
        if not new:
            return Step(self, ())
        resigned = self.resigned | frozenset(new)
        events = [Event("resigned", self.round, False, {"seats": new, "reason": reason})]
        outcome = None
        if len(resigned) >= self.config.players - 1:
            outcome = _outcome(self.config, self.core, resigned, "resigned")
            events.append(finished_event(outcome))
        game = assemble(self.config, self.reshuffles, self.core, self.asked, resigned, outcome)
        return Step(game, tuple(events))

    def abort(self) -> Step:
        """Ends the game without places. Raises GameIsOver."""
        if self.outcome is not None:
            raise GameIsOver
        outcome = _outcome(self.config, self.core, self.resigned, "aborted")
        game = assemble(self.config, self.reshuffles, self.core, self.asked, self.resigned, outcome)
        return Step(game, (Event("aborted", self.round, False, {}),))

    def copy(self) -> "Game":
        """The same game once more. Since a game never changes, the two share nothing that could."""
        return assemble(self.config, self.reshuffles, self.core, self.asked, self.resigned, self.outcome)

    def to_json(self) -> dict[str, object]:
        """The whole truth, exactly, hidden things included."""
        return game_to_json(self)

    @classmethod
    def from_json(cls, value: object) -> "Game":
        """The game that `to_json` gave. Raises InvalidInput."""
        return assemble(*parse_game(value))


def assemble(
    config: GameConfig,
    reshuffles: Reshuffles,
    core: State | tuple[int, ...],
    asked: tuple[int, ...],
    resigned: frozenset[int],
    outcome: Outcome | None,
) -> Game:
    """The game with this content."""
    whole = tuple(core)
    decisions = () if outcome is not None else open_decisions(config, whole, asked)
    return Game(config, reshuffles, whole, asked, resigned, outcome, decisions)


def _outcome(config: GameConfig, core: State | tuple[int, ...], resigned: frozenset[int], ended: str) -> Outcome:
    points = tuple(core[POINTS + seat] for seat in range(config.players))
    places = None if ended == "aborted" else placing(points, resigned)
    return Outcome(points, places, core[ROUND], ended)


def finished_event(outcome: Outcome) -> Event:
    """The event that ends a game."""
    data: dict[str, object] = {
        "points": list(outcome.points),
        "places": list(outcome.places or ()),
        "ended": outcome.ended,
    }
    return Event("finished", outcome.rounds, False, data)
