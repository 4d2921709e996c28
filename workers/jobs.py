"""What RQ runs, by dotted name. A job is only a nudge: all that it must know stands in the store."""

from __future__ import annotations

import logging
from functools import lru_cache

from service.addresses import AddressPolicy
from service.config import Settings
from service.operations import tournaments
from service.operations.context import Context
from service.operations.errors import NotFound, Unavailable
from service.operations.ports import LeaseLost
from service.wiring import build
from workers.blocks import BlockRun, Deps
from workers.draining import is_draining
from workers.leasing import LEASE_MS, Keeper, block_lease, turn_lease
from workers.outbound import Outbound
from workers.referee import Stopped
from workers.turns import play_turns

MOST_FAILURES = 3
"""How often a block may fail by a defect of ours before its tournament is given up."""

log = logging.getLogger("montego.jobs")


@lru_cache(maxsize=1)
def _deps() -> Deps:
    """Made by a process's first job; a process that runs more of them keeps its connections."""
    settings = Settings.from_env()
    return Deps(build(settings), Outbound(AddressPolicy(settings.bot_networks)), is_draining)


def play_block(tournament: str, block: int) -> None:
    """Plays what is left of a block of a tournament."""
    run_block(_deps(), tournament, block)


def run_block(deps: Deps, tournament: str, block: int) -> None:
    """Plays what is left of a block, unless another process is at it. The steward sees to what is left undone."""
    ctx = deps.ctx
    try:
        lease = ctx.leases.acquire(block_lease(tournament, block), LEASE_MS)
        if lease is None:
            return
        with Keeper(ctx, lease) as keeper:
            try:
                _attempt(deps, tournament, block, keeper)
            finally:
                ctx.leases.release(lease)
    except Unavailable as error:
        log.warning("block %s of %s is left: %s", block, tournament, error.detail)


def _attempt(deps: Deps, tournament: str, block: int, keeper: Keeper) -> None:
    try:
        if BlockRun(deps, tournament, block, keeper).play():
            deps.ctx.tournaments.deactivate(tournament, block)
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
    if ctx.tournaments.note_failure(tournament, block) >= MOST_FAILURES:
        reason = f"Block {block} failed {MOST_FAILURES} times by a defect of the service; its log says more."
        tournaments.finish(ctx, tournament, "failed", reason)


def play_turn(game: str, seat: int) -> None:
    """Plays the turns that a push bot owes in a casual game."""
    run_turn(_deps(), game, seat)


def run_turn(deps: Deps, game: str, seat: int) -> None:
    """Plays a bot's turns, unless another process is at it."""
    ctx = deps.ctx
    try:
        lease = ctx.leases.acquire(turn_lease(game, seat), LEASE_MS)
        if lease is None:
            return
        with Keeper(ctx, lease):
            try:
                play_turns(deps, game, seat)
            except NotFound:
                # Removed, or its bot deleted, while it was played.
                ctx.games.drop_turn(game, seat)
            finally:
                ctx.leases.release(lease)
    except Unavailable as error:
        log.warning("turn of seat %s of game %s is left: %s", seat, game, error.detail)
