"""All actions as one fixed list of numbers, and which of them are legal.

The number of an action means the same in every game and position: ships are named by their docks. There are 236,
with any number of players.

| numbers  | action |
| -------- | ------ |
| 0..2     | decline Jack, hire him with the big, with the little |
| 3..27    | cards of big and little, `3 + 5 * (big - 1) + little - 1` |
| 28..152  | cards with one for Jack, `28 + 25 * (big - 1) + 5 * (little - 1) + jack - 1` |
| 153..221 | load 1 to 4 barrels, in the order of `LOADS` |
| 222..235 | unload 1 or 2 barrels, in the order of `UNLOADS` |
"""

from __future__ import annotations

from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from service.engine.core.layout import ROW
from service.engine.core.lookup_tables import (
    CARDS,
    LOAD_KEYS,
    MAX_BROKEN,
    UNLOAD_KEYS,
    all_splits,
    shared_options,
)

Mask: TypeAlias = npt.NDArray[np.int8]
"""By action number: 1 where the action is legal, 0 elsewhere."""

LOADS: Final = tuple(split[:4] for split in all_splits() if split[4])
"""Barrels for docks 0 to 3: 1 to 4 barrels, in descending lexicographic order."""

UNLOADS: Final = tuple(split[:4] for split in all_splits() if 0 < split[4] <= MAX_BROKEN)
"""Barrels taken from docks 0 to 3: 1 or 2 barrels, in descending lexicographic order."""

FIRST_PLAY: Final = 3
FIRST_PLAY_WITH_JACK: Final = FIRST_PLAY + CARDS**2
FIRST_LOAD: Final = FIRST_PLAY_WITH_JACK + CARDS**3
FIRST_UNLOAD: Final = FIRST_LOAD + len(LOADS)
ACTIONS: Final = FIRST_UNLOAD + len(UNLOADS)
"""How many actions there are."""

_LOAD_NUMBERS: Final = {
    row: FIRST_LOAD + index for index, row in enumerate(split[5] for split in all_splits() if split[4])
}
_UNLOAD_NUMBERS: Final = {
    row: FIRST_UNLOAD + index for index, row in enumerate(s[5] for s in all_splits() if 0 < s[4] <= MAX_BROKEN)
}


def number_of(key: int, code: int) -> int:
    """The number of one of the core's codes, in a decision whose options have this key."""
    if key >= UNLOAD_KEYS:
        return _UNLOAD_NUMBERS[code & ROW]
    if key >= LOAD_KEYS:
        return _LOAD_NUMBERS[code & ROW]
    if key == 0:
        return code
    big, little, jack = code & 7, code >> 3 & 7, code >> 6
    if jack == 0:
        return FIRST_PLAY + CARDS * (big - 1) + little - 1
    return FIRST_PLAY_WITH_JACK + CARDS**2 * (big - 1) + CARDS * (little - 1) + jack - 1


@cache
def codes_by_number(key: int) -> dict[int, int]:
    """The core's code of each legal action of a decision, by the action's number, in canonical order."""
    return {number_of(key, code): code for code in shared_options()[key]}


@cache
def mask_of(key: int) -> Mask:
    """The mask of a decision. It is shared and cannot be written to."""
    mask = np.zeros(ACTIONS, np.int8)
    mask[list(codes_by_number(key))] = 1
    mask.flags.writeable = False
    return mask
