"""The example of each response in the OpenAPI document, recorded from a running service (`make examples`).

One scenario calls every operation over HTTP, and workers play the matches in between. Chance and the service's clock
are handed in, so that the same calls get the same answers. Times that Redis or real waiting give are replaced by fixed
ones.
"""

from __future__ import annotations

import json
import logging
import random
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import requests
from werkzeug.serving import make_server

from bots.greedy import GreedyBot
from montego_bot import push_app, running
from service import wiring
from service.api.app import create_app
from service.api.openapi import EXAMPLES
from service.config import Settings
from service.operations.context import Context
from service.operations.ladders.document import load_season
from service.processes.ports import LOOPBACK
from tests.fixtures_redis import started_redis
from tests.workers.tournament_setup import NeverSlow, Scripted, worker_on
from workers.blocks import run_block
from workers.context import WorkerContext
from workers.dispatcher import Dispatcher
from workers.jobs import run_check
from workers.ladders import LadderKeeper

ORGANISER = "the-organisers-key"
START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z."""
TIMEOUT_S = 60
CALLBACK = "https://example.org/montego"
_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_CURSOR = re.compile(r"^\d{16}$")
_FIXED_CURSOR = "1767268800000000"
_FIXED_TIME = "2026-01-01T12:00:00.000Z"
_MEASURED = {"answer_ms": 12, "budget_ms": 9_950, "elapsed_ms": 12, "median_ms": 12, "slowest_ms": 12}
"""Members that are measured, and what is shown instead."""
_MS_IN_TEXT = re.compile(r"\b\d+ ms\b")
_BOT_URL = re.compile(r"http://127\.0\.0\.1:\d+")


@dataclass
class Recorder:
    """Calls the service and keeps the first answer of each kind: operation id -> status -> body."""

    url: str
    operations: dict[tuple[str, str], str]
    """Method and path with parameters in braces -> operation id."""
    found: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __call__(self, method: str, template: str, token: str | None = None, body: Any = None, **values: Any) -> Any:
        """Calls an operation, and returns what it answers. Values that are not in the path go into the query."""
        path = re.sub(r"\{(\w+)\}", lambda name: str(values.pop(name[1])), template)
        answer = requests.request(
            method,
            self.url + path,
            params=values,
            json=body,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=TIMEOUT_S,
        )
        assert answer.status_code < 300, (method, path, answer.text)
        if answer.headers.get("Content-Type") != "application/json":
            return None
        told = answer.json()
        kinds = self.found.setdefault(self.operations[method, template], {})
        kinds.setdefault(str(answer.status_code), normalised(told))
        return told


def normalised(value: Any, name: str = "") -> Any:
    """The same answer with fixed times."""
    if isinstance(value, dict):
        fixed = {key: normalised(item, key) for key, item in value.items()}
        if "digest" in value and "matches" in value:
            # It covers the times.
            fixed["digest"] = f"sha256:{'0' * 64}"
        if value.get("check") == "speed":
            # On a busy machine it is advice.
            fixed |= {"grade": "ok", "fix": None}
        return fixed
    if isinstance(value, list):
        return [normalised(item, name) for item in value]
    if name == "at" and isinstance(value, int):
        return START_MS
    if name in _MEASURED and value:
        return _MEASURED[name]
    if name == "next" and value:
        return _CURSOR.sub(_FIXED_CURSOR, value)
    if isinstance(value, str):
        value = _BOT_URL.sub("http://bot.example:9000", _TIME.sub(_FIXED_TIME, value))
        return _MS_IN_TEXT.sub("12 ms", value)
    return value


@contextmanager
def service() -> Iterator[tuple[Context, Recorder]]:
    """A service over an empty Redis of its own, with chance and clock handed in."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    chance, ticks = random.Random("examples"), count(START_MS, 250)
    with started_redis() as server:
        built = wiring.build(Settings(redis_url=server.url, organiser_key=ORGANISER))
        ctx = replace(built, random_bytes=chance.randbytes, wall_ms=lambda: next(ticks))
        app = create_app(ctx)
        document = app.test_client().get("/openapi.json").get_json()
        operations = {
            (method.upper(), path): operation["operationId"]
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if isinstance(operation, dict) and "operationId" in operation
        }
        try:
            with make_server(LOOPBACK, 0, app, threaded=True) as http:
                threading.Thread(target=http.serve_forever, daemon=True).start()
                yield ctx, Recorder(f"http://{LOOPBACK}:{http.server_port}", operations)
                http.shutdown()
        finally:
            ctx.hub.close()


def record() -> dict[str, dict[str, Any]]:
    """Operation id -> status -> example, of everything that is answered with JSON."""
    with service() as (ctx, call):
        _keys_and_games(ctx, call)
        _bots_and_tournaments(ctx, call)
        for path in ("/healthz", "/readyz"):
            call("GET", path)
        return call.found


def _keys_and_games(ctx: Context, call: Recorder) -> None:
    """An organiser gives a key away; its holder plays a game with a friend, who resigns."""
    made = call("POST", "/v1/keys", ORGANISER, {"role": "creator", "name": "Ada's games"})
    ada = made["key"]
    call("GET", "/v1/keys", ORGANISER)
    wanted = {"players": 2, "seats": ["creator", "open"], "public": True, "callback": CALLBACK}
    game = call("POST", "/v1/games", ada, wanted)
    name = game["game"]
    seats = [game["tokens"][0]["token"]]
    seats.append(call("POST", "/v1/games/{game}/seats/{seat}", None, {"name": "Bea"}, game=name, seat=1)["token"])
    call("GET", "/v1/games", None, limit=2)
    call("GET", "/v1/keys/me/games", ada, limit=2)
    call("GET", "/v1/games/{game}", seats[0], game=name)
    call("GET", "/v1/games/{game}/legal-actions", seats[0], game=name)
    call("GET", "/v1/games/{game}/decision", seats[1], game=name)
    answers = [
        {"decision": f"1.play.{seat}.0", "action": {"type": "play", "big": big, "little": little}}
        for seat, (big, little) in enumerate(((3, 5), (2, 4)))
    ]
    for seat, answer in enumerate(answers):
        call("POST", "/v1/games/{game}/actions", seats[seat], answer, game=name)
    late = {"decision": "1.play.1.0", "index": 0}
    sent = [{"game": name, "token": seats[seat], **answer} for seat, answer in ((0, answers[0]), (1, late))]
    call("POST", "/v1/actions", None, {"actions": sent})
    call("GET", "/v1/games/{game}/events", None, game=name)
    call("POST", "/v1/games/{game}/callback-secret", game["creator_token"], {}, game=name)
    call("POST", "/v1/games/{game}/resignation", seats[1], {}, game=name)
    record = call("GET", "/v1/games/{game}/record", None, game=name)
    ctx.games.remove(name)  # as the steward does when its time is over
    call("POST", "/v1/records", ORGANISER, record)
    unwanted = call("POST", "/v1/games", ada, {"players": 2})
    call("DELETE", "/v1/games/{game}", unwanted["creator_token"], game=unwanted["game"])
    call("DELETE", "/v1/keys/{key}", ORGANISER, key=made["id"])
    call("POST", "/v1/hidden-texts", ORGANISER, {"text": "a rude name"})
    call("GET", "/v1/hidden-texts", ORGANISER)
    call("POST", "/v1/hidden-texts/removals", ORGANISER, {"text": "a rude name"})


def _bots_and_tournaments(ctx: Context, call: Recorder) -> None:
    """An author registers bots, one of which answers with words; they play a tournament."""
    words = Scripted(act=lambda ask: b"I pass")
    with running(push_app(GreedyBot())) as greedy, running(words) as other, worker_on(ctx) as worker:
        bots = {}
        for name, url in (("greedy", greedy), ("words", other)):
            body = {"name": name, "kind": "push", "url": url, "casual": True}
            bots[name] = call("POST", "/v1/bots", ORGANISER, body)["bot"]
        poller = call("POST", "/v1/bots", ORGANISER, {"name": "poller", "kind": "poll", "casual": True})
        call("PATCH", "/v1/bots/{bot}", ORGANISER, {"casual": True}, bot=bots["greedy"])
        call("GET", "/v1/bots", None, limit=2)
        call("GET", "/v1/bots/{bot}", None, bot=bots["greedy"])
        _check(ctx, call, worker, bots["greedy"])
        call("POST", "/v1/games", ORGANISER, {"players": 2, "seats": ["creator", {"bot": "poller"}]})
        call("GET", "/v1/bots/me/decisions", poller["token"])
        call("GET", "/v1/bots/{bot}/games", poller["token"], bot=poller["bot"], limit=2)
        _tournament(ctx, call, worker)
        _ladder(ctx, call, worker)
        call("GET", "/v1/bots/{bot}/faults", ORGANISER, bot=bots["words"], limit=2)
        call("POST", "/v1/bots/{bot}/secret", ORGANISER, {}, bot=bots["greedy"])
        call("POST", "/v1/bots/{bot}/token", ORGANISER, {}, bot=bots["greedy"])
        call("DELETE", "/v1/bots/{bot}", ORGANISER, bot=poller["bot"])


def _check(ctx: Context, call: Recorder, worker: WorkerContext, bot: str) -> None:
    """A check that takes longer than the call waits, then one that does not."""
    begun = call("POST", "/v1/bots/{bot}/check", ORGANISER, {}, bot=bot)
    run_check(worker, bot, begun["check"])
    call("GET", "/v1/bots/{bot}/checks/{check}", ORGANISER, bot=bot, check=begun["check"])
    with ThreadPoolExecutor(1) as pool:
        checked = pool.submit(call, "POST", "/v1/bots/{bot}/check", ORGANISER, {}, bot=bot)
        while (latest := ctx.checks.latest(bot)) is None or latest[0] == begun["check"]:
            time.sleep(0.02)
        run_check(worker, bot, latest[0])
        checked.result()


def _tournament(ctx: Context, call: Recorder, worker: WorkerContext) -> None:
    """A tournament of one block, and one that is paused, resumed, left by a bot, cancelled and removed."""
    terms = {"name": "spring league", "bots": ["greedy", "words"], "players": 2, "deals": 1, "seed": "examples"}
    league = call("POST", "/v1/tournaments", ORGANISER, terms)["tournament"]
    run_block(worker, league, 0, NeverSlow())
    Dispatcher(ctx).run()
    for part in ("standings", "crosstable", "stages"):
        call("GET", f"/v1/tournaments/{{tournament}}/{part}", None, tournament=league)
    for part in ("schedule", "matches"):
        call("GET", f"/v1/tournaments/{{tournament}}/{part}", None, tournament=league, limit=1)
    call("GET", "/v1/tournaments/{tournament}", None, tournament=league)
    call("GET", "/v1/tournaments/{tournament}/events", None, tournament=league)
    call("GET", "/v1/tournaments/{tournament}/export", None, tournament=league)
    terms |= {"callback": CALLBACK, "bots": ["greedy", "words", "poller"]}
    other = call("POST", "/v1/tournaments", ORGANISER, terms)["tournament"]
    call("GET", "/v1/tournaments", None, limit=1)
    call("POST", "/v1/tournaments/{tournament}/callback-secret", ORGANISER, {}, tournament=other)
    for step in ("pause", "resumption"):
        call("POST", f"/v1/tournaments/{{tournament}}/{step}", ORGANISER, {}, tournament=other)
    call("POST", "/v1/tournaments/{tournament}/withdrawals", ORGANISER, {"bot": "words"}, tournament=other)
    call("POST", "/v1/tournaments/{tournament}/cancellation", ORGANISER, {}, tournament=other)
    call("DELETE", "/v1/tournaments/{tournament}", ORGANISER, tournament=other)


def _ladder(ctx: Context, call: Recorder, worker: WorkerContext) -> None:
    """A ladder on which a bot plays a block, leaves, and whose season ends."""
    made = call("POST", "/v1/ladders", ORGANISER, {"name": "house ladder", "references": ["greedy"], "players": 2})
    ladder = made["ladder"]
    call("POST", "/v1/ladders/{ladder}/entrants", ORGANISER, {"bot": "words"}, ladder=ladder)
    for slots in (1, 0):
        season = load_season(ctx, ladder)
        for block in LadderKeeper(ctx).run(season.tournament, season.row, season.doc, slots, ()):
            run_block(worker, season.tournament, block, NeverSlow())
    call("GET", "/v1/ladders", None, limit=1)
    call("GET", "/v1/ladders/{ladder}", None, ladder=ladder)
    call("GET", "/v1/ladders/{ladder}/table", None, ladder=ladder)
    call("GET", "/v1/ladders/{ladder}/blocks", None, ladder=ladder, limit=1)
    call("GET", "/v1/ladders/{ladder}/events", None, ladder=ladder)
    call("DELETE", "/v1/ladders/{ladder}/entrants/{bot}", ORGANISER, ladder=ladder, bot="words")
    call("POST", "/v1/ladders/{ladder}/seasons", ORGANISER, {}, ladder=ladder)
    call("GET", "/v1/ladders/{ladder}/seasons/{number}/export", None, ladder=ladder, number=1)
    call("DELETE", "/v1/ladders/{ladder}", ORGANISER, ladder=ladder)


if __name__ == "__main__":
    EXAMPLES.write_text(json.dumps(record(), ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"written to {EXAMPLES}")
