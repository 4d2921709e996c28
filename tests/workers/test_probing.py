"""Before a tournament its push bots are called: one that is down is found before the first match."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bots.random_bot import RandomBot
from montego_bot import push_app, running
from service.errors import WrongState
from service.operations.bots import registry
from service.operations.context import Context
from service.operations.tournaments import lifecycle, read
from service.operations.tournaments.readiness import begin_if_ready
from service.processes.ports import free_port
from tests.operations.game_setup import organiser, register
from tests.workers.tournament_setup import Scripted, cup, honest, served, worker_on
from workers.leases import LEASE_MS, probe_lease
from workers.probing import run_probe


def probed(ctx: Context, tournament: str) -> None:
    with worker_on(ctx) as worker:
        run_probe(worker, tournament)


def statuses(ctx: Context, tournament: str) -> dict[str, str]:
    return {entrant["name"]: entrant["status"] for entrant in read.show(ctx, tournament)["entrants"]}


def events(ctx: Context, tournament: str) -> list[dict[str, Any]]:
    return [json.loads(text) for _, text in ctx.tournaments.events(tournament, 0, 100)]


def test_a_bot_that_is_down_is_found_before_the_first_match_and_its_owner_reads_why(ctx: Context) -> None:
    other_protocol = Scripted(information=lambda: {"protocol": "chess/1"})
    with served(ctx, {**honest("ann"), "ben": f"http://127.0.0.1:{free_port()}", "cid": other_protocol}):
        tournament = cup(ctx, "ann", "ben", "cid")
        assert set(statuses(ctx, tournament).values()) == {"unknown"}
        probed(ctx, tournament)
    assert statuses(ctx, tournament) == {"ann": "online", "ben": "offline", "cid": "offline"}
    shown = {name: registry.show(ctx, organiser(ctx), name) for name in ("ann", "ben", "cid")}
    assert (shown["ann"]["failure"], shown["ann"]["version"]) == (None, RandomBot.version)
    assert "unreachable" in shown["ben"]["failure"]
    assert "protocol" in shown["cid"]["failure"]
    assert other_protocol.starts == [], "nothing but GET / is called"


def test_a_bot_that_comes_up_a_little_later_is_found_online(ctx: Context) -> None:
    tries: list[None] = []

    def information() -> Any:
        tries.append(None)
        return {"protocol": "montego-bay/1", "version": "7"} if len(tries) > 2 else 503

    with served(ctx, {**honest("ann"), "ben": Scripted(information=information)}):
        tournament = cup(ctx, "ann", "ben", warmup_ms=20_000)
        probed(ctx, tournament)
    assert statuses(ctx, tournament) == {"ann": "online", "ben": "online"}
    assert registry.show(ctx, organiser(ctx), "ben")["version"] == "7"


def test_a_tournament_that_requires_it_begins_when_all_entrants_are_ready_and_not_before(ctx: Context) -> None:
    port = free_port()
    polly = register(ctx, "polly").bot
    with served(ctx, {**honest("ann"), "ben": f"http://127.0.0.1:{port}"}):
        tournament = cup(ctx, "ann", "ben", "polly", require_ready=True, warmup_ms=500)
        assert read.show(ctx, tournament)["status"] == "waiting"
        assert ctx.tournaments.running() == []
        probed(ctx, tournament)
        assert statuses(ctx, tournament) == {"ann": "online", "ben": "offline", "polly": "offline"}
        with running(push_app(RandomBot("ben")), port=port):
            probed(ctx, tournament)
            assert read.show(ctx, tournament)["status"] == "waiting", "polly does not poll"
            ctx.bots.polled(polly.id, None, 0)
            probed(ctx, tournament)
    assert read.show(ctx, tournament)["status"] == "running"
    assert (ctx.tournaments.running(), ctx.tournaments.waiting()) == ([tournament], [])
    told = events(ctx, tournament)
    assert [event["type"] for event in told] == ["waiting", "started"]
    assert told[0]["commitment"] == told[1]["commitment"]
    probed(ctx, tournament)
    assert len(events(ctx, tournament)) == 2, "it begins once"


def test_a_bot_that_was_up_yesterday_is_called_again(ctx: Context) -> None:
    with served(ctx, honest("ann", "ben")):
        probed(ctx, cup(ctx, "ann", "ben"))
    tournament = cup(ctx, "ann", "ben", require_ready=True, warmup_ms=500)
    probed(ctx, tournament)
    assert read.show(ctx, tournament)["status"] == "waiting"
    assert set(statuses(ctx, tournament).values()) == {"offline"}


def test_a_bot_that_is_withdrawn_is_not_waited_for(ctx: Context) -> None:
    with served(ctx, {**honest("ann", "ben"), "cid": f"http://127.0.0.1:{free_port()}"}):
        tournament = cup(ctx, "ann", "ben", "cid", players=2, require_ready=True, warmup_ms=500)
        lifecycle.withdraw(ctx, organiser(ctx), tournament, "cid")
        probed(ctx, tournament)
    assert read.show(ctx, tournament)["status"] == "running"


def test_a_tournament_that_waits_can_be_cancelled_and_not_paused(ctx: Context) -> None:
    with served(ctx, honest("ann", "ben")):
        tournament = cup(ctx, "ann", "ben", require_ready=True)
        with pytest.raises(WrongState, match="waiting"):
            lifecycle.pause(ctx, organiser(ctx), tournament)
        with pytest.raises(WrongState, match="tournament"):
            registry.delete(ctx, organiser(ctx), "ann")
        assert lifecycle.cancel(ctx, organiser(ctx), tournament)["status"] == "cancelled"
        probed(ctx, tournament)
    assert read.show(ctx, tournament)["status"] == "cancelled"
    assert ctx.tournaments.waiting() == []
    assert not begin_if_ready(ctx, tournament)


def test_one_worker_at_a_time_calls_the_entrants_of_a_tournament(ctx: Context, other: Context) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben")
        lease = other.leases.acquire(probe_lease(tournament), LEASE_MS)
        assert lease is not None
        probed(ctx, tournament)
        assert statuses(ctx, tournament)["ann"] == "unknown"
        other.leases.release(lease)
        probed(ctx, tournament)
    assert statuses(ctx, tournament)["ann"] == "online"
    probed(ctx, "nosuchtournament")
