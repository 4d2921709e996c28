"""Decisions: questions put to seats, found in a state."""

from functools import lru_cache
from typing import Final, NamedTuple

from service.engine.core.layout import (
    CARD,
    HAND,
    HIRE,
    LOAD,
    OVER,
    PHASE,
    PLAY,
    ROUND,
    SEAT,
    SEATS,
    STOP,
)
from service.engine.game_config import GameConfig

CARDS_END: Final = CARD + 2 * SEATS

_WORKER: Final = (*("big", "little") * SEATS, "jack")
"""By the core's number of a worker."""

NONE_ASKED: Final = (0,) * (2 * SEATS)
"""How many load (by seat), then unload decisions were settled in this round."""


class Decision(NamedTuple):
    """A question put to a seat. Its id is `<round>.<type>.<seat>.<n>`.

    Worker ("big", "little" or "jack"), warehouse, room and barrels (in hand, or to be unloaded) are there for loading
    and unloading only.
    """

    id: str
    round: int
    seat: int
    type: str
    worker: str | None = None
    warehouse: str | None = None
    room: str | None = None
    barrels: int | None = None

    def to_json(self) -> dict[str, object]:
        """The decision as JSON (PROTOCOL "Decisions and answers"); members that do not apply are left out."""
        found: dict[str, object] = {"id": self.id, "seat": self.seat, "type": self.type}
        if self.worker is not None:
            found |= {
                "worker": self.worker,
                "warehouse": self.warehouse,
                "room": self.room,
                "barrels": self.barrels,
            }
        return found


# What a NamedTuple's own constructor calls, without the detour.
_decision = tuple.__new__


def open_decisions(config: GameConfig, core: tuple[int, ...], asked: tuple[int, ...]) -> tuple[Decision, ...]:
    """All decisions that are open in a state, in seat order."""
    phase = core[PHASE]
    current = core[ROUND]
    if phase == PLAY:
        asked_all = _plays(current, config.players)
        return tuple([play for play, card in zip(asked_all, core[CARD:CARDS_END:2], strict=False) if card == 0])
    if phase == OVER:
        return ()
    seat = core[SEAT]
    if phase == HIRE:
        return (Decision(f"{current}.hire.{seat}.0", current, seat, "hire"),)
    stop = core[STOP]
    warehouse, room = config.rooms[stop]
    kind, n = ("load", asked[seat]) if phase == LOAD else ("unload", asked[SEATS + seat])
    named = f"{current}.{kind}.{seat}.{n}"
    return (_decision(Decision, (named, current, seat, kind, _WORKER[core[stop]], warehouse, room, core[HAND])),)


@lru_cache(maxsize=512)
def _plays(current: int, players: int) -> tuple[Decision, ...]:
    return tuple([Decision(f"{current}.play.{seat}.0", current, seat, "play") for seat in range(players)])


def one_more(asked: tuple[int, ...], decision: Decision) -> tuple[int, ...]:
    """The counts when a decision has been settled; only loads and unloads are counted."""
    if decision.type != "load" and decision.type != "unload":
        return asked
    counts = list(asked)
    counts[decision.seat if decision.type == "load" else SEATS + decision.seat] += 1
    return tuple(counts)


def asked_before(kind: str, seat: int, number: int) -> tuple[int, ...]:
    """How many were asked, if a seat has had so many load or unload decisions, and no other seat any."""
    asked = list(NONE_ASKED)
    asked[seat + (SEATS if kind == "unload" else 0)] = number
    return tuple(asked)
