"""What is connected to is what was checked: names are resolved once, and one address that is not allowed is enough."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence

import pytest

from service.addresses import AddressPolicy
from tests.workers.outbound_setup import LOOPBACK, answer, ask, failure
from tests.workers.raw_bots import RawBot, http, says
from workers.outbound import OutboundClient
from workers.outbound.lookup import Endpoint, Lookup, system_resolver


def at(address: str, port: int) -> Endpoint:
    if ":" in address:
        return Endpoint(socket.AF_INET6, (address, port, 0, 0))
    return Endpoint(socket.AF_INET, (address, port))


class Names:
    """A resolver whose answers are given, the last one again and again; it counts the questions."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self.asked: list[str] = []
        self._answers = answers

    def __call__(self, host: str, port: int) -> Sequence[Endpoint]:
        self.asked.append(host)
        answers = self._answers[min(len(self.asked), len(self._answers)) - 1]
        return [at(address, port) for address in answers]


@pytest.mark.parametrize("url", ["http://127.0.0.1:{}", "http://[::ffff:127.0.0.1]:{}", "http://localhost:{}"])
def test_loopback_is_refused_unless_the_operator_lists_it(url: str) -> None:
    with RawBot(says(http())) as bot:
        failed = failure(ask(OutboundClient(AddressPolicy()), url.format(bot.port)))
        assert failed.kind == "unreachable"
        assert "the address is not allowed" in failed.detail
        assert bot.connections == 0
        answer(ask(OutboundClient(LOOPBACK), url.format(bot.port)))


def test_a_name_is_resolved_once_a_connection_and_sent_as_it_is() -> None:
    names = Names(("127.0.0.1",))
    with RawBot(says(http())) as bot:
        outbound = OutboundClient(LOOPBACK, resolve=names)
        for _ in range(3):
            answer(ask(outbound, f"http://bot.test:{bot.port}"))
    assert names.asked == ["bot.test"]
    assert bot.received[0].headers["host"] == f"bot.test:{bot.port}"


@pytest.mark.parametrize("answers", [("127.0.0.1", "10.0.0.1"), ("10.0.0.1", "127.0.0.1"), ("127.0.0.1", "fd00::1")])
def test_mixed_answers_are_refused_as_a_whole(answers: tuple[str, ...]) -> None:
    names = Names(answers)
    with RawBot(says(http())) as bot:
        failed = failure(ask(OutboundClient(LOOPBACK, resolve=names), f"http://bot.test:{bot.port}"))
    assert failed.kind == "unreachable"
    assert failed.detail.startswith("the address is not allowed: it is in a private network; ")
    assert bot.connections == 0
    assert len(names.asked) == 1, "a refusal is final: asking again could only help an attacker"


def test_a_second_answer_that_differs_is_refused() -> None:
    names = Names(("127.0.0.1",), ("169.254.169.254",))
    with RawBot(says(http(), then_closes=True)) as bot:
        outbound = OutboundClient(LOOPBACK, resolve=names)
        answer(ask(outbound, f"http://bot.test:{bot.port}"))
        failed = failure(ask(outbound, f"http://bot.test:{bot.port}"))
    assert failed.detail.startswith("the address is not allowed: it is a link-local address; ")
    assert bot.connections == 1


def test_an_answer_that_changes_after_the_check_changes_nothing() -> None:
    # What a name stands for when it is checked and when it is connected to would be two answers of this resolver.
    names = Names(("127.0.0.1",), ("10.0.0.1",))
    with RawBot(says(http())) as bot:
        answer(ask(OutboundClient(LOOPBACK, resolve=names), f"http://bot.test:{bot.port}"))
    assert len(names.asked) == 1


def test_the_next_address_is_tried_where_nobody_listens_at_the_first() -> None:
    names = Names(("::1", "127.0.0.1"))
    with RawBot(says(http())) as bot:
        answer(ask(OutboundClient(LOOPBACK, resolve=names), f"http://bot.test:{bot.port}"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://me:secret@127.0.0.1:{}", "user information"),
        ("http://2130706433:{}", "looks like a number"),
        ("http://0x7f.1:{}", "looks like a number"),
        ("http://127.1:{}", "looks like a number"),
        ("ftp://127.0.0.1:{}", "http://"),
    ],
)
def test_a_url_that_is_no_plain_one_is_not_called(url: str, words: str) -> None:
    with RawBot(says(http())) as bot:
        failed = failure(ask(OutboundClient(LOOPBACK), url.format(bot.port)))
    assert failed.kind == "unreachable"
    assert words in failed.detail
    assert "secret" not in failed.detail
    assert bot.connections == 0


@pytest.mark.parametrize(
    "error", [socket.gaierror(socket.EAI_NONAME, "Name or service not known"), UnicodeError("label too long")]
)
def test_a_name_that_is_not_known_is_unreachable(error: Exception) -> None:
    def resolve(host: str, port: int) -> Sequence[Endpoint]:
        raise error

    failed = failure(ask(OutboundClient(LOOPBACK, resolve=resolve), "http://bot.test"))
    assert failed.kind == "unreachable"
    assert "the name of the host was not found: " in failed.detail


def test_a_name_without_an_address_is_unreachable() -> None:
    failed = failure(ask(OutboundClient(LOOPBACK, resolve=Names(())), "http://bot.test"))
    assert (failed.kind, failed.detail) == (
        "unreachable",
        "the name of the host was not found: the name has no address",
    )


def test_a_lookup_that_hangs_costs_no_more_than_the_deadline_and_nobody_else_anything() -> None:
    released = threading.Event()
    looked_up: list[str] = []

    def resolve(host: str, port: int) -> Sequence[Endpoint]:
        looked_up.append(host)
        if host == "hangs.test":
            released.wait(60)
        return (at("127.0.0.1", port),)

    with RawBot(says(http())) as bot:
        outbound = OutboundClient(LOOPBACK, resolve=resolve)
        began = time.monotonic()
        failed = failure(ask(outbound, f"http://hangs.test:{bot.port}", timeout_s=0.2))
        assert time.monotonic() - began < 5
        assert failed.kind == "unreachable"
        assert "in time" in failed.detail
        # The next one waits for the lookup that runs; no second thread is spent on the name.
        failure(ask(outbound, f"http://hangs.test:{bot.port}", timeout_s=0.2))
        assert looked_up == ["hangs.test"]
        answer(ask(outbound, f"http://bot.test:{bot.port}", timeout_s=10))
        released.set()
        answer(ask(outbound, f"http://hangs.test:{bot.port}", timeout_s=10))


def test_lookups_that_hang_are_limited_in_number() -> None:
    released = threading.Event()

    def resolve(host: str, port: int) -> Sequence[Endpoint]:
        released.wait(10)
        return (at("127.0.0.1", port),)

    lookup = Lookup(resolve, max_threads=2)
    for host in ("a.test", "b.test", "c.test"):
        with pytest.raises(TimeoutError):
            lookup.find(host, 80, 0.05)
    running = [thread.name for thread in threading.enumerate() if thread.name.startswith("lookup ")]
    assert sorted(running) == ["lookup a.test", "lookup b.test"]
    released.set()
    assert lookup.find("c.test", 80, 5) == (at("127.0.0.1", 80),)


def test_the_system_knows_localhost() -> None:
    assert at("127.0.0.1", 80) in system_resolver("localhost", 80)
