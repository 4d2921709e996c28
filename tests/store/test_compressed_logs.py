"""The log of a game that is over is kept small, and nobody who reads it notices."""

from __future__ import annotations

import json

import pytest

from service.store import keys
from service.store.clients import RedisClient
from service.store.games import Effects, GameStore, VersionMoved
from service.store.hub import Hub
from tests.store.samples import begin, past


def finished(games: GameStore, entries: int) -> list[str]:
    """A game that is over, of so many entries like those of a real one."""
    lines = [json.dumps(["a", 37 * n, f"{n // 9}.play.{n % 4}.0", [n % 5, 3], "p", None, n]) for n in range(entries)]
    begin(games, "g", entries=lines[:1], match=True)
    games.append("g", past(games, "g", 1), lines[1:], effects=Effects("finished"))
    return lines


def test_a_compressed_log_reads_as_before_from_any_version(games: GameStore, client: RedisClient) -> None:
    lines = finished(games, 90)
    before = {since: games.read("g", since) for since in (0, 1, 50, 89, 90, 95)}
    size = client.memory_usage(keys.game_log("g")) or 0
    assert games.compress("g")
    assert 0 < (client.memory_usage(keys.game_log("g")) or 0) < size / 2
    for since, row in before.items():
        after = games.read("g", since)
        assert after is not None and row is not None
        assert (after.version, after.entries) == (90, row.entries)
    row = games.read("g")
    assert row is not None and row.entries == tuple(lines)


def test_a_log_is_compressed_only_once_its_game_is_over(games: GameStore) -> None:
    begin(games, "g", match=True)
    assert not games.compress("g")
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("aborted"))
    assert games.compress("g")
    assert not games.compress("g")
    assert not games.compress("nosuchgame")


def test_a_compressed_log_takes_nothing_in_and_keeps_its_version_as_a_topic(
    games: GameStore, client: RedisClient, hub: Hub
) -> None:
    finished(games, 10)
    games.compress("g")
    for expected in (1, 10):
        with pytest.raises(VersionMoved):
            games.append("g", past(games, "g", expected), ["late"], effects=Effects("finished"))
    assert hub.version("game:g") == 10
    games.remove("g")
    assert games.read("g") is None
    assert not client.exists(keys.game_log("g"))
