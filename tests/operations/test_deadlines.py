"""Time in casual games: whose it is, from when to when, and what a default action does."""

from __future__ import annotations

from service.operations.access.tokens import identify
from service.operations.context import Context
from service.operations.games.asks import build_ask, full_budget, open_decision
from service.operations.games.change import BOT_BUDGET_MS, Settlement, load, settle
from service.operations.games.projection import GameView
from service.operations.games.read import decision
from tests.operations.game_setup import Seated, answer, begin, due, in_phase, play, register


def deadline_in(ctx: Context, seated: Seated) -> int | None:
    view = load(ctx, seated.game)
    return None if view.deadline_ms is None else view.deadline_ms - view.clock_ms


def budgets(view: GameView) -> dict[int, int | None]:
    return {seat: full_budget(view, seat).budget_ms for seat in due(view)}


def test_a_deadline_counts_from_the_opening_for_all_who_were_asked_together(ctx: Context) -> None:
    seated = begin(ctx, 3, turn_seconds=60)
    assert deadline_in(ctx, seated) == 60_000
    ctx.clock.advance(20_000)
    answer(ctx, seated, 0)
    assert deadline_in(ctx, seated) == 40_000, "an answer of another seat gives no new time"
    assert budgets(load(ctx, seated.game)) == {1: 40_000, 2: 40_000}
    ctx.clock.advance(39_999)
    assert ctx.game_lists.overdue(10) == []
    ctx.clock.advance(1)
    assert ctx.game_lists.overdue(10) == [seated.game]
    answer(ctx, seated, 1)
    answer(ctx, seated, 2)
    assert deadline_in(ctx, seated) == 60_000, "the next question has its own"
    assert ctx.game_lists.overdue(10) == []


def test_an_ask_tells_what_is_left_of_the_time(ctx: Context) -> None:
    seated = begin(ctx, 2, turn_seconds=30)
    ctx.clock.advance(12_345)
    ask = decision(ctx, seated.seats[1], seated.game, 0)
    assert ask is not None
    assert (ask["budget_ms"], ask["bank_ms"]) == (17_655, 0)
    assert ask["deadline"].endswith("Z")
    assert ask["match"] is None


def test_without_turn_seconds_nobody_is_limited(ctx: Context) -> None:
    seated = begin(ctx, 2)
    ctx.clock.advance(10**9)
    assert ctx.game_lists.overdue(10) == []
    ask = decision(ctx, seated.seats[0], seated.game, 0)
    assert ask is not None
    assert (ask["budget_ms"], ask["deadline"]) == (None, None)


def test_a_game_that_is_over_has_no_deadline(ctx: Context) -> None:
    seated = begin(ctx, 2, turn_seconds=5)
    play(ctx, seated)
    ctx.clock.advance(10_000)
    assert ctx.game_lists.overdue(10) == []
    assert deadline_in(ctx, seated) is None


def test_a_game_that_has_not_begun_has_no_deadline(ctx: Context) -> None:
    seated = begin(ctx, 2, seats=["creator", "open"], turn_seconds=5)
    ctx.clock.advance(10_000)
    assert ctx.game_lists.overdue(10) == []
    assert deadline_in(ctx, seated) is None


def test_the_next_ask_tells_what_became_of_the_last_answer(ctx: Context) -> None:
    seated = begin(ctx, 2)
    late = due(load(ctx, seated.game))[0]
    settle(ctx, seated.game, Settlement(late, None, "late", 5000))
    answer(ctx, seated, 1)
    view = play(ctx, seated, until=lambda view: 0 in due(view))
    ask = decision(ctx, seated.seats[0], seated.game, 0)
    assert ask is not None
    assert ask["previous"] == {"decision": late, "outcome": "late", "elapsed_ms": 5000}
    assert view.ledgers[0].faults == {"late": 1}
    assert view.ledgers[1].faults == {}


def with_bots(ctx: Context, *kinds: str, turn_seconds: int | None = None) -> Seated:
    """A game of two people at seats 0 and 1, and bots of these kinds behind them."""
    for number, kind in enumerate(kinds):
        register(ctx, f"bot{number}", kind=kind, **({"url": "http://127.0.0.1:1"} if kind == "push" else {}))
    seats = ["creator", "creator", *({"bot": f"bot{number}"} for number in range(len(kinds)))]
    return begin(ctx, len(seats), seats=seats, turn_seconds=turn_seconds)


def test_a_poll_bot_has_ten_seconds_and_a_person_at_its_table_has_no_limit(ctx: Context) -> None:
    seated = with_bots(ctx, "poll")
    ctx.clock.advance(4_000)
    assert budgets(load(ctx, seated.game)) == {0: None, 1: None, 2: BOT_BUDGET_MS - 4_000}
    ctx.clock.advance(6_000)
    assert ctx.game_lists.overdue(10) == [seated.game]
    view = load(ctx, seated.game)
    settle(ctx, seated.game, Settlement(due(view)[2], None, "late", BOT_BUDGET_MS))
    assert ctx.game_lists.overdue(10) == [], "only people are waited for now"
    ask = decision(ctx, seated.seats[0], seated.game, 0)
    assert ask is not None
    assert ask["budget_ms"] is None


def test_a_push_bot_has_ten_seconds_from_when_it_is_asked(ctx: Context) -> None:
    seated = with_bots(ctx, "push", "poll")
    ctx.clock.advance(9_000)
    assert budgets(load(ctx, seated.game)) == {0: None, 1: None, 2: BOT_BUDGET_MS, 3: 1_000}


def test_under_turn_seconds_a_bot_has_what_is_left_of_them(ctx: Context) -> None:
    seated = with_bots(ctx, "push", "poll", turn_seconds=45)
    ctx.clock.advance(5_000)
    assert budgets(load(ctx, seated.game)) == dict.fromkeys(range(4), 40_000)


def test_a_push_bots_call_never_waits_for_longer_than_a_minute(ctx: Context) -> None:
    seated = with_bots(ctx, "push", turn_seconds=3600)
    assert budgets(load(ctx, seated.game)) == {0: 3_600_000, 1: 3_600_000, 2: 60_000}


def test_bots_that_are_due_are_listed_as_long_as_they_are(ctx: Context) -> None:
    seated = with_bots(ctx, "push", "poll")
    poller = ctx.bots.find("bot1")
    assert poller is not None
    assert list(ctx.game_lists.offered(poller.id).since_ms) == [seated.game]
    ctx.clock.advance(5_001)
    assert ctx.game_lists.unplayed_turns(5_000, 10) == [(seated.game, 2)]
    for seat in (2, 3):
        settle(ctx, seated.game, Settlement(due(load(ctx, seated.game))[seat], None))
    ctx.clock.advance(5_001)
    assert list(ctx.game_lists.offered(poller.id).since_ms) == []
    assert ctx.game_lists.unplayed_turns(5_000, 10) == []


def test_an_ask_is_the_same_for_whoever_builds_it_but_for_the_time(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 3, turn_seconds=60)
    play(ctx, seated, until=in_phase("play", 2))
    asks = []
    for place in (ctx, other):
        view = load(place, seated.game)
        question = open_decision(view, 2)
        assert question is not None
        ask = build_ask(view, question, full_budget(view, 2))
        asks.append({name: value for name, value in ask.items() if name not in ("budget_ms", "deadline")})
        ctx.clock.advance(1_000)
        answer(ctx, seated, 0 if place is ctx else 1)
    assert asks[0] == asks[1]


def test_a_seat_is_known_by_its_token_in_every_process(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 2)
    again = identify(other, seated.seats[1].token)
    assert decision(other, again, seated.game, 0) is not None
