"""A request that did not arrive in full is answered 400, and nothing has happened."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import redis
import requests

from service import wiring
from service.config import Settings
from service.operations.tournaments import matches
from service.operations.tournaments.document import load_tournament
from service.processes.supervisor import wait_until
from tests.api.conftest import ORGANISER
from tests.api.raw_http import connect, exchange, parse, read_all, request_bytes, send_and_vanish
from tests.api.serving import serve
from tests.fixtures_redis import started_redis

Json = dict[str, Any]
HOOK = "https://example.org/hook"


@dataclass(frozen=True, slots=True)
class Scene:
    """A service in which every operation has something to work on."""

    url: str
    redis_url: str
    ids: Json
    """What stands for the parts of a path."""
    tokens: Json
    record: Json

    def state(self) -> dict[str, bytes]:
        """All that the service keeps, without the counters of rate limits and the heartbeats of API processes."""
        with redis.Redis.from_url(self.redis_url) as store:
            names = sorted(
                name for name in store.scan_iter("mb1:*") if not name.startswith((b"mb1:limits", b"mb1:api:"))
            )
            return {name.decode(): store.dump(name) for name in names}

    def answered(self, status: int) -> int:
        """How many requests have been answered with this status."""
        lines = requests.get(f"{self.url}/metrics", timeout=10).text.splitlines()
        counts = [
            line for line in lines if line.startswith("montego_http_requests_total") and f'status="{status}"' in line
        ]
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in counts)


def _post(url: str, path: str, body: Json, token: str | None = ORGANISER) -> Json:
    who = {} if token is None else {"Authorization": f"Bearer {token}"}
    response = requests.post(f"{url}{path}", json=body, headers=who, timeout=20)
    assert response.ok, response.text
    found: Json = response.json()
    return found


def _play_out(url: str, game: Json) -> Json:
    """The record of a game of two, played at random."""
    path = f"{url}/v1/games/{game['game']}"
    while (view := requests.get(path, timeout=10).json())["status"] == "running":
        for seat in view["due"]:
            who = {"Authorization": f"Bearer {game['tokens'][seat]['token']}"}
            ask = requests.get(f"{path}/decision", headers=who, timeout=10).json()
            index = random.Random(len(view["docks"])).randrange(len(ask["legal_actions"]))
            answer = {"decision": ask["decision"]["id"], "index": index}
            requests.post(f"{path}/actions", json=answer, headers=who, timeout=10).raise_for_status()
    found: Json = requests.get(f"{path}/record", timeout=10).json()
    return found


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    """Bots, a match in which a poll bot is asked, and casual games: running, open, finished."""
    with (
        started_redis() as redis_server,
        serve(redis_server.url, ORGANISER, MONTEGO_API_PROCESSES="1") as served,
    ):
        url = served.url
        anne = _post(url, "/v1/bots", {"name": "anne", "kind": "poll"})
        bert = _post(url, "/v1/bots", {"name": "bert", "kind": "poll"})
        push = _post(url, "/v1/bots", {"name": "pusher", "kind": "push", "url": "http://bot.example:9000"})
        cup = _post(url, "/v1/tournaments", {"name": "cup", "bots": ["anne", "bert"], "players": 2, "callback": HOOK})
        running = _post(url, "/v1/games", {"players": 2, "callback": HOOK})
        opened = _post(url, "/v1/games", {"players": 2, "seats": ["creator", "open"]})
        doomed = _post(url, "/v1/games", {"players": 2})
        record = _play_out(url, _post(url, "/v1/games", {"players": 2, "seed": "imported"}))
        made = {bot["name"]: bot for bot in (anne, bert)}
        ctx = wiring.build(Settings(redis_url=redis_server.url, organiser_key=ORGANISER))
        _, doc = load_tournament(ctx, cup["tournament"])
        pairing = doc.schedule().block(0).pairings[0]
        bots = {bot.name: bot for one in made.values() if (bot := ctx.bots.read(one["bot"])) is not None}
        match = matches.open_match(ctx, cup["tournament"], doc, pairing, attempt=0, bots=bots)
        asked = made[pairing.seats[0]]
        ctx.games.publish_ask(match.id, "1.play.0.0", asked["bot"], 60_000, 5_000)
        key = _post(url, "/v1/keys", {"role": "author", "name": "Ada"})
        yield Scene(
            url,
            redis_server.url,
            ids={
                "game": running["game"],
                "open": opened["game"],
                "doomed": doomed["game"],
                "match": match.id,
                "bot": push["bot"],
                "check": "x",
                "ladder": "nobody",
                "number": 1,
                "key": key["id"],
                "tournament": cup["tournament"],
            },
            tokens={
                "creator": doomed["creator_token"],
                "seat": running["tokens"][0]["token"],
                "asked": asked["token"],
                "organiser": ORGANISER,
            },
            record=record,
        )


BODIES: dict[str, Any] = {
    "POST /v1/games": {"players": 2, "public": True},
    "POST /v1/games/{game}/actions": {"decision": "1.play.0.0", "index": 0},
    "POST /v1/games/{game}/seats/{seat}": {"name": "Ada"},
    "POST /v1/bots": {"name": "another", "kind": "poll"},
    "PATCH /v1/bots/{bot}": {"max_games": 9},
    "POST /v1/keys": {"role": "author", "name": "Bob"},
    "POST /v1/tournaments": {"name": "second", "bots": ["anne", "bert"], "players": 2},
    "POST /v1/tournaments/{tournament}/withdrawals": {"bot": "anne"},
}
OTHER_GAMES = {"POST /v1/games/{game}/seats/{seat}": "open", "DELETE /v1/games/{game}": "doomed"}
TOKENS = {
    "DELETE /v1/games/{game}": "creator",
    "GET /v1/games/{game}/decision": "seat",
    "GET /v1/games/{game}/legal-actions": "seat",
    "POST /v1/games/{game}/actions": "seat",
    "POST /v1/games/{game}/resignation": "seat",
    "GET /v1/bots/me/decisions": "asked",
}


def _request(scene: Scene, operation: str) -> bytes:
    """A request for an operation (`POST /v1/games`), which is fine if it arrives in full."""
    method, template = operation.split(" ")
    ids = {**scene.ids, "seat": 1}
    if operation in OTHER_GAMES:
        ids["game"] = ids[OTHER_GAMES[operation]]
    # Where a body is not wanted, it may be there.
    body = scene.record if operation == "POST /v1/records" else BODIES.get(operation, {})
    token = scene.tokens[TOKENS.get(operation, "organiser")]
    return request_bytes(
        method, template.format(**ids), json.dumps(body).encode(), {"Authorization": f"Bearer {token}"}
    )


def _operations(scene: Scene) -> list[str]:
    document = requests.get(f"{scene.url}/openapi.json", timeout=10).json()
    return [
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in item
        if method in ("get", "post", "patch", "delete")
    ]


@contextmanager
def nothing_happens(scene: Scene) -> Iterator[None]:
    """Compares what the service keeps before and after."""
    before = scene.state()
    yield
    assert scene.state() == before


def test_no_operation_acts_on_a_body_that_is_cut(scene: Scene) -> None:
    operations = _operations(scene)
    assert len(operations) > 40
    with nothing_happens(scene):
        for operation in operations:
            whole = _request(scene, operation)
            head, _, body = whole.partition(b"\r\n\r\n")
            for kept in {0, len(body) // 2, len(body) - 1}:
                response = exchange(scene.url, head + b"\r\n\r\n" + body[:kept])
                assert response is not None, (operation, kept)
                assert (response.status, response.json["code"]) == (400, "bad_request"), (operation, kept)
                assert response.json["detail"] == "The body is shorter than its Content-Length."


def test_no_cut_of_an_answer_settles_the_decision(scene: Scene) -> None:
    whole = _request(scene, "POST /v1/games/{game}/actions")
    body_from = whole.index(b"\r\n\r\n") + 4
    with nothing_happens(scene):
        for end in range(len(whole)):
            response = exchange(scene.url, whole[:end])
            if end < body_from:
                assert response is None
            else:
                assert response is not None and response.status == 400


def test_a_client_that_vanishes_in_mid_request_has_done_nothing(scene: Scene) -> None:
    names = ["DELETE /v1/games/{game}", "POST /v1/games", "POST /v1/tournaments/{tournament}/cancellation"]
    with nothing_happens(scene):
        before = scene.answered(400)
        for operation in names:
            send_and_vanish(scene.url, _request(scene, operation)[:-1])
        assert wait_until(lambda: scene.answered(400) == before + len(names), 10)


def test_an_answer_of_a_poll_bot_in_a_match_that_is_cut_charges_nothing(scene: Scene) -> None:
    who = {"Authorization": f"Bearer {scene.tokens['asked']}"}
    path = f"/v1/games/{scene.ids['match']}/actions"
    bodies = [b'{"decision":"1.play.0.0","index":0}', b" " * 300_000]
    with nothing_happens(scene):
        for body in bodies:
            response = exchange(scene.url, request_bytes("POST", path, body[:20], who, length=len(body)))
            assert response is not None and response.status == 400
            assert "settled" not in response.json
        announced = request_bytes("POST", path, b"", {**who, "Expect": "100-continue"}, length=300_000)
        response = exchange(scene.url, announced)
        assert response is not None and response.status == 413
        assert "settled" not in response.json


CHUNKS = b'A\r\n{"players"\r\n3\r\n:2}\r\n0\r\n\r\n'


def test_no_cut_of_a_chunked_body_creates(scene: Scene) -> None:
    head = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with nothing_happens(scene):
        for end in range(len(CHUNKS)):
            response = exchange(scene.url, head + CHUNKS[:end])
            assert response is not None, end
            assert (response.status, response.json["code"]) == (400, "bad_request"), end
    whole = exchange(scene.url, head + CHUNKS)
    assert whole is not None and whole.status == 201


ACTING = (
    "POST /v1/games",
    "POST /v1/games/{game}/actions",
    "POST /v1/games/{game}/seats/{seat}",
    "POST /v1/games/{game}/callback-secret",
    "POST /v1/games/{game}/resignation",
    "DELETE /v1/games/{game}",
    "POST /v1/bots",
    "PATCH /v1/bots/{bot}",
    "POST /v1/bots/{bot}/token",
    "POST /v1/bots/{bot}/secret",
    "DELETE /v1/bots/{bot}",
    "POST /v1/keys",
    "DELETE /v1/keys/{key}",
    "POST /v1/tournaments",
    "POST /v1/tournaments/{tournament}/pause",
    "POST /v1/tournaments/{tournament}/resumption",
    "POST /v1/tournaments/{tournament}/withdrawals",
    "POST /v1/tournaments/{tournament}/callback-secret",
    "POST /v1/tournaments/{tournament}/cancellation",
    "DELETE /v1/tournaments/{tournament}",
)


@pytest.mark.parametrize("operation", ACTING)
def test_the_same_request_acts_when_it_is_whole(scene: Scene, operation: str) -> None:
    """Else the tests above would show nothing. In this order, since each changes what the next one finds."""
    before = scene.state()
    response = exchange(scene.url, _request(scene, operation))
    assert response is not None and response.status < 300
    assert scene.state() != before


def test_a_body_that_trickles_in_is_cut_in_time() -> None:
    worker = "--worker-class tests.api.programs.quick_worker.Worker"
    with started_redis() as redis_server, serve(redis_server.url, ORGANISER, GUNICORN_CMD_ARGS=worker) as served:
        with connect(served.url) as connection:
            connection.sendall(request_bytes("POST", "/v1/games", b'{"players"', length=13))
            response = parse(read_all(connection))
        assert response is not None
        assert (response.status, response.json["detail"]) == (400, "The body came too slowly.")
        assert response.headers["Connection"] == "close"
        assert requests.post(f"{served.url}/v1/games", json={"players": 2}, timeout=10).status_code == 201
