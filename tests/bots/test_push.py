"""Push bots over real connections: the four calls, signatures, kept connections, mistakes in a bot's own code."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from standardwebhooks import Webhook

from bots.random_bot import RandomBot
from montego_bot import Ask, Bot, Choice, End, Start, Verifier, push_app, running
from montego_bot.signing import BadSecret
from tests.bots.positions import ask, cards

SECRET = "whsec_" + "c2VjcmV0IHNlY3JldCBzZWNyZXQh"
OTHER = "whsec_" + "YW5vdGhlciBzZWNyZXQgYW5vdGhlciBz"
TIMEOUT = 10


def signed(body: bytes, secret: str = SECRET, age: timedelta = timedelta()) -> dict[str, str]:
    now = datetime.now(UTC) - age
    name = "g1_2-play-0-0"
    return {
        "webhook-id": name,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(name, now, body.decode()),
    }


@contextmanager
def served(choose: Any, *secrets: str) -> Iterator[str]:
    with running(push_app(choose, secrets=secrets)) as url:
        yield url


def first(ask: Ask) -> Choice:
    return ask.legal_actions[0]


def test_the_information_names_protocol_and_version() -> None:
    with served(RandomBot("rolf")) as url:
        told = requests.get(url + "/", timeout=TIMEOUT).json()
    assert told == {"protocol": "montego-bay/1", "name": "rolf", "version": "1", "author": "Montego Bay contributors"}


@pytest.mark.parametrize("choose", [first, lambda ask: 0, lambda ask: {"type": "play", "big": 1, "little": 1}])
def test_a_bot_may_return_an_action_an_index_or_json(choose: Any) -> None:
    with served(choose) as url:
        answer = requests.post(url + "/act", json=cards(), timeout=TIMEOUT)
    assert answer.status_code == 200
    assert answer.json() == {"action": {"type": "play", "big": 1, "little": 1}}


def test_a_load_may_be_written_in_any_order_and_with_zeros() -> None:
    legal = [{"type": "load", "ships": {"s01": 1, "s04": 1}}, {"type": "load", "ships": {"s04": 2}}]
    question = ask({"type": "load", "worker": "big", "warehouse": "w3", "room": "upper", "barrels": 2}, legal)
    with served(lambda ask: {"type": "load", "ships": {"s07": 0, "s04": 1, "s01": 1}}) as url:
        assert requests.post(url + "/act", json=question, timeout=TIMEOUT).json() == {"action": legal[0]}


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (25, "there is no index 25"),
        (-1, "there is no index -1"),
        (True, "expected an Action"),
        (None, "expected an Action"),
        ({"type": "play", "big": 6, "little": 1}, "is not legal"),
    ],
)
def test_an_illegal_choice_is_told_to_the_author_instead_of_being_sent(choice: Any, said: str) -> None:
    with served(lambda ask: choice) as url:
        answer = requests.post(url + "/act", json=cards(), timeout=TIMEOUT)
    assert answer.status_code == 500
    assert "2.play.0.0" in answer.json()["detail"]
    assert said in answer.json()["detail"]


def test_an_exception_in_the_bot_is_logged_and_answered_500(caplog: pytest.LogCaptureFixture) -> None:
    def broken(ask: Ask) -> Choice:
        raise KeyError("oops")

    with served(broken) as url:
        answer = requests.post(url + "/act", json=cards(), timeout=TIMEOUT)
        assert requests.get(url + "/", timeout=TIMEOUT).status_code == 200
    assert answer.status_code == 500
    assert answer.json()["detail"] == "KeyError: 'oops'"
    assert "Traceback" in caplog.text


def test_start_and_end_reach_the_bot() -> None:
    class Listening(Bot):
        heard: list[Start | End]

        def __init__(self) -> None:
            self.heard = []

        def act(self, ask: Ask) -> Choice:
            return 0

        def on_start(self, start: Start) -> None:
            self.heard.append(start)

        def on_end(self, end: End) -> None:
            self.heard.append(end)

    bot = Listening()
    start = {"protocol": "montego-bay/1", "game": "g1", "match": "m1", "tournament": "t1", "seat": 1, "players": 2}
    start |= {"variants": {}, "components": {}, "seats": ["a", "b"], "move_ms": 1000, "bank_ms": 5000, "max_faults": 5}
    end: dict[str, Any] = {
        "game": "g1",
        "match": "m1",
        "places": None,
        "points": [0, 0],
        "ended": "aborted",
        "faults": {},
    }
    with served(bot) as url:
        assert requests.post(url + "/start", json=start, timeout=TIMEOUT).status_code == 200
        assert requests.post(url + "/end", json=end | {"record": "/r"}, timeout=TIMEOUT).status_code == 200
    assert [type(word) for word in bot.heard] == [Start, End]


@pytest.mark.parametrize(
    ("body", "said"),
    [(b"{", "not JSON"), (b"\xff", "not JSON"), (b"{}", "protocol"), (b"[" * 100_000, "not JSON"), (b"", "not JSON")],
)
def test_what_is_no_ask_is_answered_400_with_the_reason(body: bytes, said: str) -> None:
    with served(first) as url:
        answer = requests.post(url + "/act", data=body, timeout=TIMEOUT)
    assert answer.status_code == 400
    assert said in answer.json()["detail"]


def test_wrong_calls_are_answered_plainly() -> None:
    with served(first) as url:
        assert requests.get(url + "/nothing", timeout=TIMEOUT).status_code == 404
        wrong = requests.get(url + "/act", timeout=TIMEOUT)
        assert wrong.status_code == 405
        assert "POST" in wrong.headers["Allow"]


def test_a_signed_ask_is_answered() -> None:
    body = json.dumps(cards()).encode()
    with served(first, OTHER, SECRET) as url:
        assert requests.post(url + "/act", data=body, headers=signed(body), timeout=TIMEOUT).status_code == 200
        assert requests.get(url + "/", timeout=TIMEOUT).status_code == 200


def test_old_altered_foreign_and_unsigned_asks_are_refused() -> None:
    body = json.dumps(cards()).encode()
    good = signed(body)
    refused = {
        "unsigned": (body, {}),
        "altered body": (body.replace(b'"stack": 9', b'"stack": 8'), good),
        "altered id": (body, good | {"webhook-id": "g2_2-play-0-0"}),
        "altered time": (body, good | {"webhook-timestamp": str(int(good["webhook-timestamp"]) + 1)}),
        "old": (body, signed(body, age=timedelta(minutes=6))),
        "from the future": (body, signed(body, age=timedelta(minutes=-6))),
        "another secret": (body, signed(body, OTHER)),
        "no signature": (body, good | {"webhook-signature": "nonsense"}),
        "no base64": (body, good | {"webhook-signature": "v1,!"}),
        "no time": (body, good | {"webhook-timestamp": "nan"}),
        "not utf-8": (b"\xff" + body, good),
    }
    with served(first, SECRET) as url:
        for why, (sent, headers) in refused.items():
            for path in ("/act", "/start", "/end"):
                answer = requests.post(url + path, data=sent, headers=headers, timeout=TIMEOUT)
                assert answer.status_code == 401, f"{why} at {path}"
                assert answer.json()["title"] == "unauthorized"


@pytest.mark.parametrize(("minutes", "words"), [(10, "ahead of"), (-10, "behind")])
def test_a_clock_that_is_off_is_named_in_the_answer_and_in_the_log_of_the_bot(
    minutes: int, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = json.dumps(cards()).encode()
    with served(first, SECRET) as url:
        headers = signed(body, age=timedelta(minutes=minutes))
        refused = requests.post(url + "/act", data=body, headers=headers, timeout=TIMEOUT)
    reason = refused.json()["detail"]
    assert f"s {words} the time at which the request was signed" in reason
    assert [record.getMessage() for record in caplog.records] == [f"first: /act was refused with 401: {reason}"]


def test_a_client_that_hangs_up_is_no_error_of_the_bot(capfd: pytest.CaptureFixture[str]) -> None:
    with served(first) as url:
        address = urlsplit(url)
        for _ in range(20):
            with socket.create_connection((address.hostname, address.port), timeout=TIMEOUT) as client:
                body = json.dumps(cards()).encode()
                client.sendall(b"POST /act HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert requests.post(url + "/act", json=cards(), timeout=TIMEOUT).status_code == 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("secret", ["", "secret", "whsec_", "whsec_a", "whsec_ä"])
def test_a_malformed_secret_is_refused_at_the_start(secret: str) -> None:
    with pytest.raises(BadSecret, match="whsec_"):
        Verifier([secret])


def test_a_kept_connection_carries_one_ask_after_another() -> None:
    body = json.dumps(cards())
    with served(first) as url:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT)
        connection.connect()
        here = connection.sock.getsockname()
        for path, status in (("/act", 200), ("/nothing", 404), ("/start", 400), ("/act", 200)):
            connection.request("POST", path, body)
            answer = connection.getresponse()
            answer.read()
            assert (answer.version, answer.status) == (11, status)
            assert connection.sock.getsockname() == here
        connection.close()


def test_a_body_without_end_is_refused_before_it_is_read() -> None:
    with served(first) as url:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT)
        connection.putrequest("POST", "/act")
        connection.putheader("Content-Length", str(10**30))
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_a_bot_runs_under_another_wsgi_server(tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text(
        "from montego_bot import push_app\n\n"
        "def first(ask):\n    return ask.legal_actions[0]\n\n"
        "app = push_app(first)\n"
    )
    command = [sys.executable, "-m", "gunicorn", "--chdir", str(tmp_path), "--bind", "127.0.0.1:0", "mine:app"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            url = next(line.split()[-2] for line in server.stderr if "Listening at" in line)
            answer = requests.post(url + "/act", json=cards(), timeout=TIMEOUT)
            assert answer.json() == {"action": {"type": "play", "big": 1, "little": 1}}
        finally:
            server.terminate()
