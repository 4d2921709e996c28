"""`python -m tests.benchmarks.asks`: what the harness costs for each ask of a push bot.

One process plays blocks, as a worker does, and measures its own delay meanwhile; bots and Redis are processes of their
own. Offload it a bare loop of
`requests.Session.post` sends bodies of the same sizes to the same bots, as many at a time as the referee did: all seats
at once where cards are chosen, one after another where ships are loaded.
"""

from __future__ import annotations

import ipaddress
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import groupby
from typing import Any

import requests

from service.addresses import AddressPolicy
from service.config import Settings
from service.operations.access.tokens import identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.context import Context
from service.operations.tournaments.create import NewTournament, create_tournament
from service.processes import redis_server as local_redis
from service.wiring import build
from tests.benchmarks.quick_bots import quick_bots
from workers.blocks import run_block
from workers.context import WorkerContext
from workers.harness_latency import LatencyProbe
from workers.outbound import Exchange, OutboundClient

KEY = "the organiser's"
NETWORKS = (ipaddress.ip_network("127.0.0.0/8"),)
PLAYERS = 4
BLOCKS = 5
DELAY_MS = 5.0

Group = list[tuple[str, int]]
"""Asks that are out at the same time: URL and size of each body."""


class Noting(OutboundClient):
    """An outbound client that notes what was asked of whom."""

    def __init__(self) -> None:
        super().__init__(AddressPolicy(NETWORKS))
        self.asks: list[tuple[str, str, int]] = []
        self.to_the_instant_player = OutboundClient(AddressPolicy(NETWORKS))

    def close(self) -> None:
        """Closes the connections of both."""
        super().close()
        self.to_the_instant_player.close()

    def post(self, url: str, body: bytes, **how: Any) -> Exchange:
        """Sends it."""
        if url.endswith("/act"):
            self.asks.append((how["webhook_id"], url, len(body)))
        return super().post(url, body, **how)

    def groups(self) -> list[Group]:
        """Asks in the order sent; cards of one round of a game together."""
        found = []
        for _, asks in groupby(self.asks, key=lambda ask: _together(ask[0])):
            found.append([(url, size) for _, url, size in asks])
        return found


def played(ctx: Context, outbound: Noting, tournament: str, block: int) -> int:
    """Plays a block; the number of asks."""
    with LatencyProbe(outbound.to_the_instant_player, ctx.settings.harness_slow_ms, ctx.clock.now_ms) as instant:
        run_block(WorkerContext(ctx, outbound, lambda: False), tournament, block, instant)
    assert ctx.blocks.done(tournament, [block]), "the block was not played to its end: the log says why"
    return len(outbound.asks)


def _together(name: str) -> str:
    game, _, decision = name.rpartition("_")
    number, kind, *_ = decision.split("-")
    return f"{game} {number}" if kind == "play" else name


def begin(ctx: Context, urls: Sequence[str], name: str) -> str:
    """A tournament of one set of bots, of as many blocks as are measured."""
    organiser = identify(ctx, KEY)
    names = [f"{name}-{number}" for number in range(len(urls))]
    for bot, url in zip(names, urls, strict=True):
        registry.register(ctx, organiser, NewBot(bot, "push", url))
    new = NewTournament(
        name=name, format="round_robin", bots=names, players=PLAYERS, deals=BLOCKS, seed="asks", move_ms=10_000
    )
    return str(create_tournament(ctx, organiser, new)["tournament"])


def bare(groups: Sequence[Group], sessions: Mapping[str, requests.Session], pool: ThreadPoolExecutor) -> float:
    """Seconds that the same bodies take without a harness."""
    bodies = {size: json.dumps({"decision": {}, "x": "x" * (size - 24)}).encode() for g in groups for _, size in g}

    def post(url: str, size: int) -> None:
        sessions[url].post(url, data=bodies[size], headers={"Content-Type": "application/json"}, timeout=10).json()

    began = time.perf_counter()
    for group in groups:
        if len(group) == 1:
            post(*group[0])
        else:
            wait([pool.submit(post, url, size) for url, size in group])
    return time.perf_counter() - began


def throughput(ctx: Context) -> dict[str, float]:
    """Asks a second with bots that take some time, and the same over the bare loop, block by block."""
    rates, bare_rates = [], []
    with quick_bots(PLAYERS, DELAY_MS) as urls, ThreadPoolExecutor(PLAYERS) as pool:
        tournament = begin(ctx, urls, "slow")
        sessions = {f"{url}/act": requests.Session() for url in urls}
        for block in range(BLOCKS):
            outbound = Noting()
            began = time.perf_counter()
            asks = played(ctx, outbound, tournament, block)
            rates.append(asks / (time.perf_counter() - began))
            outbound.close()
            bare_rates.append(asks / bare(outbound.groups(), sessions, pool))
    ratios = [rate / other for rate, other in zip(rates, bare_rates, strict=True)]
    return {
        "asks_per_s_5ms_bots": statistics.median(rates),
        "asks_per_s_5ms_bots_bare_loop": statistics.median(bare_rates),
        "asks_5ms_bots_share_of_bare_loop": statistics.median(ratios),
    }


def own_time(ctx: Context) -> dict[str, float]:
    """CPU time of this process an ask, with bots that answer at once; and that of the bare loop."""
    costs, bare_costs, rates = [], [], []
    with quick_bots(PLAYERS, 0) as urls, ThreadPoolExecutor(PLAYERS) as pool:
        tournament = begin(ctx, urls, "instant")
        sessions = {f"{url}/act": requests.Session() for url in urls}
        for block in range(BLOCKS):
            outbound = Noting()
            began, cpu = time.perf_counter(), time.process_time()
            asks = played(ctx, outbound, tournament, block)
            costs.append((time.process_time() - cpu) * 1000 / asks)
            rates.append(asks / (time.perf_counter() - began))
            outbound.close()
            cpu = time.process_time()
            bare(outbound.groups(), sessions, pool)
            bare_costs.append((time.process_time() - cpu) * 1000 / asks)
    return {
        "asks_per_s_instant_bots": statistics.median(rates),
        "cpu_ms_per_ask": statistics.median(costs),
        "cpu_ms_per_ask_bare_loop": statistics.median(bare_costs),
    }


def measure() -> dict[str, float]:
    """Both, over a Redis of our own."""
    with local_redis.start() as server:
        ctx = build(Settings(redis_url=server.url, organiser_key=KEY, bot_networks=NETWORKS))
        return throughput(ctx) | own_time(ctx)


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<36} {value:10.3f}")
