"""Actions and the core's codes of them: which are legal, the code of one, and why an action is not legal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import overload

from service.engine.actions import Action, Decline, Hire, Load, Play, Unload
from service.engine.components import PILOT
from service.engine.core.layout import (
    ABOARD,
    BARRELS_EACH,
    BERTH,
    COMPANION,
    DIGIT,
    DOCK,
    FREE,
    JACK_SEAT,
    KEY,
    ROW,
    digit,
)
from service.engine.core.lookup_tables import (
    CARDS,
    DECLINE,
    FILLS,
    HIRE_BIG,
    HIRE_LITTLE,
    docks_of_codes,
    shared_options,
)
from service.engine.core.play import play_key
from service.engine.decisions import Decision
from service.engine.game_config import GameConfig
from service.engine.setup import WORKER_NAMES

HIRES: tuple[Action, ...] = (Decline(), Hire("big"), Hire("little"))
"""By code."""

_DECISION_TYPES: dict[type[Action], str] = {Decline: "hire", Hire: "hire", Play: "play", Load: "load", Unload: "unload"}


def _key(core: tuple[int, ...], decision: Decision) -> int:
    """The core's number of the list of options that a decision has."""
    return play_key(list(core), decision.seat) if decision.type == "play" else core[KEY]


def legal_actions(config: GameConfig, core: tuple[int, ...], decision: Decision) -> Sequence[Action]:
    """All legal actions of an open decision, in canonical order."""
    key = _key(core, decision)
    if decision.type == "hire":
        return HIRES
    if decision.type == "play":
        return _plays(key)
    return _Shipments(Load if decision.type == "load" else Unload, config.docked(core), shared_options()[key])


@dataclass(frozen=True, slots=True)
class _Shipments(Sequence[Load | Unload]):
    """Loads or unloads by the core's codes. Each is made when it is taken, since most callers take one of many."""

    kind: type[Load | Unload]
    docked: tuple[str, ...]
    codes: list[int]

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> Load | Unload: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Load | Unload, ...]: ...

    def __getitem__(self, index: int | slice) -> Load | Unload | tuple[Load | Unload, ...]:
        if isinstance(index, slice):
            return tuple([self._action(code) for code in self.codes[index]])
        return self._action(self.codes[index])

    def __iter__(self) -> Iterator[Load | Unload]:
        return map(self._action, self.codes)

    def _action(self, code: int) -> Load | Unload:
        return self.kind(tuple([(self.docked[dock], barrels) for dock, barrels in docks_of_codes()[code & ROW]]))


@cache
def _plays(key: int) -> tuple[Play, ...]:
    """All choices of cards that a seat has."""
    return tuple([Play(code & 7, code >> 3 & 7, code >> 6 or None) for code in shared_options()[key]])


def code_of(config: GameConfig, core: tuple[int, ...], decision: Decision, action: Action) -> int | None:
    """The core's code of a legal action; None for an action that is not legal."""
    if _DECISION_TYPES[type(action)] != decision.type:
        return None
    code: int | None
    codes = shared_options()[_key(core, decision)]
    match action:
        case Decline():
            code = DECLINE
        case Hire():
            code = HIRE_BIG if action.worker == "big" else HIRE_LITTLE
        case Play():
            code = _cards(action)
        case _:
            code = _row(config.docked(core), action)
            if code is not None and code + FILLS in codes:
                code += FILLS
    return code if code in codes else None


def _cards(action: Play) -> int | None:
    """The code of a choice of cards; None if one of them is no card, since it could have the code of another choice."""
    cards = (action.big, action.little) if action.jack is None else (action.big, action.little, action.jack)
    if not all(1 <= card <= CARDS for card in cards):
        return None
    return sum(card << 3 * place for place, card in enumerate(cards))


def _row(docked: tuple[str, ...], action: Load | Unload) -> int | None:
    """The row of an action's barrels; None for an action that cannot be legal."""
    row = 0
    named = set()
    for ship, barrels in action.ships:
        if ship not in docked or ship in named or not 0 < barrels <= BARRELS_EACH:
            return None
        named.add(ship)
        row += barrels << DIGIT * docked.index(ship)
    return row


def in_dock_order(config: GameConfig, core: tuple[int, ...], action: Action) -> Action:
    """A legal action as it stands in the list of legal actions."""
    if not isinstance(action, Load | Unload):
        return action
    return type(action)(tuple(sorted(action.ships, key=lambda share: config.docked(core).index(share[0]))))


def why_not(config: GameConfig, core: tuple[int, ...], decision: Decision, action: Action) -> str:
    """Why an action is not among the legal ones of a decision."""
    if isinstance(action, Play) and decision.type == "play":
        return _why_not_play(core, decision, action)
    if isinstance(action, Load | Unload) and decision.type == _DECISION_TYPES[type(action)]:
        return _why_not_ships(config, core, decision, action)
    wanted = "hire or decline" if decision.type == "hire" else decision.type
    return f"the decision is about {wanted}, not {type(action).__name__.lower()}"


def _why_not_play(core: tuple[int, ...], decision: Decision, action: Play) -> str:
    for worker, card in (("big", action.big), ("little", action.little), ("jack", action.jack)):
        if card is not None and not 1 <= card <= CARDS:
            return f"{worker} has the cards 1 to {CARDS}, not {card}"
    if core[JACK_SEAT] != decision.seat:
        return f"seat {decision.seat} has not hired Jack and plays no card for him"
    if action.jack is None:
        return f"seat {decision.seat} has hired Jack and must choose a card for him"
    companion = WORKER_NAMES[core[COMPANION] & 1]
    return f"Jack's card comes from {companion}'s set, so both cannot be {action.jack}"


def _why_not_ships(config: GameConfig, core: tuple[int, ...], decision: Decision, action: Load | Unload) -> str:
    docked = config.docked(core)
    named: set[str] = set()
    for ship, barrels in action.ships:
        if ship == PILOT and ship in docked:
            return "the pilot boat takes no barrels"
        if ship not in docked:
            return f"{ship} is not docked" if ship in config.ships else f"there is no ship {ship}"
        if ship in named:
            return f"{ship} is named twice"
        named.add(ship)
        dock = docked.index(ship)
        own, room = digit(core[DOCK + BERTH * dock + ABOARD], decision.seat), digit(core[FREE], dock)
        if isinstance(action, Load) and not 0 <= barrels <= room:
            return f"{ship} has room for {room} barrels, not {barrels}"
        if isinstance(action, Unload) and not 0 <= barrels <= own:
            return f"{ship} holds {own} barrels of seat {decision.seat}, not {barrels}"
    return _why_not_total(decision, action)


def _why_not_total(decision: Decision, action: Load | Unload) -> str:
    total = sum(barrels for _, barrels in action.ships)
    if isinstance(action, Unload):
        return f"exactly {decision.barrels} barrels must be unloaded, not {total}"
    if total > (decision.barrels or 0):
        return f"{decision.barrels} barrels are in hand, not {total}"
    return f"all {decision.barrels} barrels in hand must be loaded, not {total}; fewer only if that fills a ship"
