"""A secret is rotated while the bot plays: for a day, asks are signed with both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from bots.random_bot import RandomBot
from bots.sdk import push_app, running
from service.operations.bots import registry
from service.operations.context import Context
from service.operations.tournaments.matches import result_of
from service.processes.ports import free_port
from tests.operations.game_setup import organiser, register
from tests.workers.tournament_setup import cup, faults_of, honest, opened, served, worker_on
from workers.referee import play_match

DAY_MS = 24 * 3600 * 1000


@contextmanager
def knowing(secret: str, port: int) -> Iterator[None]:
    """The bot `ann`, which accepts only what is signed with this secret."""
    with running(push_app(RandomBot("ann"), secrets=[secret]), port=port):
        yield


def faults(ctx: Context) -> dict[str, int]:
    """Plays a match of `ann` and `ben`: the faults of `ann`."""
    with served(ctx, honest("ben")), worker_on(ctx) as worker:
        match = opened(ctx, worker.outbound, cup(ctx, "ann", "ben", max_faults=0))
        result = result_of(play_match(ctx, match.view, match.players, match.lease, lambda: None), match.pairing)
    return dict(result.faults[result.seats.index("ann")])


@pytest.mark.parametrize("known", ["old", "new"])
def test_for_a_day_a_bot_that_knows_either_secret_is_well(ctx: Context, known: str) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    rotated = registry.rotate_secret(ctx, organiser(ctx), made.bot.id)
    assert made.secret is not None and rotated["secret"] != made.secret
    secret = {"old": made.secret, "new": rotated["secret"]}[known]
    with knowing(secret, port):
        assert faults(ctx) == {}
    assert faults_of(ctx, "ann") == []


def test_after_a_day_the_old_secret_is_worth_nothing(ctx: Context) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    registry.rotate_secret(ctx, organiser(ctx), made.bot.id)
    assert made.secret is not None
    tomorrow = replace(ctx, wall_ms=lambda: ctx.wall_ms() + DAY_MS + 1000)
    with knowing(made.secret, port):
        assert faults(tomorrow) == {"bad_status": 1}
    assert [row["status"] for row in faults_of(ctx, "ann")] == [401]


def test_the_second_last_secret_is_worth_nothing_at_once(ctx: Context) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    for _ in range(2):
        registry.rotate_secret(ctx, organiser(ctx), made.bot.id)
    assert made.secret is not None
    with knowing(made.secret, port):
        assert faults(ctx) == {"bad_status": 1}
