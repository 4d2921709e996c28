"""The evaluation of a position at the start of a round: for each seat, the chance that it wins the game.

The value of a seat is the weighted sum of its features; the chances are the softmax of the values. So a point counts
for more if the others are close and the end is near. `python -m bots.tune` fits the weights to games that the bots play
among themselves (docs/bots-reference.md).

There are weights for each number of players and each stage of the game, since a barrel aboard a ship that will sail in
three rounds is worth something early in the game and nothing late. When the game is over, the result is the value.

Values of ships and stops are cached, since a search meets the same ones again and again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp
from typing import Final

from service.engine.core.layout import (
    ABOARD,
    BERTH,
    COINS,
    COINS_IN_ALL,
    DIGIT,
    DOCK,
    DOCKS,
    LAST_DOCK,
    LOWEST,
    NO_SHIP,
    OVER,
    PHASE,
    PLACE,
    POINTS,
    PRICE_OF_JACK,
    SEATS,
    STACK,
    TAVERN,
    State,
)
from service.engine.core.lookup_tables import LookupTables

SHIP_FEATURES = ("sure", "open")
"""Features of each ship at the docks 0 to 2, at the start of a round (the last one has just come and is empty):
sure    what it would pay the seat if it sailed now, times the part of it that is full
open    the part of its capacity that the seat's barrels fill, times its first prize, times the part that is free
"""

SEAT_FEATURES = ("points", "coins", "jack", "good", "broken")
"""Other features of a seat:
points  points won
coins   coins, up to twice the price of Jack
jack    1 with coins enough to hire Jack
good    good barrels within reach of each worker: the mean of its two best stops, summed over both workers
broken  broken ones within reach, as the mean of its five stops, likewise
"""

BERTHS: Final = DOCKS - 1
FEATURES = (*(f"{name}{dock}" for dock in range(BERTHS) for name in SHIP_FEATURES), *SEAT_FEATURES)

STAGES = 4
CARDS = 5
PAID_NOW: Final = BERTHS
"""Used instead of the number of a dock for a ship that sails in this round."""

Features = list[float]
Row = tuple[float, ...]
Weights = tuple[Row, ...]
"""By stage, then in the order of FEATURES."""


def stage_of(s: State) -> int:
    """0: the coming round is the last; then by ships in the stack: 1 up to 3, 2 up to 7, 3 more."""
    if s[LAST_DOCK] == NO_SHIP:
        return 0
    stack = len(s) - STACK
    return 1 if stack <= 3 else 2 if stack <= 7 else 3


def ship_features(t: LookupTables, ship: int, row: int) -> list[Features]:
    """SHIP_FEATURES by seat for a ship with these barrels aboard."""
    capacity, prize = t.capacity[ship], t.points[ship][0]
    barrels = [row >> DIGIT * seat & LOWEST for seat in range(t.players)]
    full = sum(barrels) / capacity
    pay = paid(t, ship, row)
    return [[pay[seat] * full, own / capacity * prize * (1 - full)] for seat, own in enumerate(barrels)]


def paid(t: LookupTables, ship: int, row: int) -> list[int]:
    """What a ship with these barrels aboard pays each seat: always four numbers."""
    found = [0] * SEATS
    for points, _, _, rank in t.rankings[row]:
        found[points - POINTS] = t.pay[ship][rank]
    return found


def reach(t: LookupTables, first: int) -> Features:
    """The features good and broken of a worker whose next step leads to the stop `first`."""
    rooms = {stop: (good, broken) for stop, good, broken, _ in t.visits[0]}
    ahead = [rooms[(first + step) % t.stops] for step in range(CARDS)]
    good = sorted(room[0] for room in ahead)
    return [(good[-1] + good[-2]) / 2, sum(room[1] for room in ahead) / CARDS]


def purse(coins: int) -> Features:
    """The features coins and jack."""
    return [float(min(coins, 2 * PRICE_OF_JACK)), float(coins >= PRICE_OF_JACK)]


def features(s: State, t: LookupTables) -> list[Features]:
    """FEATURES by seat, at the start of a round. This is slow and for tuning; `Evaluation` gives the same sums."""
    found: list[Features] = [[] for _ in range(t.players)]
    for dock in range(DOCK, DOCK + BERTHS * BERTH, BERTH):
        row = s[dock + ABOARD]
        blank = [[0.0] * len(SHIP_FEATURES)] * t.players
        for seat, part in enumerate(ship_features(t, s[dock], row) if row else blank):
            found[seat] += part
    for seat, own in enumerate(found):
        big, little = s[PLACE + 2 * seat], s[PLACE + 2 * seat + 1]
        both = reach(t, big + 1), reach(t, little + 1 if little != TAVERN else t.half)
        own += [float(s[POINTS + seat]), *purse(s[COINS + seat]), *(a + b for a, b in zip(*both, strict=True))]
    return found


def chances(values: list[float]) -> list[float]:
    """The softmax of the seats' values."""
    highest = max(values)
    powers = [exp(value - highest) for value in values]
    total = sum(powers)
    return [power / total for power in powers]


def result(points: list[int]) -> list[float]:
    """The value of the end of the game for each seat: 1 for the winner, shared between several winners."""
    highest = max(points)
    share = 1.0 / points.count(highest)
    return [share if own == highest else 0.0 for own in points]


class _Stage:
    """The weights of one stage, laid out for one game."""

    def __init__(self, t: LookupTables, row: Row) -> None:
        by_name = dict(zip(FEATURES, row, strict=True))
        count = len(SHIP_FEATURES)
        self.docks = [row[dock * count : dock * count + count] for dock in range(BERTHS)]
        self.points = by_name["points"]
        self.coins = [
            by_name["coins"] * coins + by_name["jack"] * jack for coins, jack in map(purse, range(COINS_IN_ALL + 1))
        ]
        stops = [_dot([by_name["good"], by_name["broken"]], reach(t, stop + 1)) for stop in range(t.stops)]
        # A worker in a tavern has the place -1, which is the last entry.
        self.big = [*stops, stops[-1]]
        self.little = [*stops, stops[t.half - 1]]
        self.ships: dict[int, Row] = {}
        self.gains: dict[int, Row] = {}


class Evaluation:
    """The evaluation for one game, with a cache."""

    def __init__(self, t: LookupTables, weights: Weights) -> None:
        self.tables = t
        self._players = t.players
        self._stages = [_Stage(t, row) for row in weights]

    def chances(self, s: State) -> list[float]:
        """The chance to win of each seat; `s` is at the start of a round, or over."""
        if s[PHASE] == OVER:
            return result(s[POINTS : POINTS + self.tables.players])
        return chances(self.values(s))

    def values(self, s: State) -> list[float]:
        """The value of each seat, whose softmax is its chance; `s` is at the start of a round."""
        number = stage_of(s)
        stage = self._stages[number]
        weight, coins, big, little, ships = stage.points, stage.coins, stage.big, stage.little, stage.ships
        values = []
        for seat in range(self._players):
            place = PLACE + 2 * seat
            values.append(weight * s[POINTS + seat] + coins[s[COINS + seat]] + big[s[place]] + little[s[place + 1]])
        for dock in range(BERTHS):
            field = DOCK + BERTH * dock
            row = s[field + ABOARD]
            if row:
                found = ships.get((s[field] << 2 | dock) << DIGIT * SEATS | row)
                if found is None:
                    found = self.ship(number, dock, s[field], row)
                for seat in range(self._players):
                    values[seat] += found[seat]
        return values

    def ship(self, number: int, dock: int, ship: int, row: int) -> Row:
        """The value of a ship at a dock for each seat at a stage, and at the end of the row the sum over all seats.

        `dock` is PAID_NOW for one that sails before the next round.
        """
        ships = self._stages[number].ships
        key = (ship << 2 | dock) << DIGIT * SEATS | row
        found = ships.get(key)
        if found is None:
            found = ships[key] = self._worth(number, dock, ship, row)
        return found

    def _worth(self, number: int, dock: int, ship: int, row: int) -> Row:
        # The weighted sum of SHIP_FEATURES.
        stage, t, players = self._stages[number], self.tables, self._players
        ranking, pay = t.rankings[row], t.pay[ship]
        settled, free = stage.points, 0.0
        if dock != PAID_NOW:
            capacity, barrels = t.capacity[ship], 0
            for _, _, own, _ in ranking:
                barrels += own
            full = barrels / capacity
            sure, open_ = stage.docks[dock]
            settled, free = sure * full, open_ * t.points[ship][0] * (1 - full) / capacity
        worth = [0.0] * (players + 1)
        for points, _, own, rank in ranking:
            value = settled * pay[rank] + free * own
            worth[points - POINTS] = value
            worth[players] += value
        return tuple(worth)

    def gains(self, number: int) -> dict[int, Row]:
        """The cache of `bots.search.rollout` for a stage of this game."""
        return self._stages[number].gains

    def points(self, number: int) -> float:
        """The weight of a point at a stage."""
        return self._stages[number].points


@cache
def tuned_weights(players: int) -> Weights:
    """The weights that `python -m bots.tune` has found for games of 2, 3 or 4 players."""
    return read_weights(json.loads(files("bots.search").joinpath("weights.json").read_text(encoding="utf-8")), players)


def read_weights(table: Mapping[str, Mapping[str, Mapping[str, float]]], players: int) -> Weights:
    """Weights from JSON: by number of players, stage and feature. KeyError names what is missing."""
    stages = table[str(players)]
    return tuple(tuple(float(stages[str(number)][name]) for name in FEATURES) for number in range(STAGES))


def _dot(weights: list[float], values: list[float]) -> float:
    # A list and not a generator, for which the compiled build has its own sum that may round differently.
    return sum([weight * value for weight, value in zip(weights, values, strict=True)])
