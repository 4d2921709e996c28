"""Several attempts for each decision: what is refused, what is a fault, and who learns of it (PROTOCOL "Attempts")."""

from __future__ import annotations

import time
from typing import Any

import pytest

from service.engine.record import digest, verify
from service.operations.bots.faults import Fault
from service.operations.context import Context
from service.operations.games.act import Submission
from service.operations.games.asks import observation, start_message
from service.operations.games.change import load
from service.operations.games.charge import charge
from service.operations.games.projection import GameView
from service.operations.games.records import import_record, rebuild, record
from service.operations.tournaments.matches import result_of, results
from service.tournament.results import MatchResult
from tests.operations.game_setup import organiser
from tests.workers.test_poll_player import play_block, polling
from tests.workers.tournament_setup import Reply, Scripted, cup, faults_of, honest, opened, served, worker_on
from workers.referee import play_match

ILLEGAL: Reply = {"index": 10**9}
NO_INDEX: Reply = {"index": "first"}


def outcome(ctx: Context, bot: Scripted, **more: Any) -> tuple[GameView, MatchResult]:
    """The first match of a tournament of this bot and an honest one, played."""
    with served(ctx, {"bot": bot, **honest("ann")}), worker_on(ctx) as worker:
        match = opened(ctx, worker.outbound, cup(ctx, "bot", "ann", **more))
        view = play_match(ctx, match.view, match.players, match.lease, lambda: None)
    verify(record(ctx, view.id))
    return view, result_of(view, match.pairing)


def until(attempt: int, *replies: Reply) -> Scripted:
    """A bot that gives these replies at the first attempts of its first decision, and is right from `attempt` on."""
    return Scripted(
        act=lambda ask: (
            replies[ask["attempt"] - 1]
            if ask["decision"]["id"].startswith("1.play") and ask["attempt"] < attempt
            else {"index": 0}
        )
    )


def test_a_wrong_answer_is_refused_with_its_reason_and_the_next_one_counts(ctx: Context) -> None:
    bot = until(3, ILLEGAL, NO_INDEX)
    view, result = outcome(ctx, bot, attempts=3, max_faults=0, policy="strict")
    assert result.ended == "played"
    assert result.faults == ({}, {})
    asks = bot.asks[:4]
    assert [(ask["attempt"], ask["attempts"]) for ask in asks] == [(1, 3), (2, 3), (3, 3), (1, 3)]
    assert [ask["refused"] and ask["refused"]["fault"] for ask in asks] == [None, "illegal", "bad_body", None]
    assert "There is no action of index 1000000000" in asks[1]["refused"]["reason"]
    assert asks[2]["refused"]["reason"] == "`index` must be a whole number."
    same = ("decision", "observation", "legal_actions", "previous")
    assert [asks[0][name] for name in same] == [asks[1][name] for name in same] == [asks[2][name] for name in same]
    assert asks[3]["previous"]["outcome"] == "ok"
    assert faults_of(ctx, "bot") == []
    assert start_message(view.id, view.meta, view.names, 0)["attempts"] == 3


def test_all_attempts_have_the_time_of_one(ctx: Context) -> None:
    def slow(ask: dict[str, Any]) -> Reply:
        time.sleep(0.05)
        return ILLEGAL

    bot = Scripted(act=slow)
    view, _ = outcome(ctx, bot, attempts=3, move_ms=20_000, bank_ms=1000, max_faults=0)
    budgets = [ask["budget_ms"] for ask in bot.asks]
    assert budgets[0] == 21_000
    assert budgets[0] - 50 >= budgets[1] >= budgets[2] + 50
    assert faults_of(ctx, "bot")[0]["elapsed_ms"] >= 150
    seat = view.names.index("bot")
    assert view.ledgers[seat].answer_ms >= 150


@pytest.mark.parametrize("kind", ["illegal", "bad_body"])
def test_the_last_attempt_is_a_fault_of_its_kind(ctx: Context, kind: str) -> None:
    replies = {"illegal": (NO_INDEX, ILLEGAL), "bad_body": (ILLEGAL, NO_INDEX)}[kind]
    bot = Scripted(act=lambda ask: replies[ask["attempt"] - 1])
    view, result = outcome(ctx, bot, attempts=2, max_faults=0)
    assert result.faults[result.seats.index("bot")] == {kind: 1}
    assert [ask["attempt"] for ask in bot.asks] == [1, 2]
    assert [row["kind"] for row in faults_of(ctx, "bot")] == [kind]
    found = record(ctx, view.id)
    assert [entry["fault"] for entry in found["actions"] if entry["fault"]] == [kind]
    assert [entry["decision"] for entry in found["refusals"]] == [bot.asks[0]["decision"]["id"]]


def test_an_answer_that_does_not_come_is_not_asked_for_again(ctx: Context) -> None:
    bot = Scripted(act=lambda ask: (503, b""))
    _, result = outcome(ctx, bot, attempts=5, max_faults=0)
    assert result.faults[result.seats.index("bot")] == {"bad_status": 1}
    assert len(bot.asks) == 1


def test_a_late_second_attempt_is_late(ctx: Context) -> None:
    def later_and_later(ask: dict[str, Any]) -> Reply:
        if ask["attempt"] == 2:
            time.sleep(ask["budget_ms"] / 1000 + 0.3)
        return ILLEGAL

    bot = Scripted(act=later_and_later)
    _, result = outcome(ctx, bot, attempts=5, move_ms=400, max_faults=0)
    assert result.faults[result.seats.index("bot")] == {"late": 1}
    assert [ask["attempt"] for ask in bot.asks] == [1, 2]


def test_each_attempt_has_an_id_of_its_own(ctx: Context) -> None:
    bot = until(3, ILLEGAL, ILLEGAL)
    view, _ = outcome(ctx, bot, attempts=3)
    decision = bot.asks[0]["decision"]["id"].replace(".", "-")
    mine = [one for one in bot.ids if one.startswith(f"{view.id}_{decision}")]
    assert mine == [f"{view.id}_{decision}", f"{view.id}_{decision}_2", f"{view.id}_{decision}_3"]


def test_the_next_worker_goes_on_with_the_next_attempt(ctx: Context) -> None:
    bot = Scripted()
    with served(ctx, {"bot": bot, **honest("ann")}), worker_on(ctx) as worker:
        match = opened(ctx, worker.outbound, cup(ctx, "bot", "ann", attempts=2, move_ms=5000))
        seat = match.view.names.index("bot")
        first = match.view.game.decisions[seat].id
        charge(ctx, match.view.id, first, Fault("illegal", "That card is gone."), 1200, lease=match.lease)
        play_match(ctx, load(ctx, match.view.id), match.players, match.lease, lambda: None)
    assert (bot.asks[0]["decision"]["id"], bot.asks[0]["attempt"]) == (first, 2)
    assert bot.asks[0]["refused"] == {"fault": "illegal", "reason": "That card is gone."}
    assert bot.asks[0]["budget_ms"] == 3800


def test_nobody_else_learns_of_a_refused_answer_while_the_game_runs(ctx: Context) -> None:
    with served(ctx, {"bot": Scripted(), **honest("ann")}), worker_on(ctx) as worker:
        match = opened(ctx, worker.outbound, cup(ctx, "bot", "ann", attempts=2))
        before = match.view
        seat = before.names.index("bot")
        decision = before.game.decisions[seat].id
        after = charge(ctx, before.id, decision, Fault("illegal", "secret"), 10, lease=match.lease).view
    assert after.version == before.version + 1
    assert after.events() == before.events()
    for watcher in (None, 1 - seat):
        assert {**observation(after, watcher), "version": before.version} == observation(before, watcher)


def test_the_record_of_refused_answers_can_be_imported_and_asked_again(ctx: Context, other: Context) -> None:
    bot = until(3, ILLEGAL, NO_INDEX)
    view, _ = outcome(ctx, bot, attempts=3)
    found = record(ctx, view.id)
    assert [(entry["decision"], entry["fault"]) for entry in found["refusals"]] == [
        (bot.asks[0]["decision"]["id"], "illegal"),
        (bot.asks[0]["decision"]["id"], "bad_body"),
    ]
    second_round = next(ask for ask in bot.asks if ask["decision"]["id"].startswith("2.play"))
    seat = view.names.index("bot")
    asked = next(
        one
        for one in rebuild(found, round_=2, seat=seat, budget_ms=1000, time_ms=0)
        if one.decision == second_round["decision"]["id"]
    )
    assert asked.ask["observation"] == second_round["observation"]
    copied = {**found, "game": "copied"}
    copied["digest"] = digest(copied)
    assert import_record(other, organiser(other), copied)["digest"] == copied["digest"]
    assert record(other, "copied")["refusals"] == found["refusals"]


def test_over_poll_the_error_says_how_many_attempts_are_left(ctx: Context) -> None:
    def say(ask: dict[str, Any]) -> Submission:
        wrong = ask["decision"]["id"].startswith("1.play") and ask["attempt"] < 3
        return Submission(ask["decision"]["id"], index=10**6 if wrong else 0)

    with polling(ctx, {"bot": say}) as pollers, served(ctx, honest("ann")):
        tournament = cup(ctx, "bot", "ann", attempts=3, max_faults=0, warmup_ms=5000, move_ms=20_000)
        play_block(ctx, tournament)
    assert [result.faults for result in results(ctx, tournament).values()] == [({}, {}), ({}, {})]
    asks = [ask for ask in pollers["bot"].asks if ask["decision"]["id"].startswith("1.play")][:3]
    assert [ask["attempt"] for ask in asks] == [1, 2, 3]
    assert asks[0]["budget_ms"] > asks[1]["budget_ms"] > asks[2]["budget_ms"] - 1
    told = [refusal.extra for refusal in pollers["bot"].refusals[:2]]
    assert [(extra["settled"], extra["attempts_left"]) for extra in told] == [(None, 2), (None, 1)]


def test_over_poll_the_last_attempt_settles_the_decision(ctx: Context) -> None:
    with (
        polling(ctx, {"bot": lambda ask: Submission(ask["decision"]["id"], index=10**6)}) as pollers,
        served(ctx, honest("ann")),
    ):
        tournament = cup(ctx, "bot", "ann", attempts=2, max_faults=0, warmup_ms=5000)
        play_block(ctx, tournament)
    result = results(ctx, tournament)[0]
    assert result.faults[result.seats.index("bot")] == {"illegal": 1}
    told = [refusal.extra for refusal in pollers["bot"].refusals[:2]]
    assert [extra["attempts_left"] for extra in told] == [1, 0]
    assert told[1]["settled"]["fault"] == "illegal"
    assert faults_of(ctx, "bot")[-1]["elapsed_ms"] >= 0
