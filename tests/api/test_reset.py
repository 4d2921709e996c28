"""A client has what Redis has lost since: the service says so at once (PROTOCOL "Reset")."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from service.processes import redis_server
from service.processes.supervisor import wait_until
from tests.api.serving import answers, serve
from tests.outage import Outage

Json = dict[str, Any]
ORGANISER = "the-organisers-key"
STREAM = {"Accept": "text/event-stream"}


@dataclass(frozen=True)
class Losing:
    """A service whose Redis can lose what it wrote last."""

    url: str
    outage: Outage

    def rewind(self, remembered: int) -> None:
        """Redis is killed and has lost what came after; the service is ready again."""
        self.outage.rewind(remembered)
        assert wait_until(lambda: answers(self.url), 30)


@dataclass(frozen=True)
class Game:
    """A game of three of such a service."""

    path: str
    tokens: list[str]

    def act(self, seat: int) -> Json:
        """The seat chooses its cards."""
        body = {"decision": f"1.play.{seat}.0", "index": 0}
        who = {"Authorization": f"Bearer {self.tokens[seat]}"}
        response = requests.post(f"{self.path}/actions", json=body, headers=who, timeout=30)
        response.raise_for_status()
        acted: Json = response.json()
        return acted

    def events(self, query: str = "", **headers: str) -> Json:
        """Its events as JSON."""
        found: Json = requests.get(f"{self.path}/events?{query}", headers=headers, timeout=60).json()
        return found


@pytest.fixture(scope="module")
def losing() -> Iterator[Losing]:
    with redis_server.start() as server, serve(server.url, ORGANISER) as served:
        yield Losing(served.url, Outage(server, server.url))


@pytest.fixture
def game(losing: Losing) -> Game:
    who = {"Authorization": f"Bearer {ORGANISER}"}
    made = requests.post(f"{losing.url}/v1/games", json={"players": 3}, headers=who, timeout=30).json()
    return Game(f"{losing.url}/v1/games/{made['game']}", [given["token"] for given in made["tokens"]])


def test_a_view_that_waits_at_a_lost_version_is_answered_with_reset(losing: Losing, game: Game) -> None:
    remembered = losing.outage.remember()
    version = game.act(0)["version"]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(requests.get, f"{game.path}?wait=30&version={version}", timeout=60)
        time.sleep(0.3)
        losing.rewind(remembered)
        found = waiting.result(60)
    assert found.status_code == 200 and found.elapsed.total_seconds() < 25
    assert (found.json()["version"], found.json()["reset"]) == (version - 1, True)
    again = requests.get(f"{game.path}?wait=30&version={version}", timeout=60).json()
    assert (again["version"], again["reset"]) == (version - 1, True)
    assert "reset" not in requests.get(f"{game.path}?version={version - 2}", timeout=30).json()
    assert game.act(0)["version"] == version, "the answer that was lost is taken again"


def test_an_entity_tag_tells_a_lost_version_from_another_of_the_same_number(losing: Losing, game: Game) -> None:
    earlier = requests.get(game.path, timeout=30).headers["ETag"]
    remembered = losing.outage.remember()
    game.act(0)
    lost = requests.get(game.path, timeout=30)
    losing.rewind(remembered)
    game.act(1)
    found = requests.get(f"{game.path}?wait=30", headers={"If-None-Match": lost.headers["ETag"]}, timeout=60)
    assert found.status_code == 200
    assert (found.json()["version"], found.json()["reset"]) == (lost.json()["version"], True)
    assert found.headers["ETag"] != lost.headers["ETag"]
    assert "reset" not in requests.get(game.path, headers={"If-None-Match": earlier}, timeout=30).json()
    same = requests.get(game.path, headers={"If-None-Match": found.headers["ETag"]}, timeout=30)
    assert same.status_code == 304


def test_events_after_a_lost_one_are_all_events_with_reset(losing: Losing, game: Game) -> None:
    remembered = losing.outage.remember()
    game.act(0)
    told = game.events()["events"]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(game.events, f"after={told[-1]['n']}&wait=30")
        time.sleep(0.3)
        losing.rewind(remembered)
        assert waiting.result(60) == {"events": told[:-1], "last": told[-2]["n"], "reset": True}
    game.act(1)
    lost = f"{told[-1]['n']}@{told[-1]['at']}"
    found = game.events(**{"Last-Event-ID": lost})
    assert found["reset"] and [event["n"] for event in found["events"]] == [event["n"] for event in told]
    assert "reset" not in game.events(**{"Last-Event-ID": f"{told[-2]['n']}@{told[-2]['at']}"})


def read(lines: Iterator[str], until: str) -> list[tuple[str, Json]]:
    """(id, data) of a stream's events up to one of that type."""
    found: list[tuple[str, Json]] = []
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            found.append((fields["id"], json.loads(fields["data"])))
            if found[-1][1]["type"] == until:
                return found
            fields = {}
    return found


def test_a_stream_tells_that_what_it_sent_is_void_and_begins_anew(losing: Losing, game: Game) -> None:
    remembered = losing.outage.remember()
    game.act(0)
    with requests.get(f"{game.path}/events", headers=STREAM, stream=True, timeout=60) as stream:
        lines = stream.iter_lines(decode_unicode=True)
        first = read(lines, "chosen")
        # A stream that asks Redis at the very moment at which it dies ends, and is resumed as below.
        time.sleep(0.3)
        losing.rewind(remembered)
        assert read(lines, "reset") == [("0", {"type": "reset"})]
        game.act(1)
        second = read(lines, "chosen")
    assert first[:-1] == second[:-1]
    assert (first[-1][1]["seat"], second[-1][1]["seat"]) == (0, 1)
    headers = {**STREAM, "Last-Event-ID": first[-1][0]}
    with requests.get(f"{game.path}/events", headers=headers, stream=True, timeout=60) as resumed:
        assert read(resumed.iter_lines(decode_unicode=True), "chosen") == [("0", {"type": "reset"}), *second]
