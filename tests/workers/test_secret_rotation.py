"""A secret is rotated while the bot plays: asks are signed with all secrets that are valid."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from bots.random_bot import RandomBot
from montego_bot import Action, Ask, push_app, running
from service.operations.access.rotation import GRACE_MS
from service.operations.bots import registry
from service.operations.context import Context
from service.operations.tournaments.matches import result_of
from service.processes.ports import free_port
from tests.operations.game_setup import a_day_later, organiser, register
from tests.workers.tournament_setup import cup, faults_of, honest, opened, served, worker_on
from workers.players.push import SECRETS_KEPT_S
from workers.referee import play_match


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


@pytest.mark.parametrize("known", [0, 1, 2])
def test_a_bot_that_knows_one_of_the_valid_secrets_is_well(ctx: Context, known: int) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    rotated = [registry.rotate_secret(ctx, organiser(ctx), made.bot.id)["secret"] for _ in range(2)]
    secrets = [made.secret, *rotated]
    assert len(set(secrets)) == 3
    with knowing(str(secrets[known]), port):
        assert faults(ctx) == {}
    assert faults_of(ctx, "ann") == []


def test_after_a_day_the_old_secret_is_worth_nothing(ctx: Context) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    registry.rotate_secret(ctx, organiser(ctx), made.bot.id)
    ctx.bots.change(made.bot.id, lambda bot: replace(bot, secrets=a_day_later(bot.secrets)))
    assert made.secret is not None
    with knowing(made.secret, port):
        assert faults(ctx) == {"bad_status": 1}
    assert [row["status"] for row in faults_of(ctx, "ann")] == [401]


def test_after_a_leak_the_old_secret_is_worth_nothing_at_once(ctx: Context) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    registry.rotate_secret(ctx, organiser(ctx), made.bot.id, at_once=True)
    assert made.secret is not None
    with knowing(made.secret, port):
        assert faults(ctx) == {"bad_status": 1}


def test_whether_an_old_secret_is_valid_does_not_depend_on_the_clock_of_the_worker(ctx: Context) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    registry.rotate_secret(ctx, organiser(ctx), made.bot.id)
    assert made.secret is not None
    with knowing(made.secret, port):
        assert faults(replace(ctx, wall_ms=lambda: ctx.wall_ms() + 2 * GRACE_MS)) == {}


def test_in_a_match_that_is_being_played_a_leaked_secret_is_no_longer_used(ctx: Context) -> None:
    port = free_port()
    made = register(ctx, "ann", kind="push", url=f"http://127.0.0.1:{port}")
    asked: list[Ask] = []

    class Ann(RandomBot):
        def act(self, ask: Ask) -> Action:
            if not asked:
                registry.rotate_secret(ctx, organiser(ctx), made.bot.id, at_once=True)
                time.sleep(SECRETS_KEPT_S)
            asked.append(ask)
            return super().act(ask)

    assert made.secret is not None
    with running(push_app(Ann("ann"), secrets=[made.secret]), port=port):
        assert faults(ctx) == {"bad_status": 1}, "signed with the new secret alone, which the bot does not know"
    assert len(asked) == 1
