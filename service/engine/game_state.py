"""What can be read off a game."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from service.engine.components import ComponentSet
from service.engine.core.layout import CARD, COMPANION, HIRE, JACK, JACK_SEAT, LOAD, PHASE, PLAY, POINTS, ROUND
from service.engine.decisions import Decision
from service.engine.game_config import GameConfig
from service.engine.setup import Reshuffles, Variants

_PHASES = {HIRE: "hire", PLAY: "play", LOAD: "clear"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: points by seat, places by seat (None if aborted), rounds begun, and whether it was "played",
    "resigned" or "aborted"."""

    points: tuple[int, ...]
    places: tuple[int, ...] | None
    rounds: int
    ended: str


@dataclass(frozen=True, slots=True, init=False)
class GameState:
    """A state of a game, all of it. It never changes.

    `core` is the state as `service.engine.core.layout` lays it out: a search copies it into a list of its own. It holds
    what no seat may see. `asked` counts the load and unload decisions settled in this round, for the ids.
    """

    config: GameConfig
    reshuffles: Reshuffles
    core: tuple[int, ...]
    asked: tuple[int, ...]
    resigned: frozenset[int]
    outcome: Outcome | None
    decisions: tuple[Decision, ...] = field(compare=False)
    """The decisions that are open and not settled, in seat order."""

    def __init__(
        self,
        config: GameConfig,
        reshuffles: Reshuffles,
        core: tuple[int, ...],
        asked: tuple[int, ...],
        resigned: frozenset[int],
        outcome: Outcome | None,
        decisions: tuple[Decision, ...],
    ) -> None:
        # Each step makes a game, and the slots themselves are twice as fast as what a frozen dataclass is given.
        _set_config(self, config)
        _set_reshuffles(self, reshuffles)
        _set_core(self, core)
        _set_asked(self, asked)
        _set_resigned(self, resigned)
        _set_outcome(self, outcome)
        _set_decisions(self, decisions)

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
        return "over" if self.outcome is not None else _PHASES.get(self.core[PHASE], "clear")

    @property
    def points(self) -> tuple[int, ...]:
        """Points by seat, as they stand."""
        return self.core[POINTS : POINTS + self.config.players]

    @property
    def owed_defaults(self) -> tuple[Decision, ...]:
        """Open decisions of seats that have resigned: their default actions are to be played."""
        return tuple(decision for decision in self.decisions if decision.seat in self.resigned)

    def cards(self, seat: int) -> dict[str, int] | None:
        """The cards a seat has chosen in this round, also before the reveal; None if it has not chosen."""
        big, little = self.core[CARD + 2 * seat : CARD + 2 * seat + 2]
        if big == 0:
            return None
        cards = {"big": big, "little": little}
        if self.core[JACK_SEAT] == seat:
            cards["jack"] = self.core[CARD + JACK]
        return cards

    @property
    def jack(self) -> tuple[int, str] | None:
        """Who has hired Jack, and the worker he was placed with."""
        seat = self.core[JACK_SEAT]
        return None if seat < 0 else (seat, self.config.workers[self.core[COMPANION]][1])


_set_config, _set_reshuffles, _set_core, _set_asked, _set_resigned, _set_outcome, _set_decisions = [
    GameState.__dict__[part.name].__set__ for part in fields(GameState)
]


def placing(points: Sequence[int], resigned: frozenset[int]) -> tuple[int, ...]:
    """Places by seat, standard competition ranking: those who resigned behind all others (RULES "Who has won")."""
    ranks = [(seat in resigned, -own) for seat, own in enumerate(points)]
    return tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
