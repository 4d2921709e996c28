"""What a poll bot is shown where many games wait for it."""

from __future__ import annotations

import redis

from service.operations.access.tokens import identify
from service.operations.bots.poll import MAX_NOTICES, poll
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.change import abort
from tests.operations.game_setup import begin, due, register
from tests.operations.tournament_setup import begin_match, begin_tournament

MANY = MAX_NOTICES + 16


def test_casual_games_hide_no_ask_of_a_match_and_nothing_is_left_out_silently(ctx: Context) -> None:
    ann = register(ctx, "ann", max_games=3)
    caller = identify(ctx, ann.token)
    casual = {begin(ctx, 2, seats=["creator", {"bot": "ann"}]).game for _ in range(MANY)}
    pairing, view = begin_match(ctx, begin_tournament(ctx, 2), 0)
    seat = pairing.seats.index("ann")
    decision = due(view)[seat]
    ctx.games.publish_ask(view.id, decision, ann.bot.id, 10_000, 0)
    waiting = poll(ctx, caller, after=None, wait_s=0, version=None)
    first, *shown = [ask["game"] for ask in waiting.decisions]
    assert first == view.id
    assert len(shown) == 3 and set(shown) < casual
    assert waiting.notices[0]["game"] == view.id, "matches come first"
    assert len(waiting.notices) == MAX_NOTICES
    assert waiting.more == (MANY - 3) + (MANY + 1 - MAX_NOTICES)
    act(ctx, caller, shown[0], Submission("1.play.1.0", index=0))
    later = poll(ctx, caller, after=waiting.cursor, wait_s=20, version=None)
    assert shown[0] not in [ask["game"] for ask in later.decisions]
    assert len(later.decisions) == 4 and later.cursor != waiting.cursor


def test_a_poll_reads_no_more_games_however_many_wait(ctx: Context, redis_url: str) -> None:
    ann = register(ctx, "ann", max_games=3)
    scripts = []
    with redis.Redis.from_url(redis_url) as client:
        for _ in range(2):
            for _ in range(MANY):
                begin(ctx, 2, seats=["creator", {"bot": "ann"}])
            client.config_resetstat()
            poll(ctx, identify(ctx, ann.token), after=None, wait_s=0, version=None)
            scripts.append(client.info("commandstats")["cmdstat_evalsha"]["calls"])
    assert scripts[0] == scripts[1]


def test_a_bot_with_few_games_is_told_of_all_of_them(ctx: Context) -> None:
    ann = register(ctx, "ann", max_games=3)
    games = [begin(ctx, 2, seats=["creator", {"bot": "ann"}]).game for _ in range(3)]
    abort(ctx, games[0])
    waiting = poll(ctx, identify(ctx, ann.token), after=None, wait_s=0, version=None)
    assert {ask["game"] for ask in waiting.decisions} == set(games[1:])
    assert [notice["game"] for notice in waiting.notices if notice["type"] == "end"] == [games[0]]
    assert waiting.more == 0 and "more" not in waiting.to_json()
