"""Where workers end: for each card, the stops at which a worker may stand when all have moved, with probabilities.

The seat's own cards are known. For the others every card is equally likely, so a worker that has not moved yet will
stand one to five stops further with a probability of a fifth each. Pushes and falling back are followed one step deep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from montego_bot import Observation

Name = tuple[int, str]
Spread = dict[int | None, float]
"""Probability by stop; None is the tavern."""

CARDS = range(1, 6)


@dataclass(frozen=True, slots=True)
class Runner:
    """A worker that will move: its name, its stop, and the stops that cards 1 to 5 take it to (`targets[card - 1]`)."""

    name: Name
    start: int | None
    targets: tuple[int, ...]

    def back_from(self, card: int) -> tuple[int, ...]:
        """The stops that it walks over with a card, the last one first: it may fall back to these."""
        return self.targets[: card - 1][::-1]


@dataclass(slots=True)
class Path:
    """The runners of a round in the order in which they move, and what is known of where they will stand."""

    seen: Observation
    seat: int
    runners: list[Runner]
    _reach: list[dict[int, float]] = field(init=False)
    _free: list[list[float]] = field(init=False)
    _calm: list[list[float]] = field(init=False)

    def __post_init__(self) -> None:
        self._reach = [{} if r.name[0] == self.seat else dict.fromkeys(r.targets, 1 / len(CARDS)) for r in self.runners]
        count = len(self.runners)
        self._free = [[self._free_at(mover, stop) for stop in range(self.seen.stops)] for mover in range(count)]
        self._calm = [[self._calm_at(mover, stop) for stop in range(self.seen.stops)] for mover in range(count)]

    def own(self) -> list[int]:
        """The indices of the seat's own workers in the moving order."""
        return [place for place, runner in enumerate(self.runners) if runner.name[0] == self.seat]

    def spreads(self, cards: Mapping[str, int]) -> list[Spread]:
        """Where the seat's workers will stand with these cards, in moving order."""
        mine = self.own()
        targets = [self.runners[place].targets[cards[self.runners[place].name[1]] - 1] for place in mine]
        found: list[Spread] = []
        for turn, place in enumerate(mine):
            runner = self.runners[place]
            landed = self._land(place, cards[runner.name[1]], found, mine[turn + 1 :])
            found.append(self._pushed(place, landed, targets[turn + 1 :]))
        return found

    def _land(self, place: int, card: int, before: Sequence[Spread], after: Sequence[int]) -> Spread:
        runner = self.runners[place]

        def taken(stop: int) -> float:
            free = self._free[place][stop]
            for spread in before:
                free *= 1 - spread.get(stop, 0.0)
            return 1 - free if all(self.runners[other].start != stop for other in after) else 1.0

        target = runner.targets[card - 1]
        blocked = taken(target) * taken(self.seen.opposite(target))
        landed: Spread = {target: 1 - blocked}
        for stop in runner.back_from(card):
            if blocked < 0.01:
                break
            here = taken(stop)
            landed[stop] = landed.get(stop, 0.0) + blocked * (1 - here)
            blocked *= here
        landed[runner.start] = landed.get(runner.start, 0.0) + blocked
        return landed

    def _pushed(self, place: int, landed: Spread, later: Sequence[int]) -> Spread:
        """The spread after the later movers: a worker that is met is pushed to the opposite stop, if that is free."""
        pushed: Spread = {}
        for stop, chance in landed.items():
            if stop is None:
                pushed[None] = pushed.get(None, 0.0) + chance
                continue
            met = 1.0 if stop in later else 1 - self._calm[place][stop]
            over = self.seen.opposite(stop)
            met *= self._free[place][over]
            pushed[stop] = pushed.get(stop, 0.0) + chance * (1 - met)
            pushed[over] = pushed.get(over, 0.0) + chance * met
        return pushed

    def _free_at(self, mover: int, stop: int) -> float:
        """The probability that a stop is free of others when a runner moves. Runners after it have not moved yet."""
        free = 1.0
        for place, runner in enumerate(self.runners):
            if runner.name[0] == self.seat:
                continue
            if place < mover:
                free *= 1 - self._reach[place].get(stop, 0.0)
            elif runner.start == stop:
                return 0.0
        return free

    def _calm_at(self, mover: int, stop: int) -> float:
        """The probability that no other later mover comes to a stop."""
        calm = 1.0
        for reach in self._reach[mover + 1 :]:
            calm *= 1 - reach.get(stop, 0.0)
        return calm


def path_of(seen: Observation, seat: int, companion: str | None) -> Path:
    """The path before the moves of this round; `companion` is the worker with whom the seat's Jack would be placed.

    Another seat's Jack is among `seen.workers`; he moves first.
    """
    stands: dict[Name, int | None] = {(worker.seat, worker.worker): worker.stop for worker in seen.workers}
    runners = [_runner(seen, name, stop, seen.jack.companion if seen.jack else "big") for name, stop in stands.items()]
    by_name = {runner.name: runner for runner in runners}
    order = [by_name[token.seat, token.worker] for token in seen.order]
    first = [runner for runner in runners if runner.name[1] == "jack"]
    if companion is not None and not first:
        first = [_runner(seen, (seat, "jack"), stands[seat, companion], companion)]
    return Path(seen, seat, first + order)


def _runner(seen: Observation, name: Name, start: int | None, companion: str) -> Runner:
    left = name[1] == "big" or (name[1] == "jack" and companion == "big")
    first = (0 if left else len(seen.board)) if start is None else start + 1
    return Runner(name, start, tuple((first + step) % seen.stops for step in range(len(CARDS))))
