"""The check of a push bot: faulty bots are found out, each under the name of its fault; good ones are let through."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from werkzeug.test import Client

from bots.faulty import FAULTY_BOTS, start
from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from montego_bot import Ask, Bot, Choice, End, FunctionBot, push_app, running
from service.operations.access.tokens import webhook_secret
from service.operations.context import Context
from tests.workers.outbound_setup import LOOPBACK
from workers.conformance.caller import Target
from workers.conformance.positions import longest_question, scripted
from workers.conformance.push import TOTAL_S, check_push, with_unknown_members
from workers.outbound import OutboundClient

SECRET = "whsec_" + "c2VjcmV0" * 4
STRANGER = "whsec_" + "b3RoZXJz" * 4

Findings = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def outbound() -> Iterator[OutboundClient]:
    made = OutboundClient(LOOPBACK)
    yield made
    made.close()


def checked(
    outbound: OutboundClient, url: str, *, known: bool = True, total_s: float = TOTAL_S
) -> tuple[dict[str, Any], Findings]:
    """The report, and its findings by the name of the check."""
    report = check_push(outbound, Target(url, (SECRET,) if known else (), STRANGER, "check"), total_s).to_json()
    return report, {finding["check"]: finding for finding in report["findings"]}


@pytest.fixture(scope="module")
def bad(outbound: OutboundClient) -> dict[str, tuple[dict[str, Any], Findings]]:
    """The reports on all faulty bots, made in parallel."""

    def report(name: str) -> tuple[dict[str, Any], Findings]:
        with start(name) as handle:
            return checked(outbound, handle.url)

    with ThreadPoolExecutor(len(FAULTY_BOTS)) as pool:
        return dict(zip(FAULTY_BOTS, pool.map(report, FAULTY_BOTS), strict=True))


def test_a_bot_of_the_kit_is_ready(outbound: OutboundClient) -> None:
    with running(push_app(GreedyBot(), secrets=[SECRET])) as url:
        report, findings = checked(outbound, url)
    # How quick it is depends on the machine of the tests.
    advised = {name for name, finding in findings.items() if finding["grade"] != "ok"} - {"speed"}
    assert advised == set(), report
    assert {"a wrong signature", "an old signature", "long lists", "unknown members", "speed"} < set(findings)
    assert report["version"] == GreedyBot.version
    assert report["asks"] > 30
    assert 1 <= report["median_ms"] <= report["slowest_ms"]


class TwoWrites(BaseHTTPRequestHandler):
    """A bot that sends headers and body apart, as many servers do, with Nagle's algorithm on."""

    protocol_version = "HTTP/1.1"
    wbufsize = 0
    bot = Client(push_app(GreedyBot(), secrets=[SECRET]))

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        got = self.bot.open(self.path, method=self.command, data=body, headers=dict(self.headers))
        self.send_response_only(got.status_code)
        self.send_header("Content-Length", str(len(got.data)))
        self.end_headers()
        self.wfile.write(got.data)

    do_GET = do_POST = answer  # noqa: N815  (http.server's names)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (http.server's name)
        pass


def test_answers_that_wait_for_an_acknowledgement_are_noticed(outbound: OutboundClient) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), TwoWrites) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        report, findings = checked(outbound, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert report["grade"] == "fair"
    assert "TCP_NODELAY" in findings["answers in one piece"]["fix"]


def test_what_a_bot_says_when_it_refuses_is_shown(outbound: OutboundClient) -> None:
    other = "whsec_" + "b3RoZXIh" * 4
    with running(push_app(RandomBot(), secrets=[other])) as url:
        _, findings = checked(outbound, url)
    detail = findings["start"]["detail"]
    assert "status 401" in detail
    assert "No matching signature found" in detail


def test_a_bot_that_checks_no_signatures_is_advised_to(outbound: OutboundClient) -> None:
    with running(push_app(RandomBot())) as url:
        report, findings = checked(outbound, url)
        _, unknown = checked(outbound, url, known=False)
    assert report["grade"] == "fair"
    assert "401" in findings["a wrong signature"]["fix"]
    assert findings["an old signature"]["grade"] == "advice"
    assert unknown["signatures"]["grade"] == "advice"


def test_a_bot_that_wants_a_secret_which_is_not_known_says_what_to_do(outbound: OutboundClient) -> None:
    with running(push_app(RandomBot(), secrets=[SECRET])) as url:
        report, findings = checked(outbound, url, known=False)
    assert report["grade"] == "faulty"
    assert "MONTEGO_BOT_SECRET" in findings["start"]["fix"]


@pytest.mark.parametrize(
    "name", [name for name in FAULTY_BOTS if FAULTY_BOTS[name].fault and FAULTY_BOTS[name].comes_up]
)
def test_a_bad_bot_is_found_out_under_the_name_of_its_fault(
    bad: dict[str, tuple[dict[str, Any], Findings]], name: str
) -> None:
    report, findings = bad[name]
    assert report["grade"] == "faulty"
    wrong = [finding for finding in findings.values() if finding["grade"] == "fault"]
    assert f": {FAULTY_BOTS[name].fault}: " in findings["a game"]["detail"], wrong
    assert all(finding["fix"] for finding in wrong)
    assert all(finding["detail"].isprintable() and len(finding["detail"]) <= 300 for finding in findings.values())


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in FAULTY_BOTS
        if not FAULTY_BOTS[name].fault and FAULTY_BOTS[name].comes_up and name != "slow-start"
    ],
)
def test_what_is_only_odd_is_no_fault(bad: dict[str, tuple[dict[str, Any], Findings]], name: str) -> None:
    report, _ = bad[name]
    assert report["grade"] in ("ready", "fair"), report


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("refusing", "information"),
        ("other-protocol", "information"),
        ("never-starting", "start"),
        ("slow-start", "information"),
    ],
)
def test_one_that_does_not_come_up_is_told_where(
    bad: dict[str, tuple[dict[str, Any], Findings]], name: str, check: str
) -> None:
    report, findings = bad[name]
    assert report["grade"] == "faulty"
    assert list(findings)[-1] == check
    assert findings[check]["grade"] == "fault"


def test_a_check_ends_however_slow_the_bot(outbound: OutboundClient) -> None:
    ended = threading.Event()

    def slow(ask: Ask) -> Choice:
        ended.wait(1.3)
        return 0

    with running(push_app(slow, secrets=[SECRET])) as url:
        report, findings = checked(outbound, url, total_s=3.0)
        ended.set()
    assert "broken off after 3 s" in findings["time"]["detail"]
    assert report["grade"] == "fair"


class Forgetful(Bot):
    """Answers by heart what it has not read: index 3 of every question."""

    def act(self, ask: Ask) -> Choice:
        return min(3, len(ask.legal_actions) - 1)

    def on_end(self, end: End) -> None:
        raise RuntimeError("no end")


def test_a_failure_at_the_end_is_only_advice(outbound: OutboundClient) -> None:
    with running(push_app(Forgetful(), secrets=[SECRET])) as url:
        report, findings = checked(outbound, url)
    assert report["grade"] == "fair"
    assert "bad_status" in findings["end"]["detail"]


def test_another_answer_to_the_same_ask_is_advised_against(outbound: OutboundClient) -> None:
    count = iter(range(10_000))
    fickle = FunctionBot(lambda ask: next(count) % len(ask.legal_actions), name="fickle")
    with running(push_app(fickle, secrets=[SECRET])) as url:
        _, findings = checked(outbound, url)
    assert findings["repeated ask"]["grade"] == "advice"


def test_scripted_questions_are_of_every_type_and_the_lists_are_long() -> None:
    questions = scripted("g")
    assert {question.decision.type for question in questions} == {"hire", "play", "load", "unload"}
    assert {question.state.players for question in questions} > {2}
    question = longest_question("g")
    ask = question.ask(1000, 0)
    assert len(ask["legal_actions"]) >= 100
    assert len(ask["observation"]["unseen"]) > 40


def test_unknown_members_stand_everywhere_but_in_the_actions() -> None:
    ask = scripted("g")[0].ask(1000, 0)
    changed = with_unknown_members(ask)
    assert changed["legal_actions"] == ask["legal_actions"]
    assert len(changed["observation"]["board"][0]["upper"]) == len(ask["observation"]["board"][0]["upper"]) + 2


def test_a_secret_of_nobody_is_made_anew(ctx: Context) -> None:
    assert webhook_secret(ctx) != webhook_secret(ctx)
