"""A tournament of all faulty bots and two honest ones: it ends, and every fault has its right name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from bots.faulty import FAULTY_BOTS, start
from bots.random_bot import RandomBot
from service.engine.record import verify
from tests.e2e.running_service import Entrant, OrganiserClient, pushing

pytestmark = pytest.mark.slow

HONEST = ("honest-1", "honest-2")
MAX_FAULTS = 1
TERMS = {"players": 4, "sets": 20, "deals": 1, "move_ms": 800, "bank_ms": 1500, "warmup_ms": 2500}
#: Seconds. 80 matches, each of them at most a few deadlines long.
BOUND = 150.0
COMES_UP = [name for name in FAULTY_BOTS if FAULTY_BOTS[name].comes_up]
#: After its last answer this one is gone, and does not come up for another block.
CRASHES = "crashing"


@dataclass(frozen=True)
class Played:
    """What is left of the tournament."""

    service: OrganiserClient
    tournament: str
    entrants: dict[str, Entrant]
    seconds: float
    standings: dict[str, dict[str, Any]]
    matches: list[dict[str, Any]]
    faults: dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def played(service: OrganiserClient) -> Iterator[Played]:
    with ExitStack() as stack:
        entrants = {name: service.register(name, stack.enter_context(start(name)).url) for name in FAULTY_BOTS}
        entrants |= stack.enter_context(pushing(service, {name: RandomBot(name, seed=name) for name in HONEST}))
        began = time.monotonic()
        tournament = service.play(list(entrants), within=BOUND, max_faults=MAX_FAULTS, **TERMS)
        yield Played(
            service,
            tournament,
            entrants,
            time.monotonic() - began,
            service.standings(tournament),
            service.matches(tournament),
            {name: service.faults(entrant) for name, entrant in entrants.items()},
        )


def kinds(played: Played, name: str) -> set[str]:
    return {fault["kind"] for fault in played.faults[name]}


def test_it_ends_in_bounded_time_with_a_result_for_each_match(played: Played) -> None:
    assert played.seconds < BOUND
    assert len(played.matches) == 80
    assert {match["status"] for match in played.matches} == {"finished"}
    assert {len(match["seats"]) for match in played.matches} == {4}
    assert set(played.standings) == {*FAULTY_BOTS, *HONEST}
    assert all(row["matches"] > 0 for row in played.standings.values())


@pytest.mark.parametrize("name", HONEST)
def test_not_one_fault_for_an_honest_bot(played: Played, name: str) -> None:
    row = played.standings[name]
    assert sum(row["faults"].values()) == 0
    assert (row["forfeits"], row["not_started"]) == (0, 0)
    assert played.faults[name] == []


@pytest.mark.parametrize("name", [name for name in COMES_UP if FAULTY_BOTS[name].fault is not None])
def test_each_bad_bot_is_charged_with_its_own_fault_and_no_other(played: Played, name: str) -> None:
    assert kinds(played, name) == {FAULTY_BOTS[name].fault}
    row = played.standings[name]
    assert {kind for kind, number in row["faults"].items() if number} == {FAULTY_BOTS[name].fault}
    assert sum(row["faults"].values()) == len(played.faults[name])


@pytest.mark.parametrize("name", [name for name in COMES_UP if FAULTY_BOTS[name].fault is None])
def test_what_is_only_odd_is_no_fault(played: Played, name: str) -> None:
    assert played.faults[name] == []
    row = played.standings[name]
    assert (sum(row["faults"].values()), row["forfeits"], row["not_started"]) == (0, 0, 0)


@pytest.mark.parametrize("name", [name for name in FAULTY_BOTS if name not in COMES_UP])
def test_a_bot_that_does_not_come_up_forfeits_its_matches_without_a_fault(played: Played, name: str) -> None:
    row = played.standings[name]
    assert row["not_started"] == row["forfeits"] == row["matches"]
    assert sum(row["faults"].values()) == 0
    assert row["score"] < row["matches"]


def test_who_has_one_fault_too_many_forfeits_and_nobody_else_does(played: Played) -> None:
    for match in played.matches:
        for name, faults in zip(match["seats"], match["faults"], strict=True):
            many = sum(faults.values()) > MAX_FAULTS
            assert many == (name in match["forfeits"] and name not in match["not_started"]), match
            assert sum(faults.values()) <= MAX_FAULTS + 1
            assert name not in match["not_started"] or name == CRASHES or not FAULTY_BOTS[name].comes_up


def test_a_fault_is_told_with_what_was_received_and_how_long_it_took(played: Played) -> None:
    for name in COMES_UP:
        for fault in played.faults[name]:
            assert fault["elapsed_ms"] >= 1
            assert fault["detail"].isprintable()
            assert fault["received"].isprintable()
            assert len(fault["received"]) <= 200
            assert fault["decision"].count(".") == 3
            assert fault["tournament"] == played.tournament
    assert "script" in played.faults["junk"][0]["received"]
    assert played.faults["server-error"][0]["status"] == 500
    assert min(fault["elapsed_ms"] for fault in played.faults["hanging"]) >= TERMS["move_ms"]


def test_a_change_of_version_is_shown(played: Played) -> None:
    assert len(played.standings["changing-version"]["versions"]) > 1
    told = [
        match["versions"][match["seats"].index("changing-version")]
        for match in played.matches
        if "changing-version" in match["seats"]
    ]
    assert len(set(told)) == len(told)


def test_a_version_full_of_codes_is_harmless(played: Played) -> None:
    row = played.standings["ansi-and-html"]
    assert all(version.isprintable() and len(version) <= 40 for version in row["versions"])
    assert row["name"] == "ansi-and-html"


def test_every_record_is_sound(played: Played) -> None:
    for record in played.service.records(played.tournament):
        verify(record)
