"""`python -m tests.benchmarks.api_load URL KEY SECONDS`: whole games of four, played over keep-alive connections.

Each seat has a connection of its own, and what a game waits for is answered all at once, so cards of one round meet at
the server. With `--bare BYTES` it sends requests of that size to the bare view instead, over as many connections as
there are answers on the way in games. With `--many GAMES` it plays that many games over each of two connections, and
settles what they all wait for by one call of `POST /v1/actions`: like a client that has the rules itself, it knows what
comes, since all games are one that it has played before. Prints a JSON object: what was done, how long each answer
took, its own CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

GAMES = 6
"""Games at a time, unless `--games` says otherwise."""
BARE_CONNECTIONS = 12
"""Answers on the way at a time: four in a game while cards are chosen, then one."""
WARM_S = 0.3
PLAYERS = 4
MANY_CONNECTIONS = 2
MAX_ANSWERS = 256
SEED = "the same game"

_STATUS = re.compile(rb"HTTP/1\.1 (\d+)")
_VERSION = re.compile(rb'"version":(\d+)')
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Connection:
    """A keep-alive connection, at which one request is on the way at a time."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = host
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, url: str) -> Self:
        """To the server of this URL."""
        parts = urlsplit(url)
        return cls(parts.netloc, *await asyncio.open_connection(parts.hostname, parts.port))

    async def request(self, method: str, path: str, token: str | None = None, body: bytes = b"") -> tuple[int, bytes]:
        """Status and body of the answer."""
        credentials = f"Authorization: Bearer {token}\r\n" if token else ""
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\n{credentials}{kind}\r\n"
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        status, length = _STATUS.match(answer), _LENGTH.search(answer)
        assert status is not None, answer
        return int(status[1]), await self._reader.readexactly(int(length[1])) if length else b""

    def close(self) -> None:
        """Hangs up."""
        self._writer.close()


Script = list[list[tuple[int, bytes]]]
"""A game: for each time that it waits for answers, the seats and their answers (members of a JSON object)."""


@dataclass(slots=True)
class Load:
    """What was done. `times`: seconds to each answer to an action after the first WARM_S seconds."""

    url: str
    key: str
    ends: float
    measured_from: float
    requests: int = 0
    actions: int = 0
    finished: int = 0
    body_bytes: int = 0
    times: list[float] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() > self.ends

    async def ask(self, connection: Connection, path: str, token: str, body: bytes, expected: int = 200) -> bytes:
        """Sends a body; the answer's. Raises AssertionError for another status than the one expected."""
        status, answer = await connection.request("POST", path, token, body)
        assert status == expected, f"{path}: {status} {answer.decode()}"
        self.requests += 1
        return answer

    async def act(self, connection: Connection, path: str, token: str, body: bytes) -> bytes:
        """Submits an action, and notes how long that took."""
        began = time.perf_counter()
        answer = await self.ask(connection, path, token, body)
        now = time.perf_counter()
        if self.measured_from < now < self.ends:
            self.times.append(now - began)
            self.body_bytes += len(answer)
        self.actions += 1
        return answer

    async def act_all(self, connection: Connection, answers: list[bytes]) -> None:
        """Submits many actions in one call. Each of them counts with the time of the call."""
        began = time.perf_counter()
        told = await self.ask(connection, "/v1/actions", self.key, b'{"actions":[%s]}' % b",".join(answers))
        now = time.perf_counter()
        assert told.count(b'"status":200') == len(answers), told
        if self.measured_from < now < self.ends:
            self.times += [now - began] * len(answers)
            self.body_bytes += len(told)
        self.actions += len(answers)


def choose(observation: dict[str, Any], decision: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """An answer that is legal, without being told what is: random cards, loads and unloads front first."""
    jack, seat = observation["jack"], decision["seat"]
    action: dict[str, Any]
    if decision["type"] == "hire":
        action = {"type": "hire", "worker": "big"} if chance.random() < 0.5 else {"type": "decline"}
    elif decision["type"] == "play":
        action = {"type": "play", "big": chance.randint(1, 5), "little": chance.randint(1, 5)}
        if jack is not None and jack["seat"] == seat:
            action["jack"] = chance.choice([card for card in range(1, 6) if card != action[jack["companion"]]])
    else:
        return {"decision": decision["id"], "index": 0}
    return {"decision": decision["id"], "action": action}


def version_of(answer: bytes) -> int:
    """The version that an answer to an action names, which comes before its view."""
    found = _VERSION.search(answer)
    assert found is not None, answer
    return int(found[1])


async def play_games(load: Load, chance: random.Random) -> None:
    """Plays one game after another until the time is up."""
    connections = [await Connection.open(load.url) for _ in range(PLAYERS)]
    while not load.over:
        game = json.loads(await load.ask(connections[0], "/v1/games", load.key, b'{"players":4}', 201))
        tokens = {given["seat"]: given["token"] for given in game["tokens"]}
        path, observation = f"/v1/games/{game['game']}/actions", game["observation"]
        while observation["status"] == "running" and not load.over:
            answers = await asyncio.gather(
                *(
                    load.act(
                        connections[decision["seat"]],
                        path,
                        tokens[decision["seat"]],
                        json.dumps(choose(observation, decision, chance)).encode(),
                    )
                    for decision in observation["decisions"]
                )
            )
            # Only the newest view is taken apart: the generator shares the cores with the server.
            observation = msgspec.json.decode(max(answers, key=version_of))["observation"]
        load.finished += observation["status"] == "finished"
    for connection in connections:
        connection.close()


async def played_before(url: str, key: str) -> Script:
    """One whole game of SEED."""
    chance, script = random.Random(SEED), []
    connection = await Connection.open(url)
    _, made = await connection.request("POST", "/v1/games", key, new_game())
    game = json.loads(made)
    tokens = {given["seat"]: given["token"] for given in game["tokens"]}
    path, observation = f"/v1/games/{game['game']}/actions", game["observation"]
    while observation["status"] == "running":
        answers = [(one["seat"], choose(observation, one, chance)) for one in observation["decisions"]]
        for seat, answer in answers:
            status, acted = await connection.request("POST", path, tokens[seat], json.dumps(answer).encode())
            assert status == 200, acted
            observation = json.loads(acted)["observation"]
        script.append([(seat, json.dumps(answer).encode()[1:-1]) for seat, answer in answers])
    connection.close()
    return script


def new_game(number: int = 1) -> bytes:
    """The body that creates so many games of SEED."""
    return json.dumps({"players": PLAYERS, "seed": SEED, "count": number}).encode()


async def created(connection: Connection, key: str, number: int) -> list[list[bytes]]:
    """New games of SEED. Of each, by seat, the beginning of an answer."""
    status, told = await connection.request("POST", "/v1/games", key, new_game(number))
    assert status == 201, told
    made = json.loads(told)
    return [
        [b'{"game":"%s","token":"%s",' % (game["game"].encode(), given["token"].encode()) for given in game["tokens"]]
        for game in (made, *made["others"])
    ]


async def play_many(load: Load, connection: Connection, games: list[list[bytes]], script: Script) -> None:
    """Plays games at once, and then as many others, until the time is up."""
    while not load.over:
        for waited_for in script:
            answers = [seats[seat] + answer + b"}" for seats in games for seat, answer in waited_for]
            for first in range(0, len(answers), MAX_ANSWERS):
                if not load.over:
                    await load.act_all(connection, answers[first : first + MAX_ANSWERS])
        if not load.over:
            games = await created(connection, load.key, len(games))


async def ask_bare(load: Load, size: int) -> None:
    """Sends requests to the bare view until the time is up."""
    connection = await Connection.open(load.url)
    body = json.dumps({"decision": "3.play.1.0", "action": "x" * (size - 43)}).encode()
    while not load.over:
        await load.act(connection, "/v1/games/0123456789abcdef/actions", load.key, body)
    connection.close()


async def run(url: str, key: str, seconds: float, games: int, bare: int | None, many: int | None) -> Load:
    """Loads the server for so long."""
    script = [] if many is None else await played_before(url, key)
    connections = [await Connection.open(url) for _ in range(0 if many is None else MANY_CONNECTIONS)]
    begun = [await created(connection, key, many or 0) for connection in connections]
    now = time.perf_counter()
    load = Load(url, key, now + WARM_S + seconds, now + WARM_S)
    if many is not None:
        await asyncio.gather(*(play_many(load, *each, script) for each in zip(connections, begun, strict=True)))
    elif bare is None:
        await asyncio.gather(*(play_games(load, random.Random(number)) for number in range(games)))
    else:
        await asyncio.gather(*(ask_bare(load, bare) for _ in range(BARE_CONNECTIONS)))
    return load


def main() -> None:
    """Prints what was done."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.api_load", description=__doc__)
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--bare", type=int)
    parser.add_argument("--many", type=int)
    given = parser.parse_args()
    began, cpu = time.perf_counter(), time.process_time()
    load = asyncio.run(run(given.url, given.key, given.seconds, given.games, given.bare, given.many))
    done = {
        "requests": load.requests,
        "actions": load.actions,
        "finished": load.finished,
        "body_bytes": load.body_bytes,
        "times": load.times,
        "cpu_share": (time.process_time() - cpu) / (time.perf_counter() - began),
    }
    json.dump(done, sys.stdout)


if __name__ == "__main__":
    main()
