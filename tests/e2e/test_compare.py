"""`montego compare`: a verdict from a service that runs, or from one that it starts and ends itself (`--local`)."""

from __future__ import annotations

import signal

import pytest

from service.processes.ports import free_port
from tests.e2e.running_service import KEY, OrganiserClient
from tests.e2e.terminal import Terminal


@pytest.mark.timeout(240)
def test_two_bots_are_compared_until_a_verdict(service: OrganiserClient) -> None:
    environ = {"MONTEGO_URL": service.url, "MONTEGO_ORGANISER_KEY": KEY}
    with Terminal("compare", "random", "greedy", "--against", "random-2", "--margin", 0.3, environ=environ) as compared:
        assert compared.wait(200) == 0, compared.err
    verdict, chance = compared.out
    assert verdict.startswith("greedy is better than random: +")
    assert chance == "each wrong verdict has a chance of at most 0.05"
    assert "is greedy better than random?" in "\n".join(compared.err)


@pytest.mark.timeout(120)
def test_from_nothing_it_starts_the_bots_that_are_named_and_says_who_did_not_come_up() -> None:
    gone = f"gone=http://127.0.0.1:{free_port()}"
    with Terminal(
        "compare", "random", gone, "--against", "lookahead", "--max-pairs", 1, "--warmup-ms", 500, "--local"
    ) as compared:
        assert compared.wait(100) == 4, "undecided"
        assert compared.processes() == {}
    assert "gone did not come up for 2 matches and lost them: is it running?" in compared.err


@pytest.mark.timeout(120)
def test_a_comparison_that_is_interrupted_leaves_nothing_running() -> None:
    with Terminal("compare", "random", "greedy", "--against", "random-2", "--margin", 0.01, "--local") as compared:
        compared.line_with("is greedy better than random?")
        compared.signal(signal.SIGINT)
        assert compared.wait(60) == 130
        assert compared.processes() == {}
