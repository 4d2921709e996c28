"""Tables of a long tournament take seconds, in which the process that makes them serves everybody else."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import requests

from service.config import Settings
from service.operations.access.tokens import identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.tournaments.create import NewTournament, create_tournament
from service.store.hub import Hub
from service.tournament.simulation import SimulatedField, played
from service.wiring import build
from tests.api.conftest import ORGANISER
from tests.api.serving import serve
from tests.operations.tournament_setup import doc_of

BOTS = 20
BLOCKS = 200


def long_tournament(redis_url: str) -> str:
    """A tournament with so many results, simulated; its id."""
    ctx = build(Settings(redis_url=redis_url, organiser_key=ORGANISER))
    simulated = SimulatedField(tuple(20.0 * index for index in range(BOTS)))
    organiser = identify(ctx, ORGANISER)
    for name in simulated.names:
        registry.register(ctx, organiser, NewBot(name, "poll"))
    new = NewTournament("long", "round_robin", simulated.names, players=4, deals=1, sets=BLOCKS)
    tournament = str(create_tournament(ctx, organiser, new)["tournament"])
    for result in played(simulated, doc_of(ctx, tournament).schedule(), np.random.default_rng(3)):
        assert ctx.tournaments.put_result(tournament, result.match, json.dumps(result.to_json()), "{}")
    assert isinstance(ctx.hub, Hub)
    ctx.hub.close()
    return tournament


def test_others_are_answered_while_intervals_are_computed(redis_url: str) -> None:
    tournament = long_tournament(redis_url)
    with serve(redis_url, ORGANISER, MONTEGO_API_PROCESSES="1") as server, ThreadPoolExecutor(1) as pool:
        path = f"{server.url}/v1/tournaments/{tournament}/standings"
        pending = pool.submit(requests.get, path, timeout=100)
        answered = 0
        while not pending.done():
            assert requests.get(f"{server.url}/readyz", timeout=30).ok
            answered += 1
        rows = pending.result().json()["standings"]
        assert len(rows) == BOTS
        assert all(row["interval"] is not None for row in rows)
        assert answered >= 5, "the process was busy with the tables all the time"
