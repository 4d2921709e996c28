"""The figures of docs/tournament-math.md: `python -m tests.tournament.simulations NAME…`, or `all`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.cli.advise import options_of
from service.tournament.advice import plans
from service.tournament.crosstable import crosstable
from service.tournament.matchmaking import NEWCOMER_BLOCKS
from service.tournament.plan import Plan
from service.tournament.rating import RESAMPLES, rate
from service.tournament.results import MatchResult
from service.tournament.schedule import Schedule
from service.tournament.sequential_test import BETTER, NOT_BETTER, SequentialTest
from service.tournament.simulation import SimulatedField, found, names_of, played
from service.tournament.standings import standings
from tests.tournament.ladder_coverage import print_ladder
from tests.tournament.simulated_field import differences, pair_counts, round_robin, true_ratings
from tests.tournament.simulated_ladder import SimulatedLadder, drawn_strengths


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of all intervals given, the share that held the true rating; and how many bots had none."""

    covered: float
    intervals: int
    without: int
    worst_bot: float
    falsely_shown: float
    """Share of tournaments in which two bots shared no band though the weaker stood above, or both were equal."""


def coverage(
    simulated: SimulatedField, schedule: Schedule, tournaments: int, resamples: int = RESAMPLES, seed: int = 1
) -> Coverage:
    """Plays and rates `tournaments` tournaments."""
    truth = true_ratings(simulated, schedule.plan.players)
    rng = np.random.default_rng(seed)
    hits: dict[str, list[bool]] = {name: [] for name in simulated.names}
    without = false_claims = 0
    for number in range(tournaments):
        rows = rate(simulated.names, played(simulated, schedule, rng), f"tournament {number}", resamples)
        for name, row in rows.items():
            if row.interval is None:
                without += 1
            else:
                hits[name].append(row.interval[0] <= truth[name] <= row.interval[1])
        listed = list(rows.values())
        false_claims += any(
            one.bands is not None
            and other.bands is not None
            and one.bands[1] < other.bands[0]
            and truth[one.name] <= truth[other.name] + 1e-9
            for index, one in enumerate(listed)
            for other in listed[index + 1 :]
        )
    every = [hit for listed_hits in hits.values() for hit in listed_hits]
    return Coverage(
        covered=sum(every) / len(every) if every else float("nan"),
        intervals=len(every),
        without=without,
        worst_bot=min((sum(of_bot) / len(of_bot) for of_bot in hits.values() if of_bot), default=float("nan")),
        falsely_shown=false_claims / tournaments,
    )


def spread(bots: int, width: float) -> tuple[float, ...]:
    """Strengths at equal distances, `width` Elo points from the first to the last."""
    return tuple(float(elo) for elo in np.linspace(0.0, width, bots))


COVERED: tuple[tuple[str, SimulatedField, int, int, int | None], ...] = (
    # what, simulated, players, deals, sets
    ("4 bots, 4 players, 30 blocks", SimulatedField(spread(4, 300)), 4, 30, None),
    ("4 equal bots, 4 players, 30 blocks", SimulatedField(spread(4, 0)), 4, 30, None),
    ("the same with luck of deal and seat", SimulatedField(spread(4, 300), deal=100, seat=100), 4, 30, None),
    ("the same with shared places", SimulatedField(spread(4, 300), deal=100, seat=100, grain=100), 4, 30, None),
    ("4 bots far apart, 30 blocks", SimulatedField(spread(4, 900)), 4, 30, None),
    ("2 bots, 30 blocks", SimulatedField(spread(2, 150)), 2, 30, None),
    ("2 bots far apart, 30 blocks", SimulatedField(spread(2, 500)), 2, 30, None),
    ("2 bots, 700 points apart, 30 blocks", SimulatedField(spread(2, 700)), 2, 30, None),
    ("2 bots, 1000 points apart, 30 blocks", SimulatedField(spread(2, 1000)), 2, 30, None),
    ("6 bots, 4 players, 2 deals of 15 sets", SimulatedField(spread(6, 300)), 4, 2, None),
    ("8 bots, 3 players, 56 sets", SimulatedField(spread(8, 400), deal=100), 3, 1, None),
    ("10 bots, 4 players, 30 sets", SimulatedField(spread(10, 400)), 4, 1, 30),
    ("10 bots, 2 players, 45 sets", SimulatedField(spread(10, 400)), 2, 1, None),
    ("20 bots, 4 players, 50 sets", SimulatedField(spread(20, 400)), 4, 1, 50),
    ("20 bots, 4 players, 100 sets", SimulatedField(spread(20, 400)), 4, 1, 100),
    ("4 bots, 4 players, 100 blocks", SimulatedField(spread(4, 300), deal=100, seat=100), 4, 100, None),
    ("6 bots, 4 players, 300 blocks", SimulatedField(spread(6, 300)), 4, 20, None),
    ("2 bots, 300 blocks", SimulatedField(spread(2, 150), deal=200), 2, 300, None),
    ("10 equal bots, 2 players, 180 blocks", SimulatedField(spread(10, 0)), 2, 4, None),
)


def print_coverage(tournaments: int = 400) -> None:
    print(f"{tournaments} tournaments each, {RESAMPLES} resamples")
    print(f"{'tournament':45}{'covered':>9}{'worst bot':>11}{'no interval':>13}{'false bands':>13}")
    for what, simulated, players, deals, sets in COVERED:
        found = coverage(simulated, round_robin(simulated, players, deals, sets), tournaments)
        print(
            f"{what:45}{found.covered:9.1%}{found.worst_bot:11.1%}{found.without:13}{found.falsely_shown:13.1%}",
            flush=True,
        )


@dataclass(frozen=True, slots=True)
class Decisions:
    """How many of the comparisons ended how, as shares, and the differences that they took on average."""

    better: float
    not_better: float
    units: float


def pool_of_differences(
    advantage: float, players: int, field: tuple[float, ...], units: int, seed: int = 1
) -> NDArray[np.float64]:
    """Differences of a long gauntlet of A and B, `advantage` Elo points stronger, with luck of deal and seat."""
    simulated = SimulatedField((0.0, advantage, *field), deal=100.0, seat=100.0)
    first, second = simulated.names[:2]
    a_deal = Plan("gauntlet", simulated.names, (first, second), players, 1, None, "rotations", "compare").blocks // 2
    plan = Plan(
        "gauntlet", simulated.names, (first, second), players, -(-units // a_deal), None, "rotations", "compare"
    )
    schedule = Schedule(plan)
    results = played(simulated, schedule, np.random.default_rng(seed))
    return np.array(differences(schedule, results, first, second))


def decisions(pool: NDArray[np.float64], times: int, margin: float = 0.05, seed: int = 1) -> Decisions:
    """Runs the test `times` times with 5 % error rates, each on differences drawn from the pool, to its end."""
    rng = np.random.default_rng(seed)
    ended: dict[str, int] = {BETTER: 0, NOT_BETTER: 0}
    units = 0
    for _ in range(times):
        test = SequentialTest(margin)
        while test.verdict.decided is None:
            for difference in rng.choice(pool, 100):
                test.add(float(difference))
        ended[str(test.verdict.decided)] += 1
        units += test.verdict.units
    return Decisions(ended[BETTER] / times, ended[NOT_BETTER] / times, units / times)


def moved(pool: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The pool with its mean moved to exactly `mean`, drawn together a little so that it stays within -1 and 1."""
    return np.asarray((pool - pool.mean()) * (1.0 - abs(mean) - abs(pool.mean())) + mean, dtype=np.float64)


def print_compare(times: int = 1000, units: int = 4000) -> None:
    print(f"{times} comparisons each; margin 0.05, both error rates 5 %")
    print(f"{'players, bots in the field, B':36}{'advantage':>10}{'better':>9}{'not better':>12}{'differences':>13}")
    for players, field in ((4, (0.0, 50.0, 100.0)), (2, (-200.0, 0.0, 200.0))):
        equal = pool_of_differences(0.0, players, field, units)
        rows = [("exactly as good", moved(equal, 0.0)), ("better by the margin", moved(equal, 0.05))]
        rows += [(f"{elo:+} Elo", pool_of_differences(elo, players, field, units)) for elo in (-50, 20, 80, 150)]
        for what, pool in rows:
            found = decisions(pool, times)
            label = f"{players}, {len(field)}, {what}"
            print(
                f"{label:36}{pool.mean():10.3f}{found.better:9.1%}{found.not_better:12.1%}{found.units:13.0f}",
                flush=True,
            )


def print_balance() -> None:
    print(f"{'bots':>6}{'players':>9}{'sets':>7}{'pair counts':>16}{'CPU s':>9}")
    for bots, players, sets in (
        (6, 4, 5), (8, 4, 20), (10, 4, 50), (20, 4, 100), (20, 4, 2000), (30, 3, 100), (50, 4, 500), (50, 4, 2000),
        (100, 4, 1000), (100, 4, 4000), (200, 4, 2000), (1000, 2, 5000),
    ):  # fmt: skip
        names = tuple(f"bot{index}" for index in range(bots))
        begun = time.process_time()
        schedule = Schedule(Plan("round_robin", names, (), players, 1, sets, "rotations", "balance"))
        took = time.process_time() - begun
        counts = pair_counts(schedule).values()
        print(f"{bots:6}{players:9}{sets:7}{f'{min(counts)} to {max(counts)}':>16}{took:9.2f}", flush=True)


def measure_speed() -> dict[str, float]:
    """CPU seconds for 10,000 matches among 20 bots, from stored results, the libraries loaded."""
    simulated = SimulatedField(spread(20, 400), deal=100, seat=100, grain=20)
    schedule = round_robin(simulated, 4, 1, 2500)
    stored = [json.dumps(result.to_json()) for result in played(simulated, schedule, np.random.default_rng(1))]
    rate(simulated.names, [MatchResult.from_json(json.loads(text)) for text in stored[:400]], "warm", 10)
    begun = time.process_time()
    results = [MatchResult.from_json(json.loads(text)) for text in stored]
    read = time.process_time()
    standings(simulated.names, results)
    tabled = time.process_time()
    crosstable(simulated.names, results)
    crossed = time.process_time()
    rate(simulated.names, results, "speed", resamples=0)
    rated = time.process_time()
    rate(simulated.names, results, "speed")
    return {
        "tables_s.read": read - begun,
        "tables_s.standings": tabled - read,
        "tables_s.crosstable": crossed - tabled,
        "tables_s.ratings": rated - crossed,
        "tables_s.all": rated - begun,
        "intervals_s": time.process_time() - rated,
    }


def print_speed() -> None:
    print("10,000 matches among 20 bots, 4 players, 2,500 blocks; CPU seconds")
    for name, seconds in measure_speed().items():
        print(f"{name:25}{seconds:8.3f}")


def print_waits() -> None:
    print(f"{'entrants':>9}{'newcomers':>10}{'slots':>6}   newcomers: median, longest   others: median, longest")
    for entrants, newcomers, slots, blocks in ((60, 5, 8, 600), (60, 60, 8, 600), (60, 0, 4, 600), (200, 10, 8, 1200)):
        strengths = drawn_strengths(entrants, 300)
        ladder = SimulatedLadder(strengths, slots=slots)
        ladder.enter(*strengths)
        ladder.settle(*list(strengths)[newcomers:])
        for _ in ladder.play(blocks):
            pass
        early = [wait for name in list(strengths)[:newcomers] for wait in ladder.waits[name][1:NEWCOMER_BLOCKS]]
        late = [wait for name in list(strengths)[newcomers:] for wait in ladder.waits[name][1:]]
        shown = [f"{np.median(waits):9.0f} {max(waits):9.0f}" if waits else f"{'-':>19}" for waits in (early, late)]
        print(f"{entrants:9}{newcomers:10}{slots:6}   {'       '.join(shown)}", flush=True)


def print_formats() -> None:
    runs = 100
    print(f"{runs} tournaments in each line; %")
    for bots, players, spread, matches in (
        (16, 4, 300, 160),
        (40, 4, 300, 320),
        (40, 4, 300, 1600),
        (32, 2, 300, 256),
    ):
        print(f"{bots} bots, {spread} points apart, matches of {players}, {matches} matches", flush=True)
        for plan in plans(names_of(bots), players, 1, matches // players):
            shares = found(plan, runs, spread)
            percent = [f"{100 * share:4.0f}" for share in (shares.first, shares.top, shares.top_three)]
            print(f"  {plan.format:12}{options_of(plan):40}{shares.matches:6.0f}  {'  '.join(percent)}", flush=True)


COMMANDS: dict[str, Callable[[], None]] = {
    "coverage": print_coverage,
    "compare": print_compare,
    "balance": print_balance,
    "waits": print_waits,
    "ladder": print_ladder,
    "formats": print_formats,
    "speed": print_speed,
}


def main(names: list[str]) -> int:
    wanted = list(COMMANDS) if names == ["all"] else names
    unknown = [name for name in wanted if name not in COMMANDS]
    if unknown or not wanted:
        print(f"name one or more of: {', '.join(COMMANDS)}, all", file=sys.stderr)
        return 2
    for name in wanted:
        COMMANDS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
