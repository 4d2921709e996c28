"""One `montego up` for all tests of a process that can share it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.processes.ports import free_port
from tests.e2e.running_service import KEY, OrganiserClient
from tests.e2e.terminal import running

SETTINGS = {
    "MONTEGO_ORGANISER_KEY": KEY,
    "MONTEGO_WORKER_PROCESSES": "4",
    # No match is void because the machine is busy with other tests.
    "MONTEGO_HARNESS_SLOW_MS": "3600000",
}


@pytest.fixture(scope="session")
def stack() -> Iterator[OrganiserClient]:
    """`montego up` with its four reference bots."""
    port = free_port()
    with running("up", "--port", port, environ=SETTINGS):
        yield OrganiserClient(f"http://127.0.0.1:{port}")


@pytest.fixture(scope="module")
def service(stack: OrganiserClient) -> Iterator[OrganiserClient]:
    """That service with no bot but the reference bots, and no tournament that is not over."""
    yield stack
    stack.clear()
