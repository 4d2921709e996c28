"""Calls the push bots of a tournament before its first match, so that one that is down is found in time."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor

from service.errors import NotFound, Unavailable
from service.operations.tournaments.document import load_tournament
from service.operations.tournaments.readiness import begin_if_ready, entrants_left
from service.store.bots import Bot
from workers.context import WorkerContext
from workers.leases import LEASE_MS, LeaseKeeper, probe_lease
from workers.players.push import FIRST_PAUSE_S, MAX_PAUSE_S, PAUSE_GROWTH, probe

CALL_S = 5.0
CONCURRENT_CALLS = 16

log = logging.getLogger("montego.jobs")


def run_probe(worker: WorkerContext, tournament: str) -> None:
    """Calls all push entrants, those that do not answer again, until all have answered or `warmup_ms` is over. A
    tournament that waits for its entrants then begins, if all are ready. Nothing happens while another process does
    it."""
    ctx = worker.ctx
    try:
        lease = ctx.leases.acquire(probe_lease(tournament), LEASE_MS)
        if lease is None:
            return
        with LeaseKeeper(ctx, lease):
            try:
                _probe(worker, tournament)
                begin_if_ready(ctx, tournament)
            finally:
                ctx.leases.release(lease)
    except NotFound:
        log.info("tournament %s is gone", tournament)
    except Unavailable as error:
        log.warning("the entrants of %s are not all called: %s", tournament, error.detail)


def _probe(worker: WorkerContext, tournament: str) -> None:
    row, doc = load_tournament(worker.ctx, tournament)
    left = [bot for bot in entrants_left(worker.ctx, row, doc) if bot.kind == "push"]
    # The entrants of a ladder are called once: the steward has them called again, after a pause.
    budget_s = 0.0 if doc.season is not None else doc.terms.warmup_ms / 1000
    until, pause = time.monotonic() + budget_s, FIRST_PAUSE_S
    while left and not row.is_over:
        with ThreadPoolExecutor(CONCURRENT_CALLS, thread_name_prefix="probe") as pool:
            answered = list(pool.map(lambda bot: _call(worker, bot), left))
        left = [bot for bot, up in zip(left, answered, strict=True) if not up]
        if time.monotonic() + pause >= until or worker.draining():
            return
        if left:
            time.sleep(pause)
            pause = min(MAX_PAUSE_S, pause * PAUSE_GROWTH)


def _call(worker: WorkerContext, bot: Bot) -> bool:
    arrival = probe(worker.outbound, bot.url or "", CALL_S)
    worker.ctx.bots.note_call(bot.id, up=arrival.up, version=arrival.version, failure=arrival.detail)
    return arrival.up
