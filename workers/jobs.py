"""The jobs that RQ runs, named by their dotted names in `service.store.queues`.

A block is played in a process of its own. Turns, checks and callbacks run in threads of one process, since they mostly
wait for bots. Their jobs only queue them: no job waits for a bot, and no bot waits for another one.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from ipaddress import ip_network
from urllib.parse import urlsplit

from service.addresses import AddressPolicy
from service.config import Settings
from service.errors import Unavailable
from service.operations.access.tokens import webhook_secret
from service.operations.bots import checks
from service.operations.bots.registry import valid_secrets
from service.store.bots import Bot
from workers import blocks, callbacks, casual_turns, probing
from workers.conformance.caller import Target
from workers.conformance.poll import check_poll
from workers.conformance.push import check_push
from workers.context import WorkerContext, worker_context
from workers.harness_latency import LatencyProbe
from workers.outbound import OutboundClient
from workers.per_host_queue import PerHostQueue

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
    """Queues the turns of a push bot in a casual game. The steward sends them again if they are not played soon."""
    ctx = worker_context().ctx
    try:
        bot = casual_turns.push_bot(ctx, game, seat)
        if bot is None:
            ctx.game_lists.drop_turn(game, seat)
        elif not _turn_queue().add(host_of(bot), f"{game} {seat}", line=bot.id, max_in_line=bot.max_games):
            log.warning("turn of seat %s of game %s is left: too many wait", seat, game)
    except Unavailable as error:
        log.warning("turn of seat %s of game %s is left: %s", seat, game, error.detail)


def check_bot(bot_id: str, check: str) -> None:
    """Queues the check whether a bot does what the protocol asks of it."""
    try:
        bot = worker_context().ctx.bots.read(bot_id)
        if bot is not None and not _check_queue().add(host_of(bot), f"{bot_id} {check}", line=bot_id, max_in_line=1):
            log.warning("check of bot %s is left: too many wait", bot_id)
    except Unavailable as error:
        log.warning("check of bot %s is left: %s", bot_id, error.detail)


def send_callbacks() -> None:
    """Queues the callbacks that are due."""
    try:
        callbacks.enqueue_due(worker_context().ctx, _callback_queue())
    except Unavailable as error:
        log.warning("callbacks are left: %s", error.detail)


def probe_entrants(tournament: str) -> None:
    """Queues the calls of a tournament's push bots before its first match."""
    if not _probe_queue().add(tournament, tournament):
        log.warning("the entrants of %s are not called: too many wait", tournament)


def host_of(bot: Bot) -> str:
    """The host at which a push bot is served, without the port; a poll bot has a host of its own."""
    return urlsplit(bot.url or "").hostname or bot.id


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
        ctx.bots.note_call(bot.id, up=report.up, version=report.version, failure=report.failure)
    checks.finish(ctx, bot.id, check, report.to_json())


@lru_cache(maxsize=1)
def _turn_queue() -> PerHostQueue:
    """A line for each bot, which gets as many asks at a time as it plays games (`max_games`). There are many slots: a
    turn may take a minute, in which only its bot is busy."""
    worker = worker_context()

    def call(item: str) -> bool:
        game, _, seat = item.rpartition(" ")
        return casual_turns.run_turn(worker, game, int(seat))

    return PerHostQueue(call, name="turn", max_calls=256, max_per_host=32)


@lru_cache(maxsize=1)
def _check_queue() -> PerHostQueue:
    worker = worker_context()

    def call(item: str) -> bool:
        bot, _, check = item.partition(" ")
        run_check(worker, bot, check)
        return True

    return PerHostQueue(call, name="check", max_items=1000)


@lru_cache(maxsize=1)
def _probe_queue() -> PerHostQueue:
    """A line for each tournament."""
    worker = worker_context()

    def call(tournament: str) -> bool:
        probing.run_probe(worker, tournament)
        return True

    return PerHostQueue(call, name="probe", max_per_host=1, max_items=1000)


@lru_cache(maxsize=1)
def _callback_queue() -> PerHostQueue:
    """With an outbound client of its own: hosts of callbacks that hang take no connections from bots."""
    ctx = worker_context().ctx
    outbound = OutboundClient(AddressPolicy(Settings.from_env().bot_networks))
    return PerHostQueue(lambda slot: callbacks.send(ctx, outbound, slot), name="callback")


@lru_cache(maxsize=1)
def _outbound_to_loopback() -> OutboundClient:
    return OutboundClient(AddressPolicy((ip_network("127.0.0.0/8"),)))
