"""Turns and checks run beside each other: a slow one holds up nobody, and not too many run at a time."""

from __future__ import annotations

import logging
import threading

import pytest

from workers.jobs import ThreadLimit

TIMEOUT = 10


def test_a_call_that_takes_long_does_not_hold_up_the_next() -> None:
    places, go, done = ThreadLimit(2, "turn"), threading.Event(), threading.Event()
    places.run(lambda: assert_set(go))
    places.run(done.set)
    assert done.wait(TIMEOUT)
    go.set()


def assert_set(event: threading.Event) -> None:
    assert event.wait(TIMEOUT)


def test_no_more_run_at_a_time_than_there_are_places() -> None:
    places, go, third = ThreadLimit(2, "turn"), threading.Event(), threading.Event()
    for _ in range(2):
        places.run(lambda: assert_set(go))
    begun = threading.Thread(target=lambda: places.run(third.set))
    begun.start()
    begun.join(0.2)
    assert begun.is_alive() and not third.is_set(), "there is no place for it yet"
    go.set()
    begun.join(TIMEOUT)
    assert third.wait(TIMEOUT)


def test_a_failure_is_logged_and_frees_its_place(caplog: pytest.LogCaptureFixture) -> None:
    places, done = ThreadLimit(1, "check"), threading.Event()

    def fail() -> None:
        raise RuntimeError("no luck")

    with caplog.at_level(logging.ERROR, "montego.jobs"):
        places.run(fail)
        places.run(done.set)
        assert done.wait(TIMEOUT)
    assert "a check failed" in caplog.text
    assert "no luck" in caplog.text
