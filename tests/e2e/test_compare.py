"""`montego compare`: a verdict from a service that runs, or from one that it starts and ends itself (`--local`)."""

from __future__ import annotations

import signal

import pytest

from service.processes.ports import free_port
from tests.e2e.running_service import KEY, OrganiserClient
from tests.e2e.terminal import Terminal

FIELD = ("--against", "random-2", "--seed", "compare")


@pytest.fixture
def environ(service: OrganiserClient) -> dict[str, str]:
    return {"MONTEGO_URL": service.url, "MONTEGO_ORGANISER_KEY": KEY}


def test_two_bots_are_compared_until_a_verdict(environ: dict[str, str]) -> None:
    with Terminal("compare", "random", "greedy", *FIELD, "--margin", 0.3, "--error", 0.2, environ=environ) as compared:
        assert compared.wait(120) == 0, compared.err
    verdict, chance = compared.out
    assert verdict.startswith("greedy is better than random: +")
    assert chance == "each wrong verdict has a chance of at most 0.2"
    assert "is greedy better than random?" in "\n".join(compared.err)


def test_a_comparison_that_is_interrupted_cancels_its_tournament(
    service: OrganiserClient, environ: dict[str, str]
) -> None:
    with Terminal("compare", "random", "greedy", *FIELD, "--margin", 0.01, environ=environ) as compared:
        begun = compared.line_with("is greedy better than random?")
        compared.signal(signal.SIGINT)
        assert compared.wait(60) == 130
        assert compared.processes() == {}
    tournament = begun.partition(" tournament ")[2].partition(",")[0]
    assert service.get(f"/v1/tournaments/{tournament}")["status"] == "cancelled"


def test_from_nothing_it_starts_the_bots_that_are_named_and_says_who_did_not_come_up() -> None:
    gone = f"gone=http://127.0.0.1:{free_port()}"
    limits = ("--max-pairs", 1, "--warmup-ms", 500)
    with Terminal("compare", "random", gone, "--against", "random-3", *limits, "--local") as compared:
        assert compared.wait(120) == 4, "undecided"
        assert compared.processes() == {}
    assert "gone did not come up for 2 matches and lost them: is it running?" in compared.err
