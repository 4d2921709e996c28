"""The value of barrels aboard the docked ships, by what the ships will pay when they sail.

A ship is seldom full when a bot looks at it. So the barrels that players may still put on it are drawn several times,
and each time the ship is paid. Its value is the mean of what the seat gets, less what the others get on average.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from montego_bot import DockedShip, Observation, UnseenShip

SAMPLES = 24
"""How many times the filling of a ship is drawn."""

A_ROUND = 1.0
"""Barrels that a player puts on one ship in one round, on average: some four barrels on about four ships."""

FILLED = 1.0
"""Points for the last barrel on a ship."""


def shares(points: Sequence[int], barrels: Sequence[int], last_place_unpaid: bool) -> list[int]:
    """What a ship pays each seat (docs/rules.md, "What a ship pays"); `barrels` has one count a seat.

    The engine says what a ship has paid, not what one would pay. A test compares the two.
    """
    players = len(barrels)
    ranks = points[: min(players, 3)]
    paid = []
    for mine in barrels:
        ahead = level = 0
        for other in barrels:
            if other > mine:
                ahead += 1
            elif other == mine:
                level += 1
        unpaid = not mine or (last_place_unpaid and ahead == players - 1)
        paid.append(0 if unpaid else -(-sum(ranks[ahead : ahead + level]) // level))
    return paid


@dataclass(frozen=True, slots=True)
class Berth:
    """A ship as one seat values it: `values[own + change]` for every possible change of its barrels aboard."""

    ship: str
    own: int
    values: tuple[float, ...]

    def gain(self, change: int) -> float:
        """The value of having `change` more barrels aboard (fewer, if negative)."""
        return self.values[self.own + change] - self.values[self.own]

    @property
    def free(self) -> int:
        """How many barrels still fit."""
        return len(self.values) - 1 - self.own


class Harbour:
    """All docked ships, from one seat's point of view."""

    def __init__(self, seen: Observation, seat: int, to_load: Sequence[float], dice: random.Random) -> None:
        """`to_load`: how many barrels each seat will probably still load in this round, on all ships together."""
        self._seen, self._seat, self._dice = seen, seat, dice
        self._unpaid = seen.variants.get("last_place") == "unpaid"
        ships = [ship for ship in seen.docks if ship.capacity]
        # The more ships there are, the fewer barrels each gets. The front one, which leaves first, gets more.
        self._each = [barrels / (len(ships) + 0.5) for barrels in to_load]
        last = last_round(seen)
        self.berths = {
            docked.ship: self._berth(docked, 0 if last else dock)
            for dock, docked in enumerate(seen.docks)
            if docked.capacity
        }
        self._loading = _best([berth.values[berth.own :] for berth in self.berths.values()])
        self._unloading = _best([berth.values[berth.own :: -1] for berth in self.berths.values()])

    def load(self, barrels: int) -> float:
        """The value of loading this many barrels in the best way; barrels without room go back to the supply."""
        return self._loading[min(barrels, len(self._loading) - 1)] - self._loading[0]

    def unload(self, barrels: int) -> float:
        """The value (mostly below 0) of taking back this many barrels in the best way."""
        return self._unloading[min(barrels, len(self._unloading) - 1)] - self._unloading[0]

    def changed(self, ships: Mapping[str, int], sign: int) -> float:
        """The value of a load (sign 1) or unload (sign -1), summed over the ships."""
        return sum(self.berths[ship].gain(sign * barrels) for ship, barrels in ships.items())

    def on_a_new_ship(self, barrels: int) -> float:
        """The value of barrels on the next ship of the stack, averaged over the ships that it could be."""
        unseen = self._seen.unseen
        if not unseen:
            return 0.0
        return fmean(self._first_aboard(ship, min(barrels, ship.capacity)) for ship in unseen)

    def _first_aboard(self, ship: UnseenShip, barrels: int) -> float:
        empty = DockedShip(ship.ship, ship.capacity, ship.points, (0,) * self._seen.players)
        berth = self._berth(empty, len(self._seen.docks) - 1, only=(0, barrels))
        return berth.values[1] - berth.values[0]

    def _berth(self, docked: DockedShip, dock: int, only: Sequence[int] | None = None) -> Berth:
        own = docked.barrels[self._seat]
        crowds = [self._crowd(dock) for _ in range(SAMPLES)]
        counts = range(own + docked.free + 1) if only is None else only
        return Berth(docked.ship, own, tuple(self._value(docked, mine, crowds) for mine in counts))

    def _crowd(self, dock: int) -> list[int]:
        """A random sequence of seats whose barrels come aboard before the ship sails."""
        crowd = []
        for seat, each in enumerate(self._each):
            tries = 4 + 2 * dock
            chance = min((each + A_ROUND * dock) / tries, 1.0)
            crowd += [seat] * sum(self._dice.random() < chance for _ in range(tries))
        self._dice.shuffle(crowd)
        return crowd

    def _value(self, docked: DockedShip, mine: int, crowds: Sequence[Sequence[int]]) -> float:
        seat, others = self._seat, self._seen.players - 1
        start = list(docked.barrels)
        free = docked.free + start[seat] - mine
        start[seat] = mine
        total = 0.0
        for crowd in crowds[: 1 if not free else None]:
            final = start.copy()
            for comer in crowd[:free]:
                final[comer] += 1
            paid = shares(docked.points, final, self._unpaid)
            total += paid[seat] - (sum(paid) - paid[seat]) / others
        if not free:
            return total + FILLED
        return total / len(crowds)


def last_round(seen: Observation) -> bool:
    """Whether this is the last round: so few ships are docked that the game ends when the rooms are cleared."""
    return not seen.stack and len(seen.docks) <= 3


def _best(rows: Sequence[Sequence[float]]) -> list[float]:
    """For n = 0, 1, …: the highest total value of n barrels; a row has the values of one ship by number of barrels."""
    best = [0.0]
    for row in rows:
        grown = [float("-inf")] * (len(best) + len(row) - 1)
        for there, base in enumerate(best):
            for here, value in enumerate(row):
                grown[there + here] = max(grown[there + here], base + value)
        best = grown
    return best
