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
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OrganiserClient]:
    """`montego up` with its four reference bots. Its logs are in pytest's temporary folder."""
    port, data = free_port(), tmp_path_factory.mktemp("up")
    with running("up", "--port", port, "--data", data, environ=SETTINGS, folder=data):
        yield OrganiserClient(f"http://127.0.0.1:{port}")


@pytest.fixture(scope="module")
def service(stack: OrganiserClient) -> Iterator[OrganiserClient]:
    """That service with no bot but the reference bots, and no tournament that is not over."""
    yield stack
    stack.clear()
