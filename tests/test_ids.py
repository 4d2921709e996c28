from __future__ import annotations

import pytest

from service.ids import MatchName, game_id, match_id, match_of_game, parse_match_id


@pytest.mark.parametrize(("block", "seating"), [(0, 0), (7, 23), (999_999, 3)])
def test_an_id_of_a_match_says_to_which_tournament_block_and_seating_it_belongs(block: int, seating: int) -> None:
    named = MatchName("t-1", block, seating)
    assert parse_match_id(match_id("t-1", block, seating)) == named
    assert match_of_game(game_id("t-1", block, seating, 1)) == named


@pytest.mark.parametrize(
    "text", ["", "t", "t-1", "-1-1", "t-01-1", "t-1-00", "t-1-100", "t--1", "t-1-x", "t-٣-1", "t-1-1\n"]
)
def test_another_text_is_no_id_of_a_match(text: str) -> None:
    assert parse_match_id(text) is None


@pytest.mark.parametrize("game", ["t", "t-1-1", "t-1-1-", "t-1-1-01", "abcdefgh"])
def test_a_game_of_another_id_belongs_to_no_match(game: str) -> None:
    assert match_of_game(game) is None
