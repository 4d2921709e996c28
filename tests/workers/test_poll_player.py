"""Bots that call the service: the same matches, the same clock, the same faults as over push."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import redis

from bots.random_bot import RandomBot
from montego_bot import answer as answer_of
from montego_bot import read_ask
from service.engine.record import verify
from service.errors import DecisionClosed, NotYourDecision, OperationError, Unavailable
from service.operations.access.tokens import Caller, identify
from service.operations.bots.poll import poll
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.change import load
from service.operations.games.projection import GameView
from service.operations.games.read import decision
from service.operations.games.records import record
from service.operations.tournaments.matches import results
from service.processes.supervisor import wait_until
from service.store import keys
from tests.operations.game_setup import due, register
from tests.operations.tournament_setup import begin_match, doc_of, entrants_of, game_of
from tests.outage import Outage
from tests.workers.tournament_setup import (
    NeverSlow,
    api_heartbeat,
    bare,
    cup,
    delete_bots,
    faults_of,
    honest,
    served,
    worker_on,
)
from workers.blocks import run_block
from workers.players.poll import PollPlayer
from workers.referee import play_match

Say = Callable[[dict[str, Any]], Submission | None]
"""What a bot answers to an ask; None: nothing."""


def well(name: str) -> Say:
    """As the random bot of that name does over push."""
    bot = RandomBot(name, seed=name)

    def say(ask: dict[str, Any]) -> Submission:
        return Submission(ask["decision"]["id"], action=answer_of(bot, read_ask(ask))["action"])

    return say


class Poller:
    """A poll bot in a thread: it asks what waits for it, and answers each ask once."""

    def __init__(self, ctx: Context, caller: Caller, say: Say) -> None:
        self.asks: list[dict[str, Any]] = []
        self.notices: set[tuple[str, str]] = set()
        self.refusals: list[OperationError] = []
        self._ctx, self._caller, self._say = ctx, caller, say
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        cursor = None
        taken: set[tuple[str, str, int]] = set()
        while not self._stop.is_set():
            waiting = poll(self._ctx, self._caller, after=cursor, wait_s=0.2, version="p1")
            cursor = waiting.cursor
            self.notices |= {(notice["type"], notice["game"]) for notice in waiting.notices}
            for ask in waiting.decisions:
                key = (ask["game"], ask["decision"]["id"], ask["attempt"])
                if key not in taken:
                    taken.add(key)
                    self._answer(ask)

    def _answer(self, ask: dict[str, Any]) -> None:
        self.asks.append(ask)
        said = self._say(ask)
        if said is None:
            return
        try:
            act(self._ctx, self._caller, ask["game"], said)
        except OperationError as error:
            self.refusals.append(error)

    def start(self) -> None:
        poll(self._ctx, self._caller, after=None, wait_s=0, version="p1")
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


@contextmanager
def polling(ctx: Context, bots: dict[str, Say]) -> Iterator[dict[str, Poller]]:
    """Registers poll bots and lets them poll, without an API: they call the use cases."""
    found = {name: Poller(ctx, identify(ctx, register(ctx, name).token), say) for name, say in bots.items()}
    for poller in found.values():
        poller.start()
    try:
        with api_heartbeat(ctx):
            yield found
    finally:
        for poller in found.values():
            poller.stop()


def play_block(ctx: Context, tournament: str, block: int = 0) -> None:
    with worker_on(ctx) as worker:
        run_block(worker, tournament, block, NeverSlow())


def test_over_poll_and_over_push_the_same_bots_play_the_same_matches(ctx: Context, other: Context) -> None:
    names = ("ann", "ben", "cid")
    with served(ctx, honest(*names)):
        pushed = cup(ctx, *names, deals=1)
        play_block(ctx, pushed)
    delete_bots(ctx, *names)
    with polling(other, {"ann": well("ann"), "cid": well("cid")}) as pollers, served(ctx, honest("ben")):
        mixed = cup(ctx, *names, deals=1, warmup_ms=5000)
        play_block(ctx, mixed)
    for number in range(3):
        over_poll, over_push = bare(ctx, game_of(ctx, mixed, number)), bare(ctx, game_of(ctx, pushed, number))
        versions = {seat["name"]: seat.pop("version") for seat in over_poll["seats"]}
        assert versions == {"ann": "p1", "ben": "1", "cid": "p1"}
        for seat in over_push["seats"]:
            seat.pop("version")
        assert {**over_poll, "setup": None} == {**over_push, "setup": None}
        verify(record(ctx, game_of(ctx, mixed, number)))
    assert all(result.faults == ({}, {}, {}) for result in results(ctx, mixed).values())
    assert pollers["ann"].refusals == []
    assert {("start", game_of(ctx, mixed, number)) for number in range(3)} <= pollers["ann"].notices


def test_a_bot_that_has_not_polled_has_not_come_up(ctx: Context) -> None:
    register(ctx, "silent")
    with served(ctx, honest("ann")):
        tournament = cup(ctx, "silent", "ann", warmup_ms=1000)
        play_block(ctx, tournament)
    for result in results(ctx, tournament).values():
        assert [result.seats[seat] for seat in result.not_started] == ["silent"]


def test_a_bot_that_does_not_answer_in_time_is_late(ctx: Context) -> None:
    with polling(ctx, {"mute": lambda ask: None}) as pollers, served(ctx, honest("ann")):
        tournament = cup(ctx, "mute", "ann", move_ms=60, bank_ms=100, max_faults=1, warmup_ms=5000)
        play_block(ctx, tournament)
    result = results(ctx, tournament)[0]
    assert result.faults[result.seats.index("mute")] == {"late": 2}
    assert [ask["bank_ms"] for ask in pollers["mute"].asks[:2]] == [100, 0], "a late answer empties the bank"
    assert {row["kind"] for row in faults_of(ctx, "mute")} == {"late"}


def test_the_first_answer_counts_also_when_it_is_refused(ctx: Context) -> None:
    with (
        polling(ctx, {"bad": lambda ask: Submission(ask["decision"]["id"], index=10**6)}) as pollers,
        served(ctx, honest("ann")),
    ):
        tournament = cup(ctx, "bad", "ann", max_faults=2, warmup_ms=5000)
        play_block(ctx, tournament)
    result = results(ctx, tournament)[0]
    assert result.faults[result.seats.index("bad")] == {"illegal": 3}
    assert result.forfeits == (result.seats.index("bad"),)
    for refusal in pollers["bad"].refusals:
        assert refusal.code == "illegal_action"
        assert refusal.extra["settled"]["by"] == "default", "the error says what was settled"
    assert {row["kind"] for row in faults_of(ctx, "bad")} == {"illegal"}
    verify(record(ctx, result.game))


def test_an_answer_after_the_deadline_is_told_what_was_settled(ctx: Context) -> None:
    late: list[str] = []

    def dawdle(ask: dict[str, Any]) -> Submission | None:
        if not late:
            late.append(ask["decision"]["id"])
            while late[0] not in load(ctx, ask["game"]).closed:
                ctx.hub.wait(f"game:{ask['game']}", load(ctx, ask["game"]).version, 5)
        return Submission(ask["decision"]["id"], index=0)

    with polling(ctx, {"ann": dawdle}) as pollers, served(ctx, honest("ben")):
        tournament = cup(ctx, "ann", "ben", move_ms=150, max_faults=9, warmup_ms=5000)
        play_block(ctx, tournament)
    assert isinstance(pollers["ann"].refusals[0], DecisionClosed)
    assert pollers["ann"].refusals[0].extra["settled"]["fault"] == "late"
    assert results(ctx, tournament)[0].faults[0].get("late", 0) >= 1


def test_a_decision_that_the_referee_has_not_put_yet_cannot_be_answered(ctx: Context) -> None:
    made = register(ctx, "ann")
    register(ctx, "ben")
    pairing, view = begin_match(ctx, cup(ctx, "ann", "ben"), 0)
    me = identify(ctx, made.token)
    assert decision(ctx, me, view.id, 0) is None
    with pytest.raises(NotYourDecision):
        act(ctx, me, view.id, Submission(f"1.play.{pairing.seats.index('ann')}.0", index=0))


def poll_match(ctx: Context, move_ms: int) -> tuple[GameView, dict[int, PollPlayer], dict[int, Caller]]:
    """A match of two poll bots, its players, and who they are to the API."""
    tokens = {name: register(ctx, name).token for name in ("ann", "ben")}
    pairing, view = begin_match(ctx, cup(ctx, *tokens, move_ms=move_ms), 0)
    bots = entrants_of(ctx, doc_of(ctx, view.id.split("-")[0]))
    players = {seat: PollPlayer(ctx, bots[name]) for seat, name in enumerate(pairing.seats)}
    return view, players, {seat: identify(ctx, tokens[name]) for seat, name in enumerate(pairing.seats)}


def test_an_ask_that_redis_has_lost_is_put_again_and_nobody_is_charged(
    ctx: Context, other: Context, outage: Outage, redis_url: str
) -> None:
    view, players, callers = poll_match(ctx, 30_000)
    decision = due(view)[0]
    remembered = outage.remember()
    with ThreadPoolExecutor(1) as pool:
        settling = pool.submit(players[0].settle, view, decision, None)
        assert wait_until(lambda: decision in load(other, view.id).asked, 20)
        with redis.Redis.from_url(redis_url) as client:
            # Only a player that listens hears that Redis was away.
            assert wait_until(lambda: client.pubsub_numsub(keys.NEWS)[0][1] > 0, 20)
        outage.rewind(remembered)
        assert wait_until(lambda: decision in load(other, view.id).asked, 20)
        act(other, callers[0], view.id, Submission(decision, index=0))
        assert settling.result(20).closed[decision].by == "player"
    assert faults_of(ctx, "ann") == faults_of(ctx, "ben") == []


def test_answers_that_redis_has_lost_are_asked_for_again_and_nobody_is_charged(
    ctx: Context, other: Context, outage: Outage
) -> None:
    view, players, callers = poll_match(ctx, 30_000)
    over = threading.Event()

    def answer_all() -> None:
        while not over.wait(0.005):
            with suppress(OperationError):
                for seat, decision in due(load(other, view.id)).items():
                    act(other, callers[seat], view.id, Submission(decision, index=0))

    def referee() -> GameView:
        lease = ctx.leases.acquire("block", 600_000)
        assert lease is not None
        while True:
            # A worker leaves the block where Redis is away, and the next one goes on.
            with suppress(Unavailable):
                return play_match(ctx, load(ctx, view.id), players, lease, lambda: None)

    with ThreadPoolExecutor(2) as pool:
        played = pool.submit(referee)
        answering = pool.submit(answer_all)
        try:
            for losses in range(1, 4):
                assert wait_until(lambda wanted=10 * losses: load(other, view.id).version > wanted, 60)  # type: ignore[misc]
                remembered = outage.remember()
                known = load(other, view.id).version
                assert wait_until(lambda known=known: load(other, view.id).version > known + 2, 60)  # type: ignore[misc]
                outage.rewind(remembered)
            ended = played.result(120)
        finally:
            over.set()
            answering.result(20)
    assert ended.status == "finished"
    assert faults_of(ctx, "ann") == faults_of(ctx, "ben") == []
    assert {closed.by for closed in load(ctx, view.id).closed.values()} == {"player"}
