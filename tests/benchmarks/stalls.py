"""How long the API's event loop is held by one request, for the endpoints at their limits."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import requests

from service.config import Settings
from service.engine.record import digest
from service.operations.access.tokens import ANONYMOUS, identify, new_id
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.context import Context
from service.operations.games.change import Settlement, settle
from service.operations.games.create import NewGame, create
from service.operations.games.records import record
from service.operations.tournaments import lifecycle
from service.operations.tournaments.create import NewTournament, create_tournament
from service.operations.tournaments.document import load_tournament
from service.processes import redis_server as local_redis
from service.store.games import Effects
from service.tournament.simulation import SimulatedField, played
from service.wiring import build
from tests.api.serving import serve

KEY = "the-organisers-key"
HEADERS = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
WORKER = "--worker-class tests.api.programs.watched_worker.Worker"
REPEATS = 3
"""The quietest of so many counts: other work on the machine makes stalls longer, never shorter."""
PAGE = 100
BOTS = 1000
"""As many entrants as a tournament can have."""
SETS = 1000
RATED = 40
"""Entrants of the tournament that has been played: with a thousand, ratings take minutes."""

WIDE = {"good": 4, "broken": 0, "coin": 0}


def large_set(capacity: int) -> dict[str, Any]:
    """As many components as a set can have."""
    return {
        "ships": [{"id": f"ship-{n:011}", "capacity": capacity, "points": [20, 20, 20]} for n in range(60)],
        "warehouses": [{"id": f"warehouse-{n:06}", "upper": WIDE, "lower": WIDE} for n in range(8)],
    }


@dataclass(frozen=True, slots=True)
class Crowd:
    """What the requests are about."""

    game: str
    record: dict[str, Any]
    bots: tuple[str, ...]
    tournament: str
    rated: str


def long_game(ctx: Context) -> str:
    """A game with the largest set of components, played at random to its end."""
    chance = random.Random(1)
    view = create(ctx, ANONYMOUS, NewGame(players=4, components=large_set(3), public=True)).view
    while view.game.outcome is None:
        decision = chance.choice(view.game.decisions)
        action = chance.choice(view.game.legal_actions(decision.id))
        view = settle(ctx, view.id, Settlement(decision.id, action)).view
    return view.id


def copies(ctx: Context, game: str) -> None:
    """A page of public games with the same log."""
    row = ctx.games.read(game)
    assert row is not None
    over = Effects(status="finished")
    for _ in range(PAGE):
        assert ctx.games.create(
            new_id(ctx), meta=row.meta, tokens=row.tokens, entries=row.entries, effects=over, kind="public"
        )


def crowd(ctx: Context) -> Crowd:
    """Writes everything: a page of long games, a page of large tournaments, and one that has been played."""
    organiser = identify(ctx, KEY)
    game = long_game(ctx)
    copies(ctx, game)
    bots = tuple(f"bot-{number}" for number in range(BOTS))
    simulated = SimulatedField(tuple(20.0 * index for index in range(RATED)))
    for name in (*bots, *simulated.names):
        registry.register(ctx, organiser, NewBot(name, "poll"))
    large = [
        create_tournament(
            ctx, organiser, NewTournament("large", "round_robin", bots, players=4, sets=SETS, seed=f"seed {number}")
        )
        for number in range(PAGE)
    ]
    new = NewTournament("played", "round_robin", simulated.names, players=4, sets=SETS)
    rated = str(create_tournament(ctx, organiser, new)["tournament"])
    _, doc = load_tournament(ctx, rated)
    for result in played(simulated, doc.schedule(), np.random.default_rng(1)):
        kept = replace(result, game=game)
        assert ctx.tournaments.put_result(rated, result.match, json.dumps(kept.to_json()), "{}")
    lifecycle.finish(ctx, rated, "finished")
    return Crowd(game, record(ctx, game), bots, str(large[0]["tournament"]), rated)


def fresh_record(record: dict[str, Any], number: int) -> dict[str, Any]:
    """The record under an id of its own."""
    changed = {**record, "game": f"imported-{number}"}
    return {**changed, "digest": digest(changed)}


def requests_of(crowd: Crowd, number: int) -> dict[str, tuple[str, str, Any]]:
    """What is asked: by name, method, path and body."""
    game, large = f"/v1/games/{crowd.game}", f"/v1/tournaments/{crowd.tournament}"
    rated = f"/v1/tournaments/{crowd.rated}"
    unknown_set = {"players": 4, "components": large_set(16 - number)}
    new = {"name": "x", "bots": crowd.bots, "players": 4, "seed": f"new {number}"}
    return {
        "GET /v1/games?limit=100, of the longest games": ("GET", f"/v1/games?limit={PAGE}", None),
        "GET a game, the longest": ("GET", game, None),
        "GET …/events of that game": ("GET", f"{game}/events", None),
        "GET …/record of that game": ("GET", f"{game}/record", None),
        "POST /v1/records with it": ("POST", "/v1/records", fresh_record(crowd.record, number)),
        "POST /v1/games with an unknown large set": (
            "POST",
            "/v1/games",
            unknown_set,
        ),
        "POST /v1/games with 256 KiB of numbers": ("POST", "/v1/games", {"players": 2, "orders": [0] * 120_000}),
        "POST /v1/games with 256 KiB of members": ("POST", "/v1/games", {f"m{n}": n for n in range(17_000)}),
        "GET /v1/bots?limit=100": ("GET", f"/v1/bots?limit={PAGE}", None),
        "POST /v1/tournaments, 1,000 bots, 1,000 sets": ("POST", "/v1/tournaments", {**new, "sets": 1_000}),
        "POST /v1/tournaments, 1,000 bots, 20,000 sets": ("POST", "/v1/tournaments", {**new, "sets": 20_000}),
        "GET /v1/tournaments?limit=100, 1,000 bots each": ("GET", f"/v1/tournaments?limit={PAGE}", None),
        "GET a tournament of 1,000 bots": ("GET", large, None),
        "GET …/schedule?limit=100 of it": ("GET", f"{large}/schedule?limit={PAGE}", None),
        "GET …/matches?limit=100 of it": ("GET", f"{large}/matches?limit={PAGE}", None),
        "GET …/standings of 40 bots, 4,000 matches": ("GET", f"{rated}/standings", None),
        "GET …/crosstable of them": ("GET", f"{rated}/crosstable", None),
        "GET …/events of them": ("GET", f"{rated}/events", None),
        "GET …/export of them": ("GET", f"{rated}/export", None),
        "GET /openapi.json": ("GET", "/openapi.json", None),
        "GET /metrics": ("GET", "/metrics", None),
    }


def measure() -> dict[str, float]:
    """The longest stall of each, in milliseconds."""
    figures: dict[str, float] = {}
    with local_redis.start() as redis_server:
        made = crowd(build(Settings(redis_url=redis_server.url, organiser_key=KEY)))
        with serve(redis_server.url, KEY, MONTEGO_API_PROCESSES="1", GUNICORN_CMD_ARGS=WORKER) as served:
            for number in range(REPEATS):
                for name, (method, path, body) in requests_of(made, number).items():
                    figure = f"longest stall, ms: {name}"
                    found = stall(served.url, method, path, body)
                    figures[figure] = min(found, figures.get(figure, found))
    return figures


def stall(url: str, method: str, path: str, body: Any) -> float:
    """The longest stall while one request is answered."""
    with requests.Session() as session:
        session.get(f"{url}/stall", timeout=10)
        sent = None if body is None else json.dumps(body, separators=(",", ":"))
        response = session.request(method, f"{url}{path}", data=sent, headers=HEADERS, timeout=300)
        assert response.status_code in (200, 201, 202, 400, 422), response.text[:300]
        found: float = session.get(f"{url}/stall", timeout=10).json()["late_ms"]
        return found
