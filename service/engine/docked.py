"""The docked ships by name: between loads and unloads and the core's codes of them."""

from collections.abc import Callable
from functools import cache
from operator import itemgetter

from service.engine.actions import Load, Unload, many
from service.engine.core.layout import BARRELS_EACH, DIGIT
from service.engine.core.options import FILLS, MOST_GOOD, docks_of_codes

IMPOSSIBLE = -1

Shares = tuple[tuple[str, int], ...]
"""Names of ships, each with a number of barrels."""


class Docked:
    """One combination of docked ships.

    `names` are given front first; `shares` are `shares_of` each of them, one after the other.
    """

    __slots__ = ("_places", "_shares")

    def __init__(self, names: tuple[str, ...], shares: Shares) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._shares = shares

    def loads(self, codes: list[int]) -> tuple[Load, ...]:
        """The loads with these codes; ships in dock order."""
        pickers, shares = _pickers(), self._shares
        return many(Load, [pickers[code](shares) for code in codes])

    def unloads(self, codes: list[int]) -> tuple[Unload, ...]:
        """The unloads with these codes; ships in dock order."""
        pickers, shares = _pickers(), self._shares
        return many(Unload, [pickers[code](shares) for code in codes])

    def row(self, action: Load | Unload) -> int:
        """The row of an action's barrels; IMPOSSIBLE if it names a ship twice, or one not docked, or no number."""
        row = 0
        taken: set[int] = set()
        for name, barrels in action.ships:
            place = self._places.get(name)
            if place is None or place in taken or not 0 < barrels <= BARRELS_EACH:
                return IMPOSSIBLE
            taken.add(place)
            row += barrels << DIGIT * place
        return row

    def canonical(self, action: Load | Unload) -> Load | Unload:
        """The same action, ships in dock order."""
        return type(action)(tuple(sorted(action.ships, key=lambda share: self._places[share[0]])))


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
