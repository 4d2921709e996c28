"""Decisions: questions put to seats."""

from functools import cache
from typing import Final, NamedTuple

from service.engine.core.layout import CARD, HAND, HIRE, LOAD, OVER, PHASE, PLAY, ROUND, SEAT, SEATS, STOP
from service.engine.game_config import GameConfig

_WORKER: Final = (*("big", "little") * SEATS, "jack")
"""By the core's number of a worker."""

NONE_ASKED: Final = (0,) * (2 * SEATS)
"""How many load (by seat), then unload decisions were settled in this round."""


class Decision(NamedTuple):
    """A question put to a seat. Its id is `<round>.<type>.<seat>.<n>`.

    Decisions to load and to unload also have the worker ("big", "little" or "jack"), the warehouse, the room, and the
    number of barrels that are in hand or must be unloaded.
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


def open_decisions(config: GameConfig, core: tuple[int, ...], asked: tuple[int, ...]) -> tuple[Decision, ...]:
    """All decisions that are open in a state, in seat order."""
    phase, current, seat = core[PHASE], core[ROUND], core[SEAT]
    if phase == OVER:
        return ()
    if phase == PLAY:
        return tuple([_play(current, seat) for seat in range(config.players) if core[CARD + 2 * seat] == 0])
    if phase == HIRE:
        return (Decision(f"{current}.hire.{seat}.0", current, seat, "hire"),)
    kind, n = ("load", asked[seat]) if phase == LOAD else ("unload", asked[SEATS + seat])
    stop = core[STOP]
    warehouse, room = config.rooms[stop]
    named = f"{current}.{kind}.{seat}.{n}"
    return (Decision(named, current, seat, kind, _WORKER[core[stop]], warehouse, room, core[HAND]),)


@cache
def _play(current: int, seat: int) -> Decision:
    """Each of them is open in up to four states of its round."""
    return Decision(f"{current}.play.{seat}.0", current, seat, "play")


def one_more(asked: tuple[int, ...], decision: Decision) -> tuple[int, ...]:
    """The counts when a decision has been settled; only loads and unloads are counted."""
    if decision.type not in ("load", "unload"):
        return asked
    counts = list(asked)
    counts[decision.seat if decision.type == "load" else SEATS + decision.seat] += 1
    return tuple(counts)


def asked_before(kind: str, seat: int, number: int) -> tuple[int, ...]:
    """The counts when a seat has had so many load or unload decisions, and no other seat any."""
    asked = list(NONE_ASKED)
    asked[seat + (SEATS if kind == "unload" else 0)] = number
    return tuple(asked)
