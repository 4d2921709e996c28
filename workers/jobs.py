"""The jobs that RQ runs, named by their dotted names in `service.store.queues`.

A block is played in a process of its own. Turns, checks and callbacks run in threads of one process: they mostly wait
for bots, and none of them may wait for the bot of another.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_network

from service.addresses import AddressPolicy
from service.config import Settings
from service.errors import Unavailable
from service.operations.access.tokens import webhook_secret
from service.operations.bots import checks
from service.operations.bots.registry import valid_secrets
from workers import blocks, callbacks, turns
from workers.conformance.caller import Target
from workers.conformance.poll import check_poll
from workers.conformance.push import check_push
from workers.context import WorkerContext, worker_context
from workers.harness_latency import LatencyProbe
from workers.outbound import OutboundClient
from workers.per_host_queue import PerHostQueue

MAX_TURNS = 32
"""Turns of casual games that a process plays at a time."""
MAX_CHECKS = 8
"""Checks of bots at a time."""

log = logging.getLogger("montego.jobs")


def prepare() -> None:
    """Makes what every block needs before the processes are forked in which blocks are played: it takes as long as a
    short match."""
    worker_context()
    _outbound_to_loopback()


def play_block(tournament: str, block: int) -> None:
    """Plays what is left of a block of a tournament."""
    worker = worker_context()
    limit_ms = worker.ctx.settings.harness_slow_ms
    with LatencyProbe(_outbound_to_loopback(), limit_ms, worker.ctx.clock.now_ms) as latency:
        blocks.run_block(worker, tournament, block, latency)


def play_turn(game: str, seat: int) -> None:
    """Plays the turns of a push bot in a casual game. Returns before they are played."""
    worker = worker_context()
    _turn_threads().run(lambda: turns.run_turn(worker, game, seat))


def check_bot(bot: str, check: str) -> None:
    """Checks whether a bot does what the protocol asks of it. Returns before that is done."""
    worker = worker_context()
    _check_threads().run(lambda: run_check(worker, bot, check))


def send_callbacks() -> None:
    """Sends the callbacks that are due. Returns before that is done."""
    try:
        callbacks.enqueue_due(worker_context().ctx, _callback_queue())
    except Unavailable as error:
        log.warning("callbacks are left: %s", error.detail)


def run_check(worker: WorkerContext, bot_id: str, check: str) -> None:
    """Checks a bot and stores the report. A check that breaks off expires, and can be started again."""
    ctx = worker.ctx
    bot = ctx.bots.read(bot_id)
    if bot is None:
        return
    if bot.kind == "poll":
        report = check_poll(ctx, bot, check)
    else:
        target = Target(bot.url or "", tuple(valid_secrets(bot)), webhook_secret(ctx), f"check{check}")
        report = check_push(worker.outbound, target)
        ctx.bots.note_call(bot.id, up=report.up, version=report.version)
    checks.finish(ctx, bot.id, check, report.to_json())


class ThreadLimit:
    """At most `limit` calls at a time, each in a thread of its own."""

    def __init__(self, limit: int, name: str) -> None:
        self._slots = threading.BoundedSemaphore(limit)
        self._name = name

    def run(self, call: Callable[[], None]) -> None:
        """Waits for a free slot, and returns as soon as the call has begun. What the call raises is logged."""
        self._slots.acquire()
        # Daemons: a process that was told to end does not wait for slow bots. Another one does what is left.
        threading.Thread(target=self._call, args=(call,), name=self._name, daemon=True).start()

    def _call(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:
            log.exception("a %s failed", self._name)
        finally:
            self._slots.release()


@lru_cache(maxsize=1)
def _turn_threads() -> ThreadLimit:
    return ThreadLimit(MAX_TURNS, "turn")


@lru_cache(maxsize=1)
def _check_threads() -> ThreadLimit:
    return ThreadLimit(MAX_CHECKS, "check")


@lru_cache(maxsize=1)
def _callback_queue() -> PerHostQueue:
    """With an outbound client of its own: hosts of callbacks that hang take no connections from bots."""
    ctx = worker_context().ctx
    outbound = OutboundClient(AddressPolicy(Settings.from_env().bot_networks))
    return PerHostQueue(lambda slot: callbacks.send(ctx, outbound, slot), name="callback")


@lru_cache(maxsize=1)
def _outbound_to_loopback() -> OutboundClient:
    return OutboundClient(AddressPolicy((ip_network("127.0.0.0/8"),)))
