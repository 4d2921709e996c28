"""A job plays a block: warm-up, its matches one after another, and who is told what."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import redis

from bots.random_bot import RandomBot
from montego_bot import Action, Ask
from service.engine.record import verify
from service.operations.access.tokens import ANONYMOUS
from service.operations.bots import registry
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.records import record
from service.operations.tournaments import lifecycle, read
from service.operations.tournaments.matches import results
from service.operations.tournaments.read import standings
from service.processes.ports import free_port
from service.store import clients, keys
from service.store.tournaments import TournamentStore
from service.tournament.results import MatchResult
from tests.operations.game_setup import organiser
from tests.operations.tournament_setup import game_of
from tests.workers.tournament_setup import (
    INFORMATION,
    Entrant,
    NeverSlow,
    Reply,
    Scripted,
    bare,
    cup,
    honest,
    served,
    worker_on,
)
from workers.blocks import LOOK_S, run_block
from workers.leases import block_lease


def play_blocks(ctx: Context, tournament: str, *blocks: int, draining: Callable[[], bool] = lambda: False) -> None:
    """What workers do that get these blocks, one after another."""
    with worker_on(ctx, draining) as worker:
        for block in blocks:
            run_block(worker, tournament, block, NeverSlow())


def by_name(result: MatchResult, values: tuple[Any, ...] | None) -> dict[str, Any]:
    assert values is not None
    return dict(zip(result.seats, values, strict=True))


class Watched(RandomBot):
    """A random bot that does something when it is asked for the n-th time, before it answers."""

    def __init__(self, name: str, at: int, what: Callable[[], object]) -> None:
        super().__init__(name, seed=name)
        self.asked, self.at, self._what = 0, at, what

    def act(self, ask: Ask) -> Action:
        self.asked += 1
        if self.asked == self.at:
            self._what()
        return super().act(ask)


def test_all_matches_of_a_block_are_played_and_counted_once(ctx: Context) -> None:
    with served(ctx, honest("ann", "ben", "cid")):
        tournament = cup(ctx, "ann", "ben", "cid")
        play_blocks(ctx, tournament, 0, 0)
    found = results(ctx, tournament)
    for name in ("ann", "ben", "cid"):
        assert {result.seats.index(name) for result in found.values()} == {0, 1, 2}
    assert ctx.blocks.done(tournament, [0]) == {0}
    assert ctx.blocks.active() == []
    assert ctx.leases.live([block_lease(tournament, 0)]) == set()
    rows = standings(ctx, tournament)["standings"]
    assert [row["matches"] for row in rows] == [3, 3, 3]
    assert all(row["answer_ms"] > 0 for row in rows)
    for result in found.values():
        verify(record(ctx, result.game))


def test_each_bot_is_told_the_start_and_the_end_of_each_match(ctx: Context) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben", move_ms=5000, bank_ms=77, max_faults=3, variants={"tally": "circuit"})
        play_blocks(ctx, tournament, 0)
    found = results(ctx, tournament)
    assert [start["game"] for start in bot.starts] == [found[0].game, found[1].game]
    for start, result in zip(bot.starts, found.values(), strict=True):
        assert start["seats"] == list(result.seats)
        assert start["seats"][start["seat"]] == "ann"
        assert (start["protocol"], start["tournament"], start["players"]) == ("montego-bay/1", tournament, 2)
        assert (start["move_ms"], start["bank_ms"], start["max_faults"]) == (5000, 77, 3)
        assert start["variants"]["tally"] == "circuit"
        assert len(start["components"]["warehouses"]) == 7
    for end, result in zip(bot.ends, found.values(), strict=True):
        assert result.places is not None
        assert (end["game"], end["points"], end["places"]) == (result.game, list(result.points), list(result.places))
        assert (end["ended"], end["faults"], end["record"]) == ("played", {}, f"/v1/games/{result.game}/record")
    signed = {f"{result.game}_{word}" for result in found.values() for word in ("start", "end")}
    assert signed <= set(bot.ids)


def test_a_bot_that_does_not_come_up_forfeits_its_block_and_nobody_elses(ctx: Context) -> None:
    with served(ctx, {"down": f"http://127.0.0.1:{free_port()}", **honest("ann", "ben")}):
        tournament = cup(ctx, "ann", "ben", "down", players=2)
        play_blocks(ctx, tournament, 0, 1, 2)
    for result in results(ctx, tournament).values():
        if "down" in result.seats:
            assert [result.seats[seat] for seat in result.not_started] == ["down"]
            assert by_name(result, result.places)["down"] == 2
            assert result.faults == ({}, {}), "it is no fault"
        else:
            assert (result.not_started, result.ended) == ((), "played")
    rows = {row["name"]: row for row in standings(ctx, tournament)["standings"]}
    assert (rows["down"]["not_started"], rows["down"]["score"]) == (4, 0)
    assert {rows[name]["matches"] for name in rows} == {4}


def test_with_three_present_a_match_is_played_without_the_one_who_is_away(ctx: Context) -> None:
    calls: list[str] = []

    def loading() -> Reply:
        calls.append("information")
        return 503, b"still loading"

    away = Scripted(information=loading)
    with served(ctx, {"away": away, **honest("ann", "ben", "cid")}):
        tournament = cup(ctx, "away", "ann", "ben", "cid", warmup_ms=400)
        play_blocks(ctx, tournament, 0)
    for result in results(ctx, tournament).values():
        assert (by_name(result, result.places)["away"], result.ended) == (4, "played")
    assert 2 <= len(calls) <= 5, "tried with growing pauses, before the first match only"
    assert (away.asks, away.starts, away.ends) == ([], [], [])


@pytest.mark.parametrize(
    ("information", "begin", "why"),
    [
        ({**INFORMATION, "protocol": "montego-bay/0"}, {}, 'must be an object with "protocol"'),
        ({"name": "x"}, {}, 'must be an object with "protocol"'),
        (b"<html>", {}, "GET /: the body cannot be read"),
        ((404, b"{}"), {}, "GET /: bad_status: the answer has status 404"),
        (INFORMATION, (500, b""), "POST /start: bad_status: the answer has status 500"),
    ],
    ids=["another protocol", "no protocol", "no JSON", "not found", "start fails"],
)
def test_a_bot_that_does_not_speak_the_protocol_has_not_come_up_and_its_owner_reads_why(
    ctx: Context, information: Reply, begin: Reply, why: str
) -> None:
    bot = Scripted(information=lambda: information, begin=lambda start: begin)
    with served(ctx, {"odd": bot, **honest("ann")}):
        tournament = cup(ctx, "odd", "ann", warmup_ms=1000)
        play_blocks(ctx, tournament, 0)
    assert {by_name(result, result.places)["odd"] for result in results(ctx, tournament).values()} == {2}
    assert bot.asks == []
    odd = ctx.bots.find("odd")
    assert odd is not None
    told = registry.show(ctx, organiser(ctx), odd.id)["not_started"]
    assert (told["tournament"], told["match"]) == (tournament, f"{tournament}-0-0")
    assert why in told["detail"]
    assert "not_started" not in registry.show(ctx, ANONYMOUS, odd.id)
    assert registry.faults(ctx, organiser(ctx), odd.id, 10, None)["items"] == [], "it is no fault"


def test_a_bot_may_take_its_time_to_come_up_and_is_not_charged_for_it(ctx: Context) -> None:
    tries: list[int] = []

    def information() -> Reply:
        tries.append(1)
        return INFORMATION if len(tries) > 3 else (503, b"")

    with served(ctx, {"slow": Scripted(information=information), **honest("ann")}):
        tournament = cup(ctx, "slow", "ann", warmup_ms=20_000)
        play_blocks(ctx, tournament, 0)
    for result in results(ctx, tournament).values():
        assert (result.not_started, result.faults, result.ended) == ((), ({}, {}), "played")


def test_the_version_that_a_bot_tells_is_kept_with_each_match(ctx: Context) -> None:
    told = iter(["1.0", "1.\x1b[31m1", 17])
    bot = Scripted(information=lambda: {**INFORMATION, "version": next(told)})
    with served(ctx, {"ann": bot, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben", deals=2)
        play_blocks(ctx, tournament, 0)
    versions = [by_name(result, result.versions)["ann"] for result in results(ctx, tournament).values()]
    assert versions[0] == "1.0"
    assert versions[1] is not None and "\x1b" not in versions[1]
    rows = {row["name"]: row for row in standings(ctx, tournament)["standings"]}
    assert rows["ann"]["versions"] == versions, "a change of version within a tournament is shown"
    found = ctx.bots.find("ann")
    assert found is not None
    assert (found.version, found.up) == (versions[1], True)


def test_a_block_goes_on_with_the_match_that_was_not_finished(ctx: Context, other: Context) -> None:
    names = ("ann", "ben", "cid")
    drained = threading.Event()
    watched = Watched("ann", 0, drained.set)
    with served(ctx, {**honest("ben", "cid"), "ann": watched}):
        plain = cup(ctx, *names)
        play_blocks(ctx, plain, 0)
        watched.at = watched.asked + 30
        tournament = cup(ctx, *names)
        play_blocks(ctx, tournament, 0, draining=drained.is_set)
        first = results(ctx, tournament)
        assert 0 < len(first) < 3
        assert load(ctx, game_of(ctx, tournament, len(first))).status == "running"
        assert ctx.leases.live([block_lease(tournament, 0)]) == set(), "another may have it at once"
        play_blocks(other, tournament, 0)
    assert results(ctx, tournament).items() >= first.items(), "what was stored stands"
    for number in range(3):
        assert bare(ctx, game_of(ctx, tournament, number)) == bare(ctx, game_of(ctx, plain, number))


def test_a_match_whose_result_redis_has_lost_is_counted_before_the_block_is_done(ctx: Context, redis_url: str) -> None:
    def lose() -> None:
        with redis.Redis.from_url(redis_url) as client:
            lost.append(client.hdel(keys.tournament_results(tournament), "0"))

    lost: list[object] = []
    watched = Watched("ann", 0, lose)
    with served(ctx, {**honest("ben"), "ann": watched}):
        tournament = cup(ctx, "ann", "ben")
        play_blocks(ctx, tournament, 0)
        before, watched.at = results(ctx, tournament), watched.asked + watched.asked // 2 + 5
        tournament = cup(ctx, "ann", "ben")
        play_blocks(ctx, tournament, 0)
    assert lost == [1], "in the second match"
    assert ctx.blocks.done(tournament, [0]) == {0}
    assert [result.points for result in results(ctx, tournament).values()] == [
        result.points for result in before.values()
    ]


def test_who_was_away_stays_away_when_another_worker_goes_on_with_the_block(ctx: Context, other: Context) -> None:
    up = threading.Event()
    drained = threading.Event()

    def information() -> Reply:
        return INFORMATION if up.is_set() else (503, b"")

    late = Scripted(information=information)
    bots: dict[str, Entrant] = {"late": late, "ann": Watched("ann", 5, drained.set), **honest("ben")}
    with served(ctx, bots):
        tournament = cup(ctx, "late", "ann", "ben", warmup_ms=1000)
        play_blocks(ctx, tournament, 0, draining=drained.is_set)
        up.set()
        play_blocks(other, tournament, 0)
    assert [len(result.not_started) for result in results(ctx, tournament).values()] == [1, 1, 1]
    assert late.asks == []


def test_who_was_away_stays_away_when_another_worker_goes_on_with_the_next_match(ctx: Context, other: Context) -> None:
    up, drained = threading.Event(), threading.Event()
    late = Scripted(information=lambda: INFORMATION if up.is_set() else (503, b""))
    with served(ctx, {"late": late, "ann": Scripted(end=drained.set), **honest("ben")}):
        tournament = cup(ctx, "late", "ann", "ben", warmup_ms=1000)
        play_blocks(ctx, tournament, 0, draining=drained.is_set)
        assert len(results(ctx, tournament)) == 1
        up.set()
        play_blocks(other, tournament, 0)
    assert [len(result.not_started) for result in results(ctx, tournament).values()] == [1, 1, 1]
    assert late.asks == []


def test_a_withdrawn_bots_running_game_is_broken_off_and_its_block_cancelled(ctx: Context) -> None:
    def withdraw() -> None:
        lifecycle.withdraw(ctx, organiser(ctx), tournament, "ben")
        time.sleep(LOOK_S)  # for so long a referee may not see it

    with served(ctx, {"ann": Watched("ann", 30, withdraw), **honest("ben", "cid")}):
        tournament = cup(ctx, "ann", "ben", "cid")
        play_blocks(ctx, tournament, 0)
    found = results(ctx, tournament)
    assert [result.status for result in found.values()][-1] == "cancelled"
    assert "cancelled" in {result.status for result in found.values()}
    assert len(found) == 3
    assert ctx.blocks.done(tournament, [0]) == {0}
    broken = [result for result in found.values() if result.status == "cancelled" and result.game]
    assert [load(ctx, result.game).status for result in broken] == ["aborted"]
    assert all(row["matches"] == 0 for row in standings(ctx, tournament)["standings"])
    finished = sum(result.status == "finished" for result in found.values())
    counts = {"total": 3, "drawn": 3, "finished": finished, "cancelled": 3 - finished}
    assert read.show(ctx, tournament)["matches"] == standings(ctx, tournament)["matches"] == counts


def test_a_cancelled_tournaments_running_game_is_broken_off_at_once(ctx: Context) -> None:
    def cancel() -> None:
        lifecycle.cancel(ctx, organiser(ctx), tournament)
        time.sleep(LOOK_S)

    watched = Watched("ann", 30, cancel)
    with served(ctx, {"ann": watched, **honest("ben", "cid")}):
        tournament = cup(ctx, "ann", "ben", "cid")
        play_blocks(ctx, tournament, 0, 0)
    found = results(ctx, tournament)
    game = load(ctx, game_of(ctx, tournament, len(found)))
    assert game.status == "aborted"
    assert {result.status for result in found.values()} <= {"finished"}
    last = ctx.tournaments.events(tournament, 0, 100)[-1][1]
    assert '"type":"cancelled"' in last, "nothing is written after the last event"


def test_a_match_that_ends_just_after_its_tournament_was_cancelled_counts_no_more(ctx: Context) -> None:
    def cancel() -> None:
        lifecycle.cancel(ctx, organiser(ctx), tournament)

    watched, opponent = Watched("ann", 0, cancel), Scripted()
    with served(ctx, {"ann": watched, "ben": opponent}):
        quiet = cup(ctx, "ann", "ben")
        play_blocks(ctx, quiet, 0)
        watched.at = watched.asked + results(ctx, quiet)[0].answers[0]
        opponent.ends.clear()
        tournament = cup(ctx, "ann", "ben")
        play_blocks(ctx, tournament, 0)
    game = game_of(ctx, tournament, 0)
    assert load(ctx, game).over
    assert results(ctx, tournament) == {}
    assert ctx.blocks.done(tournament, [0]) == set()
    assert '"type":"cancelled"' in ctx.tournaments.events(tournament, 0, 100)[-1][1]
    assert [end["game"] for end in opponent.ends] == [game], "the game is over for its bots too"


class CancelledFirst(TournamentStore):
    """A store in which the tournament is cancelled just before a result is written, whenever that is."""

    def put_result(self, tournament: str, match: int, result: str, event: str, *, cancelled: bool = False) -> bool:
        self.move(tournament, ["running"], "cancelled", event='{"type":"cancelled"}')
        return super().put_result(tournament, match, result, event, cancelled=cancelled)


def test_no_result_is_written_behind_the_last_event_however_close_it_is(ctx: Context, redis_url: str) -> None:
    unlucky = replace(ctx, tournaments=CancelledFirst(clients.commands(redis_url)))
    with served(ctx, honest("ann", "ben")):
        tournament = cup(ctx, "ann", "ben")
        play_blocks(unlucky, tournament, 0)
    assert load(ctx, game_of(ctx, tournament, 0)).status == "finished"
    assert results(ctx, tournament) == {}
    assert ctx.tournaments.events(tournament, 0, 100)[-1][1] == '{"type":"cancelled"}'


def test_a_paused_tournaments_running_match_is_played_on_and_no_new_one_begins(ctx: Context) -> None:
    def pause() -> None:
        lifecycle.pause(ctx, organiser(ctx), tournament)

    with served(ctx, {"ann": Watched("ann", 5, pause), **honest("ben", "cid")}):
        tournament = cup(ctx, "ann", "ben", "cid")
        play_blocks(ctx, tournament, 0, 0)
        assert [result.status for result in results(ctx, tournament).values()] == ["finished"]
        assert ctx.blocks.done(tournament, [0]) == set()
        lifecycle.resume(ctx, organiser(ctx), tournament)
        play_blocks(ctx, tournament, 0)
    assert len(results(ctx, tournament)) == 3


def test_a_block_that_another_worker_plays_is_left_to_it(ctx: Context, other: Context) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot, **honest("ben")}):
        tournament = cup(ctx, "ann", "ben")
        held = other.leases.acquire(block_lease(tournament, 0), 60_000)
        play_blocks(ctx, tournament, 0)
        assert results(ctx, tournament) == {}
        assert (bot.starts, bot.asks) == ([], [])
        assert held is not None
        other.leases.release(held)
        play_blocks(ctx, tournament, 0)
    assert len(results(ctx, tournament)) == 2


def test_a_tournament_is_given_up_after_three_failures_of_our_own_and_says_so(
    ctx: Context, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with served(ctx, honest("ann", "ben")):
        tournament = cup(ctx, "ann", "ben")
        bot = ctx.bots.find("ann")
        assert bot is not None
        with redis.Redis.from_url(redis_url) as client:
            client.delete(keys.bot_row(bot.id))  # The store refuses it: something went wrong.
        play_blocks(ctx, tournament, 0, 0)
        assert read.show(ctx, tournament)["status"] == "running"
        play_blocks(ctx, tournament, 0)
    shown = read.show(ctx, tournament)
    assert (shown["status"], shown["reason"][:14]) == ("failed", "Block 0 failed")
    assert sum("AssertionError" in (entry.exc_text or "") for entry in caplog.records) == 3


def test_a_tournament_that_does_not_exist_is_no_failure(ctx: Context) -> None:
    play_blocks(ctx, "nosuchtournament", 0)
    assert ctx.leases.live([block_lease("nosuchtournament", 0)]) == set()


def test_a_bot_that_cannot_be_called_at_all_has_not_come_up(ctx: Context) -> None:
    with served(ctx, {"inner": "http://169.254.169.254/", **honest("ann")}):
        tournament = cup(ctx, "inner", "ann", warmup_ms=1000)
        play_blocks(ctx, tournament, 0)
    assert all(len(result.not_started) == 1 for result in results(ctx, tournament).values())
