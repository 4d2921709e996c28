"""Turns and checks run beside each other in one process: they wait for bots, and none may wait for another's bot."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from ipaddress import ip_network

from service.addresses import AddressPolicy
from service.config import Settings
from service.errors import NotFound, Unavailable
from service.operations.access.tokens import webhook_secret
from service.operations.bots import checks
from service.operations.bots.registry import valid_secrets
from service.operations.context import Context
from service.operations.tournaments import lifecycle
from service.store.leases import LeaseLost
from service.wiring import build
from workers.blocks import BlockRun, WorkerContext
from workers.callbacks import line_up, tell
from workers.conformance.caller import Target
from workers.conformance.poll import check_poll
from workers.conformance.push import check_push
from workers.harness_latency import LatencyProbe
from workers.leases import LEASE_MS, LeaseKeeper, block_lease, turn_lease
from workers.outbound import Outbound
from workers.per_host_queue import PerHostQueue
from workers.referee import Stopped
from workers.shutdown import is_draining
from workers.turns import is_due, play_turns

log = logging.getLogger("montego.jobs")


class ThreadLimit:
    """At most `most` calls at a time, each in a thread of its own; `run` waits for a free place."""

    def __init__(self, most: int, name: str) -> None:
        self._places = threading.BoundedSemaphore(most)
        self._name = name

    def run(self, call: Callable[[], None]) -> None:
        """Returns as soon as the call has begun. What it raises is logged: there is nobody to tell."""
        self._places.acquire()
        # Daemons: a process that was told to end does not wait for slow bots. What is left is played by another one.
        threading.Thread(target=self._call, args=(call,), name=self._name, daemon=True).start()

    def _call(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:
            log.exception("a %s failed", self._name)
        finally:
            self._places.release()


MAX_FAILURES = 3
"""How often a block may fail by a defect of ours before its tournament is given up."""
MAX_TURNS = 32
"""Turns of casual games that a process plays at a time."""
MAX_CHECKS = 8
"""Checks of bots at a time."""


@lru_cache(maxsize=1)
def _deps() -> WorkerContext:
    """Made by a process's first job; a process that runs more of them keeps its connections."""
    settings = Settings.from_env()
    return WorkerContext(build(settings), Outbound(AddressPolicy(settings.bot_networks)), is_draining)


@lru_cache(maxsize=1)
def _way_to_the_instant_player() -> Outbound:
    return Outbound(AddressPolicy((ip_network("127.0.0.0/8"),)))


def prepare() -> None:
    """Makes what every block needs, before the processes are forked in which blocks are played: it takes as long as a
    short match."""
    _deps()
    _way_to_the_instant_player()


def play_block(tournament: str, block: int) -> None:
    """Plays what is left of a block of a tournament."""
    deps = _deps()
    ctx = deps.ctx
    with LatencyProbe(_way_to_the_instant_player(), ctx.settings.harness_slow_ms, ctx.clock.now_ms) as instant:
        run_block(replace(deps, delays=instant), tournament, block)


def run_block(deps: WorkerContext, tournament: str, block: int) -> None:
    """Plays what is left of a block, unless another process is at it. The steward sees to what is left undone."""
    ctx = deps.ctx
    try:
        lease = ctx.leases.acquire(block_lease(tournament, block), LEASE_MS)
        if lease is None:
            return
        with LeaseKeeper(ctx, lease) as keeper:
            try:
                _attempt(deps, tournament, block, keeper)
            finally:
                ctx.leases.release(lease)
    except Unavailable as error:
        log.warning("block %s of %s is left: %s", block, tournament, error.detail)


def _attempt(deps: WorkerContext, tournament: str, block: int, keeper: LeaseKeeper) -> None:
    try:
        if BlockRun(deps, tournament, block, keeper).play():
            deps.ctx.blocks.deactivate(tournament, block)
    except (Stopped, LeaseLost):
        log.info("block %s of %s is left to another", block, tournament)
    except NotFound:
        log.warning("tournament %s is gone", tournament)
    except Unavailable:
        raise
    except Exception:
        log.exception("block %s of %s failed", block, tournament)
        _note_failure(deps.ctx, tournament, block)


def _note_failure(ctx: Context, tournament: str, block: int) -> None:
    if ctx.blocks.note_failure(tournament, block) >= MAX_FAILURES:
        reason = f"Block {block} failed {MAX_FAILURES} times by a defect of the service; its log says more."
        lifecycle.finish(ctx, tournament, "failed", reason)


@lru_cache(maxsize=1)
def _turns() -> ThreadLimit:
    return ThreadLimit(MAX_TURNS, "turn")


@lru_cache(maxsize=1)
def _checks() -> ThreadLimit:
    return ThreadLimit(MAX_CHECKS, "check")


@lru_cache(maxsize=1)
def _callbacks() -> PerHostQueue:
    """With a way out of their own: hosts of callbacks that hang take no place from bots."""
    ctx = _deps().ctx
    outbound = Outbound(AddressPolicy(Settings.from_env().bot_networks))
    return PerHostQueue(lambda slot: tell(ctx, outbound, slot), name="callback")


def play_turn(game: str, seat: int) -> None:
    """Plays the turns that a push bot owes in a casual game. Returns before they are played."""
    deps = _deps()
    _turns().run(lambda: run_turn(deps, game, seat))


def check_bot(bot: str, check: str) -> None:
    """Checks whether a bot does what the protocol asks of it. Returns before that is done."""
    deps = _deps()
    _checks().run(lambda: run_check(deps, bot, check))


def send_callbacks() -> None:
    """Has callbacks sent that are due. Returns before that is done."""
    try:
        line_up(_deps().ctx, _callbacks())
    except Unavailable as error:
        log.warning("callbacks are left: %s", error.detail)


def run_check(deps: WorkerContext, bot_id: str, check: str) -> None:
    """Checks a bot and keeps the report. A check that breaks off is forgotten in time, and can be begun anew."""
    ctx = deps.ctx
    bot = ctx.bots.read(bot_id)
    if bot is None:
        return
    if bot.kind == "poll":
        report = check_poll(ctx, bot, check)
    else:
        target = Target(bot.url or "", tuple(valid_secrets(ctx, bot)), webhook_secret(ctx), f"check{check}")
        report = check_push(deps.outbound, target)
    checks.finish(ctx, bot.id, check, report.to_json())


def run_turn(deps: WorkerContext, game: str, seat: int) -> None:
    """Plays a bot's turns, unless somebody else is at it."""
    try:
        while _play_turns(deps, game, seat):
            pass
    except Unavailable as error:
        log.warning("turn of seat %s of game %s is left: %s", seat, game, error.detail)


def _play_turns(deps: WorkerContext, game: str, seat: int) -> bool:
    """Whether to do it again: a nudge that came while we had the lease found it taken, and was lost."""
    ctx = deps.ctx
    lease = ctx.leases.acquire(turn_lease(game, seat), LEASE_MS)
    if lease is None:
        return False
    with LeaseKeeper(ctx, lease):
        try:
            due = play_turns(deps, game, seat)
        except NotFound:
            # Removed, or its bot deleted, while it was played.
            ctx.games.drop_turn(game, seat)
            return False
        finally:
            ctx.leases.release(lease)
    return due and is_due(ctx, game, seat) and not deps.draining()
