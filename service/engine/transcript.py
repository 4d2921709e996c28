"""A record as plain text, round by round."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from service.engine.components import room_to_json
from service.engine.events import Event
from service.engine.game import Game
from service.engine.observation import GameHeader, observe
from service.engine.record import replay

View = dict[str, Any]
Data = dict[str, Any]

_ANSWERS = ("jack_hired", "declined", "loaded", "unloaded")
"""The events of actions other than cards: each comes first among the events of its step."""


def render(record: object) -> Iterator[str]:
    """The lines of a game: the board, each round with docks, order, cards, moves, loads and pay, and the standings.

    Raises DamagedRecord before the first line if the record cannot be replayed.
    """
    steps = replay(record).steps
    assert isinstance(record, dict)
    names = [_name(seat) for seat in record["seats"]]
    yield from _head(record, steps[0].game, names)
    notes = _Notes(record)
    for step in steps:
        game = step.game
        for number, event in enumerate(step.events):
            if number == 0 and event.type in _ANSWERS:
                yield from (line + notes.next_answer() for line in _lines(event, game, names, notes))
            else:
                yield from _lines(event, game, names, notes)


class _Notes:
    """What a record says beyond the events: which actions were played by default, and why a seat gave up."""

    def __init__(self, record: Data) -> None:
        self._cards = {(entry["round"], entry["seat"]): entry for entry in record["actions"] if _is_play(entry)}
        self._answers = iter([entry for entry in record["actions"] if not _is_play(entry)])
        self._given_up = {entry["seat"]: entry["reason"] for entry in record["resignations"]}

    def cards(self, current: int, seat: int) -> str:
        """The note on the cards that a seat played in a round."""
        return _by_default(self._cards[current, seat])

    def next_answer(self) -> str:
        """The note on the next action other than cards."""
        return _by_default(next(self._answers))

    def given_up(self, seat: int) -> str:
        """The note on a seat in the standings."""
        return f" ({self._given_up[seat]})" if seat in self._given_up else ""


def _is_play(entry: Data) -> bool:
    return bool(entry["action"]["type"] == "play")


def _by_default(entry: Data) -> str:
    if entry["by"] != "default":
        return ""
    return f" (by default: {entry['fault'].replace('_', ' ') if entry['fault'] else 'it had given up'})"


def _name(seat: Data) -> str:
    return seat["name"] or f"seat {seat['seat']}"


def _head(record: Data, game: Game, names: Sequence[str]) -> Iterator[str]:
    yield f"Game {record['game']}: {', '.join(names)}"
    variants = record["variants"]
    yield (
        f"Variants: tally {variants['tally']}, last place {variants['last_place']}, "
        f"starting coins {variants['starting_coins']}; deal {record['deal']}"
    )
    houses = {house.id: house for house in game.components.warehouses}
    yield "Board, left to right: upper / lower room"
    for house in game.config.board:
        rooms = (_room(room_to_json(room)) for room in (houses[house].upper, houses[house].lower))
        yield f"  {house:<8} {' / '.join(rooms)}"


def _room(room: Data) -> str:
    parts = [f"{room[kind]} {kind}" for kind in ("good", "broken") if room[kind]]
    if room["coin"]:
        parts.append("coin")
    return ", ".join(parts) or "empty"


def _lines(event: Event, game: Game, names: Sequence[str], notes: _Notes) -> Iterator[str]:
    data: Data = event.data
    if event.type == "round_began":
        yield ""
        yield f"Round {event.round}"
        yield f"  order: {', '.join(_worker(token, names) for token in data['order'])}"
        if event.round == game.round:
            yield from _position(game, names)
    elif event.type == "revealed":
        for cards in data["cards"]:
            jack = f", Jack {cards['jack']}" if "jack" in cards else ""
            note = notes.cards(event.round, cards["seat"])
            yield f"  {names[cards['seat']]} plays big {cards['big']}, little {cards['little']}{jack}{note}"
    elif event.type == "finished":
        yield from _standings(game, data, names, notes)
    elif event.type == "order_changed":
        yield f"  the order is {'shuffled' if data['shuffled'] else 'moved on'}"
    elif event.type != "chosen":
        yield f"  {_sentence(event, names)}"


def _position(game: Game, names: Sequence[str]) -> Iterator[str]:
    """The docks and what every seat has at the start of a round."""
    table = GameHeader("", 0, "running", tuple(names), "", "")
    view: View = observe(game, None, table)
    for number, ship in enumerate(view["docks"]):
        points = "/".join(str(points) for points in ship["points"])
        barrels = ", ".join(f"{names[seat]} {count}" for seat, count in enumerate(ship["barrels"]) if count)
        room = f"{sum(ship['barrels'])} of {ship['capacity']}"
        yield f"  dock {number}: {ship['ship']} pays {points}, holds {room}{': ' if barrels else ''}{barrels}"
    yield f"  stack: {view['stack']}, bank: {view['bank']}"
    for seat in view["seats"]:
        yield (
            f"  {seat['name']}: {seat['points']} points, {_count(seat['coins'], 'coin')}, "
            f"{seat['supply']} in supply, {seat['aboard']} aboard"
        )


def _sentence(event: Event, names: Sequence[str]) -> str:
    teller = _SENTENCES.get(event.type)
    if teller is None:
        return f"the game is {event.type}"
    return teller(event.data, names) + (" (forced)" if event.forced else "")


def _offered(data: Data, names: Sequence[str]) -> str:
    return f"{names[data['seat']]} is offered Lazy Jack"


def _hired(data: Data, names: Sequence[str]) -> str:
    return f"{names[data['seat']]} hires Lazy Jack, with {data['companion']}"


def _declined(data: Data, names: Sequence[str]) -> str:
    return f"{names[data['seat']]} declines"


def _coin(data: Data, names: Sequence[str]) -> str:
    return f"{_worker(data, names)} takes a coin in {_place(data)}"


def _load(data: Data, names: Sequence[str]) -> str:
    return f"{_worker(data, names)} loads {_ships(data, 'on')} in {_place(data)}"


def _unload(data: Data, names: Sequence[str]) -> str:
    return f"{_worker(data, names)} unloads {_ships(data, 'from')} in {_place(data)}"


def _drawn(data: Data, names: Sequence[str]) -> str:
    return f"{data['ship']} comes in{', one of the last six' if data['last_six'] else ''}"


def _resigned(data: Data, names: Sequence[str]) -> str:
    return f"{', '.join(names[seat] for seat in data['seats'])}: {data['reason']}"


def _move(data: Data, names: Sequence[str]) -> str:
    line = f"{_worker(data, names)} goes from {_stop(data['from'])} to {_stop(data['to'])}"
    if data["fell_back"]:
        line += ", falling back"
    if data["pushed"] is not None:
        line += f", pushing {_worker(data['pushed'], names)} to {_stop(data['pushed']['to'])}"
    return line


def _pay(data: Data, names: Sequence[str]) -> str:
    paid = ", ".join(f"{names[seat]} {points}" for seat, points in enumerate(data["paid"]) if points)
    line = f"{data['ship']} pays {paid or 'nobody'}"
    if data["filled_by"] is not None:
        line += f"; {names[data['filled_by']]} filled it and gets 1"
    return line


def _standings(game: Game, data: Data, names: Sequence[str], notes: _Notes) -> Iterator[str]:
    yield ""
    yield f"After {_count(game.round, 'round')}, {data['ended']}:"
    for place, seat in sorted((place, seat) for seat, place in enumerate(data["places"])):
        yield f"  {place}. {names[seat]}: {data['points'][seat]} points{notes.given_up(seat)}"


def _worker(token: Data, names: Sequence[str]) -> str:
    if token["worker"] == "jack":
        return f"Jack (for {names[token['seat']]})"
    return f"{names[token['seat']]}'s {token['worker']}"


def _stop(stop: int | None) -> str:
    return "the tavern" if stop is None else f"stop {stop}"


def _place(data: Data) -> str:
    return f"{data['warehouse']} {data['room']}"


def _ships(data: Data, where: str) -> str:
    return ", ".join(f"{count} {where} {ship}" for ship, count in data["ships"].items())


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_SENTENCES: dict[str, Callable[[Data, Sequence[str]], str]] = {
    "offered": _offered,
    "jack_hired": _hired,
    "declined": _declined,
    "moved": _move,
    "coin_taken": _coin,
    "loaded": _load,
    "unloaded": _unload,
    "ship_sailed": _pay,
    "ship_drawn": _drawn,
    "resigned": _resigned,
}
