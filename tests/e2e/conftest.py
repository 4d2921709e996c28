"""One `montego up` for all tests of a process that can share it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.e2e.running_service import KEY, OrganiserClient
from tests.e2e.terminal import running

SETTINGS = {
    "MONTEGO_ORGANISER_KEY": KEY,
    "MONTEGO_WORKER_PROCESSES": "4",
    # No match is void because the machine is busy with other tests.
    "MONTEGO_HARNESS_SLOW_MS": "3600000",
}
START_S = 60
"""How long the start of all processes may take on a busy machine."""


@pytest.fixture(scope="session")
def stack() -> Iterator[OrganiserClient]:
    """`montego up` with its four reference bots, as soon as its workers take turns: they serve no port, so `up` cannot
    say when that is."""
    port = free_port()
    with running("up", "--port", port, environ=SETTINGS):
        client = OrganiserClient(f"http://127.0.0.1:{port}")
        game = client.post("/v1/games", {"players": 2, "seats": ["creator", {"bot": "greedy"}]})["game"]
        assert wait_until(lambda: client.get(f"/v1/games/{game}")["seats"][1]["chosen"], START_S, pause=0.1)
        yield client


@pytest.fixture(scope="module")
def service(stack: OrganiserClient) -> Iterator[OrganiserClient]:
    """That service with no bot but the reference bots, and no tournament that is not over."""
    yield stack
    stack.clear()
