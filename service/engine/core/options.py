"""Codes of actions, and the list of legal ones for every situation, in canonical order.

hire     0 decline, 1 with big, 2 with little
play     `big + 8 * little + 64 * jack`, jack 0 where the seat did not hire him
load     the row of barrels for each dock; `+ FILLS` if a ship is filled by it
unload   the row of barrels taken from each dock

What is legal depends on few small numbers only, so each situation has a key, and the lists are made once, when a key is
first met. A load is the same whether a ship has room for one barrel more than is in hand or for ten: free capacities
are cut to `MANY`. For unloading at most 2 barrels are asked for, so barrels aboard are cut to 2.
"""

from functools import cache
from typing import Final

from service.engine.core.layout import ABOARD, BERTH, DIGIT, DOCK, DOCKS, LOWEST, SEATS

Options = list[list[int]]

HIRE_KEY: Final = 0
PLAY_KEY: Final = 1
PLAY_JACK_WITH_BIG: Final = 2
PLAY_JACK_WITH_LITTLE: Final = 3

DECLINE: Final = 0
HIRE_BIG: Final = 1
HIRE_LITTLE: Final = 2

CARDS: Final = 5
MOST_GOOD: Final = 4
MOST_BROKEN: Final = 2

FILLS: Final = 1 << DIGIT * DOCKS

MANY: Final = MOST_GOOD + 1
LOAD_BASE: Final = MANY + 1
LOAD_SPAN: Final = LOAD_BASE**DOCKS
LOAD_KEYS: Final = 4
UNLOAD_BASE: Final = MOST_BROKEN + 1
UNLOAD_SPAN: Final = UNLOAD_BASE**DOCKS
UNLOAD_KEYS: Final = LOAD_KEYS + (MOST_GOOD + 1) * LOAD_SPAN
KEYS: Final = UNLOAD_KEYS + (MOST_BROKEN + 1) * UNLOAD_SPAN

HALF_ROW: Final = 2 * DIGIT
LOWER_HALF: Final = (1 << HALF_ROW) - 1


@cache
def shared_options() -> Options:
    """The lists by key, for all games of a process. An empty list is one not made yet, or one with nothing in it."""
    options: Options = [[] for _ in range(KEYS)]
    cards = range(1, CARDS + 1)
    options[HIRE_KEY] = [DECLINE, HIRE_BIG, HIRE_LITTLE]
    options[PLAY_KEY] = [big + 8 * little for big in cards for little in cards]
    options[PLAY_JACK_WITH_BIG] = [
        big + 8 * little + 64 * jack for big in cards for little in cards for jack in cards if jack != big
    ]
    options[PLAY_JACK_WITH_LITTLE] = [
        big + 8 * little + 64 * jack for big in cards for little in cards for jack in cards if jack != little
    ]
    return options


@cache
def load_key_parts() -> tuple[list[int], list[int]]:
    """What the two halves of a row of free capacities add to a key: that of docks 0 and 1, that of docks 2 and 3.

    The key of loading `hand` barrels (1..4) is LOAD_KEYS + hand * LOAD_SPAN + both of them.
    """
    cut = [min(free, MANY) for free in range(LOWEST + 1)]
    back = [cut[half & LOWEST] * LOAD_BASE + cut[half >> DIGIT] for half in range(LOWER_HALF + 1)]
    front = [part * LOAD_BASE * LOAD_BASE for part in back]
    return front, back


@cache
def shares_of_codes() -> list[dict[int, list[tuple[int, int]]]]:
    """By seat and row of barrels in a load or unload: the fields of the ships concerned, and what is to be added there."""
    splits = _splits(MOST_GOOD, [MOST_GOOD] * DOCKS)
    return [
        {
            _row(split): [
                (DOCK + BERTH * dock + ABOARD, barrels << DIGIT * seat) for dock, barrels in enumerate(split) if barrels
            ]
            for split in splits
        }
        for seat in range(SEATS)
    ]


def made(options: Options, key: int) -> list[int]:
    """Makes the list of a load or unload key that has not been met before, and keeps it."""
    ways = _loads(key - LOAD_KEYS) if key < UNLOAD_KEYS else _unloads(key - UNLOAD_KEYS)
    options[key] = ways
    return ways


def _digits(key: int, base: int) -> list[int]:
    """The number asked for, then the limit of each dock."""
    digits = []
    for _ in range(DOCKS):
        digits.append(key % base)
        key //= base
    digits.append(key)
    digits.reverse()
    return digits


def _loads(key: int) -> list[int]:
    """Every way to load all barrels, then every way to load fewer that fills a ship."""
    digits = _digits(key, LOAD_BASE)
    hand, free = digits[0], digits[1:]
    splits = _splits(hand, free)
    whole = [split for split in splits if sum(split) == hand]
    fewer = [split for split in splits if 0 < sum(split) < hand and _fills(split, free)]
    return [_row(split) + (FILLS if _fills(split, free) else 0) for split in whole + fewer]


def _fills(split: list[int], free: list[int]) -> bool:
    return any(barrels > 0 and barrels == room for barrels, room in zip(split, free, strict=True))


def _unloads(key: int) -> list[int]:
    digits = _digits(key, UNLOAD_BASE)
    number, aboard = digits[0], digits[1:]
    return [_row(split) for split in _splits(number, aboard) if sum(split) == number]


def _splits(most: int, limits: list[int]) -> list[list[int]]:
    """Every way to give each dock at most its limit, at most `most` in all; descending, dock 0 first."""
    splits: list[list[int]] = [[]]
    for limit in limits:
        splits = [[*split, n] for split in splits for n in range(min(limit, most - sum(split)), -1, -1)]
    return splits


def _row(split: list[int]) -> int:
    return sum(barrels << DIGIT * place for place, barrels in enumerate(split))
