"""Component sets that stretch the rules: each a function of the number of players."""

from collections.abc import Callable

from service.engine.components import (
    ComponentSet,
    Room,
    Ship,
    Warehouse,
    number_of_warehouses,
    standard_components,
)


def _houses(players: int, upper: Room, lower: Room) -> tuple[Warehouse, ...]:
    return tuple(Warehouse(f"w{i}", upper, lower) for i in range(1, number_of_warehouses(players) + 1))


def four_ships(players: int) -> ComponentSet:
    standard = standard_components(players)
    return ComponentSet(standard.ships[4:8], standard.warehouses)


def many_small_ships(players: int) -> ComponentSet:
    """40 ships of capacity 3."""
    ships = tuple(Ship(f"s{i:02}", 3, (3, 2, i % 2)) for i in range(40))
    return ComponentSet(ships, standard_components(players).warehouses)


def four_barrels_everywhere(players: int) -> ComponentSet:
    return ComponentSet(standard_components(players).ships, _houses(players, Room(4, 0, 0), Room(4, 0, 1)))


def four_barrels_and_small_ships(players: int) -> ComponentSet:
    return ComponentSet(many_small_ships(players).ships[:25], _houses(players, Room(4, 0, 1), Room(4, 0, 0)))


def two_broken_everywhere(players: int) -> ComponentSet:
    return ComponentSet(standard_components(players).ships, _houses(players, Room(0, 2, 0), Room(0, 2, 1)))


def loads_above_broken_below(players: int) -> ComponentSet:
    return ComponentSet(standard_components(players).ships, _houses(players, Room(3, 0, 0), Room(0, 2, 1)))


def no_coins(players: int) -> ComponentSet:
    standard = standard_components(players)
    return ComponentSet(
        standard.ships,
        tuple(
            Warehouse(h.id, Room(h.upper.good, h.upper.broken, 0), Room(h.lower.good, h.lower.broken, 0))
            for h in standard.warehouses
        ),
    )


def coins_everywhere(players: int) -> ComponentSet:
    standard = standard_components(players)
    return ComponentSet(
        standard.ships,
        tuple(
            Warehouse(h.id, Room(h.upper.good, h.upper.broken, 1), Room(h.lower.good, h.lower.broken, 1))
            for h in standard.warehouses
        ),
    )


def ships_that_hold_16(players: int) -> ComponentSet:
    ships = tuple(Ship(f"big-{i}", 16, (20, 20, 20)) for i in range(12))
    return ComponentSet(ships, standard_components(players).warehouses)


def sixty_ships_that_pay_nothing(players: int) -> ComponentSet:
    ships = tuple(Ship(f"s{i}", 3 + i % 4, (i % 3, 0, 0)) for i in range(60))
    return ComponentSet(ships, four_barrels_everywhere(players).warehouses)


SETS: tuple[Callable[[int], ComponentSet], ...] = (
    standard_components,
    four_ships,
    many_small_ships,
    four_barrels_everywhere,
    four_barrels_and_small_ships,
    two_broken_everywhere,
    loads_above_broken_below,
    no_coins,
    coins_everywhere,
    ships_that_hold_16,
    sixty_ships_that_pay_nothing,
)
