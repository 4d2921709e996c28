"""`montego compare … --local`: from nothing to a verdict, and nothing is left behind."""

from __future__ import annotations

import signal

import pytest

from service.processes.ports import free_port
from tests.e2e.terminal import Terminal


@pytest.mark.timeout(240)
def test_two_bots_are_compared_from_nothing() -> None:
    port = free_port()
    with (
        Terminal("bot", "greedy", "--port", port, "--name", "mine") as mine,
        Terminal(
            "compare", "random", f"mine=http://127.0.0.1:{port}", "--against", "random-2", "--margin", 0.3, "--local"
        ) as compared,
    ):
        mine.line_with("mine listens")
        assert compared.wait(200) == 0, compared.err
        assert compared.processes() == {}
    verdict, chance = compared.out
    assert verdict.startswith("mine is better than random: +")
    assert chance == "either wrong verdict has a chance of at most 0.05"
    assert "is mine better than random?" in "\n".join(compared.err)


@pytest.mark.timeout(120)
def test_who_is_not_there_is_named() -> None:
    gone = f"gone=http://127.0.0.1:{free_port()}"
    with Terminal(
        "compare", "random", gone, "--against", "lookahead", "--most", 1, "--warmup-ms", 500, "--local"
    ) as compared:
        assert compared.wait(100) == 4, "undecided"
    assert "gone did not come up for 2 matches and lost them: is it there?" in compared.err


@pytest.mark.timeout(120)
def test_a_comparison_that_is_interrupted_leaves_nothing_running() -> None:
    with Terminal("compare", "random", "greedy", "--against", "random-2", "--margin", 0.01, "--local") as compared:
        compared.line_with("is greedy better than random?")
        compared.signal(signal.SIGINT)
        assert compared.wait(60) == 130
        assert compared.processes() == {}
