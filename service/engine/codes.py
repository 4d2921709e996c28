"""Between actions and the core's codes; and why an action is not legal, in plain words."""

from service.engine.actions import Action, Decline, Hire, Load, Play, Unload
from service.engine.box import WORKER_NAMES, Box, plays
from service.engine.components import PILOT
from service.engine.core.layout import (
    ABOARD,
    BARRELS_EACH,
    BERTH,
    COMPANION,
    DIGIT,
    DOCK,
    DOCKS,
    FREE,
    JACK_SEAT,
    KEY,
    LOWEST,
    NO_SHIP,
    PHASE,
    PLAY,
    ROW,
    digit,
)
from service.engine.core.options import CARDS, DECLINE, HIRE_BIG, HIRE_LITTLE, PLAY_JACK_WITH_BIG, PLAY_KEY
from service.engine.decisions import Decision

HIRES: tuple[Action, ...] = (Decline(), Hire("big"), Hire("little"))
IMPOSSIBLE = -1


def key_of(core: tuple[int, ...], decision: Decision) -> int:
    """The core's key of an open decision's options."""
    if core[PHASE] != PLAY:
        return core[KEY]
    if core[JACK_SEAT] != decision.seat:
        return PLAY_KEY
    return PLAY_JACK_WITH_BIG + (core[COMPANION] & 1)


def actions_of(box: Box, core: tuple[int, ...], decision: Decision) -> tuple[Action, ...]:
    """All legal actions of an open decision, in canonical order."""
    if decision.type == "play":
        return plays()[key_of(core, decision)]
    if decision.type == "hire":
        return HIRES
    kind = Load if decision.type == "load" else Unload
    names = docked(box, core)
    return tuple(
        kind(tuple((name, code >> shift & LOWEST) for name, shift in names if code >> shift & LOWEST))
        for code in box.tables.options[core[KEY]]
    )


def docked(box: Box, core: tuple[int, ...]) -> list[tuple[str, int]]:
    """The docked ships, front first, with the shift of their digit in a code."""
    return [
        (box.ships[core[DOCK + number * BERTH]], DIGIT * number)
        for number in range(DOCKS)
        if core[DOCK + number * BERTH] != NO_SHIP
    ]


def code_of(box: Box, core: tuple[int, ...], action: Action) -> int:
    """The core's code of an action, without FILLS; IMPOSSIBLE if it has none. Whether it is legal must be looked up."""
    if isinstance(action, Play):
        jack = action.jack or 0
        if not (0 < action.big <= CARDS and 0 < action.little <= CARDS and 0 <= jack <= CARDS):
            return IMPOSSIBLE
        return IMPOSSIBLE if action.jack == 0 else action.big + 8 * action.little + 64 * jack
    if isinstance(action, Decline):
        return DECLINE
    if isinstance(action, Hire):
        return HIRE_BIG if action.worker == "big" else HIRE_LITTLE
    shifts = dict(docked(box, core))
    code = 0
    for name, barrels in action.ships:
        shift = shifts.pop(name, None)
        if shift is None or not 0 < barrels <= BARRELS_EACH:
            return IMPOSSIBLE
        code += barrels << shift
    return code


def canonical(box: Box, core: tuple[int, ...], action: Action) -> Action:
    """A legal action as it stands in the list: ships in dock order."""
    if not isinstance(action, Load | Unload):
        return action
    barrels = dict(action.ships)
    return type(action)(tuple((name, barrels[name]) for name, _ in docked(box, core) if name in barrels))


def legal_code(box: Box, core: tuple[int, ...], decision: Decision, action: Action) -> int:
    """The core's code of an action as it stands in the list of legal ones, or IMPOSSIBLE if it is not there."""
    wanted = code_of(box, core, action)
    if wanted == IMPOSSIBLE or _about(action) != decision.type:
        return IMPOSSIBLE
    options = box.tables.options[key_of(core, decision)]
    if decision.type != "load":
        return wanted if wanted in options else IMPOSSIBLE
    return next((code for code in options if code & ROW == wanted), IMPOSSIBLE)


def _about(action: Action) -> str:
    if isinstance(action, Play):
        return "play"
    if isinstance(action, Load):
        return "load"
    return "unload" if isinstance(action, Unload) else "hire"


def why_not(box: Box, core: tuple[int, ...], decision: Decision, action: Action) -> str:
    """Why an action is not among the legal ones of a decision."""
    if _about(action) != decision.type:
        wanted = "hire or decline" if decision.type == "hire" else decision.type
        return f"the decision is about {wanted}, not {type(action).__name__.lower()}"
    if isinstance(action, Play):
        return _why_not_play(core, decision, action)
    if isinstance(action, Load):
        return _why_not_load(box, core, decision, action)
    if isinstance(action, Unload):
        return _why_not_unload(box, core, decision, action)
    return "the worker must be big or little"


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


def _why_not_ships(box: Box, core: tuple[int, ...], action: Load | Unload) -> str | None:
    names = [name for name, _ in action.ships]
    here = [name for name, _ in docked(box, core)]
    for i, name in enumerate(names):
        if name == PILOT and PILOT in here:
            return "the pilot boat takes no barrels"
        if name not in here:
            return f"{name} is not docked" if name in box.ships else f"there is no ship {name}"
        if name in names[:i]:
            return f"{name} is named twice"
    return None


def _dock(box: Box, core: tuple[int, ...], name: str) -> int:
    ship = box.ships.index(name)
    return next(dock for dock in range(DOCKS) if core[DOCK + BERTH * dock] == ship)


def _why_not_load(box: Box, core: tuple[int, ...], decision: Decision, action: Load) -> str:
    reason = _why_not_ships(box, core, action)
    if reason is not None:
        return reason
    for name, barrels in action.ships:
        if barrels < 0:
            return f"{name} cannot take {barrels} barrels"
        room = digit(core[FREE], _dock(box, core, name))
        if barrels > room:
            return f"{name} has room for {room} barrels, not {barrels}"
    total = sum(barrels for _, barrels in action.ships)
    if total > (decision.barrels or 0):
        return f"{decision.barrels} barrels are in hand, not {total}"
    return f"all {decision.barrels} barrels in hand must be loaded, not {total}; fewer only if that fills a ship"


def _why_not_unload(box: Box, core: tuple[int, ...], decision: Decision, action: Unload) -> str:
    reason = _why_not_ships(box, core, action)
    if reason is not None:
        return reason
    for name, barrels in action.ships:
        own = digit(core[DOCK + BERTH * _dock(box, core, name) + ABOARD], decision.seat)
        if not 0 <= barrels <= own:
            return f"{name} holds {own} barrels of seat {decision.seat}, not {barrels}"
    total = sum(barrels for _, barrels in action.ships)
    return f"exactly {decision.barrels} barrels must be unloaded, not {total}"
