"""Between actions and the core's codes; and why an action is not legal, in plain words."""

from service.engine.actions import Action, Decline, Hire, Load, Play, Unload
from service.engine.components import PILOT
from service.engine.core.layout import (
    ABOARD,
    BERTH,
    COMPANION,
    DOCK,
    FREE,
    JACK_SEAT,
    KEY,
    digit,
)
from service.engine.core.lookup_tables import CARDS, DECLINE, FILLS, HIRE_BIG, HIRE_LITTLE, PLAY_JACK_WITH_BIG, PLAY_KEY
from service.engine.decisions import Decision
from service.engine.game_config import IMPOSSIBLE, WORKER_NAMES, GameConfig, plays

_ABOUT: dict[type[Action], str] = {Decline: "hire", Hire: "hire", Play: "play", Load: "load", Unload: "unload"}

HIRES: tuple[Action, ...] = (Decline(), Hire("big"), Hire("little"))


def _play_key(core: tuple[int, ...], seat: int) -> int:
    """The core's key of a seat's choice of cards."""
    if core[JACK_SEAT] != seat:
        return PLAY_KEY
    return PLAY_JACK_WITH_BIG + (core[COMPANION] & 1)


def actions_of(config: GameConfig, core: tuple[int, ...], decision: Decision) -> tuple[Action, ...]:
    """All legal actions of an open decision, in canonical order."""
    if decision.type == "play":
        return plays()[_play_key(core, decision.seat)]
    if decision.type == "hire":
        return HIRES
    codes = config.tables.options[core[KEY]]
    docked = config.docked(core)
    return docked.loads(codes) if decision.type == "load" else docked.unloads(codes)


def legal_code(config: GameConfig, core: tuple[int, ...], decision: Decision, action: Action) -> int:
    """The core's code of an action as it stands in the list of legal ones, or IMPOSSIBLE if it is not there."""
    if _ABOUT.get(type(action)) != decision.type:
        return IMPOSSIBLE
    options = config.tables.options[core[KEY] if decision.type != "play" else _play_key(core, decision.seat)]
    if isinstance(action, (Load, Unload)):
        code = config.docked(core).row(action)
        if code != IMPOSSIBLE and code + FILLS in options:
            code += FILLS
    elif isinstance(action, Play):
        code = _code_of_cards(action)
    elif isinstance(action, Hire):
        code = HIRE_BIG if action.worker == "big" else HIRE_LITTLE
    else:
        code = DECLINE
    return code if code in options else IMPOSSIBLE


def _code_of_cards(action: Play) -> int:
    big, little, jack = action.big, action.little, action.jack
    if not (0 < big <= CARDS and 0 < little <= CARDS):
        return IMPOSSIBLE
    if jack is None:
        return big + 8 * little
    return big + 8 * little + 64 * jack if 0 < jack <= CARDS else IMPOSSIBLE


def canonical(config: GameConfig, core: tuple[int, ...], action: Action) -> Action:
    """A legal action as it stands in the list: ships in dock order."""
    return config.docked(core).canonical(action) if isinstance(action, (Load, Unload)) else action


def why_not(config: GameConfig, core: tuple[int, ...], decision: Decision, action: Action) -> str:
    """Why an action is not among the legal ones of a decision."""
    if _ABOUT.get(type(action)) != decision.type:
        wanted = "hire or decline" if decision.type == "hire" else decision.type
        return f"the decision is about {wanted}, not {type(action).__name__.lower()}"
    if isinstance(action, Play):
        return _why_not_play(core, decision, action)
    if isinstance(action, Load):
        return _why_not_load(config, core, decision, action)
    if isinstance(action, Unload):
        return _why_not_unload(config, core, decision, action)
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


def _why_not_ships(config: GameConfig, core: tuple[int, ...], action: Load | Unload) -> str | None:
    names = [name for name, _ in action.ships]
    here = config.ships_at(core)
    for i, name in enumerate(names):
        if name == PILOT and PILOT in here:
            return "the pilot boat takes no barrels"
        if name not in here:
            return f"{name} is not docked" if name in config.ships else f"there is no ship {name}"
        if name in names[:i]:
            return f"{name} is named twice"
    return None


def _dock(config: GameConfig, core: tuple[int, ...], name: str) -> int:
    return config.ships_at(core).index(name)


def _why_not_load(config: GameConfig, core: tuple[int, ...], decision: Decision, action: Load) -> str:
    reason = _why_not_ships(config, core, action)
    if reason is not None:
        return reason
    for name, barrels in action.ships:
        if barrels < 0:
            return f"{name} cannot take {barrels} barrels"
        room = digit(core[FREE], _dock(config, core, name))
        if barrels > room:
            return f"{name} has room for {room} barrels, not {barrels}"
    total = sum(barrels for _, barrels in action.ships)
    if total > (decision.barrels or 0):
        return f"{decision.barrels} barrels are in hand, not {total}"
    return f"all {decision.barrels} barrels in hand must be loaded, not {total}; fewer only if that fills a ship"


def _why_not_unload(config: GameConfig, core: tuple[int, ...], decision: Decision, action: Unload) -> str:
    reason = _why_not_ships(config, core, action)
    if reason is not None:
        return reason
    for name, barrels in action.ships:
        own = digit(core[DOCK + BERTH * _dock(config, core, name) + ABOARD], decision.seat)
        if not 0 <= barrels <= own:
            return f"{name} holds {own} barrels of seat {decision.seat}, not {barrels}"
    total = sum(barrels for _, barrels in action.ships)
    return f"exactly {decision.barrels} barrels must be unloaded, not {total}"
