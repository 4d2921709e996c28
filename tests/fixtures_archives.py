"""Exported tournaments, played once for all tests."""

from __future__ import annotations

import fcntl
import json
from dataclasses import replace
from typing import Any

import pytest
import redis

from service.operations.context import Context
from service.operations.tournaments.document import load_tournament
from service.operations.tournaments.lifecycle import cancel, finish, withdraw
from service.operations.tournaments.matches import cancel_block, open_match, result_of, results, store_result
from service.operations.tournaments.stages import draw_next_stage
from service.processes.redis_server import RedisServer
from service.tournament.formats import next_stage
from tests.archive.tampering import Archive, exported
from tests.operations.game_setup import organiser, service
from tests.operations.tournament_setup import (
    begin_match,
    begin_tournament,
    doc_of,
    entrants_of,
    play_all,
    play_block,
    play_known,
    play_number,
    play_to_its_end,
)

CUSTOM: dict[str, Any] = {
    "format": "gauntlet",
    "challengers": ["ann", "ben"],
    "bots": ["cid", "dot"],
    "players": 3,
    "sets": 2,
    "seatings": "all",
    "variants": {"tally": "circuit", "last_place": "unpaid", "starting_coins": 2},
    "components": {
        "ships": [{"id": f"ship-{size}", "capacity": size, "points": [size, 2, 1]} for size in range(3, 9)],
        "warehouses": [
            {
                "id": f"house{number}",
                "upper": {"good": 2, "broken": 0, "coin": 1},
                "lower": {"good": 0, "broken": number % 3, "coin": 0},
            }
            for number in range(7)
        ],
    },
}


@pytest.fixture(scope="session")
def archives(redis_server: RedisServer, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, Archive]:
    """`small`: two bots, one deal. `whole`: three bots, enough blocks for intervals. `cancelled`: before all was
    played. `withdrawn`: without a bot that left while it played. `absent`: a bot did not come up for a match. `void`:
    its first match was void and played again. `custom`: with every setting that changes what is played. `swiss`,
    `knockout`, `divisions`: drawn in stages; a bot leaves the first of them. `misdrawn`: its second stage
    does not follow from the results."""
    if worker_id == "master":
        return _played(redis_server)
    # The processes of pytest-xdist share this folder: the first one that needs the files makes them for all.
    file = tmp_path_factory.getbasetemp().parent / "archives.json"
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            file.write_text(json.dumps(_played(redis_server)))
    found: dict[str, Archive] = json.loads(file.read_text())
    return found


def _played(redis_server: RedisServer) -> dict[str, Archive]:
    if not redis_server.running:
        redis_server.restart()
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    with service(redis_server.url) as ctx:
        small = begin_tournament(ctx, 2, seed=None)
        play_all(ctx, small)
        whole = begin_tournament(ctx, 3, deals=10)
        play_all(ctx, whole)
        stopped = begin_tournament(ctx, 3)
        play_number(ctx, stopped, 0)
        cancel(ctx, organiser(ctx), stopped)
        absent = begin_tournament(ctx, 2)
        play_number(ctx, absent, 0, absent=(1,))
        play_number(ctx, absent, 1)
        assert finish(ctx, absent, "finished")
        named = {"small": small, "whole": whole, "cancelled": stopped, "absent": absent, "withdrawn": _left(ctx)}
        named["void"] = _played_again(ctx)
        named["swiss"] = _swiss(ctx)
        named["misdrawn"] = _misdrawn(ctx)
        named["knockout"] = begin_tournament(ctx, 5, format="knockout", max_deals=2)
        named["divisions"] = begin_tournament(ctx, 5, format="divisions", advance=1)
        for name in ("knockout", "divisions"):
            play_all(ctx, named[name])
        custom = begin_tournament(ctx, 4, **CUSTOM)
        play_all(ctx, custom)
        named["custom"] = custom
        return {name: exported(ctx, tournament) for name, tournament in named.items()}


def _left(ctx: Context) -> str:
    """A tournament of three that a bot has left in the second match of the first block."""
    tournament = begin_tournament(ctx, 3)
    doc = doc_of(ctx, tournament)
    leaver = play_number(ctx, tournament, 0).seats[0]
    begin_match(ctx, tournament, 1)
    withdraw(ctx, organiser(ctx), tournament, leaver)
    for block in doc.schedule():
        if leaver in block.entrants:
            cancel_block(ctx, tournament, doc, block.number)
        else:
            for pairing in block.pairings:
                play_number(ctx, tournament, pairing.match)
    assert finish(ctx, tournament, "finished")
    return tournament


def _swiss(ctx: Context) -> str:
    """Three rounds of five, one of whom leaves while the second is played."""
    tournament = begin_tournament(ctx, 5, format="swiss", rounds=3)
    assert draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament))
    played = len(play_known(ctx, tournament))
    assert draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament))
    doc = doc_of(ctx, tournament)
    leaver = doc.stages[1].pools[1][0]
    withdraw(ctx, organiser(ctx), tournament, leaver)
    for block in range(2, 4):
        if leaver in doc.schedule().block(block).entrants:
            cancel_block(ctx, tournament, doc, block)
            played += 2
        else:
            played += len(play_block(ctx, tournament, block))
    assert draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament))
    play_known(ctx, tournament, played)
    assert not draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament))
    assert finish(ctx, tournament, "finished")
    return tournament


def _misdrawn(ctx: Context) -> str:
    """Two rounds of four; in the second the bots are seated at each other's tables."""
    tournament = begin_tournament(ctx, 4, format="swiss", rounds=2)
    assert draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament))
    play_known(ctx, tournament)
    doc = doc_of(ctx, tournament)
    plan, (first,) = doc.plan(), doc.stages
    right = next_stage(plan, doc.stages, results(ctx, tournament).values(), ())
    assert right is not None
    (one, two), (three, four) = right.pools
    again = {frozenset(table) for table in first.pools}
    pools = ((one, three), (two, four))
    stage = replace(right, pools=((one, four), (two, three)) if frozenset(pools[0]) in again else pools)
    text = json.dumps(stage.to_json())
    assert ctx.tournaments.add_stage(tournament, text, "{}", after=1, blocks=doc.schedule().blocks)
    play_known(ctx, tournament, doc.schedule().matches)
    assert finish(ctx, tournament, "finished")
    return tournament


def _played_again(ctx: Context) -> str:
    """A tournament of two whose first match was void when it was played first, and slow again."""
    tournament = begin_tournament(ctx, 2)
    doc = doc_of(ctx, tournament)
    pairing, first = begin_match(ctx, tournament, 0)
    void = replace(result_of(play_to_its_end(ctx, first), pairing), status="void")
    assert ctx.tournaments.put_void(tournament, 0, json.dumps(void.to_json()), "{}")
    again = open_match(ctx, tournament, doc, pairing, attempt=1, bots=entrants_of(ctx, doc))
    assert store_result(ctx, tournament, result_of(play_to_its_end(ctx, again), pairing, harness_slow=True))
    play_number(ctx, tournament, 1)
    assert finish(ctx, tournament, "finished")
    return tournament


@pytest.fixture
def small(archives: dict[str, Archive]) -> Archive:
    return archives["small"]


@pytest.fixture
def whole(archives: dict[str, Archive]) -> Archive:
    return archives["whole"]
