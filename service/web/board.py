"""The board of a position as a drawing: what lies where, from which `templates/board.html` writes the SVG.

There is no other renderer: pages, embedded players and pictures all come from here. What moves keeps its id from
position to position, so that a page can let it glide from its old place to its new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from markupsafe import Markup

from service.engine.components import PILOT, Room
from service.engine.game_config import GameConfig
from service.engine.preview import payment
from service.web import places
from service.web.places import Place
from service.web.rendering import render
from service.web.timeline import DockedShip, GamePosition
from service.web.words import Words

MAX_HULLS: Final = 6
"""Ships at sea that are drawn; a number says how many there are."""
SHOWN_UNSEEN: Final = 12
"""Ids of unseen ships that are listed."""


class Figure(NamedTuple):
    """A worker on the board or in the order. `kind`: `big`, `little` or `jack`; `walk`: the stops of its last move."""

    id: str
    place: Place
    kind: str
    seat: int
    due: bool = False
    walk: str = ""
    hand: int = 0
    beside: bool = False


class Turn(NamedTuple):
    """A token of the order, and the card beside it: a number, `?` where it is chosen and hidden, or nothing."""

    id: str
    place: Place
    kind: str
    seat: int
    card: str
    due: bool
    title: str


class Mark(NamedTuple):
    """What a room shows, one sign after the other, centred. `kind`: `good`, `broken` or `coin`."""

    kind: str
    x: float


class RoomDrawing(NamedTuple):
    """A room: its sign (`+3`, `−1` or nothing), where that stands, and its marks."""

    place: Place
    here: bool
    sign: str
    sign_x: float
    marks: tuple[Mark, ...]


class Tile(NamedTuple):
    """A warehouse with its two rooms."""

    id: str
    place: Place
    rooms: tuple[RoomDrawing, RoomDrawing]
    title: str


class Payee(NamedTuple):
    """Somebody whom a ship would pay; `before`: what it would have been without the draft, where that differs."""

    place: Place
    seat: int
    points: int


class ShipDrawing(NamedTuple):
    """A ship in its dock."""

    id: str
    place: Place
    label: str
    pilot: bool
    full: bool
    taken: str
    prizes: tuple[tuple[str, int], ...]
    slots: tuple[Place, ...]
    payees: tuple[Payee, ...]
    title: str


class BarrelDrawing(NamedTuple):
    """A barrel aboard; `draft`: put there by a choice that is not confirmed."""

    id: str
    place: Place
    seat: int
    draft: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """A half-made choice, drawn as if it were made. `loads`: by ship, barrels of the seat that come aboard, or go where
    the number is below 0. `landings`: the seat's workers and the stops on which they would land."""

    seat: int
    loads: tuple[tuple[str, int], ...] = ()
    landings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that the template needs."""

    warehouses: int
    stops: tuple[tuple[int, Place, bool], ...]
    tiles: tuple[Tile, ...]
    figures: tuple[Figure, ...]
    ghosts: tuple[Figure, ...]
    taverns: tuple[tuple[Place, str, bool, str], ...]
    turns: tuple[Turn, ...]
    ships: tuple[ShipDrawing, ...]
    barrels: tuple[BarrelDrawing, ...]
    hulls: int
    at_sea: str
    unseen: str
    note: str
    harbour: Place = places.HARBOUR
    sea: Place = places.AT_SEA
    hull_at: Place = places.HULL
    pay_at: Place = places.PAY


def board(
    position: GamePosition,
    config: GameConfig,
    words: Words,
    draft: Draft | None = None,
    own: Mapping[tuple[int, str], int] | None = None,
) -> Markup:
    """The board as one `<svg>` element. `own`: the cards that the reader has chosen, by seat and worker, which nobody
    else sees."""
    b = drawing(position, config, words, draft, own or {})
    return render("board.html", words.language, b=b, p=position, words=words)


def drawing(
    position: GamePosition, config: GameConfig, words: Words, draft: Draft | None, own: Mapping[tuple[int, str], int]
) -> Drawing:
    """What lies where. Arguments as for `board`."""
    landings = dict(draft.landings) if draft else {}
    unseen = len(position.unseen)
    listed = ", ".join(position.unseen[:SHOWN_UNSEEN]) + ("…" if unseen > SHOWN_UNSEEN else "")
    ships, barrels = _harbour(position, config, words, draft)
    return Drawing(
        warehouses=len(position.board),
        stops=tuple(
            (number, places.stop(len(position.board), number), number in landings.values())
            for number in range(2 * len(position.board))
        ),
        tiles=_tiles(position, words),
        figures=_figures(position),
        ghosts=tuple(
            Figure(f"ghost-{kind}", places.stop(len(position.board), stop), kind, draft.seat if draft else 0)
            for kind, stop in landings.items()
        ),
        taverns=_taverns(position, words),
        turns=_turns(position, words, own),
        ships=ships,
        barrels=barrels,
        hulls=min(unseen, MAX_HULLS),
        at_sea=words._n("%(num)s ship waits at sea", "%(num)s ships wait at sea", unseen)
        if unseen
        else words._("No ship waits at sea"),
        unseen=words._("not seen yet: %(ships)s", ships=listed) if unseen else "",
        note=words._("one of the last six came in: the order is shuffled next") if position.reshuffle else "",
    )


def _room_here(position: GamePosition) -> tuple[str, str] | None:
    """Warehouse and room where something is asked, or has just been done."""
    if position.decisions:
        decision = position.decisions[0]
        return (decision.warehouse, decision.room) if decision.warehouse and decision.room else None
    if position.event["type"] in ("coin_taken", "loaded", "unloaded"):
        return position.event["warehouse"], position.event["room"]
    return None


def _tiles(position: GamePosition, words: Words) -> tuple[Tile, ...]:
    count = len(position.board)
    here = _room_here(position)
    tiles = []
    for index, warehouse in enumerate(position.board):
        stops = (index, 2 * count - 1 - index)
        rooms = (warehouse.upper, warehouse.lower)
        title = words._("Warehouse %(warehouse)s.", warehouse=warehouse.id)
        for half, stop, room in zip(("upper", "lower"), stops, rooms, strict=True):
            title += " " + words._(
                "%(half)s room, stop %(stop)s: %(shows)s; in front: %(who)s.",
                half=words.half(half).capitalize(),
                stop=stop,
                shows=words.shows(room),
                who=standing(position, stop, words),
            )
        drawn = tuple(
            _room(room, places.room(count, stop), here == (warehouse.id, half))
            for half, stop, room in zip(("upper", "lower"), stops, rooms, strict=True)
        )
        tiles.append(Tile(warehouse.id, places.tile(count, index), (drawn[0], drawn[1]), title))
    return tuple(tiles)


def standing(position: GamePosition, stop: int, words: Words) -> str:
    """Who stands on a stop, in words."""
    found = position.stands_on(stop)
    if found is None:
        return words._("nobody")
    seat, worker = found
    return words.worker_met(position.names, seat, worker)


_WIDTHS: Final = {"good": 13.5, "broken": 13.5, "coin": 21}


def _room(room: Room, place: Place, here: bool) -> RoomDrawing:
    kinds = ["good"] * room.good + ["broken"] * room.broken + ["coin"] * room.coin
    sign = f"+{room.good}" if room.good else f"−{room.broken}" if room.broken else ""
    left = -(sum(_WIDTHS[kind] for kind in kinds) + (24 if sign else 0)) / 2
    sign_x = left + 10
    left += 24 if sign else 0
    marks = []
    for kind in kinds:
        marks.append(Mark(kind, round(left + _WIDTHS[kind] / 2, 2)))
        left += _WIDTHS[kind]
    return RoomDrawing(place, here, sign, sign_x, tuple(marks))


def _figures(position: GamePosition) -> tuple[Figure, ...]:
    count = len(position.board)
    deciding = {decision.seat: decision for decision in position.decisions}
    figures = []
    for number, stop in enumerate(position.stops):
        seat, kind = number // 2, "little" if number % 2 else "big"
        decision = deciding.get(seat)
        acts = decision is not None and decision.worker == kind
        figures.append(
            Figure(
                f"w-{seat}-{kind}",
                places.in_tavern(number % 2, seat) if stop is None else places.stop(count, stop),
                kind,
                seat,
                due=acts,
                walk=" ".join(map(str, position.walks[number])),
                hand=(decision.barrels or 0) if acts and decision is not None else 0,
            )
        )
    jack = position.jack
    if jack is not None:
        side = 0 if jack.companion == "big" else 1
        decision = deciding.get(jack.seat)
        acts = decision is not None and decision.worker == "jack"
        figures.append(
            Figure(
                "w-jack",
                places.in_tavern(side, 4) if jack.stop is None else places.stop(count, jack.stop),
                "jack",
                jack.seat,
                due=acts,
                walk=" ".join(map(str, jack.walk)),
                hand=(decision.barrels or 0) if acts and decision is not None else 0,
                beside=jack.stop is not None and jack.stop in position.stops,
            )
        )
    return tuple(figures)


def _taverns(position: GamePosition, words: Words) -> tuple[tuple[Place, str, bool, str], ...]:
    found = []
    for side, (short, whole) in enumerate(
        ((words._("Bigs"), words._("Tavern of the bigs")), (words._("Littles"), words._("Tavern of the littles")))
    ):
        empty = all(stop is not None for stop in position.stops[side::2])
        found.append((places.tavern(side), short, empty, whole))
    return tuple(found)


def _turns(position: GamePosition, words: Words, own: Mapping[tuple[int, str], int]) -> tuple[Turn, ...]:
    """The tokens by worker, so that they stay where they are in the document while they change places."""
    turns = []
    jack = position.jack
    acting = {(decision.seat, decision.worker) for decision in position.decisions if decision.worker}
    if position.event["type"] == "moved":
        acting.add((position.event["seat"], position.event["worker"]))
    for number in range(2 * position.players):
        seat, kind = number // 2, "little" if number % 2 else "big"
        index = position.order.index(number) + 1
        card = _card(position, seat, kind, own)
        title = words._(
            "Number %(num)s to move: %(worker)s, card %(card)s.",
            num=index,
            worker=words.worker_met(position.names, seat, kind),
            card=card or words._("not chosen"),
        )
        turns.append(Turn(f"o-{seat}-{kind}", places.order(index), kind, seat, card, (seat, kind) in acting, title))
    if jack is not None:
        card = _card(position, jack.seat, "jack", own)
        title = words._(
            "First to move: Lazy Jack for %(name)s, card %(card)s.",
            name=words.player(position.names, jack.seat),
            card=card or words._("not chosen"),
        )
        turns.append(Turn("o-jack", places.order(0), "jack", jack.seat, card, (jack.seat, "jack") in acting, title))
    return tuple(turns)


def _card(position: GamePosition, seat: int, kind: str, own: Mapping[tuple[int, str], int]) -> str:
    if position.cards is None:
        return str(own.get((seat, kind), "?")) if seat in position.chosen else ""
    number = getattr(position.cards[seat], kind)
    return "" if number is None else str(number)


def _harbour(
    position: GamePosition, config: GameConfig, words: Words, draft: Draft | None
) -> tuple[tuple[ShipDrawing, ...], tuple[BarrelDrawing, ...]]:
    changes = dict(draft.loads) if draft else {}
    barrels: list[BarrelDrawing] = []
    ships = []
    fresh = 0
    for number, ship in enumerate(position.docks):
        seats = [(f"barrel-{barrel.seat}-{barrel.number}", barrel.seat, False) for barrel in ship.barrels]
        change = changes.get(ship.id, 0)
        if draft and change > 0:
            seats += [(f"new-{fresh + more}", draft.seat, True) for more in range(change)]
            fresh += change
        elif draft and change < 0:
            own = [index for index, (_, seat, _) in enumerate(seats) if seat == draft.seat]
            for index in own[change:]:
                seats[index] = (seats[index][0], draft.seat, True)
        barrels += [
            BarrelDrawing(name, places.barrel(number, index), seat, new)
            for index, (name, seat, new) in enumerate(seats)
        ]
        aboard = ship.aboard(position.players)
        if draft:
            aboard[draft.seat] += change
        ships.append(_ship(number, ship, aboard, position, config, words))
    # In one order for ever, so that no barrel changes its place in the document while it glides.
    barrels.sort(key=lambda barrel: barrel.id)
    ships.sort(key=lambda ship: ship.id)
    return tuple(ships), tuple(barrels)


def _ship(
    number: int, ship: DockedShip, aboard: Sequence[int], position: GamePosition, config: GameConfig, words: Words
) -> ShipDrawing:
    place = places.dock(number)
    label = words._("Front dock · sails at round’s end") if number == 0 else words.dock(number)
    if ship.id == PILOT:
        title = words._("%(dock)s: the pilot boat. It carries and pays nothing.", dock=words.dock(number))
        return ShipDrawing(ship.id, place, label, True, False, "", (), (), (), title)
    taken = sum(aboard)
    paid = payment(config, ship.id, aboard)
    best_first = sorted((seat for seat, share in enumerate(paid) if aboard[seat]), key=lambda seat: -paid[seat])
    prizes = ((words._("1st"), ship.points[0]), (words._("2nd"), ship.points[1]), (words._("3rd"), ship.points[2]))
    title = words._(
        "%(dock)s: ship %(ship)s, %(taken)s of %(capacity)s places taken. "
        "Barrels: %(barrels)s. If it sailed now: %(paid)s.",
        dock=words.dock(number),
        ship=ship.id,
        taken=taken,
        capacity=ship.capacity,
        barrels=words.shares(position.names, aboard) or words._("nobody"),
        paid=words.shares(position.names, paid) or words._("nobody"),
    )
    full = taken >= ship.capacity
    return ShipDrawing(
        ship.id,
        place,
        label,
        False,
        full,
        words._("full: sails") if full else words._("%(taken)s of %(capacity)s", taken=taken, capacity=ship.capacity),
        prizes[: 2 if position.players == 2 else 3],
        tuple(places.slot(index) for index in range(taken, ship.capacity)),
        tuple(Payee(places.payee(index), seat, paid[seat]) for index, seat in enumerate(best_first)),
        title,
    )
