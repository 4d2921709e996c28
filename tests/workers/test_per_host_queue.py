"""Calls to many hosts beside each other: who waits for whom, and who does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from service.processes.supervisor import wait_until
from workers.per_host_queue import PerHostQueue


class Calls:
    """Each call goes on until it is let go, well or badly; items are `<host> <number>`."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._let_go: dict[str, bool] = {}
        self._bad_hosts: set[str] = set()
        self.begun: list[str] = []
        self.running: set[str] = set()
        self.closed = False

    def __call__(self, item: str) -> bool:
        with self._news:
            self.begun.append(item)
            self.running.add(item)
            self._news.wait_for(lambda: item in self._let_go or self.closed)
            self.running.discard(item)
            return self._let_go.get(item, True)

    def end(self, item: str, good: bool = True) -> None:
        with self._news:
            self._let_go[item] = good
            self._news.notify_all()

    def close(self) -> None:
        with self._news:
            self.closed = True
            self._news.notify_all()

    def come_to(self, *items: str) -> bool:
        """Whether these calls come to be those that run."""
        return wait_until(lambda: self.running == set(items), 5)


@contextmanager
def calls() -> Iterator[Calls]:
    made = Calls()
    try:
        yield made
    finally:
        made.close()


def fill(lines: PerHostQueue, *items: str) -> None:
    for item in items:
        assert lines.add(item.split()[0], item)


def test_a_host_gets_no_more_than_its_places_and_the_rest_waits_in_order() -> None:
    with calls() as made:
        fill(PerHostQueue(made, name="call", max_calls=10, max_per_host=2), *(f"a {number}" for number in range(4)))
        assert made.come_to("a 0", "a 1")
        made.end("a 1")
        assert made.come_to("a 0", "a 2")
        made.end("a 0")
        assert made.come_to("a 2", "a 3")


def test_a_host_that_hangs_delays_nobody_else() -> None:
    with calls() as made:
        lines = PerHostQueue(made, name="call", max_calls=10, max_per_host=2)
        fill(lines, *(f"hung {number}" for number in range(50)))
        fill(lines, "well 0")
        assert made.come_to("hung 0", "hung 1", "well 0")


def test_there_are_no_more_calls_than_places_and_hosts_take_turns() -> None:
    with calls() as made:
        lines = PerHostQueue(made, name="call", max_calls=2, max_per_host=2)
        fill(lines, "a 0", "a 1", "a 2", "a 3", "b 0", "c 0")
        assert made.come_to("a 0", "a 1")
        made.end("a 0")
        made.end("a 1")
        assert wait_until(lambda: len(made.begun) == 4, 5)
        assert {item[0] for item in made.running} == {"a", "b"}
        for item in list(made.running):
            made.end(item)
        assert wait_until(lambda: len(made.begun) == 6, 5)
        assert sorted(made.begun) == ["a 0", "a 1", "a 2", "a 3", "b 0", "c 0"]


def test_a_host_whose_last_call_failed_gets_one_place_until_one_goes_well() -> None:
    with calls() as made:
        lines = PerHostQueue(made, name="call", max_calls=10, max_per_host=3)
        fill(lines, "a 0")
        made.end("a 0", good=False)
        assert made.come_to()
        fill(lines, *(f"a {number}" for number in range(1, 6)))
        assert made.come_to("a 1")
        made.end("a 1", good=True)
        assert made.come_to("a 2", "a 3", "a 4")


def test_all_hosts_that_failed_get_no_more_than_half_of_the_places() -> None:
    with calls() as made:
        lines = PerHostQueue(made, name="call", max_calls=4, max_per_host=4)
        for host in "abc":
            fill(lines, f"{host} 0")
            made.end(f"{host} 0", good=False)
        assert made.come_to()
        fill(lines, "a 1", "b 1", "c 1", "well 1", "well 2", "well 3")
        assert made.come_to("a 1", "b 1", "well 1", "well 2")


def test_what_waits_is_not_added_again() -> None:
    with calls() as made:
        queue = PerHostQueue(made, name="call", max_per_host=1)
        fill(queue, "a 0", "a 1", "a 1")
        made.end("a 0")
        assert made.come_to("a 1")
        made.end("a 1")
        assert made.come_to()
        assert made.begun == ["a 0", "a 1"]
        fill(queue, "a 0")
        assert wait_until(lambda: made.begun == ["a 0", "a 1", "a 0"], 5)


def test_what_is_added_while_it_is_being_called_is_called_once_more() -> None:
    with calls() as made:
        queue = PerHostQueue(made, name="call", max_per_host=1)
        fill(queue, "a 0", "a 1", "a 0", "a 0")
        made.end("a 0")
        assert made.come_to("a 1")
        made.end("a 1")
        assert wait_until(lambda: made.begun == ["a 0", "a 1", "a 0"], 5)
        assert made.come_to()
        assert made.begun == ["a 0", "a 1", "a 0"]


def test_a_line_gets_no_more_than_its_own_slots_of_its_hosts() -> None:
    with calls() as made:
        queue = PerHostQueue(made, name="call", max_calls=10, max_per_host=4)
        for number in range(4):
            assert queue.add("host", f"slow {number}", line="slow", max_in_line=2)
        for number in range(4):
            assert queue.add("host", f"quick {number}", line="quick", max_in_line=3)
        assert made.come_to("slow 0", "slow 1", "quick 0", "quick 1")
        made.end("quick 0")
        assert made.come_to("slow 0", "slow 1", "quick 1", "quick 2")


def test_a_line_that_failed_leaves_the_others_of_its_host_alone() -> None:
    with calls() as made:
        queue = PerHostQueue(made, name="call", max_calls=10, max_per_host=4)
        assert queue.add("host", "hung 0", line="hung")
        made.end("hung 0", good=False)
        assert made.come_to()
        for number in (1, 2):
            assert queue.add("host", f"hung {number}", line="hung")
            assert queue.add("host", f"well {number}", line="well")
        assert made.come_to("hung 1", "well 1", "well 2")


def test_lines_are_no_longer_than_they_may_be() -> None:
    with calls() as made:
        lines = PerHostQueue(made, name="call", max_calls=1, max_items=2)
        fill(lines, "a 0", "b 0")
        assert not lines.add("c", "c 0")
        assert lines.add("b", "b 0"), "it waits already"
        made.end("a 0")
        assert made.come_to("b 0")
        assert lines.add("c", "c 0")


def test_a_call_that_raises_is_told_of_and_leaves_its_place(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    def call(item: str) -> bool:
        if not done:
            done.append(item)
            raise ZeroDivisionError
        done.append(item)
        return True

    lines = PerHostQueue(call, name="call", max_calls=2)
    fill(lines, "a 0", "a 1")
    assert wait_until(lambda: done == ["a 0", "a 1"], 5)
    assert wait_until(told(caplog, "a call failed"), 5)


def told(caplog: pytest.LogCaptureFixture, text: str) -> Callable[[], bool]:
    return lambda: text in caplog.text
