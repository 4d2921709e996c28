"""A game event by event, as a spectator sees it: what the pages draw.

The rules have a state after each decision; a page also shows what lies between two decisions. So events are folded over
the first observation. Neither holds anything that is hidden, and so no position can.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from service.engine.components import Warehouse
from service.engine.core.layout import DOCKS, LAST_SIX, PRICE_OF_JACK
from service.engine.decisions import Decision
from service.engine.observation import observe
from service.operations.games.asks import header_of
from service.operations.games.projection import GameView

Event = Mapping[str, Any]


class Barrel(NamedTuple):
    """A barrel aboard. A player's barrels are numbered from 0, so that a page can follow one from ship to ship."""

    seat: int
    number: int


class DockedShip(NamedTuple):
    """A docked ship; barrels in the order in which they were loaded."""

    id: str
    capacity: int
    points: tuple[int, ...]
    barrels: tuple[Barrel, ...] = ()

    def aboard(self, players: int) -> list[int]:
        """Barrels by seat."""
        counts = [0] * players
        for barrel in self.barrels:
            counts[barrel.seat] += 1
        return counts


class Jack(NamedTuple):
    """Lazy Jack while he is hired: by whom, with which worker, and where he stands (None: in its tavern)."""

    seat: int
    companion: str
    stop: int | None
    walk: tuple[int, ...] = ()


class Cards(NamedTuple):
    """The revealed cards of a seat; `jack` from whoever hired him."""

    big: int
    little: int
    jack: int | None = None


@dataclass(frozen=True, slots=True)
class GamePosition:
    """The game after one event. Workers are numbered 2·seat (big) and 2·seat + 1 (little).

    `step` is where the round stands: `open`, `hire`, `cards`, `move`, `clear`, `end` or `over`. `walks`: by worker, the
    stops of its last move, the first and the last included; empty where it came out of the tavern or has not moved in
    this round. `decisions`: those that are open; none between two decisions. `opened`: when each of them was opened, by
    its id.
    """

    n: int
    version: int
    at: str
    event: Event
    status: str
    round: int
    step: str
    names: tuple[str | None, ...]
    board: tuple[Warehouse, ...]
    stops: tuple[int | None, ...]
    walks: tuple[tuple[int, ...], ...]
    jack: Jack | None
    order: tuple[int, ...]
    chosen: frozenset[int]
    cards: tuple[Cards, ...] | None
    docks: tuple[DockedShip, ...]
    unseen: tuple[str, ...]
    reshuffle: bool
    bank: int
    points: tuple[int, ...]
    coins: tuple[int, ...]
    supply: tuple[int, ...]
    faults: tuple[int, ...]
    resigned: frozenset[int]
    places: tuple[int, ...] | None
    decisions: tuple[Decision, ...]
    opened: Mapping[str, str]

    @property
    def players(self) -> int:
        """Seats of the game."""
        return len(self.names)

    @property
    def last_six(self) -> bool:
        """Whether the next ship that is drawn is one of the last six."""
        return 0 < len(self.unseen) <= LAST_SIX

    @property
    def over(self) -> bool:
        """Whether it is finished or aborted."""
        return self.status in ("finished", "aborted")

    @property
    def due(self) -> frozenset[int]:
        """The seats that are to act."""
        return frozenset(decision.seat for decision in self.decisions)

    def stands_on(self, stop: int) -> tuple[int, str] | None:
        """Seat and worker that stand on a stop. Jack's companion, where both do."""
        if stop in self.stops:
            worker = self.stops.index(stop)
            return worker // 2, "little" if worker % 2 else "big"
        if self.jack is not None and self.jack.stop == stop:
            return self.jack.seat, "jack"
        return None


WORKERS: Final = ("big", "little")


def worker_number(seat: int, worker: str) -> int:
    """The number of a seat's big or little."""
    return 2 * seat + WORKERS.index(worker)


class Timeline:
    """All positions of a game so far. It grows with the game; its owner keeps it from two threads."""

    def __init__(self, view: GameView) -> None:
        self._ships = {ship.id: DockedShip(ship.id, ship.capacity, ship.points) for ship in view.game.components.ships}
        self._chain = b""
        self.positions: list[GamePosition] = [_start(view)]

    def belongs_to(self, view: GameView) -> bool:
        """Whether what it has is part of this view's past. It is not where Redis has lost some of it, nor where the id
        was another game's before."""
        return view.continues(self._chain)

    @property
    def last(self) -> int:
        """The number of the newest event; 0 before the first."""
        return len(self.positions) - 1

    def extend(self, view: GameView) -> None:
        """Takes in the events that are new."""
        self._chain = view.chain
        if len(view.history) <= self.last:
            return
        events = view.events(self.last)
        for event, following in zip(events, [*events[1:], None], strict=True):
            decisions: tuple[Decision, ...] = ()
            if following is None or following["version"] != event["version"]:
                decisions = view.decisions[event["version"] - 1]
            self.positions.append(_after(self.positions[-1], event, decisions, self._ships))


class Timelines:
    """The timelines that a process used last, at most `size` of them."""

    def __init__(self, size: int = 64) -> None:
        """A game of four has 250 events, which take about 0.3 MB and 5 ms to fold."""
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Timeline] = OrderedDict()

    def of(self, view: GameView) -> Timeline:
        """The timeline of a game, up to this view or further."""
        with self._lock:
            found = self._kept.pop(view.id, None)
            if found is None or not found.belongs_to(view):
                found = Timeline(view)
            found.extend(view)
            self._kept[view.id] = found
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
            return found


def _start(view: GameView) -> GamePosition:
    seen: dict[str, Any] = observe(GameView.new(view.id, view.meta).game, None, header_of(view))
    players = view.meta.players
    seats = seen["seats"]
    warehouses = {warehouse.id: warehouse for warehouse in view.game.components.warehouses}
    return GamePosition(
        n=0,
        version=0,
        at="",
        event={"type": "dealt"},
        status="open",
        round=1,
        step="open",
        names=(None,) * players,
        board=tuple(warehouses[tile["warehouse"]] for tile in seen["board"]),
        stops=(None,) * (2 * players),
        walks=((),) * (2 * players),
        jack=None,
        order=_order(seen["order"]),
        chosen=frozenset(),
        cards=None,
        docks=tuple(DockedShip(ship["ship"], ship["capacity"], tuple(ship["points"])) for ship in seen["docks"]),
        unseen=tuple(ship["ship"] for ship in seen["unseen"]),
        reshuffle=False,
        bank=seen["bank"],
        points=(0,) * players,
        coins=tuple(seat["coins"] for seat in seats),
        supply=tuple(seat["supply"] for seat in seats),
        faults=(0,) * players,
        resigned=frozenset(),
        places=None,
        decisions=(),
        opened={},
    )


def _order(tokens: list[Mapping[str, Any]]) -> tuple[int, ...]:
    return tuple(worker_number(token["seat"], token["worker"]) for token in tokens)


def _with(row: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*row[:index], value, *row[index + 1 :])


def _after(
    before: GamePosition, event: Event, decisions: tuple[Decision, ...], ships: Mapping[str, DockedShip]
) -> GamePosition:
    now = replace(
        before,
        n=event["n"],
        version=event["version"],
        at=event["at"],
        event=event,
        round=max(1, event["round"]),
        decisions=decisions,
    )
    if event["type"] == "ship_drawn":
        now = _ship_drawn(now, event, ships)
    else:
        now = _FOLDS[event["type"]](now, event)
    if not decisions:
        return now
    opened = {decision.id: before.opened.get(decision.id, now.at) for decision in decisions}
    return replace(now, step=_STEPS[decisions[0].type], opened=opened)


_STEPS: Final = {"hire": "hire", "play": "cards", "load": "clear", "unload": "clear"}
"""Where a round stands while a decision of a type is open."""


def _joined(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, names=_with(now.names, event["seat"], event["name"]))


def _started(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, status="running")


def _round_began(now: GamePosition, event: Event) -> GamePosition:
    return replace(
        now,
        step="hire",
        order=_order(event["order"]),
        walks=((),) * len(now.walks),
        jack=None,
        chosen=frozenset(),
        cards=None,
        reshuffle=False,
    )


def _offered(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, step="hire")


def _jack_hired(now: GamePosition, event: Event) -> GamePosition:
    seat, companion = event["seat"], event["companion"]
    return replace(
        now,
        step="hire",
        jack=Jack(seat, companion, now.stops[worker_number(seat, companion)]),
        coins=_with(now.coins, seat, now.coins[seat] - PRICE_OF_JACK),
        bank=now.bank + PRICE_OF_JACK,
    )


def _chosen(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, step="cards", chosen=now.chosen | {event["seat"]})


def _revealed(now: GamePosition, event: Event) -> GamePosition:
    cards = tuple(Cards(shown["big"], shown["little"], shown.get("jack")) for shown in event["cards"])
    return replace(now, step="move", cards=cards, chosen=frozenset())


def _moved(now: GamePosition, event: Event) -> GamePosition:
    walk = _walk(event["from"], event["to"], 2 * len(now.board), fell_back=event["fell_back"])
    moved = _put(replace(now, step="move"), event["seat"], event["worker"], event["to"], walk)
    pushed = event["pushed"]
    return moved if pushed is None else _put(moved, pushed["seat"], pushed["worker"], pushed["to"], ())


def _walk(start: int | None, end: int | None, stops: int, *, fell_back: bool) -> tuple[int, ...]:
    """The stops from one to another, clockwise. Who falls back is shown going straight to where it ends."""
    if start is None or end is None or start == end:
        return ()
    steps = (end - start) % stops
    if fell_back and steps > stops // 2:
        return (start, end)
    return tuple((start + step) % stops for step in range(steps + 1))


def _put(now: GamePosition, seat: int, worker: str, stop: int | None, walk: tuple[int, ...]) -> GamePosition:
    if worker == "jack":
        assert now.jack is not None, "he moves while he is hired"
        return replace(now, jack=now.jack._replace(stop=stop, walk=walk))
    number = worker_number(seat, worker)
    return replace(now, stops=_with(now.stops, number, stop), walks=_with(now.walks, number, walk))


def _coin_taken(now: GamePosition, event: Event) -> GamePosition:
    seat = event["seat"]
    return replace(now, step="clear", coins=_with(now.coins, seat, now.coins[seat] + 1), bank=now.bank - 1)


def _loaded(now: GamePosition, event: Event) -> GamePosition:
    """Barrels go aboard, those with the lowest numbers first."""
    seat = event["seat"]
    aboard = {barrel.number for ship in now.docks for barrel in ship.barrels if barrel.seat == seat}
    free = (number for number in range(now.supply[seat] + len(aboard)) if number not in aboard)
    docks = tuple(
        ship._replace(barrels=(*ship.barrels, *(Barrel(seat, next(free)) for _ in range(event["ships"][ship.id]))))
        if ship.id in event["ships"]
        else ship
        for ship in now.docks
    )
    loaded = sum(event["ships"].values())
    return replace(now, step="clear", docks=docks, supply=_with(now.supply, seat, now.supply[seat] - loaded))


def _unloaded(now: GamePosition, event: Event) -> GamePosition:
    """Barrels come off, those that were loaded last first."""
    seat = event["seat"]
    docks = tuple(
        ship._replace(barrels=_without_last(ship.barrels, seat, event["ships"].get(ship.id, 0))) for ship in now.docks
    )
    unloaded = sum(event["ships"].values())
    return replace(now, step="clear", docks=docks, supply=_with(now.supply, seat, now.supply[seat] + unloaded))


def _without_last(barrels: tuple[Barrel, ...], seat: int, count: int) -> tuple[Barrel, ...]:
    kept = list(barrels)
    for index in range(len(kept) - 1, -1, -1):
        if count and kept[index].seat == seat:
            del kept[index]
            count -= 1
    return tuple(kept)


def _ship_sailed(now: GamePosition, event: Event) -> GamePosition:
    paid = [points + share for points, share in zip(now.points, event["paid"], strict=True)]
    filled_by = event["filled_by"]
    if filled_by is not None:
        paid[filled_by] += 1
    elif len(now.docks) < DOCKS:
        # The game ends: every ship is paid, and stays for all to see (RULES "Step 5: the end of a round").
        return replace(now, step="end", points=tuple(paid))
    ship = next(docked for docked in now.docks if docked.id == event["ship"])
    supply = tuple(own + back for own, back in zip(now.supply, ship.aboard(now.players), strict=True))
    docks = tuple(docked for docked in now.docks if docked is not ship)
    step = now.step if filled_by is not None else "end"
    return replace(now, step=step, points=tuple(paid), supply=supply, docks=docks)


def _ship_drawn(now: GamePosition, event: Event, ships: Mapping[str, DockedShip]) -> GamePosition:
    return replace(
        now,
        docks=(*now.docks, ships[event["ship"]]),
        unseen=tuple(ship for ship in now.unseen if ship != event["ship"]),
        reshuffle=now.reshuffle or event["last_six"],
    )


def _order_changed(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, step="end", order=_order(event["order"]), jack=None)


def _defaulted(now: GamePosition, event: Event) -> GamePosition:
    if event["fault"] is None:
        return now
    return replace(now, faults=_with(now.faults, event["seat"], now.faults[event["seat"]] + 1))


def _resigned(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, resigned=now.resigned | set(event["seats"]))


def _finished(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, status="finished", step="over", points=tuple(event["points"]), places=tuple(event["places"]))


def _aborted(now: GamePosition, event: Event) -> GamePosition:
    return replace(now, status="aborted", step="over")


def _unchanged(now: GamePosition, event: Event) -> GamePosition:
    return now


_FOLDS: Final[dict[str, Callable[[GamePosition, Event], GamePosition]]] = {
    "joined": _joined,
    "started": _started,
    "round_began": _round_began,
    "offered": _offered,
    "declined": _unchanged,
    "jack_hired": _jack_hired,
    "chosen": _chosen,
    "revealed": _revealed,
    "moved": _moved,
    "coin_taken": _coin_taken,
    "loaded": _loaded,
    "unloaded": _unloaded,
    "ship_sailed": _ship_sailed,
    "order_changed": _order_changed,
    "defaulted": _defaulted,
    "resigned": _resigned,
    "finished": _finished,
    "aborted": _aborted,
}
