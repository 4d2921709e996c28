"""`python -m tests.benchmarks standings`: what it takes to compute the tables of a tournament of 10,000 matches.

Twenty bots in matches of four, from results as they are stored; CPU seconds of one process. Tables are standings,
crosstable and ratings; their intervals come on top.
"""

from __future__ import annotations

from tests.tournament.simulations import measure_speed


def measure() -> dict[str, float]:
    """CPU seconds."""
    found = measure_speed()
    return {
        "tables_of_10000_matches_s": found["tables_s.all"],
        "intervals_of_10000_matches_s": found["intervals_s"],
    }
