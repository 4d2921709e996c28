"""`python -m tests.benchmarks.harness`: how many matches a minute the workers play, and what one takes in Redis.

Workers, bots and Redis (append-only file, synced always) are processes of their own, as in `montego up`. Matches are of
two, a block is one deal with both seatings; rates are of a stretch in the middle of a tournament. The share that a slow
bot leaves to the others is measured against two tournaments without it, one before and one after: what else the machine
has to do meets both.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network

import redis

from service.config import Settings
from service.operations.access.tokens import identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.context import Context
from service.operations.tournaments import lifecycle
from service.operations.tournaments.create import NewTournament, create_tournament
from service.operations.tournaments.matches import results
from service.processes import redis_server as local_redis
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from service.wiring import build
from tests.benchmarks.quick_bots import quick_bots
from tests.workers.processes import Workers

KEY = "the organiser's"
NETWORKS = (ip_network("127.0.0.0/8"),)
ENTRANTS = 8
PLAYERS = 2
DEALS = 500
SECONDS = 10.0
WARM = 6
"""Matches that are played before a rate is measured."""
PROCESSES = (1, 2, 4)
DELAYS_MS = (20, 0)
LONG = 1000
"""Matches of the long tournament."""
LEVEL = 100
SLOW_MOVE_MS = 1000
"""What a decision may take beside the slow bot, which takes nearly all of it."""
SLOW_PROCESSES = 8


def context(server: RedisServer) -> Context:
    """A service over an emptied Redis."""
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
    return build(Settings(redis_url=server.url, organiser_key=KEY, bot_networks=NETWORKS))


def begin(ctx: Context, urls: Sequence[str], prefix: str = "bot", **more: object) -> str:
    """A round robin of bots at these URLs, too long to end; its id."""
    names = [f"{prefix}-{number}" for number in range(len(urls))]
    for name, url in zip(names, urls, strict=True):
        if ctx.bots.find(name) is None:
            registry.register(ctx, identify(ctx, KEY), NewBot(name, "push", url, max_games=64))
    given = {"players": PLAYERS, "deals": DEALS, "seed": "bench", "move_ms": 60_000, **more}
    new = NewTournament(name="bench", format="round_robin", bots=names, **given)  # type: ignore[arg-type]
    return str(create_tournament(ctx, identify(ctx, KEY), new)["tournament"])


def finished(ctx: Context, tournament: str) -> int:
    """How many matches have a result."""
    row = ctx.tournaments.read(tournament)
    assert row is not None
    return row.results


def wait_for(ctx: Context, tournament: str, matches: int, seconds: float) -> float:
    """Waits until so many matches have a result; the moment."""
    if not wait_until(lambda: finished(ctx, tournament) >= matches, seconds):
        raise TimeoutError(f"{finished(ctx, tournament)} of {matches} matches within {seconds} s")
    return time.monotonic()


def rate(ctx: Context, tournament: str, seconds: float) -> float:
    """Matches a minute, over so long."""
    began, before = wait_for(ctx, tournament, WARM, 60), finished(ctx, tournament)
    time.sleep(seconds)
    return (finished(ctx, tournament) - before) * 60 / (time.monotonic() - began)


def rates(server: RedisServer) -> dict[str, float]:
    """Matches a minute by number of processes, with bots that take their time and with instant ones."""
    found: dict[str, float] = {}
    for delay in DELAYS_MS:
        for processes in PROCESSES:
            ctx = context(server)
            with quick_bots(ENTRANTS, delay) as urls, Workers(server.url, processes):
                name = f"matches_per_min_{'instant' if delay == 0 else f'{delay}ms'}_bots_{processes}_processes"
                found[name] = rate(ctx, begin(ctx, urls), SECONDS)
    two, one = (found[f"matches_per_min_20ms_bots_{processes}_processes"] for processes in (2, 1))
    return {**found, "matches_2_processes_over_1_20ms_bots": two / one}


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a tournament is at a moment: seconds, CPU seconds of the workers, commands to Redis, matches."""

    at_s: float
    cpu_s: float
    commands: int
    matches: int

    def per_match_since(self, before: Moment) -> tuple[float, float, float]:
        """Milliseconds, CPU milliseconds of the workers and commands to Redis for each match."""
        matches = self.matches - before.matches
        ms, cpu_ms = 1000 * (self.at_s - before.at_s), 1000 * (self.cpu_s - before.cpu_s)
        return ms / matches, cpu_ms / matches, (self.commands - before.commands) / matches


def long_run(server: RedisServer) -> dict[str, float]:
    """What a match takes at the beginning and at the end of a long tournament, and what a finished one takes to keep.

    CPU time and commands say more than time where the machine has other things to do."""
    ctx = context(server)
    with quick_bots(ENTRANTS, 0) as urls, Workers(server.url, 4) as workers, redis.Redis.from_url(server.url) as client:

        def at(matches: int) -> Moment:
            moment = wait_for(ctx, tournament, matches, 900)
            commands = client.info("stats")["total_commands_processed"]
            return Moment(moment, workers.cpu_s(), commands, finished(ctx, tournament))

        tournament = begin(ctx, urls)
        first = at(10)
        memory = client.info("memory")["used_memory"]
        early = at(10 + LEVEL).per_match_since(first)
        before_end = at(LONG - LEVEL)
        end = at(LONG)
        grown = client.info("memory")["used_memory"] - memory
        matches = finished(ctx, tournament) - first.matches
    late = end.per_match_since(before_end)
    whats = ("ms", "cpu_ms", "redis_commands")
    return {
        **{f"{what}_per_match_first_100": value for what, value in zip(whats, early, strict=True)},
        **{f"{what}_per_match_last_100_of_1000": value for what, value in zip(whats, late, strict=True)},
        "redis_kib_per_finished_match": grown / matches / 1024,
    }


def beside_a_slow_bot(server: RedisServer) -> dict[str, float]:
    """Matches among four quick bots beside matches of a fifth that uses up its time, over those without the fifth."""
    ctx = context(server)

    def throughput(urls: Sequence[str]) -> float:
        """Matches a second that the bot at the fifth URL is not in."""
        tournament = begin(ctx, urls, move_ms=SLOW_MOVE_MS, warmup_ms=20_000)

        def without_it() -> int:
            return sum("bot-4" not in result.seats for result in results(ctx, tournament).values())

        if not wait_until(lambda: without_it() >= 2 * SLOW_PROCESSES, 60):
            raise TimeoutError(f"{without_it()} matches within 60 s")
        before, began = without_it(), time.monotonic()
        time.sleep(SECONDS)
        found = (without_it() - before) / (time.monotonic() - began)
        lifecycle.cancel(ctx, identify(ctx, KEY), tournament)
        if not wait_until(lambda: not ctx.blocks.active(), 60):
            raise TimeoutError("a cancelled tournament did not end within 60 s")
        return found

    with (
        Workers(server.url, SLOW_PROCESSES),
        quick_bots(4, 20) as urls,
        quick_bots(1, 0.99 * SLOW_MOVE_MS) as slow,
    ):
        before = throughput(urls)
        beside = throughput([*urls, *slow])
        after = throughput(urls)
    return {"matches_beside_a_slow_bot_over_without": beside / ((before + after) / 2)}


def measure() -> dict[str, float]:
    """All of it, over a Redis of our own."""
    with local_redis.start() as server:
        return rates(server) | beside_a_slow_bot(server) | long_run(server)


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<44} {value:10.2f}")
