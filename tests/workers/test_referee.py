"""The referee plays a match: asks all at once, keeps the clock, and goes on from the log at any point."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from bots.random_bot import RandomBot
from montego_bot import Action, Ask, Commented, FunctionBot
from service.engine.record import verify
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.log_entries import Settled, decode, seat_of
from service.operations.games.records import record
from service.operations.tournaments.matches import result_of
from service.store.leases import LeaseLost
from tests.workers.tournament_setup import (
    Entrant,
    Match,
    Reply,
    Scripted,
    bare,
    cup,
    delete_bots,
    honest,
    opened,
    served,
    worker_on,
)
from workers.referee import Stopped, play_match

NEVER: Callable[[], None] = lambda: None  # noqa: E731  (an argument, over and over)


def play(ctx: Context, match: Match) -> str:
    """Plays the match to its end; the id of its game."""
    return play_match(ctx, match.view, match.players, match.lease, NEVER).id


def played(ctx: Context, entrants: dict[str, Entrant], **more: Any) -> str:
    """The first match of a tournament of these bots, played; the id of its game."""
    with served(ctx, entrants), worker_on(ctx) as worker:
        return play(ctx, opened(ctx, worker.outbound, cup(ctx, *entrants, **more)))


def asked_together(answers: list[str], order: list[int]) -> type[RandomBot]:
    """A bot that, while cards are chosen, answers only when all seats have been asked, and then in that order."""
    rounds: dict[int, threading.Barrier] = {}
    answered: dict[tuple[int, int], threading.Event] = {}
    lock = threading.Lock()

    def event(round_number: int, seat: int) -> threading.Event:
        with lock:
            return answered.setdefault((round_number, seat), threading.Event())

    class Together(RandomBot):
        def act(self, ask: Ask) -> Action:
            choice = super().act(ask)
            if ask.decision.type == "play":
                number = int(ask.decision.id.split(".")[0])
                with lock:
                    barrier = rounds.setdefault(number, threading.Barrier(len(order)))
                barrier.wait(10)
                before = order[: order.index(ask.decision.seat)]
                assert all(event(number, seat).wait(10) for seat in before)
                answers.append(ask.decision.id)
                event(number, ask.decision.seat).set()
            return choice

    return Together


@pytest.mark.parametrize("players", [2, 4])
def test_a_match_is_played_to_its_end_and_its_record_is_sound(ctx: Context, players: int) -> None:
    names = ("ann", "ben", "cid", "dot")[:players]
    with served(ctx, honest(*names)), worker_on(ctx) as worker:
        match = opened(ctx, worker.outbound, cup(ctx, *names))
        game = play(ctx, match)
    result = result_of(load(ctx, game), match.pairing)
    verify(record(ctx, game))
    assert result.ended == "played"
    assert result.faults == ({},) * players
    assert min(result.answers) > 0


def test_comments_of_push_bots_are_in_the_record(ctx: Context) -> None:
    ann = FunctionBot(lambda ask: Commented(0, f"I am asked {ask.decision.id}."), name="ann")
    found = record(ctx, played(ctx, {"ann": ann, "ben": RandomBot("ben")}, players=2))
    seat = next(seat["seat"] for seat in found["seats"] if seat["name"] == "ann")
    asked = [action["decision"] for action in found["actions"] if action["seat"] == seat]
    assert found["comments"] == [{"decision": one, "comment": f"I am asked {one}."} for one in asked]
    verify(found)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_all_seats_are_asked_at_once_and_it_does_not_matter_who_answers_first(ctx: Context, order: list[int]) -> None:
    names = ("ann", "ben", "cid", "dot")
    plain = bare(ctx, played(ctx, honest(*names)))
    delete_bots(ctx, *names)
    answers: list[str] = []
    together = asked_together(answers, order)
    game = played(ctx, {name: together(name, seed=name) for name in names})
    view = load(ctx, game)
    assert [ledger.faults for ledger in view.ledgers] == [{}] * 4, "each was asked before any had answered"
    assert len(answers) == 4 * view.game.round
    assert bare(ctx, game) == plain


def test_an_answer_costs_one_call_of_the_store_also_where_all_seats_answer_at_once(
    ctx: Context, redis_url: str
) -> None:
    names = ("ann", "ben", "cid", "dot")
    with served(ctx, honest(*names)), worker_on(ctx) as worker, redis.Redis.from_url(redis_url) as client:
        match = opened(ctx, worker.outbound, cup(ctx, *names))
        client.config_resetstat()
        game = play(ctx, match)
        calls = client.info("commandstats")["cmdstat_evalsha"]["calls"]
    answers = sum(ledger.answers for ledger in load(ctx, game).ledgers)
    # On a busy machine one may be impatient, and is refused once.
    assert answers <= calls < 1.2 * answers


def test_all_seats_get_the_same_opening_in_their_asks(ctx: Context) -> None:
    bots = {name: Scripted() for name in ("ann", "ben", "cid")}
    played(ctx, dict(bots))
    first = [bot.asks[0] for bot in bots.values()]
    assert {ask["observation"]["version"] for ask in first} == {4}
    assert [ask["observation"]["due"] for ask in first] == [[0, 1, 2]] * 3
    assert all(not seat["chosen"] for ask in first for seat in ask["observation"]["seats"])
    assert {ask["previous"] for ask in first} == {None}
    assert {ask["budget_ms"] for ask in first} == {20_000}


def test_each_ask_is_named_after_its_game_and_decision(ctx: Context) -> None:
    bot = Scripted()
    game = played(ctx, {"ann": bot, **honest("ben")})
    assert bot.ids == [f"{game}_{ask['decision']['id'].replace('.', '-')}" for ask in bot.asks]
    assert len(set(bot.ids)) == len(bot.ids)


def test_time_beyond_move_ms_comes_out_of_the_bank_across_all_decisions(ctx: Context) -> None:
    def slowly(ask: dict[str, Any]) -> Reply:
        time.sleep(0.08)
        return {"index": 0}

    bot = Scripted(act=slowly)
    game = played(ctx, {"ann": bot, **honest("ben")}, move_ms=50, bank_ms=400, max_faults=1000)
    seat = load(ctx, game).names.index("ann")
    row = ctx.games.read(game, 0)
    assert row is not None
    # By the log: where the machine stalls, an ask whose time is up may reach the bot after the next one, or never.
    bank, previous = 400, None
    for entry in map(decode, row.entries):
        if not isinstance(entry, Settled) or seat_of(entry.decision) != seat or entry.elapsed_ms is None:
            continue
        for ask in bot.asks:
            if ask["decision"]["id"] == entry.decision:
                assert (ask["bank_ms"], ask["budget_ms"], ask["previous"]) == (bank, 50 + bank, previous)
        bank = 0 if entry.fault == "late" else max(0, bank - max(0, entry.elapsed_ms - 50))
        outcome = entry.fault or "ok"
        previous = {"decision": entry.decision, "outcome": outcome, "elapsed_ms": entry.elapsed_ms}
    assert len(bot.asks) > 10
    assert bank == 0, "eighty milliseconds each time were too much"
    assert load(ctx, game).ledgers[seat].faults["late"] >= 1


def test_after_a_stop_at_any_point_another_referee_plays_the_same_match(ctx: Context, other: Context) -> None:
    names = ("ann", "ben", "cid")
    chance = random.Random(5)
    with served(ctx, honest(*names)), worker_on(ctx) as worker, worker_on(other) as later:
        plain = bare(ctx, play(ctx, opened(ctx, worker.outbound, cup(ctx, *names))))
        points = len(plain["actions"])
        for stop_after in [0, 1, *chance.sample(range(2, points // 2), 4)]:
            tournament = cup(ctx, *names)
            match = opened(ctx, worker.outbound, tournament)
            left = [stop_after]

            def stop(left: list[int] = left) -> str | None:
                left[0] -= 1
                return "enough" if left[0] < 0 else None

            with pytest.raises(Stopped):
                play_match(ctx, match.view, match.players, match.lease, stop)
            ctx.leases.release(match.lease)
            game = play(other, opened(other, later.outbound, tournament))
            assert bare(other, game) == plain, f"stopped after {stop_after}"
            verify(record(other, game))


def test_a_referee_whose_lease_was_taken_over_in_the_middle_of_a_phase_writes_no_more(
    ctx: Context, other: Context
) -> None:
    names = ("ann", "ben", "cid", "dot")
    plain_bots = honest(*names)
    taken: dict[str, Any] = {}

    class Thief(RandomBot):
        """When it is asked for the n-th time, another process takes the match over before it answers."""

        asked = 0

        def act(self, ask: Ask) -> Action:
            self.asked += 1
            if self.asked == taken.get("at"):
                ctx.leases.release(taken["match"].lease)
                taken["new"] = opened(other, taken["outbound"], taken["tournament"])
            return super().act(ask)

    thief = Thief("ann", seed="ann")
    with served(ctx, {**plain_bots, "ann": thief}), worker_on(ctx) as worker, worker_on(other) as later:
        plain = bare(ctx, play(ctx, opened(ctx, worker.outbound, cup(ctx, *names))))
        asks = thief.asked
        for at in random.Random(6).sample(range(1, asks), 5):
            tournament = cup(ctx, *names)
            match = opened(ctx, worker.outbound, tournament)
            thief.asked = 0
            taken.update(at=at, match=match, outbound=later.outbound, tournament=tournament)
            with pytest.raises(LeaseLost):
                play_match(ctx, match.view, match.players, match.lease, NEVER)
            version = load(ctx, match.view.id).version
            assert version < len(plain["actions"])
            game = play(other, taken["new"])
            assert bare(other, game) == plain, f"taken over at ask {at}"
            other.leases.release(taken["new"].lease)
