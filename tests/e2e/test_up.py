"""`montego up`: the whole service in one terminal."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import redis
import requests

from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.e2e.terminal import Terminal, running

KEY = "an-organiser-key-for-this-test"
WITH_KEY = {"MONTEGO_ORGANISER_KEY": KEY}
BOTS = ["greedy", "greedy-2", "random", "random-2"]


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _ready(url: str) -> bool:
    try:
        return requests.get(f"{url}/readyz", timeout=2).status_code == 200
    except requests.RequestException:
        return False


def _post(url: str, body: dict[str, Any], key: str | None = None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = requests.post(url, json=body, headers=headers, timeout=30)
    assert answer.status_code < 300, answer.text
    made: dict[str, Any] = answer.json()
    return made


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Terminal, str]]:
    """One `montego up` for the tests that leave it running."""
    port = free_port()
    with running("up", "--port", port, environ=WITH_KEY) as terminal:
        yield terminal, _url(port)


def test_it_prints_where_it_is_and_what_to_try(shared: tuple[Terminal, str]) -> None:
    terminal, url = shared
    said = "\n".join(terminal.out)
    assert url in said
    assert "greedy, greedy-2, random, random-2" in said
    assert f"curl -s {url}/v1/games" in said
    assert "montego tournament create" in said
    assert KEY not in said


def test_the_reference_bots_are_registered_for_casual_games(shared: tuple[Terminal, str]) -> None:
    _, url = shared
    found = requests.get(f"{url}/v1/bots", timeout=10).json()["items"]
    assert sorted((item["name"], item["casual"]) for item in found) == [(name, True) for name in BOTS]


def test_a_seated_bot_plays_its_turn(shared: tuple[Terminal, str]) -> None:
    _, url = shared
    made = _post(f"{url}/v1/games", {"players": 2, "seats": ["creator", {"bot": "greedy"}]})
    token = made["tokens"][0]["token"]
    headers = {"Authorization": f"Bearer {token}"}

    def bot_has_chosen() -> bool:
        view = requests.get(f"{url}/v1/games/{made['game']}", headers=headers, timeout=10).json()
        return bool(view["seats"][1]["chosen"])

    assert wait_until(bot_has_chosen, 15, pause=0.1)


@pytest.mark.parametrize(
    "part", ["redis-server 127", "gunicorn", "service.cli.main worker", "service.cli.main bot greedy --host"]
)
def test_a_part_that_is_killed_is_started_again_and_nothing_is_lost(shared: tuple[Terminal, str], part: str) -> None:
    terminal, url = shared
    assert wait_until(lambda: _ready(url), 20, pause=0.1)
    game = _post(f"{url}/v1/games", {"players": 2})["game"]
    pid = terminal.pid_of(part)
    os.kill(pid, signal.SIGKILL)
    assert "ended (killed by SIGKILL) and is started again" in terminal.line_with("SIGKILL", 10)
    assert wait_until(lambda: any(part in words for words in terminal.processes().values()), 10)
    assert wait_until(lambda: _ready(url), 20, pause=0.1)
    assert pid not in terminal.processes()
    assert requests.get(f"{url}/v1/games/{game}", timeout=10).json()["game"] == game


def _key_of(terminal: Terminal) -> str:
    """The organiser's key that it has printed."""
    return next(line for line in terminal.out if line.startswith("organiser's key")).split()[-1]


def _kinds_of_faults(url: str, key: str) -> set[str]:
    """Of all bots."""
    headers = {"Authorization": f"Bearer {key}"}
    bots = requests.get(f"{url}/v1/bots", headers=headers, timeout=10).json()["items"]
    ledgers = [requests.get(f"{url}/v1/bots/{bot['bot']}/faults", headers=headers, timeout=10).json() for bot in bots]
    return {fault["kind"] for ledger in ledgers for fault in ledger["items"]}


def test_ctrl_c_ends_everything_in_mid_match_and_the_folder_of_data_keeps_it(tmp_path: Path) -> None:
    port, data = free_port(), tmp_path / "kept"
    url = _url(port)
    with running("up", "--port", port, "--data", data, folder=data) as terminal:
        key = _key_of(terminal)
        tournament = {"name": "long", "format": "round_robin", "bots": BOTS, "players": 4, "deals": 50}
        path = f"{url}/v1/tournaments/{_post(f'{url}/v1/tournaments', tournament, key)['tournament']}"
        made = _post(f"{url}/v1/games", {"players": 2})
        version = made["observation"]["version"]

        def poll() -> None:
            with suppress(requests.RequestException):
                requests.get(f"{url}/v1/games/{made['game']}?wait=30&version={version}", timeout=60)

        polls = [threading.Thread(target=poll) for _ in range(3)]
        for thread in polls:
            thread.start()
        assert wait_until(lambda: requests.get(path, timeout=10).json()["matches"]["finished"] >= 1, 60, pause=0.2)
        assert len(terminal.processes()) > 6
        terminal.signal(signal.SIGINT)
        assert terminal.wait(30) == 0
        assert terminal.processes() == {}
        for thread in polls:
            thread.join(10)
        assert "Traceback" not in "\n".join(terminal.err)
    assert (data / "logs" / "api.log").exists()
    with running("up", "--port", port, "--data", data, folder=data) as terminal:
        assert _key_of(terminal) == key
        assert requests.get(f"{url}/v1/games/{made['game']}", timeout=10).status_code == 200
        assert "unreachable" not in _kinds_of_faults(url, key), "no bot was ended while it was still asked"


def test_nothing_outlives_it_when_it_is_killed() -> None:
    with running("up", "--port", free_port()) as terminal:
        assert len(terminal.processes()) > 6
        terminal.signal(signal.SIGKILL)
        assert terminal.all_ended(30), terminal.processes()


def test_a_redis_that_is_given_is_used_and_left_running(redis_url: str) -> None:
    with running("up", "--port", free_port(), environ={"REDIS_URL": redis_url}) as terminal:
        assert not [command for command in terminal.processes().values() if "redis-server" in command]
        terminal.signal(signal.SIGTERM)
        assert terminal.wait(30) == 0
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() > 0
