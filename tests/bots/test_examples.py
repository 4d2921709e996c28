"""Every example plays a whole game against random, over the transport that it is written for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

import bots
from bots.random_bot import RandomBot
from montego_bot import Poller, read_ask, running
from montego_bot import answer as answer_of
from service.processes.supervisor import wait_until
from tests.bots.poll_service import PollService
from tests.bots.positions import cards
from tests.bots.test_push import SECRET, signed

EXAMPLES = Path(bots.__path__[0]) / "examples"
TIMEOUT = 60
PUSH = {"push.py": sys.executable, "push.js": "node", "Push.java": "java"}
POLL = {"poll.py": sys.executable, "poll.pl": "perl", "poll.sh": "sh"}
ALSO = {"poll.sh": ("curl", "jq")}


def command(name: str) -> list[str]:
    """How an example is started; skips the test where its runtime is absent."""
    runtime = (PUSH | POLL)[name]
    for program in (runtime, *ALSO.get(name, ())):
        if shutil.which(program) is None:
            pytest.skip(f"{name} needs {program}, which this machine does not have")
    return [runtime, str(EXAMPLES / name)]


@contextmanager
def started(name: str, argument: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MONTEGO_")} | variables
    process = subprocess.Popen(
        [*command(name), argument], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def serving(name: str, **variables: str) -> Iterator[str]:
    with started(name, "0", **variables) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]


@pytest.mark.parametrize("name", sorted(PUSH | POLL))
def test_an_example_is_short(name: str) -> None:
    assert len((EXAMPLES / name).read_text().splitlines()) < 100


@pytest.mark.parametrize("name", sorted(PUSH))
def test_a_push_example_plays_a_game(name: str) -> None:
    service, other = PollService(2, f"example-{name}"), RandomBot()
    with serving(name) as url, requests.Session() as session:
        told = session.get(url + "/", timeout=TIMEOUT).json()
        assert told["protocol"] == "montego-bay/1"
        assert session.post(url + "/start", json={}, timeout=TIMEOUT).status_code == 200
        while not service.over.is_set():
            for decision, ask in service.open_asks():
                if ask["decision"]["seat"] == 0:
                    answer = session.post(url + "/act", json=ask, timeout=TIMEOUT).json()
                    action = answer["action"] if "action" in answer else ask["legal_actions"][answer["index"]]
                else:
                    action = answer_of(other, read_ask(ask))["action"]
                service.settle(decision, action)
        assert session.post(url + "/end", json={}, timeout=TIMEOUT).status_code == 200
        assert session.get(url + "/nothing", timeout=TIMEOUT).status_code == 404


@pytest.mark.parametrize("name", sorted(PUSH))
def test_a_push_example_checks_signatures(name: str) -> None:
    body = requests.Request("POST", "http://bot", json=cards()).prepare().body
    assert isinstance(body, bytes)
    good = signed(body)
    refused = [
        {},
        good | {"webhook-id": "g2_2-play-0-0"},
        good | {"webhook-timestamp": str(int(good["webhook-timestamp"]) - 400)},
        good | {"webhook-timestamp": "soon"},
        good | {"webhook-signature": "v1,AAAA"},
        good | {"webhook-signature": "v2," + good["webhook-signature"].split(",")[1]},
    ]
    with serving(name, MONTEGO_BOT_SECRET=SECRET) as url:
        assert requests.get(url, timeout=TIMEOUT).status_code == 200
        two = good | {"webhook-signature": "v1,AAAA " + good["webhook-signature"]}
        for headers in (good, two):
            assert requests.post(url + "/act", data=body, headers=headers, timeout=TIMEOUT).status_code == 200
        for headers in refused:
            assert requests.post(url + "/act", data=body, headers=headers, timeout=TIMEOUT).status_code == 401


@pytest.mark.parametrize("name", sorted(POLL))
def test_a_poll_example_plays_a_game(name: str) -> None:
    service = PollService(2, f"example-{name}")
    with running(service.app) as url, started(name, url, MONTEGO_BOT_TOKEN=service.tokens[0]):
        poller = Poller(RandomBot(), url, service.tokens[1], wait=1)
        thread = threading.Thread(target=poller.run)
        thread.start()
        try:
            assert service.over.wait(TIMEOUT)
        finally:
            poller.stop()
            thread.join(TIMEOUT)
    assert service.refused == []


@pytest.mark.parametrize("name", sorted(POLL))
def test_a_poll_example_ends_when_its_token_is_refused(name: str) -> None:
    with running(PollService(2, "token").app) as url, started(name, url, MONTEGO_BOT_TOKEN="nobody's") as process:
        assert process.wait(TIMEOUT) != 0
        assert process.stderr is not None
        assert "unauthorized" in process.stderr.read()


@pytest.mark.parametrize("name", sorted(POLL))
def test_a_token_with_a_line_end_is_used_without_it_and_one_that_cannot_be_sent_is_not_shown(name: str) -> None:
    service = PollService(2, f"trimmed-{name}")
    with running(service.app) as url:
        with started(name, url, MONTEGO_BOT_TOKEN=service.tokens[0] + "\n"):
            assert wait_until(lambda: bool(service.versions), TIMEOUT)
        with started(name, url, MONTEGO_BOT_TOKEN="hush\nhush") as process:
            out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode != 0
    assert "hush" not in out + err


@pytest.mark.parametrize("name", sorted(PUSH))
def test_a_secret_with_a_line_end_is_used_without_it(name: str) -> None:
    body = requests.Request("POST", "http://bot", json=cards()).prepare().body
    assert isinstance(body, bytes)
    with serving(name, MONTEGO_BOT_SECRET=f"{SECRET}\n") as url:
        assert requests.post(url + "/act", data=body, headers=signed(body), timeout=TIMEOUT).status_code == 200
        assert requests.post(url + "/act", data=body, timeout=TIMEOUT).status_code == 401
