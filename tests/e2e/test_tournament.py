"""A whole tournament with real processes: workers, and bots that are programs of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import requests

from bots.faulty import FAULTY_BOTS, start
from service.engine.record import verify
from service.engine.setup import commitment
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.records import record
from service.operations.tournaments import lifecycle
from service.operations.tournaments.matches import results
from service.operations.tournaments.views import standings, wait_for_events
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.operations.game_setup import answer, begin, due, register, service
from tests.workers.processes import Workers
from tests.workers.tournament_setup import Reply, Scripted, cup, faults_of, honest, served


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    with service(redis_url) as ctx:
        yield ctx


@contextmanager
def programs(ctx: Context, bots: Mapping[str, str]) -> Iterator[None]:
    """Runs reference bots as programs that accept signed asks only, and registers them."""
    with ExitStack() as stack:
        urls = {}
        for name, rung in bots.items():
            port = free_port()
            made = register(ctx, name, kind="push", url=f"http://127.0.0.1:{port}")
            assert made.secret is not None
            process = subprocess.Popen(
                [sys.executable, "-m", "service.cli.main", "bot", rung, "--port", str(port), "--name", name],
                env={**os.environ, "MONTEGO_BOT_SECRET": made.secret},
                stdout=subprocess.DEVNULL,
            )
            stack.callback(process.wait, 10)
            stack.callback(process.kill)
            urls[name] = f"http://127.0.0.1:{port}/"
        assert wait_until(lambda: all(answers(url) for url in urls.values()), 30, pause=0.1)
        yield


def answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).status_code == 200
    except requests.ConnectionError:
        return False


def wait_for_end(ctx: Context, tournament: str, seconds: float) -> None:
    """Waits until the tournament is over, by its events."""
    until = time.monotonic() + seconds
    last = 0
    while (left := until - time.monotonic()) > 0:
        news = wait_for_events(ctx, tournament, last, left)
        last = news.last
        if news.over:
            return
    raise AssertionError(f"not over within {seconds} s: {standings(ctx, tournament)['matches']}")


def test_a_tournament_of_four_programs_is_played_to_its_end(ctx: Context, redis_url: str) -> None:
    bots = {"greedy": "greedy", "greedy-2": "greedy", "random": "random", "random-2": "random"}
    with programs(ctx, bots), Workers(redis_url, 2) as workers:
        tournament = cup(ctx, *bots, players=2, warmup_ms=20_000)
        wait_for_end(ctx, tournament, 60)
        status = workers.end(8)
        assert (status, workers.survivors()) == (0, [])
    table = standings(ctx, tournament)
    assert (table["status"], table["matches"]) == ("finished", {"total": 12, "finished": 12, "cancelled": 0})
    rows = table["standings"]
    assert {row["matches"] for row in rows} == {6}
    assert sum(row["score"] for row in rows) == 12
    assert {sum(row["faults"].values()) + row["forfeits"] for row in rows} == {0}, "signed asks were accepted"
    assert rows[0]["name"].startswith("greedy")
    shown = lifecycle.show(ctx, tournament)
    assert commitment(bytes.fromhex(shown["nonce"]), shown["seed"]) == shown["commitment"]
    for result in results(ctx, tournament).values():
        found = record(ctx, result.game)
        verify(found)
        assert found["setup"]["seed"]
        assert found["commitment"] == shown["commitment"]


def test_a_person_plays_a_casual_game_against_programs(ctx: Context, redis_url: str) -> None:
    with programs(ctx, {"random": "random"}), Workers(redis_url, 1):
        seated = begin(ctx, 2, seats=["creator", {"bot": "random"}])
        until = time.monotonic() + 60
        while not (table := load(ctx, seated.game)).over and time.monotonic() < until:
            if 0 in due(table):
                answer(ctx, seated, 0)
            else:
                ctx.hub.wait(f"game:{seated.game}", table.version, 5)
        assert wait_until(lambda: not ctx.games.unplayed_turns(-1, 10), 10), "the bot has heard of the end"
    assert table.status == "finished"
    assert {closed.fault for closed in table.closed.values()} == {None}
    verify(record(ctx, seated.game))


def test_a_worker_that_is_told_to_end_stops_in_mid_match_and_another_goes_on(ctx: Context, redis_url: str) -> None:
    def slowly(ask: dict[str, Any]) -> Reply:
        time.sleep(0.02)
        return {"index": 0}

    thoughtful = Scripted(act=slowly)
    with served(ctx, {"ann": thoughtful, **honest("ben", "cid")}):
        tournament = cup(ctx, "ann", "ben", "cid", deals=2)
        with Workers(redis_url, 2) as first:
            assert wait_until(lambda: len(thoughtful.asks) > 20, 30)
            began = time.monotonic()
            assert first.end(8) == 0
            assert time.monotonic() - began < 6
            assert first.survivors() == []
        asked = len(thoughtful.asks)
        before = results(ctx, tournament)
        assert len(before) < 6
        with Workers(redis_url, 2):
            wait_for_end(ctx, tournament, 60)
        assert len(thoughtful.asks) > asked
    assert results(ctx, tournament).items() >= before.items()
    assert all(result.faults == ({}, {}, {}) for result in results(ctx, tournament).values())
    names = [(ask["game"], ask["decision"]["id"]) for ask in thoughtful.asks]
    assert len(names) - len(set(names)) <= 2, "at most what was being answered was asked again"


def test_bad_bots_are_charged_with_their_own_faults_and_honest_ones_with_none(ctx: Context, redis_url: str) -> None:
    with ExitStack() as stack:
        stack.enter_context(served(ctx, honest("honest-1", "honest-2"), max_games=64))
        bad = {name: stack.enter_context(start(name)) for name in FAULTY_BOTS}
        for name, handle in bad.items():
            register(ctx, name, kind="push", url=handle.url)
        stack.enter_context(Workers(redis_url, 4))
        tournament = cup(
            ctx,
            "honest-1",
            "honest-2",
            format="gauntlet",
            challengers=tuple(bad),
            players=2,
            sets=len(bad),
            move_ms=1_000,
            max_faults=1,
            warmup_ms=2_500,
        )
        wait_for_end(ctx, tournament, 150)
    rows = {row["name"]: row for row in standings(ctx, tournament)["standings"]}
    found = results(ctx, tournament).values()
    assert {result.status for result in found} == {"finished"}
    assert {rows[name]["matches"] for name in bad} == {2}
    assert min(rows[name]["matches"] for name in ("honest-1", "honest-2")) >= len(bad) - 2
    for name in bad:
        bot = FAULTY_BOTS[name]
        kinds = {kind for kind, count in rows[name]["faults"].items() if count}
        assert kinds == ({bot.fault} if bot.fault and bot.comes_up else set()), name
        assert {row["kind"] for row in faults_of(ctx, name)} == kinds, name
        assert (rows[name]["not_started"] > 0) == (not bot.comes_up or name == "crashing"), name
    for name in ("honest-1", "honest-2"):
        assert not any(rows[name]["faults"].values()), rows[name]
        assert rows[name]["forfeits"] == 0
        assert faults_of(ctx, name) == []
    for result in found:
        verify(record(ctx, result.game))
