"""`python -m tests.benchmarks ladder`: what a block of a ladder costs: to choose it, and to rate its entrants.

CPU milliseconds, among 1,000 entrants; each of them has played 500 blocks before the ratings are measured.
"""

from __future__ import annotations

import time

import numpy as np

from service.tournament.confidence_sequence import interval
from service.tournament.ladder_rating import LadderRatings
from service.tournament.matchmaking import next_block
from tests.tournament.simulated_ladder import SimulatedLadder, drawn_strengths

ENTRANTS = 1000
PLAYERS = 4
BLOCKS = 500
CURVE = (60, 500, 5000)


def measure() -> dict[str, float]:
    """CPU milliseconds."""
    ladder = SimulatedLadder(drawn_strengths(ENTRANTS, 300))
    ladder.enter(*ladder.strengths)
    return {
        "ladder.next_block_of_1000_entrants_ms": _next_block(ladder),
        "ladder.update_a_bot_of_1000_with_500_blocks_ms": _update(ladder),
        **{f"ladder.interval_of_{blocks}_blocks_ms": _interval(ladder, blocks) for blocks in CURVE},
    }


def _next_block(ladder: SimulatedLadder, times: int = 300) -> float:
    for _ in ladder.play(1000):
        pass
    begun = time.process_time()
    for number in range(times):
        next_block(ladder.state, f"season {number}")
    return (time.process_time() - begun) * 1000 / times


def _update(ladder: SimulatedLadder, times: int = 20) -> float:
    """To take in a finished block and rate anew, for each of its bots."""
    ratings, names, rng = LadderRatings(PLAYERS), list(ladder.strengths), np.random.default_rng(1)
    for number, name in enumerate(names):
        ratings.enter(name, reference=number < 10)
    for _ in range(BLOCKS):
        order = rng.permutation(ENTRANTS)
        for first in range(0, ENTRANTS, PLAYERS):
            ratings.add(ladder.result([names[one] for one in order[first : first + PLAYERS]]))
    ratings.ratings()
    begun = time.process_time()
    for number in range(times):
        ratings.add(ladder.result(names[number * PLAYERS : (number + 1) * PLAYERS]))
        ratings.ratings()
    return (time.process_time() - begun) * 1000 / times / PLAYERS


def _interval(ladder: SimulatedLadder, blocks: int, times: int = 5) -> float:
    names, rng = list(ladder.strengths), np.random.default_rng(1)
    shares, opponents = np.zeros(blocks), np.zeros((blocks, PLAYERS - 1))
    for block in range(blocks):
        chosen = [names[0], *(names[one] for one in rng.choice(np.arange(1, ENTRANTS), PLAYERS - 1, replace=False))]
        shares[block] = sum(ladder.result(chosen)[names[0]].values()) / (2 * PLAYERS * (PLAYERS - 1))
        opponents[block] = [ladder.strengths[name] for name in chosen[1:]]
    begun = time.process_time()
    for _ in range(times):
        interval(shares, opponents)
    return (time.process_time() - begun) * 1000 / times
