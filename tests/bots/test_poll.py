"""Poll bots over real HTTP: whole games, trouble on the way, and what is told to the author."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pytest
import requests
from flask import Response

from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from montego_bot import Ask, Bot, Choice, End, Poller, Refused, Start, push_app, running
from tests.bots.poll_service import PollService, problem
from tests.pollers import running_pollers

TIMEOUT = 60


@contextmanager
def polling(url: str, bots: Sequence[Any], tokens: Sequence[str]) -> Iterator[None]:
    pollers = [Poller(bot, url, token, wait=1) for bot, token in zip(bots, tokens, strict=True)]
    with running_pollers(pollers):
        yield


def polled(service: PollService, bots: Sequence[Any]) -> list[tuple[str, Any]]:
    """What these bots settle in a whole game over poll."""
    with running(service.app) as url, polling(url, bots, service.tokens):
        assert service.over.wait(TIMEOUT)
    return service.settled


def pushed(service: PollService, bots: Sequence[Bot]) -> list[tuple[str, Any]]:
    """What they settle over push."""
    apps = [running(push_app(bot)) for bot in bots]
    urls = [app.__enter__() for app in apps]
    try:
        while not service.over.is_set():
            for name, ask in service.open_asks():
                answer = requests.post(urls[ask["decision"]["seat"]] + "/act", json=ask, timeout=TIMEOUT)
                service.settle(name, answer.json()["action"])
    finally:
        for app in apps:
            app.__exit__(None, None, None)
    return service.settled


def make_bots() -> list[Bot]:
    return [GreedyBot(), RandomBot(), GreedyBot("greedy-2", "greedy-2")]


def first(ask: Ask) -> Choice:
    return 0


def test_the_same_bots_play_the_same_game_over_push_and_over_poll() -> None:
    over_poll = polled(PollService(3, "transports"), make_bots())
    over_push = pushed(PollService(3, "transports"), make_bots())
    assert len(over_poll) > 30
    assert over_poll == over_push


def test_a_bot_tells_its_version_and_hears_start_and_end_once() -> None:
    class Listening(RandomBot):
        version = "7.1"

        def __init__(self) -> None:
            super().__init__()
            self.heard: list[Start | End] = []
            self.ended = threading.Event()

        def on_start(self, start: Start) -> None:
            self.heard.append(start)

        def on_end(self, end: End) -> None:
            self.heard.append(end)
            self.ended.set()

    bots = [Listening(), Listening()]
    service = PollService(2, "notices")
    with running(service.app) as url, polling(url, bots, service.tokens):
        assert service.over.wait(TIMEOUT)
        assert all(bot.ended.wait(TIMEOUT) for bot in bots)
    assert [[type(word) for word in bot.heard] for bot in bots] == [[Start, End]] * 2
    assert service.versions == {"7.1"}


def test_no_question_is_answered_twice() -> None:
    asked: list[str] = []

    def counting(ask: Ask) -> Choice:
        asked.append(ask.decision.id)
        return first(ask)

    service = PollService(2, "once")
    settled = polled(service, [counting, counting])
    assert sorted(asked) == sorted(name for name, _ in settled)
    assert service.refused == []


def test_what_passes_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    troubles = [
        problem(503, "unavailable", **{"Retry-After": "1"}),
        problem(500, "internal_error"),
        problem(429, "slow"),
    ]
    assert polled(PollService(2, "troubles", troubles), [first, first])
    assert "503 unavailable" in caplog.text


def test_an_unknown_token_ends_the_bot_with_the_reason() -> None:
    with running(PollService(2, "token").app) as url, pytest.raises(Refused, match="401 unauthorized"):
        Poller(first, url, "nobody's").run()


@pytest.mark.parametrize("url", ["nowhere", "http://", "ftp://127.0.0.1"])
def test_an_address_that_is_none_ends_the_bot_with_the_reason(url: str) -> None:
    with pytest.raises(Refused, match="cannot be called"):
        Poller(first, url, "token").run()


@pytest.mark.parametrize("body", ["<h1>Welcome</h1>", "[]", '{"decisions":[]}'])
def test_an_address_where_somebody_else_answers_ends_the_bot_with_the_reason(body: str) -> None:
    service = PollService(2, "elsewhere", [Response(body)])
    with running(service.app) as url, pytest.raises(Refused, match="not a service of this protocol"):
        Poller(first, url, service.tokens[0]).run()


@pytest.mark.parametrize(
    ("choice", "said"), [(10_000, "there is no index 10000"), ({"type": "decline"}, "is not legal"), (None, "None")]
)
def test_an_illegal_choice_is_told_to_the_author_and_not_sent(
    choice: Any, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    asked = threading.Event()

    def wrong(ask: Ask) -> Choice:
        asked.set()
        return cast(Choice, choice)

    service = PollService(2, "illegal")
    with running(service.app) as url, polling(url, [wrong, first], service.tokens):
        assert asked.wait(TIMEOUT)
    assert said in caplog.text
    assert not service.settled and not service.reasons


def failing(ask: Ask) -> Choice:
    raise RuntimeError("out of ideas")


@pytest.mark.parametrize(
    ("bot", "reason"), [(failing, "RuntimeError"), (lambda ask: 10_000, "there is no index 10000")]
)
def test_in_a_match_the_service_is_told_at_once_that_there_is_no_answer(bot: Any, reason: str) -> None:
    service = PollService(2, "no answer", match="match")
    with running(service.app) as url, polling(url, [bot, first], service.tokens):
        assert service.over.wait(TIMEOUT)
    assert service.reasons
    assert all(reason in told for told in service.reasons)
    assert service.refused == []


def test_a_mistake_costs_the_decision_and_is_told_to_the_author(caplog: pytest.LogCaptureFixture) -> None:
    made = threading.Event()

    def broken(ask: Ask) -> Choice:
        made.set()
        raise ZeroDivisionError("a slip")

    service = PollService(2, "mistake")
    with (
        running(service.app) as url,
        caplog.at_level(logging.ERROR, "montego_bot"),
        polling(url, [broken, first], service.tokens),
    ):
        assert made.wait(TIMEOUT)
    assert "ZeroDivisionError: a slip" in caplog.text
    assert "there is no answer to" in caplog.text
    # It was asked once: the same question is not put to broken code again and again.
    assert caplog.text.count("Traceback") == 1
