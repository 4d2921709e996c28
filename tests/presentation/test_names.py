"""Names are what strangers write."""

from __future__ import annotations

import pytest

from service.presentation.names import MAX_SHOWN, shown


def test_a_common_name_is_shown_as_it_is() -> None:
    assert shown("Ines 2") == "Ines 2"
    assert shown("이네스") == "이네스"


def test_a_long_name_is_cut() -> None:
    assert len(shown("x" * 10_000)) == MAX_SHOWN
    assert shown("x" * 10_000).endswith("…")


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u3164\u3164", "\u202e", "\u2800", "\u0301"])
def test_a_name_that_shows_nothing_is_no_name(name: str) -> None:
    assert shown(name) == ""


def test_a_name_cannot_turn_the_text_around_it() -> None:
    assert shown("a\u202eb\u2066c\u200f") == "abc"


def test_a_name_that_runs_from_right_to_left_is_isolated() -> None:
    assert shown("שלום") == "\u2068שלום\u2069"


def test_a_name_stays_on_one_line() -> None:
    assert shown("a\nb\tc\u2028d") == "abcd"
