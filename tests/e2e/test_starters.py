"""The starters, each in its own language, play a tournament to its end."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.bots.test_starters import ALSO, POLL, PUSH, source_of
from tests.e2e.running_service import Entrant, OrganiserClient

pytestmark = pytest.mark.slow

TERMS = {"players": 3, "sets": 4, "deals": 1, "move_ms": 10_000, "warmup_ms": 30_000}


def registered_name(starter: str) -> str:
    return starter.lower().replace(".", "-")


def missing(starter: str) -> list[str]:
    """Programs that a starter needs and this machine does not have."""
    needed = ((PUSH | POLL)[starter], *ALSO.get(starter, ()))
    return [program for program in needed if shutil.which(program) is None]


@contextmanager
def started(service: OrganiserClient, starter: str) -> Iterator[Entrant]:
    """Registers and runs a starter, with the secret or token that it was given."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("MONTEGO_")}
    if starter in PUSH:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        entrant = service.register(registered_name(starter), url)
        argument, environ["MONTEGO_BOT_SECRET"] = str(port), entrant.secret or ""
    else:
        entrant = service.register(registered_name(starter))
        argument, environ["MONTEGO_BOT_TOKEN"] = service.url, entrant.token
    command = [(PUSH | POLL)[starter], str(source_of(starter)), argument]
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL) as process:
        try:
            # A check, unlike a tournament, does not wait for a bot that is being compiled.
            assert starter not in PUSH or wait_until(lambda: answers(url), 60, pause=0.1), f"{starter} did not come up"
            yield entrant
        finally:
            process.terminate()


@dataclass(frozen=True)
class Played:
    """The standings, and the report on each starter, both by name."""

    standings: dict[str, dict[str, Any]]
    reports: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def played(service: OrganiserClient) -> Played:
    """One tournament of all starters that can run here, after a check of each."""
    with ExitStack() as stack:
        running = [starter for starter in sorted(PUSH | POLL) if not missing(starter)]
        entrants = [stack.enter_context(started(service, starter)) for starter in running]
        polls = [entrant for entrant in entrants if entrant.secret is None]
        # A shell that has not polled yet would not be up; push bots are warmed up by the service.
        assert wait_until(lambda: all(online(service, entrant) for entrant in polls), 30, pause=0.1)
        with ThreadPoolExecutor(len(entrants)) as pool:
            reports = pool.map(lambda entrant: checked(service, entrant), entrants)
            found = dict(zip((entrant.name for entrant in entrants), reports, strict=True))
        tournament = service.play([entrant.name for entrant in entrants], within=150, **TERMS)
        return Played(service.standings(tournament), found)


def answers(url: str) -> bool:
    """Whether a web server is up there."""
    with suppress(requests.RequestException):
        return requests.get(url, timeout=2).status_code == 200
    return False


def checked(service: OrganiserClient, entrant: Entrant) -> dict[str, Any]:
    """The report on a bot, called with its own token."""
    headers = {"Authorization": f"Bearer {entrant.token}"}
    answer = requests.post(f"{service.url}/v1/bots/{entrant.id}/check", headers=headers, timeout=60).json()
    report: dict[str, Any] = answer["report"]
    return report


def online(service: OrganiserClient, entrant: Entrant) -> bool:
    return bool(service.get(f"/v1/bots/{entrant.id}")["status"] == "online")


def here(starter: str) -> str:
    """The name of a starter; skips the test where its runtime is absent."""
    if absent := missing(starter):
        pytest.skip(f"{starter} needs {' and '.join(absent)}, which this machine does not have")
    return registered_name(starter)


@pytest.mark.parametrize("starter", sorted(PUSH | POLL))
def test_a_starter_plays_a_tournament_to_its_end(played: Played, starter: str) -> None:
    row = played.standings[here(starter)]
    assert row["matches"] > 0
    assert sum(row["faults"].values()) == 0
    assert (row["forfeits"], row["not_started"]) == (0, 0)
    assert len(row["versions"]) == 1


@pytest.mark.parametrize("starter", sorted(PUSH | POLL))
def test_a_starter_passes_the_check(played: Played, starter: str) -> None:
    report = played.reports[here(starter)]
    # They play at random, so the same ask may get another answer; they have nothing else to be told.
    told = {finding["check"] for finding in report["findings"] if finding["grade"] != "ok"}
    assert told <= {"repeated ask", "speed"}, report
    assert report["grade"] in ("ready", "fair")
