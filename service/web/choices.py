"""A choice that a person makes: half-made, previewed, confirmed. All of it from what the seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from service.engine.actions import Action, Load, Play, Unload
from service.engine.components import PILOT
from service.engine.decisions import Decision
from service.engine.game import Game
from service.engine.preview import landing, payment
from service.web.board import Draft
from service.web.timeline import DockedShip, GamePosition, worker_number
from service.web.words import Words


class CardOption(NamedTuple):
    """A card that can be chosen for a worker: where it would lead, and what is there. `note`: whom it would push."""

    card: int
    where: str
    note: str
    shows: str
    chosen: bool
    allowed: bool


class CardRow(NamedTuple):
    """The cards for one worker. `name`: `big`, `little` or `jack`."""

    name: str
    title: str
    options: tuple[CardOption, ...]


class Share(NamedTuple):
    """What a ship would pay to a seat, and what it would pay without the draft, where that differs."""

    seat: int
    name: str
    points: int
    before: int | None
    bonus: int


class ShipStep(NamedTuple):
    """A ship onto which barrels can be put, or from which they can be taken."""

    id: str
    dock: str
    pays: str
    barrels: int
    free: int
    full: bool
    can_more: bool
    can_less: bool
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """An open decision with what its seat has chosen so far. `action`: what would be confirmed; None while something is
    missing."""

    decision: Decision
    legal: Sequence[Action]
    action: Action | None
    draft: Draft
    cards: tuple[CardRow, ...] = ()
    ships: tuple[ShipStep, ...] = ()
    placed: int = 0
    summary: str = ""

    @property
    def left(self) -> int:
        """Barrels still in hand, or still to be taken off."""
        return (self.decision.barrels or 0) - self.placed

    @property
    def is_begun(self) -> bool:
        """Whether anything is chosen."""
        return bool(self.draft.loads or self.draft.landings)


def choice_of(
    game: Game, position: GamePosition, decision: Decision, form: Mapping[str, str], words: Words
) -> OpenChoice:
    """The choice that a form has made so far. What the form has that is not possible counts as not chosen."""
    legal = game.legal_actions(decision.id)
    if decision.type == "play":
        return _cards(game, position, decision, legal, form, words)
    if decision.type in ("load", "unload"):
        return _barrels(game, position, decision, legal, form, words)
    return OpenChoice(decision, legal, None, Draft(decision.seat))


def _cards(
    game: Game,
    position: GamePosition,
    decision: Decision,
    legal: Sequence[Action],
    form: Mapping[str, str],
    words: Words,
) -> OpenChoice:
    seat = decision.seat
    jack = position.jack if position.jack is not None and position.jack.seat == seat else None
    names = ("big", "little", "jack") if jack else ("big", "little")
    chosen = {name: int(form[name]) for name in names if form.get(name) in ("1", "2", "3", "4", "5")}
    if jack and chosen.get("jack") == chosen.get(jack.companion):
        chosen.pop("jack", None)
    landings = {name: stop for name, card in chosen.items() if (stop := landing(game, seat, name, card)) is not None}
    taken = chosen.get(jack.companion) if jack else None
    rows = tuple(
        CardRow(
            name,
            _card_title(position, seat, name, words),
            tuple(
                _option(game, position, seat, name, card, chosen.get(name), taken if name == "jack" else None, words)
                for card in range(1, 6)
            ),
        )
        for name in names
    )
    action = Play(**chosen) if set(chosen) == set(names) else None
    return OpenChoice(
        decision,
        legal,
        action if action in legal else None,
        Draft(seat, landings=tuple(landings.items())),
        cards=rows,
        summary=words.action(action) if action else "",
    )


def _card_title(position: GamePosition, seat: int, name: str, words: Words) -> str:
    if name == "jack":
        stop = position.jack.stop if position.jack else None
        return words._("For Lazy Jack, from %(stop)s", stop=words.stop(stop))
    stop = position.stops[2 * seat + (name == "little")]
    if name == "big":
        return words._("For your big, from %(stop)s", stop=words.stop(stop))
    return words._("For your little, from %(stop)s", stop=words.stop(stop))


def _option(
    game: Game,
    position: GamePosition,
    seat: int,
    name: str,
    card: int,
    chosen: int | None,
    taken: int | None,
    words: Words,
) -> CardOption:
    stop = landing(game, seat, name, card)
    if stop is None:
        return CardOption(card, words._("stays in the tavern"), "", "", card == chosen, card != taken)
    count = len(position.board)
    warehouse = position.board[stop if stop < count else 2 * count - 1 - stop]
    half = "upper" if stop < count else "lower"
    room = warehouse.upper if half == "upper" else warehouse.lower
    signs = [f"+{room.good}" if room.good else f"−{room.broken}" if room.broken else ""]
    if room.coin:
        signs.append(words._("coin"))
    standing = position.stands_on(stop)
    own = standing == (seat, name)
    note = ""
    if standing is not None and not own:
        note = words._(
            "pushes %(other)s to %(stop)s",
            other=words.worker_met(position.names, *standing),
            stop=2 * count - 1 - stop,
        )
    elif stop != _end_of_walk(position, seat, name, card):
        note = words._("falls back: both stops at its end are taken")
    where = words._("stop %(stop)s, %(warehouse)s %(half)s", stop=stop, warehouse=warehouse.id, half=words.half(half))
    return CardOption(card, where, note, " ".join(filter(None, signs)), card == chosen, card != taken)


def _end_of_walk(position: GamePosition, seat: int, name: str, card: int) -> int:
    """Where a card leads on an empty path. The taverns lie before the first stop of either row."""
    count = len(position.board)
    jack = position.jack if name == "jack" else None
    side = jack.companion if jack else name
    start = jack.stop if jack else position.stops[worker_number(seat, name)]
    if start is None:
        start = -1 if side == "big" else count - 1
    return (start + card) % (2 * count)


def _barrels(
    game: Game,
    position: GamePosition,
    decision: Decision,
    legal: Sequence[Action],
    form: Mapping[str, str],
    words: Words,
) -> OpenChoice:
    seat, loading = decision.seat, decision.type == "load"
    ships = [ship for ship in position.docks if ship.id != PILOT]
    limits = {ship.id: _limit(ship, seat, loading=loading) for ship in ships}
    counts = _counts(form, limits, decision.barrels or 0)
    placed = sum(counts.values())
    given = tuple((ship, count) for ship, count in counts.items() if count)
    action: Action = Load(given) if loading else Unload(given)
    sign = 1 if loading else -1
    left = (decision.barrels or 0) - placed
    steps = tuple(
        _step(game, position, ship, decision, counts[ship.id], limits[ship.id], left, words) for ship in ships
    )
    on_ships = words.on_ships(counts) if loading else words.off_ships(counts)
    return OpenChoice(
        decision,
        legal,
        action if given and action in legal else None,
        Draft(seat, loads=tuple((ship, sign * count) for ship, count in given)),
        ships=steps,
        placed=placed,
        summary=on_ships,
    )


def _limit(ship: DockedShip, seat: int, *, loading: bool) -> int:
    if loading:
        return ship.capacity - len(ship.barrels)
    return sum(barrel.seat == seat for barrel in ship.barrels)


def _counts(form: Mapping[str, str], limits: Mapping[str, int], barrels: int) -> dict[str, int]:
    """Barrels by ship, as the form had them, with one more or less where a button says so."""
    counts = {}
    left = barrels
    for ship, limit in limits.items():
        given = form.get(f"on-{ship}", "0")
        count = int(given) if given.isascii() and given.isdigit() and len(given) < 3 else 0
        count += (form.get("more") == ship) - (form.get("less") == ship)
        counts[ship] = max(0, min(count, limit, left))
        left -= counts[ship]
    return dict.fromkeys(limits, 0) if "reset" in form else counts


def _step(
    game: Game,
    position: GamePosition,
    ship: DockedShip,
    decision: Decision,
    count: int,
    limit: int,
    left: int,
    words: Words,
) -> ShipStep:
    seat, loading = decision.seat, decision.type == "load"
    aboard = ship.aboard(position.players)
    before = payment(game.config, ship.id, aboard)
    aboard[seat] += count if loading else -count
    after = payment(game.config, ship.id, aboard)
    full = loading and limit == count and count > 0
    dock = next(number for number, docked in enumerate(position.docks) if docked.id == ship.id)
    points = ship.points[: 2 if position.players == 2 else 3]
    return ShipStep(
        ship.id,
        words.dock(dock),
        words._("pays %(points)s", points=", ".join(map(str, points))),
        count,
        limit - count,
        full,
        can_more=left > 0 and count < limit,
        can_less=count > 0,
        shares=_shares(position, before, after, aboard, seat if full else None, words),
    )


def _shares(
    position: GamePosition,
    before: Sequence[int],
    after: Sequence[int],
    aboard: Sequence[int],
    filler: int | None,
    words: Words,
) -> tuple[Share, ...]:
    return tuple(
        Share(
            seat,
            words.player(position.names, seat),
            after[seat],
            before[seat] if before[seat] != after[seat] else None,
            int(seat == filler),
        )
        for seat in range(position.players)
        if aboard[seat] or before[seat]
    )


def gain(choice: OpenChoice) -> int:
    """Points that the seat would get at once: from ships that get full."""
    return sum(
        share.points + share.bonus
        for ship in choice.ships
        if ship.full
        for share in ship.shares
        if share.seat == choice.decision.seat
    )


def values(choice: OpenChoice | None) -> dict[str, Any]:
    """For the template."""
    return {"choice": choice, "gain": 0 if choice is None else gain(choice)}
