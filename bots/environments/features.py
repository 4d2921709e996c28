"""Observations as vectors of numbers from 0 to 1, of one length for each number of players and component set.

Everything is told from the observer's side: seat `0` is the observer, `1` the next seat, and so on. Nothing hidden is
in it: neither the order of the stack nor any card of this round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from service.engine.components import MAX_CAPACITY, ComponentSet, number_of_warehouses
from service.engine.core.layout import (
    ABOARD,
    BANK,
    BARRELS_EACH,
    BERTH,
    COINS,
    COINS_IN_ALL,
    COMPANION,
    DIGIT,
    DOCK,
    DOCKS,
    FREE,
    HAND,
    HIRE,
    JACK,
    JACK_SEAT,
    LOAD,
    LOWEST,
    ORDER,
    PHASE,
    PLACE,
    PLAY,
    POINTS,
    RESHUFFLE,
    ROUND,
    STACK,
    STOP,
    SUPPLY,
    UNLOAD,
    State,
)
from service.engine.core.lookup_tables import MAX_BROKEN, MAX_GOOD
from service.engine.game_config import GameConfig
from service.engine.setup import WORKER_NAMES

Vector: TypeAlias = npt.NDArray[np.float32]
Batch: TypeAlias = npt.NDArray[np.float32]
"""One vector a row."""

_PHASES: Final = {"hire": HIRE, "play": PLAY, "load": LOAD, "unload": UNLOAD}


class _Column(NamedTuple):
    """A number that is looked up by one field of the state: `values[field + 1]`, since a field is -1 or more."""

    name: str
    field: int
    values: tuple[float, ...]


class Features:
    """The vectors of games with one number of players and one component set.

    `names` says what each number is. A vector has, in this order: the rooms of the board; what is looked up by a field
    of the state; free capacity and barrels aboard by dock; the ships that nobody has seen.
    """

    def __init__(self, players: int, components: ComponentSet) -> None:
        self.players, self.components = players, components
        self._stops = 2 * number_of_warehouses(players)
        columns = [list(self._columns(observer)) for observer in range(players)]
        rows = [list(self._rows(observer)) for observer in range(players)]
        rooms = [f"stop {stop}: {what}" for stop in range(self._stops) for what in ("good", "broken", "coin")]
        unseen = [f"unseen: {ship.id}" for ship in components.ships]
        self.names = (*rooms, *(column.name for column in columns[0]), *(row[0] for row in rows[0]), *unseen)
        self.size = len(self.names)
        self._rows_at = len(rooms) + len(columns[0])
        self._unseen_at = self._rows_at + len(rows[0])
        # Numbers that mean something only while barrels are in hand or must be unloaded.
        work = [index for index, name in enumerate(self.names) if name.startswith("work: ")]
        self._work = slice(work[0], work[-1] + 1)
        self._lookup, starts = _joined(columns)
        self._fields = np.array([[column.field for column in seen] for seen in columns], np.intp)
        self._starts = np.array([[starts[column.values] for column in seen] for seen in columns], np.intp)
        self._row_fields = np.array([[field for _, field, _ in seen] for seen in rows], np.intp)
        self._row_shifts = np.array([[shift for _, _, shift in seen] for seen in rows], np.intp)
        self._boards: dict[tuple[str, ...], Vector] = {}

    def encode(self, config: GameConfig, state: State, seat: int) -> Vector:
        """What a seat sees of a state: `size` numbers."""
        numbers = np.array(state, np.intp)
        vector: Vector = np.zeros(self.size, np.float32)
        vector[: 3 * self._stops] = self.board(config)
        vector[3 * self._stops : self._rows_at] = self._lookup[numbers[self._fields[seat]] + self._starts[seat]]
        rows = numbers[self._row_fields[seat]] >> self._row_shifts[seat] & LOWEST
        vector[self._rows_at : self._unseen_at] = rows / MAX_CAPACITY
        vector[numbers[STACK:] + self._unseen_at] = 1
        if state[PHASE] < LOAD:
            vector[self._work] = 0
        return vector

    def encode_all(self, boards: Batch, states: Sequence[State], seats: npt.NDArray[np.intp]) -> Batch:
        """The same as `encode` for many games: one row a game. `boards` has a row of `board` for each."""
        games = len(states)
        numbers = np.array([state[:STACK] for state in states], np.intp)
        every = np.arange(games)
        batch: Batch = np.zeros((games, self.size), np.float32)
        batch[:, : 3 * self._stops] = boards
        looked_up = numbers[every[:, None], self._fields[seats]] + self._starts[seats]
        batch[:, 3 * self._stops : self._rows_at] = self._lookup[looked_up]
        rows = numbers[every[:, None], self._row_fields[seats]] >> self._row_shifts[seats] & LOWEST
        batch[:, self._rows_at : self._unseen_at] = rows / MAX_CAPACITY
        stacks = [state[STACK:] for state in states]
        unseen = np.fromiter(chain.from_iterable(stacks), np.intp)
        batch[np.repeat(every, [len(stack) for stack in stacks]), unseen + self._unseen_at] = 1
        batch[numbers[:, PHASE] < LOAD, self._work] = 0
        return batch

    def board(self, config: GameConfig) -> Vector:
        """The numbers of the rooms: good and broken barrels and coins by stop."""
        known = self._boards.get(config.board)
        if known is None:
            houses = {house.id: house for house in config.components.warehouses}
            rooms = [getattr(houses[house], room) for house, room in config.rooms]
            most = np.array((MAX_GOOD, MAX_BROKEN, 1), np.float32)
            known = (np.array([(room.good, room.broken, room.coin) for room in rooms], np.float32) / most).ravel()
            self._boards[config.board] = known
        return known

    def _columns(self, observer: int) -> Iterator[_Column]:
        order = [(observer + distance) % self.players for distance in range(self.players)]
        for kind, phase in _PHASES.items():
            yield _Column(f"phase: {kind}", PHASE, _one_hot(phase))
        yield _Column("round", ROUND, _scaled(len(self.components.ships) + 1))
        yield _Column("reshuffle", RESHUFFLE, _one_hot(1))
        yield _Column("bank", BANK, _scaled(COINS_IN_ALL))
        # Each ship pays a seat its first number at most, and a point for the last barrel.
        points = sum(ship.points[0] + 1 for ship in self.components.ships)
        for relative, seat in enumerate(order):
            yield _Column(f"seat {relative}: points", POINTS + seat, _scaled(points))
            yield _Column(f"seat {relative}: coins", COINS + seat, _scaled(COINS_IN_ALL))
            yield _Column(f"seat {relative}: supply", SUPPLY + seat, _scaled(BARRELS_EACH))
            yield _Column(f"seat {relative}: hired Jack", JACK_SEAT, _one_hot(seat))
        yield from self._worker_columns(order)
        yield from self._dock_columns()
        yield _Column("work: barrels", HAND, _scaled(MAX_GOOD))
        for stop in range(self._stops):
            yield _Column(f"work: stop {stop}", STOP, _one_hot(stop))

    def _worker_columns(self, order: list[int]) -> Iterator[_Column]:
        """Where the workers are, and the movement order. `order` has the seats, the observer first."""
        workers = [
            (f"{worker} of seat {relative}", 2 * seat + kind)
            for relative, seat in enumerate(order)
            for kind, worker in enumerate(WORKER_NAMES)
        ]
        for name, number in (*workers, ("Jack", JACK)):
            for stop in range(self._stops):
                yield _Column(f"{name} on stop {stop}", PLACE + number, _one_hot(stop))
        for kind, worker in enumerate(WORKER_NAMES):
            yield _Column(f"Jack is with a {worker}", COMPANION, _one_hot(*range(kind, 2 * self.players, 2)))
        for place in range(2 * self.players):
            for name, number in workers:
                yield _Column(f"order {place}: {name}", ORDER + place, _one_hot(number))

    def _dock_columns(self) -> Iterator[_Column]:
        ships = self.components.ships
        first = max(ship.points[0] for ship in ships) or 1
        for dock in range(DOCKS):
            field = DOCK + BERTH * dock
            yield _Column(f"dock {dock}: pilot boat", field, _one_hot(len(ships)))
            yield _Column(f"dock {dock}: capacity", field, (0, *(ship.capacity / MAX_CAPACITY for ship in ships), 0))
            for rank in range(3):
                paid = (0, *(ship.points[rank] / first for ship in ships), 0)
                yield _Column(f"dock {dock}: points of rank {rank + 1}", field, paid)

    def _rows(self, observer: int) -> Iterator[tuple[str, int, int]]:
        """Name, field and shift of what stands in a row of four numbers."""
        for dock in range(DOCKS):
            yield f"dock {dock}: free", FREE, DIGIT * dock
            for relative in range(self.players):
                shift = DIGIT * ((observer + relative) % self.players)
                yield f"dock {dock}: barrels of seat {relative}", DOCK + BERTH * dock + ABOARD, shift


def _scaled(most: int) -> tuple[float, ...]:
    return (0, *(number / most for number in range(most + 1)))


def _one_hot(*numbers: int) -> tuple[float, ...]:
    return tuple(float(number in numbers) for number in range(-1, 64))


def _joined(columns: list[list[_Column]]) -> tuple[Vector, dict[tuple[float, ...], int]]:
    """All tables one after the other, and by table where its value for the number 0 stands."""
    starts: dict[tuple[float, ...], int] = {}
    joined: list[float] = []
    for values in dict.fromkeys(column.values for seen in columns for column in seen):
        starts[values] = len(joined) + 1
        joined += values
    return np.array(joined, np.float32), starts
