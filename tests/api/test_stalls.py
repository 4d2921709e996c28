"""No request holds the thread in which a process of the API serves all others. `make bench` measures the same at the
limits of every endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from service.config import Settings
from service.operations.access.tokens import identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.tournaments.create import NewTournament, create_tournament
from service.processes import redis_server as local_redis
from service.wiring import build
from tests.api.conftest import ORGANISER
from tests.api.serving import Served, serve
from tests.benchmarks.stalls import fresh_record, large_set, long_game

HEADERS = {"Authorization": f"Bearer {ORGANISER}", "Content-Type": "application/json"}
WORKER = "--worker-class tests.api.programs.watched_worker.Worker"
MAX_HELD_MS = 50
BOTS, SETS, TOURNAMENTS = 200, 1000, 20


@pytest.fixture(scope="module")
def crowd() -> Iterator[tuple[Served, dict[str, Any]]]:
    """A service with large tournaments and a long game, and what there is to ask for."""
    with local_redis.start() as redis_server:
        ctx = build(Settings(redis_url=redis_server.url, organiser_key=ORGANISER))
        organiser = identify(ctx, ORGANISER)
        bots = [registry.register(ctx, organiser, NewBot(f"bot-{number}", "poll")).bot.name for number in range(BOTS)]
        plans = [
            NewTournament("large", "round_robin", bots, players=4, sets=SETS, seed=f"seed {number}")
            for number in range(TOURNAMENTS)
        ]
        made = [create_tournament(ctx, organiser, new) for new in plans]
        game = long_game(ctx)
        with serve(redis_server.url, ORGANISER, MONTEGO_API_PROCESSES="1", GUNICORN_CMD_ARGS=WORKER) as served:
            record = requests.get(f"{served.url}/v1/games/{game}/record", timeout=60).json()
            tournament = f"/v1/tournaments/{made[-1]['tournament']}"
            new_tournament = {"name": "x", "bots": bots, "players": 4, "sets": SETS, "seed": "new"}
            yield (
                served,
                {
                    "tournaments": ("GET", "/v1/tournaments?limit=100", None, 200),
                    "a tournament": ("GET", tournament, None, 200),
                    "its schedule": ("GET", f"{tournament}/schedule?limit=100", None, 200),
                    "its matches": ("GET", f"{tournament}/matches?limit=100", None, 200),
                    "a new tournament": ("POST", "/v1/tournaments", new_tournament, 202),
                    "games": ("GET", "/v1/games?limit=100", None, 200),
                    "a long log": ("GET", f"/v1/games/{game}/events", None, 200),
                    "a record": ("GET", f"/v1/games/{game}/record", None, 200),
                    "an import": ("POST", "/v1/records", fresh_record(record, 0), 201),
                    "unusual components": ("POST", "/v1/games", {"players": 4, "components": large_set(16)}, 201),
                    "a body of numbers": ("POST", "/v1/games", {"players": 2, "orders": [0] * 120_000}, 422),
                    "a body of members": ("POST", "/v1/games", {f"m{n}": n for n in range(17_000)}, 422),
                },
            )


@pytest.mark.parametrize(
    "name",
    [
        "tournaments",
        "a tournament",
        "its schedule",
        "its matches",
        "a new tournament",
        "games",
        "a long log",
        "a record",
        "an import",
        "unusual components",
        "a body of numbers",
        "a body of members",
    ],
)
def test_a_request_leaves_time_to_all_others(crowd: tuple[Served, dict[str, Any]], name: str) -> None:
    """By CPU time of the thread, which does not depend on what else the machine has to do."""
    served, all_requests = crowd
    method, path, body, status = all_requests[name]
    sent = None if body is None else json.dumps(body, separators=(",", ":"))
    with requests.Session() as session:
        session.get(f"{served.url}/stall", timeout=30)
        response = session.request(method, f"{served.url}{path}", data=sent, headers=HEADERS, timeout=120)
        assert response.status_code == status, response.text[:300]
        held = session.get(f"{served.url}/stall", timeout=30).json()["cpu_ms"]
    assert held < MAX_HELD_MS


def test_bad_input_that_is_read_in_a_thread_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with local_redis.start() as redis_server, serve(redis_server.url, ORGANISER) as served:
        nested = requests.post(f"{served.url}/v1/games", b"[" * 60_000, headers=HEADERS, timeout=30)
        record = requests.post(f"{served.url}/v1/records", b"{}", headers=HEADERS, timeout=30)
    assert (nested.status_code, record.status_code) == (400, 422)
    assert "Traceback" not in capfd.readouterr().err
