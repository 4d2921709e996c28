"""`text/event-stream`, from the server as it is shipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from tests.api.conftest import ORGANISER
from tests.api.serving import Served

Json = dict[str, Any]
STREAM = {"Accept": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class Remote:
    """A game on a running server."""

    url: str
    tokens: list[str]

    def play_out(self) -> None:
        """Plays the first legal action until the game is over."""
        with requests.Session() as session:
            while (view := session.get(self.url, timeout=10).json())["status"] == "running":
                for seat in view["due"]:
                    who = {"Authorization": f"Bearer {self.tokens[seat]}"}
                    ask = session.get(f"{self.url}/decision", headers=who, timeout=10).json()
                    answer = {"decision": ask["decision"]["id"], "index": 0}
                    session.post(f"{self.url}/actions", json=answer, headers=who, timeout=10).raise_for_status()


@pytest.fixture
def game(server: Served) -> Remote:
    """A game of two."""
    body = {"players": 2, "seed": "stream"}
    who = {"Authorization": f"Bearer {ORGANISER}"}
    made = requests.post(f"{server.url}/v1/games", json=body, headers=who, timeout=10).json()
    return Remote(f"{server.url}/v1/games/{made['game']}", [given["token"] for given in made["tokens"]])


def received(lines: Iterator[str]) -> Iterator[Json]:
    """The events of a stream; each has its id and its type outside as inside."""
    fields: dict[str, str] = {}
    for line in lines:
        if line == "":
            if "data" in fields:
                event: Json = json.loads(fields["data"])
                assert fields["id"] == f"{event['n']}@{event['at']}"
                assert fields["event"] == event["type"]
                yield event
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value


def follow(url: str, last: int | None = None, most: int | None = None) -> list[Json]:
    """Events of a stream to its end, or so many, after which the connection is cut."""
    headers = STREAM if last is None else {**STREAM, "Last-Event-ID": str(last)}
    found: list[Json] = []
    with requests.get(f"{url}/events", headers=headers, stream=True, timeout=60) as response:
        if response.status_code == 204:
            return found
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-store"
        assert "Content-Encoding" not in response.headers
        for event in received(response.iter_lines(decode_unicode=True)):
            found.append(event)
            if len(found) == most:
                break
    return found


def test_a_stream_tells_everything_as_it_happens_and_ends_with_the_game(game: Remote) -> None:
    with ThreadPoolExecutor(1) as pool:
        stream = pool.submit(follow, game.url)
        game.play_out()
        events = stream.result(60)
    assert events == requests.get(f"{game.url}/events", timeout=10).json()["events"]
    assert events[-1]["type"] == "finished"


def test_a_stream_cut_anywhere_goes_on_without_gap_or_double(game: Remote) -> None:
    game.play_out()
    whole = requests.get(f"{game.url}/events", timeout=10).json()["events"]
    for cut in (1, 2, len(whole) // 2, len(whole) - 1):
        assert follow(game.url, most=cut) + follow(game.url, last=cut) == whole


def test_a_stream_resumed_after_the_last_event_is_204(game: Remote) -> None:
    game.play_out()
    last = requests.get(f"{game.url}/events", timeout=10).json()["last"]
    response = requests.get(f"{game.url}/events", headers={**STREAM, "Last-Event-ID": str(last)}, timeout=10)
    assert response.status_code == 204
    assert response.content == b""


def test_last_event_id_goes_before_after(game: Remote) -> None:
    game.play_out()
    response = requests.get(f"{game.url}/events?after=5", headers={**STREAM, "Last-Event-ID": "7"}, timeout=10)
    assert next(received(iter(response.text.splitlines())))["n"] == 8
    response = requests.get(f"{game.url}/events?after=5", headers=STREAM, timeout=10)
    assert next(received(iter(response.text.splitlines())))["n"] == 6


def test_a_last_event_id_that_is_none_is_refused(game: Remote) -> None:
    for junk in ("x", "-1", "1.5"):
        response = requests.get(f"{game.url}/events", headers={**STREAM, "Last-Event-ID": junk}, timeout=10)
        assert response.status_code == 422
        assert "Last-Event-ID" in response.json()["errors"]


def test_a_stream_of_a_game_that_is_not_there_is_404(server: Served) -> None:
    response = requests.get(f"{server.url}/v1/games/nobody/events", headers=STREAM, timeout=10)
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/problem+json"


def test_head_of_a_stream_has_no_body_and_ends(game: Remote) -> None:
    response = requests.head(f"{game.url}/events", headers=STREAM, timeout=10)
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/event-stream")


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("*/*", "application/json"),
        ("application/json, text/event-stream;q=0.5", "application/json"),
        ("text/event-stream, application/json;q=0.5", "text/event-stream"),
        ("text/html", "application/json"),
    ],
)
def test_json_is_sent_unless_a_stream_is_preferred(game: Remote, accept: str, kind: str) -> None:
    game.play_out()
    response = requests.get(f"{game.url}/events", headers={"Accept": accept}, timeout=30)
    assert response.headers["Content-Type"].split(";")[0] == kind
    assert "Accept" in response.headers["Vary"].split(", ")


def test_waiting_for_events_answers_as_soon_as_there_is_one(game: Remote) -> None:
    last = requests.get(f"{game.url}/events", timeout=10).json()["last"]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(requests.get, f"{game.url}/events?after={last}&wait=25", timeout=40)
        who = {"Authorization": f"Bearer {game.tokens[0]}"}
        answer = {"decision": "1.play.0.0", "index": 0}
        requests.post(f"{game.url}/actions", json=answer, headers=who, timeout=10).raise_for_status()
        events = waiting.result(20).json()["events"]
    assert [event["type"] for event in events] == ["chosen"]


def groups(url: str, token: str) -> Iterator[tuple[list[str], Json]]:
    """What a stream with observations sends: the types of the events of a group, and the observation after it."""
    headers = {**STREAM, "Authorization": f"Bearer {token}"}
    with requests.get(f"{url}/events", {"observation": "true"}, headers=headers, stream=True, timeout=60) as response:
        kinds: list[str] = []
        kind = ""
        for line in response.iter_lines(decode_unicode=True):
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: ") and kind == "observation":
                yield kinds, json.loads(line.removeprefix("data: "))
                kinds = []
            elif line.startswith("data: "):
                kinds.append(kind)


def plays_from_its_stream(game: Remote, seat: int) -> list[str]:
    """Plays a seat without a single read: each answer goes by the last observation of its stream. The types of all
    events."""
    told: list[str] = []
    who = {"Authorization": f"Bearer {game.tokens[seat]}", "Prefer": "return=minimal"}
    for kinds, seen in groups(game.url, game.tokens[seat]):
        told += kinds
        assert seen["seat"] == seat
        for decision in seen["decisions"]:
            if decision["seat"] == seat:
                answer = {"decision": decision["id"], "index": 0}
                requests.post(f"{game.url}/actions", json=answer, headers=who, timeout=10).raise_for_status()
    return told


def test_a_game_is_played_from_streams_with_observations(game: Remote) -> None:
    with ThreadPoolExecutor(2) as pool:
        told = [player.result(60) for player in [pool.submit(plays_from_its_stream, game, seat) for seat in (0, 1)]]
    kinds = [event["type"] for event in requests.get(f"{game.url}/events", timeout=10).json()["events"]]
    assert told == [kinds, kinds]
    assert kinds[-1] == "finished"


def test_a_stream_that_has_nothing_new_begins_with_the_observation(game: Remote) -> None:
    last = requests.get(f"{game.url}/events", timeout=10).json()["last"]
    headers = {**STREAM, "Last-Event-ID": str(last)}
    with requests.get(f"{game.url}/events?observation=true", headers=headers, stream=True, timeout=10) as response:
        lines = response.iter_lines(decode_unicode=True)
        assert [next(lines) for _ in range(3)][2] == "event: observation"
        assert json.loads(next(lines).removeprefix("data: "))["seat"] is None


def test_events_in_json_come_with_the_observation_if_asked(game: Remote) -> None:
    who = {"Authorization": f"Bearer {game.tokens[1]}"}
    with_it = requests.get(f"{game.url}/events?observation=true", headers=who, timeout=10).json()
    assert with_it.pop("observation") == requests.get(game.url, headers=who, timeout=10).json()
    assert with_it == requests.get(f"{game.url}/events", headers=who, timeout=10).json()
    refused = requests.get(f"{game.url}/events?observation=yes", timeout=10)
    assert refused.status_code == 422
