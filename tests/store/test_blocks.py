"""Blocks of a tournament: handed out, done, failed."""

from __future__ import annotations

from service.store.clock import ServiceClock
from service.store.tournaments import TournamentStore


def test_a_block_is_handed_out_at_a_service_time_and_anew_when_asked_again(
    tournaments: TournamentStore, clock: ServiceClock
) -> None:
    clock.advance(100)
    tournaments.activate("t", 3)
    clock.advance(50)
    tournaments.activate("t", 4)
    assert tournaments.active() == [("t", 3, 100), ("t", 4, 150)]
    clock.advance(50)
    tournaments.activate("t", 3)
    assert tournaments.active() == [("t", 4, 150), ("t", 3, 200)]


def test_a_block_that_was_put_back_or_is_done_is_handed_out_no_more(tournaments: TournamentStore) -> None:
    tournaments.activate("t", 1)
    tournaments.activate("t", 2)
    tournaments.deactivate("t", 1)
    tournaments.finish_block("t", 2)
    assert tournaments.active() == []
    assert tournaments.done("t") == {2}


def test_a_block_that_is_done_cannot_be_handed_out_again(tournaments: TournamentStore) -> None:
    tournaments.finish_block("t", 2)
    tournaments.finish_block("t", 2)
    tournaments.activate("t", 2)
    assert tournaments.active() == []
    assert tournaments.done("t") == {2}
    assert tournaments.done("u") == set()


def test_failures_are_counted_by_block(tournaments: TournamentStore) -> None:
    assert [tournaments.note_failure("t", 5) for _ in range(3)] == [1, 2, 3]
    assert tournaments.note_failure("t", 6) == 1


def test_blocks_done_are_counted_in_the_tournament(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    for block in (0, 1, 1):
        tournaments.finish_block("t", block)
    row = tournaments.read("t")
    assert row is not None
    assert row.blocks_done == 2


def test_the_pace_of_a_bot_is_the_average_of_its_latest_answers(tournaments: TournamentStore) -> None:
    assert tournaments.paces("t") == {}
    tournaments.create("t", "{}", [], "began")
    tournaments.note_pace("t", {"ann": (4, 80), "ben": (1, 0)})
    tournaments.note_pace("t", {"ann": (1, 120)})
    assert tournaments.paces("t") == {"ann": 40.0, "ben": 0.0}
    for _ in range(20):
        tournaments.note_pace("t", {"ann": (50, 50_000)})
    assert tournaments.paces("t")["ann"] > 990, "a bot may become slow"


def test_no_pace_is_kept_of_a_tournament_that_is_not_there(tournaments: TournamentStore) -> None:
    tournaments.note_pace("t", {"ann": (1, 1)})
    assert tournaments.paces("t") == {}
