"""A worker was frozen, its lease ran out, and another took over: when it comes back it can do no harm."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis

from service.errors import NotFound
from service.operations.access.tokens import identify
from service.operations.bots.poll import poll
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.change import load
from service.operations.tournaments.matches import open_match
from service.processes.supervisor import wait_until
from service.store import keys
from service.store.leases import Lease, LeaseLost
from tests.operations.game_setup import begin, due, register
from tests.operations.tournament_setup import doc_of, entrants_of, game_of
from tests.workers.tournament_setup import Scripted, api_heartbeat, cup, faults_of, served, worker_on
from workers.casual_turns import run_turn
from workers.leases import turn_lease
from workers.players.poll import PollPlayer

LONG_MS = 60_000
PATIENCE_S = 20.0


def take(ctx: Context, name: str) -> Lease:
    lease = ctx.leases.acquire(name, LONG_MS)
    assert lease is not None
    return lease


def take_over(ctx: Context, name: str, old: Lease) -> Lease:
    """The lease ran out while its holder was frozen, and is another's now."""
    ctx.leases.release(old)
    return take(ctx, name)


def test_a_frozen_worker_neither_withdraws_the_ask_of_the_next_nor_charges_its_bot(
    ctx: Context, other: Context
) -> None:
    bots = {name: register(ctx, name) for name in ("ann", "ben")}
    tournament = cup(ctx, "ann", "ben", move_ms=1_000)
    doc = doc_of(ctx, tournament)
    pairing = doc.schedule().pairing(0)
    view = open_match(ctx, tournament, doc, pairing, attempt=0, bots=entrants_of(ctx, doc))
    seat = pairing.seats.index("ann")
    decision, bot = due(view)[seat], ctx.bots.find("ann")
    assert bot is not None
    frozen = take(ctx, "block")
    with api_heartbeat(ctx), ThreadPoolExecutor(1) as pool:
        late = pool.submit(PollPlayer(ctx, bot).settle, view, decision, frozen)
        assert wait_until(lambda: decision in load(other, view.id).asked, PATIENCE_S)
        lease = take_over(other, "block", frozen)
        other.games.publish_ask(view.id, decision, bot.id, LONG_MS, 0, lease=lease)
        with pytest.raises(LeaseLost):
            late.result(PATIENCE_S)
    assert faults_of(ctx, "ann") == []
    ann = identify(ctx, bots["ann"].token)
    waiting = poll(ctx, ann, after=None, wait_s=0, version=None)
    assert [ask["decision"]["id"] for ask in waiting.decisions] == [decision]
    act(ctx, ann, view.id, Submission(decision, index=3))
    assert load(other, view.id).closed[decision].by == "player"


@pytest.mark.parametrize("write", ["publish_ask", "withdraw_ask"])
def test_an_ask_is_put_and_withdrawn_under_a_live_lease_only(ctx: Context, other: Context, write: str) -> None:
    for name in ("ann", "ben"):
        register(ctx, name)
    tournament = cup(ctx, "ann", "ben")
    doc = doc_of(ctx, tournament)
    pairing = doc.schedule().pairing(0)
    view = open_match(ctx, tournament, doc, pairing, attempt=0, bots=entrants_of(ctx, doc))
    decision, bot = due(view)[0], entrants_of(ctx, doc)[pairing.seats[0]].id
    old = take(ctx, "block")
    new = take_over(other, "block", old)
    calls: dict[str, Callable[[Lease], Any]] = {
        "publish_ask": lambda lease: ctx.games.publish_ask(view.id, decision, bot, 1, 1, lease=lease),
        "withdraw_ask": lambda lease: ctx.games.withdraw_ask(view.id, decision, bot, lease=lease),
    }
    if write == "withdraw_ask":
        other.games.publish_ask(view.id, decision, bot, 1, 1, lease=new)
    before = (load(ctx, view.id).asked, ctx.game_lists.asked_in_matches(bot))
    with pytest.raises(LeaseLost):
        calls[write](old)
    assert (load(ctx, view.id).asked, ctx.game_lists.asked_in_matches(bot)) == before
    calls[write](new)
    assert (load(ctx, view.id).asked, ctx.game_lists.asked_in_matches(bot)) != before


def test_a_match_is_opened_under_a_live_lease_only(ctx: Context, other: Context) -> None:
    """Else a worker that was frozen while it warmed the bots up would let all of them forfeit."""
    for name in ("ann", "ben"):
        register(ctx, name)
    tournament = cup(ctx, "ann", "ben")
    doc = doc_of(ctx, tournament)
    pairing, bots = doc.schedule().pairing(0), entrants_of(ctx, doc)
    old = take(ctx, "block")
    new = take_over(other, "block", old)
    with pytest.raises(LeaseLost):
        open_match(ctx, tournament, doc, pairing, attempt=0, bots=bots, absent=(0, 1), lease=old)
    with pytest.raises(NotFound):
        load(ctx, game_of(ctx, tournament, 0))
    assert not open_match(other, tournament, doc, pairing, attempt=0, bots=bots, lease=new).over


@pytest.mark.parametrize("reply", [{"index": 3}, {"index": 99}, b"nonsense"], ids=["legal", "illegal", "bad body"])
def test_a_turn_of_a_casual_game_is_settled_under_a_live_lease_only(
    redis_url: str, ctx: Context, other: Context, reply: Any
) -> None:
    taken: list[Lease] = []

    def frozen_meanwhile(ask: dict[str, Any]) -> Any:
        """While the worker waits for the answer, its lease runs out and goes to another one."""
        name = turn_lease(ask["game"], 1)
        with redis.Redis.from_url(redis_url) as client:
            assert client.delete(keys.lease(name)) == 1
        taken.append(take(other, name))
        return reply

    bot = Scripted(act=frozen_meanwhile)
    with served(ctx, {"ann": bot}), worker_on(ctx) as worker:
        seated = begin(ctx, 2, seats=["creator", {"bot": "ann"}])
        decision = due(load(ctx, seated.game))[1]
        run_turn(worker, seated.game, 1)
        assert len(bot.asks) == len(bot.starts) == 1
        assert due(load(ctx, seated.game))[1] == decision, "it is open to the worker that has the lease"
        assert faults_of(ctx, "ann") == []
        assert ctx.game_lists.unplayed_turns(-1, 10) == [(seated.game, 1)]
        bot.act = lambda ask: {"index": 0}
        other.leases.release(taken[0])
        run_turn(worker, seated.game, 1)
    assert load(ctx, seated.game).closed[decision].by == "player"
    assert len(bot.starts) == 1
