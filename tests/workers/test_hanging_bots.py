"""A push bot that does not answer delays its own games, and nothing else that workers do."""

from __future__ import annotations

import threading
from typing import Any

from service.operations.bots import checks
from service.operations.context import Context
from service.operations.games.change import load
from service.processes.supervisor import wait_until
from tests.operations.game_setup import begin, organiser
from tests.workers.processes import Workers
from tests.workers.raw_bots import RawBot, http, says
from tests.workers.tournament_setup import Scripted, served

PATIENCE_S = 50


def test_a_bot_that_hangs_in_forty_games_delays_no_other_bot_callback_or_check(ctx: Context, redis_url: str) -> None:
    released = threading.Event()

    def hang(ask: dict[str, Any]) -> dict[str, int]:
        released.wait(2 * PATIENCE_S)
        return {"index": 0}

    hung, quick = Scripted(act=hang), Scripted()
    with (
        served(ctx, {"hung": hung, "quick": quick}),
        RawBot(says(http(b"", "204 No Content"))) as receiver,
        Workers(redis_url, 1),
    ):
        slow = [begin(ctx, 2, seats=["creator", {"bot": "hung"}], turn_seconds=3600) for _ in range(40)]
        assert wait_until(lambda: len(hung.asks) == 4, PATIENCE_S), "as many at a time as its max_games"
        seated = begin(ctx, 2, seats=["creator", {"bot": "quick"}], by=organiser(ctx), callback=receiver.url)
        bot = ctx.bots.find("quick")
        assert bot is not None
        check = checks.begin(ctx, organiser(ctx), bot.id)
        assert wait_until(lambda: 1 not in load(ctx, seated.game).due, PATIENCE_S)
        assert wait_until(lambda: len(receiver.received) >= 2, PATIENCE_S)
        assert wait_until(lambda: checks.show(ctx, organiser(ctx), bot.id, check)["report"] is not None, PATIENCE_S)
        assert all(1 in load(ctx, game.game).due for game in slow), "all the while it hung"
        released.set()
