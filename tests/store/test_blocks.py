"""Blocks of a tournament: handed out, done, failed."""

from __future__ import annotations

from service.store.blocks import BlockStore
from service.store.clock import ServiceClock
from service.store.tournaments import TournamentStore


def test_a_block_is_handed_out_at_a_service_time_and_anew_when_asked_again(
    blocks: BlockStore, clock: ServiceClock
) -> None:
    clock.advance(100)
    blocks.activate("t", 3)
    clock.advance(50)
    blocks.activate("t", 4)
    assert blocks.active() == [("t", 3, 100), ("t", 4, 150)]
    clock.advance(50)
    blocks.activate("t", 3)
    assert blocks.active() == [("t", 4, 150), ("t", 3, 200)]


def test_a_block_that_was_put_back_or_is_done_is_handed_out_no_more(blocks: BlockStore) -> None:
    blocks.activate("t", 1)
    blocks.activate("t", 2)
    blocks.deactivate("t", 1)
    assert blocks.finish("t", 2, [])
    assert blocks.active() == []
    assert blocks.done("t", range(4)) == {2}


def test_a_block_that_is_done_cannot_be_handed_out_again(blocks: BlockStore) -> None:
    assert blocks.finish("t", 2, [])
    assert blocks.finish("t", 2, [])
    blocks.activate("t", 2)
    assert blocks.active() == []
    assert blocks.done("t", range(4)) == {2}
    assert blocks.done("u", range(4)) == set()


def test_failures_are_counted_by_block(blocks: BlockStore) -> None:
    assert [blocks.note_failure("t", 5) for _ in range(3)] == [1, 2, 3]
    assert blocks.note_failure("t", 6) == 1


def test_blocks_done_are_counted_in_the_tournament(tournaments: TournamentStore, blocks: BlockStore) -> None:
    tournaments.create("t", "{}", [], "began")
    for block in (0, 1, 1):
        assert blocks.finish("t", block, [])
    row = tournaments.read("t")
    assert row is not None
    assert row.blocks_done == 2


def test_the_response_time_of_a_bot_is_the_average_of_its_latest_answers(
    tournaments: TournamentStore, blocks: BlockStore
) -> None:
    assert blocks.response_times("t") == {}
    tournaments.create("t", "{}", [], "began")
    blocks.note_response_times("t", {"ann": (4, 80), "ben": (1, 0)})
    blocks.note_response_times("t", {"ann": (1, 120)})
    assert blocks.response_times("t") == {"ann": 40.0, "ben": 0.0}
    for _ in range(20):
        blocks.note_response_times("t", {"ann": (50, 50_000)})
    assert blocks.response_times("t")["ann"] > 990, "a bot may become slow"


def test_no_response_times_are_kept_of_a_tournament_that_is_not_there(blocks: BlockStore) -> None:
    blocks.note_response_times("t", {"ann": (1, 1)})
    assert blocks.response_times("t") == {}


def test_a_block_is_done_when_all_of_its_results_are_there_and_not_before(
    tournaments: TournamentStore, blocks: BlockStore
) -> None:
    tournaments.create("t", "{}", [], "began")
    blocks.activate("t", 1)
    tournaments.put_result("t", 2, "r", "event")
    assert not blocks.finish("t", 1, [2, 3])
    assert blocks.done("t", [1]) == set()
    assert [block for _, block, _ in blocks.active()] == [1]
    tournaments.put_result("t", 3, "r", "event", cancelled=True)
    assert blocks.finish("t", 1, [2, 3])
    assert blocks.done("t", [1]) == {1}
    assert blocks.active() == []
