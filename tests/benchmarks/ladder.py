"""`python -m tests.benchmarks ladder`: what the next block of a ladder costs."""

from __future__ import annotations

import time

from service.tournament.matchmaking import next_block
from tests.tournament.simulated_ladder import SimulatedLadder, drawn_strengths

ENTRANTS = 1000
BLOCKS = 300


def measure() -> dict[str, float]:
    """CPU milliseconds a block, among 1,000 entrants that have played a thousand blocks."""
    strengths = drawn_strengths(ENTRANTS, 300)
    ladder = SimulatedLadder(strengths)
    ladder.enter(*strengths)
    for _ in ladder.play(1000):
        pass
    begun = time.process_time()
    for number in range(BLOCKS):
        next_block(ladder.state, f"season {number}")
    return {"ladder.next_block_of_1000_entrants_ms": (time.process_time() - begun) * 1000 / BLOCKS}
