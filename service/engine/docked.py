"""The docked ships by name: between loads and unloads and the core's codes of them."""

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import TypeVar

from service.engine.actions import Load, Shares, Unload, set_ships
from service.engine.core.layout import BARRELS_EACH, DIGIT, LOWEST
from service.engine.core.options import FILLS, MOST_GOOD, docks_of_codes

IMPOSSIBLE = -1

A = TypeVar("A", Load, Unload)


class Docked:
    """One combination of docked ships.

    `names` are given front first; `shares` are `shares_of` each of them, one after the other.
    """

    __slots__ = ("_shares", "_shifts")

    def __init__(self, names: tuple[str, ...], shares: Shares) -> None:
        # By name, where in a row a ship's number stands.
        self._shifts = {name: DIGIT * place for place, name in enumerate(names)}
        self._shares = shares

    def loads(self, codes: list[int]) -> tuple[Load, ...]:
        """The loads with these codes; ships in dock order."""
        return self._picked(Load, codes)

    def unloads(self, codes: list[int]) -> tuple[Unload, ...]:
        """The unloads with these codes; ships in dock order."""
        return self._picked(Unload, codes)

    def _picked(self, kind: type[A], codes: list[int]) -> tuple[A, ...]:
        # Legal lists are long: past the constructor, since no count is 0 here that it would leave out.
        pickers, shares, new, put = _pickers(), self._shares, object.__new__, set_ships
        actions = []
        for code in codes:
            action = new(kind)
            put(action, pickers[code](shares))
            actions.append(action)
        return tuple(actions)

    def row(self, action: Load | Unload) -> int:
        """The row of an action's barrels; IMPOSSIBLE if it names a ship twice, or one not docked, or no number."""
        row = 0
        for name, barrels in action.ships:
            shift = self._shifts.get(name)
            if shift is None or row >> shift & LOWEST or not 0 < barrels <= BARRELS_EACH:
                return IMPOSSIBLE
            row += barrels << shift
        return row

    def canonical(self, action: Load | Unload) -> Load | Unload:
        """The same action, ships in dock order."""
        return type(action)(tuple(sorted(action.ships, key=lambda share: self._shifts[share[0]])))


def shares_of(name: str) -> Shares:
    """Every number of barrels that a load can put on a ship, ascending."""
    return tuple([(name, barrels) for barrels in range(1, MOST_GOOD + 1)])


@cache
def _pickers() -> dict[int, Callable[[Shares], Shares]]:
    """By code: what picks its shares out of all shares of a combination of ships, at the speed of C."""
    pickers: dict[int, Callable[[Shares], Shares]] = {}
    for row, docks in docks_of_codes().items():
        places = [dock * MOST_GOOD + barrels - 1 for dock, barrels in docks]
        if len(places) == 1:
            # With one index an itemgetter would give the share itself.
            pickers[row] = itemgetter(slice(places[0], places[0] + 1))
        elif places:
            pickers[row] = itemgetter(*places)
    return pickers | {row + FILLS: picker for row, picker in pickers.items()}
