"""Rung `greedy`: looks at the position as it is now, and takes what pays most.

For every pair of cards it estimates where the two workers will stand when all have moved, and what those rooms are
worth: barrels by the best way to load them, less the cost of broken ones, coins by what Jack may bring, and something
for the position in the next round. It values loads and unloads by what each ship will probably pay, less what the ship
pays the others, and by the point for its last space. It hires Jack if the best cards with him are worth enough more
than the best ones without him.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from bots.greedy.harbour import Harbour, last_round
from bots.greedy.path import CARDS, Path, Spread, path_of
from montego_bot import Action, Ask, Bot, Observation, generator


@dataclass(frozen=True, slots=True)
class Weights:
    """What things other than points are worth in points, and two guesses at how a game goes."""

    coin: float = 0.6
    """A coin, as long as there is time to hire Jack."""
    hire: float = 1.0
    """What Jack must bring now, as long as there is time to hire him later."""
    ahead: float = 0.5
    """A point within the worker's reach in the next round."""
    leftover: float = 1.0
    """A point of barrels that will go on a ship which is still in the stack."""
    barrels_a_round: float = 4.0
    """Barrels that a player loads in a round."""
    horizon: float = 4.0
    """Rounds before the end from which on coins are worth less and less."""


class GreedyBot(Bot):
    """See the module. Deterministic: what it draws depends on its seed and the question."""

    version = "1"
    author = "Montego Bay contributors"

    def __init__(self, name: str = "greedy", seed: str = "greedy", weights: Weights | None = None) -> None:
        self.name, self.seed = name, seed
        self._weights = weights or Weights()

    def act(self, ask: Ask) -> Action:
        """The legal action that looks best."""
        look = _Look(ask, self._weights, generator(self.seed, ask))
        worth = {"hire": look.hire, "play": look.play, "load": look.load, "unload": look.unload}[ask.decision.type]
        return max(ask.legal_actions, key=worth)


class _Look:
    """The estimates for one question."""

    def __init__(self, ask: Ask, weights: Weights, dice: random.Random) -> None:
        self._seen, self._seat, self._w = ask.observation, ask.seat, weights
        self._in_hand = ask.decision.barrels or 0
        self._left = rounds_left(self._seen)
        self._supply = ask.me.supply
        self._aboard = ask.me.aboard
        self._harbour = Harbour(self._seen, self._seat, self._to_load(ask), dice)
        self._coin = weights.coin * min(1.0, (self._left - 1) / weights.horizon)
        self._stops = [self._stop_value(stop) for stop in range(self._seen.stops)]
        self._plans: dict[str | None, dict[tuple[int, int, int | None], float]] = {}

    def hire(self, action: Action) -> float:
        """The value of the best cards with Jack as this worker's companion, less what the coins might bring later."""
        if action.worker is None:
            return max(self._plan(None).values())
        later = self._w.hire * min(1.0, (self._left - 1) / self._w.horizon)
        return max(self._plan(action.worker).values()) - later

    def play(self, action: Action) -> float:
        """The value of the rooms that these cards lead to."""
        assert action.big is not None
        assert action.little is not None
        jack = self._seen.jack
        companion = jack.companion if jack is not None and jack.seat == self._seat else None
        return self._plan(companion)[action.big, action.little, action.jack]

    def load(self, action: Action) -> float:
        """The value of the ships with these barrels aboard; barrels left in hand may go on the next ship."""
        ships = action.ships or {}
        left = self._in_hand - sum(ships.values())
        worth = self._harbour.changed(ships, 1)
        return worth + self._w.leftover * self._harbour.on_a_new_ship(left) if left else worth

    def unload(self, action: Action) -> float:
        """The value of the ships without these barrels."""
        return self._harbour.changed(action.ships or {}, -1)

    def _to_load(self, ask: Ask) -> list[float]:
        """How many barrels each seat will load in the rest of this round."""
        seen = self._seen
        if seen.phase != "clear":
            return [min(self._w.barrels_a_round, seat.supply) for seat in seen.seats]
        behind = _rooms_behind(seen, ask.decision.warehouse, ask.decision.room)
        to_load = [0.0] * seen.players
        for worker in seen.workers:
            if worker.stop is not None and worker.stop in behind:
                to_load[worker.seat] += seen.room_at(worker.stop).good
        return [min(barrels, seat.supply) for barrels, seat in zip(to_load, seen.seats, strict=True)]

    def _stop_value(self, stop: int) -> float:
        room = self._seen.room_at(stop)
        loss = self._harbour.unload(min(room.broken, self._aboard))
        return self._harbour.load(min(room.good, self._supply)) + loss + room.coin * self._coin

    def _plan(self, companion: str | None) -> Mapping[tuple[int, int, int | None], float]:
        """The value of every choice of cards, by (big, little, jack)."""
        if companion not in self._plans:
            path = path_of(self._seen, self._seat, companion)
            jacks: Iterable[int | None] = CARDS if companion else (None,)
            self._plans[companion] = {
                (big, little, jack): self._cards(
                    path, {"big": big, "little": little} | ({"jack": jack} if jack else {})
                )
                for big, little, jack in product(CARDS, CARDS, jacks)
                if jack is None or jack != {"big": big, "little": little}[companion or "big"]
            }
        return self._plans[companion]

    def _cards(self, path: Path, cards: Mapping[str, int]) -> float:
        spreads = path.spreads(cards)
        jacks = [path.runners[place].name[1] == "jack" for place in path.own()]
        good, broken, extra = [1.0], [1.0], 0.0
        for spread, jack in zip(spreads, jacks, strict=True):
            good = _sum(good, self._counts(spread, "good"))
            if not jack:
                broken = _sum(broken, self._counts(spread, "broken"))
                extra += self._w.ahead * self._next_round(spread)
            extra += self._coin * sum(p * self._seen.room_at(at).coin for at, p in spread.items() if at is not None)
        loads = sum(p * self._harbour.load(min(n, self._supply)) for n, p in enumerate(good))
        losses = sum(p * self._harbour.unload(min(n, self._aboard)) for n, p in enumerate(broken))
        return loads + losses + extra

    def _counts(self, spread: Spread, what: str) -> list[float]:
        counts = [0.0] * 5
        for stop, chance in spread.items():
            counts[0 if stop is None else getattr(self._seen.room_at(stop), what)] += chance
        return counts

    def _next_round(self, spread: Spread) -> float:
        """The value of the two best stops within reach from where a worker ends, on average."""
        if last_round(self._seen):
            return 0.0
        worth = 0.0
        for stop, chance in spread.items():
            if stop is not None:
                reach = sorted(self._stops[(stop + card) % self._seen.stops] for card in CARDS)
                worth += chance * (reach[-1] + reach[-2]) / 2
        return worth


def rounds_left(seen: Observation) -> float:
    """About how many rounds are left, this one included: in each a ship leaves, and about one more is filled."""
    return 1.0 if last_round(seen) else 1 + (seen.stack + 1) / 2


def _rooms_behind(seen: Observation, warehouse: str | None, room: str | None) -> set[int]:
    """The stops whose rooms are cleared after the current one."""
    stops = seen.stops
    order = [stop for tile in range(len(seen.board)) for stop in (tile, stops - 1 - tile)]
    if seen.variants.get("tally") == "circuit":
        order = list(range(stops - 1, -1, -1))
    tiles = [tile.warehouse for tile in seen.board]
    if warehouse not in tiles:
        return set(order)
    here = tiles.index(warehouse)
    return set(order[order.index(here if room == "upper" else stops - 1 - here) + 1 :])


def _sum(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The distribution of the sum of two independent counts."""
    total = [0.0] * (len(one) + len(other) - 1)
    for a, p in enumerate(one):
        for b, q in enumerate(other):
            total[a + b] += p * q
    return total
