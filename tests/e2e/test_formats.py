"""Each format that is drawn in stages, over HTTP: workers are killed, a bot leaves, and the exported file is sound."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from bots.random_bot import RandomBot
from service.archive.verify import verify
from service.processes.supervisor import wait_until
from tests.e2e.random_kills import ApiProcess
from tests.e2e.running_service import KEY, OVER, OrganiserClient, pushing
from tests.workers.processes import Workers, kill

pytestmark = pytest.mark.slow

NAMES = ["ann", "ben", "cid", "dot", "eve", "fay", "gus"]
FORMATS = {
    "swiss": {"rounds": 3},
    "knockout": {"players": 3, "advance": 1, "deals": 1, "max_deals": 2},
    "divisions": {"groups": 2, "advance": 2},
}


@pytest.fixture
def organiser(redis_url: str) -> Iterator[OrganiserClient]:
    api = ApiProcess(redis_url, MONTEGO_ORGANISER_KEY=KEY)
    yield OrganiserClient(api.url)
    api.end()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", FORMATS)
def test_killed_workers_and_a_bot_that_leaves_do_it_no_harm(
    organiser: OrganiserClient, redis_url: str, name: str
) -> None:
    with pushing(organiser, {bot: RandomBot(bot, seed=bot) for bot in NAMES}):
        with Workers(redis_url, 2) as workers:
            settings: dict[str, Any] = {"players": 2, "deals": 2, "move_ms": 20_000, "warmup_ms": 20_000}
            tournament = organiser.begin(NAMES, format=name, **{**settings, **FORMATS[name]})
            path = f"/v1/tournaments/{tournament}"
            assert wait_until(lambda: bool(workers.jobs()), 60)
            kill(workers.jobs())
            assert wait_until(lambda: organiser.get(path)["matches"]["finished"] >= 3, 60, pause=0.1)
            organiser.post(f"{path}/withdrawals", {"bot": "cid"})
            workers.kill_all()
        with Workers(redis_url, 2):
            assert wait_until(lambda: organiser.get(path)["status"] in OVER, 150, pause=0.1), organiser.get(path)
        archive = organiser.get(f"{path}/export")
        shown = organiser.get(path)

    found = verify(archive, shown["commitment"])
    assert archive["status"] == "finished"
    assert found.finished == shown["matches"]["finished"]
    assert shown["matches"]["total"] == shown["matches"]["drawn"] == len(archive["schedule"])
    stages = archive["stages"]
    assert [stage["pools"] for stage in organiser.get(f"{path}/stages")["stages"]] == [s["pools"] for s in stages]
    assert len(stages) >= 2
    assert stages[-1]["withdrawn"] == ["cid"]
    assert all("cid" not in pool for pool in stages[-1]["pools"])
    if name == "swiss":
        pairs = [pair for stage in stages for pool in stage["pools"] for pair in combinations(sorted(pool), 2)]
        assert len(set(pairs)) == len(pairs)
    else:
        (last,) = stages[-1]["pools"]
        assert archive["standings"][0]["name"] in last
