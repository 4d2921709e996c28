"""A game as it is played: its state, and what its record will say."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from service.engine.action_codes import in_dock_order
from service.engine.actions import Action, NotLegal, action_to_json
from service.engine.components import ComponentSet
from service.engine.errors import InvalidInput
from service.engine.events import Event
from service.engine.game import Game, Step
from service.engine.json_checks import one_of
from service.engine.setup import Reshuffles, Setup, Variants
from service.protocol import FAULTS, REFUSED_AS

Json = dict[str, object]

BY = ("player", "default")


@dataclass(frozen=True, slots=True)
class _Resignation:
    """`settled`: cards were being chosen, and the seat had chosen its own."""

    seat: int
    reason: str
    actions_before: int
    settled: bool


class Playthrough:
    """Plays settled actions one after another. It changes, so its owner does not share it. `first` is the deal."""

    def __init__(self, setup: Setup, first: Step) -> None:
        self.setup = setup
        self.game = first.game
        self.first = first
        self._actions: list[Json] = []
        self._cards: dict[int, Json] = {}
        self._resignations: list[_Resignation] = []
        self._orders: list[object] = []
        self._refusals: list[Json] = []
        self._take(first.events)

    @classmethod
    def start(
        cls, players: int, variants: Variants, components: ComponentSet, setup: Setup, reshuffles: Reshuffles
    ) -> "Playthrough":
        """A new game."""
        return cls(setup, Game.deal(players, variants, components, setup, reshuffles))

    @property
    def actions(self) -> list[Json]:
        """Settled actions as in a record. Cards appear when they are revealed, in seat order."""
        return list(self._actions)

    @property
    def orders(self) -> list[object]:
        """The movement order at the start of each round, as in a record."""
        return list(self._orders)

    @property
    def resignations(self) -> list[Json]:
        """Resignations as in a record, sorted by `after`, the number of entries of `actions` before them. Neighbours
        with one reason are sorted by seat, since a replay makes them together."""
        found: list[tuple[int, Json]] = []
        for given_up in self._resignations:
            after = given_up.actions_before
            if given_up.settled and not self._ended_before(after + self.game.players):
                after += self.game.players
            found.append((after, {"seat": given_up.seat, "after": after, "reason": given_up.reason}))
        found.sort(key=lambda pair: pair[0])
        runs = groupby(found, key=lambda pair: (pair[0], pair[1]["reason"]))
        return [entry for _, run in runs for _, entry in sorted(run, key=lambda pair: str(pair[1]["seat"]))]

    @property
    def refusals(self) -> list[Json]:
        """Refused answers as in a record: in the order of the actions, and only those to decisions that are in it."""
        place = {entry["decision"]: number for number, entry in enumerate(self._actions)}
        kept = (entry for entry in self._refusals if entry["decision"] in place)
        return sorted(kept, key=lambda entry: place[entry["decision"]])

    def _ended_before(self, actions: int) -> bool:
        """Whether the game ended with fewer entries, so that the cards of the last round were never revealed."""
        return self.game.outcome is not None and len(self._actions) < actions

    def settle(self, decision_id: str, action: Action, by: str, fault: str | None = None) -> Step:
        """Settles an open decision, by the "player" or by "default", with the fault that led to a default.

        Raises what `Game.apply` raises; InvalidInput for a `by` or `fault` that does not fit; NotLegal for an
        action by "default" that is not the default action. A seat that has resigned acts by "default" only. After an
        error nothing has changed.
        """
        decision = self.game.decision(decision_id)
        self._check_author(decision.seat, by, fault)
        if by == "default" and action != (default := self.game.default_action(decision_id)):
            raise NotLegal("by default only the first legal action is played", (default,))
        before = self.game
        step = before.apply(decision_id, action)
        entry: Json = {
            "round": decision.round,
            "seat": decision.seat,
            "decision": decision.id,
            "action": action_to_json(in_dock_order(before.config, before.core, action)),
            "by": by,
            "fault": fault,
        }
        self.game = step.game
        if decision.type == "play":
            self._cards[decision.seat] = entry
        else:
            self._actions.append(entry)
        self._take(step.events)
        return step

    def refuse(self, decision_id: str, fault: str, reason: str) -> None:
        """Notes an answer to an open decision that was refused, so that the decision stays open (PROTOCOL "Attempts").
        Raises NotOpen; InvalidInput for another fault."""
        self.game.decision(decision_id)
        one_of(fault, ("fault",), REFUSED_AS)
        self._refusals.append({"decision": decision_id, "fault": fault, "reason": reason})

    def _check_author(self, seat: int, by: str, fault: str | None) -> None:
        one_of(by, ("by",), BY)
        if fault is not None:
            one_of(fault, ("fault",), FAULTS)
            if by != "default":
                raise InvalidInput(("fault",), "only a default action has a fault")
        if seat in self.game.resigned and (by != "default" or fault is not None):
            raise InvalidInput(("by",), f"seat {seat} has resigned: its actions are by default, without a fault")

    def resign(self, seats: Iterable[int], reason: str) -> Step:
        """Lets several seats give up at once. Raises what `Game.resign` raises."""
        before = self.game
        step = before.resign(tuple(seats), reason)
        for seat in sorted(step.game.resigned - before.resigned):
            self._resignations.append(_Resignation(seat, reason, len(self._actions), seat in self._cards))
        self.game = step.game
        return step

    def abort(self) -> Step:
        """Ends the game without places. Raises GameIsOver."""
        step = self.game.abort()
        self.game = step.game
        return step

    def _take(self, events: tuple[Event, ...]) -> None:
        for event in events:
            if event.type == "revealed":
                self._actions.extend(self._cards[seat] for seat in sorted(self._cards))
                self._cards = {}
            elif event.type == "round_began":
                self._orders.append(event.data["order"])
