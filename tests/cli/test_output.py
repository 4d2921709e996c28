"""Texts of others in the terminal."""

from __future__ import annotations

import pytest
from rich.console import Console

from service.cli.output import plain
from service.cli.standings import standings_table


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("greedy", "greedy"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\x07b\x00c\x9bd\x7f", "abcd"),
        ("line\nbreak\r\ttab", "line break  tab"),
        ("right\u202eto left\u200b", "rightto left"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("Größe 东京 🚢", "Größe 东京 🚢"),
        (17, "17"),
    ],
)
def test_nothing_in_a_text_of_others_steers_the_terminal(text: object, shown: str) -> None:
    assert plain(text) == shown


def test_a_long_text_is_cut_and_says_so() -> None:
    assert plain("x" * 100, 10) == "x" * 9 + "…"
    assert plain("x" * 10, 10) == "x" * 10


def test_names_in_the_standings_are_shown_as_they_are() -> None:
    row = {
        "rank": 1,
        "name": "[red]evil[/red]:boom:\x1b[2J",
        "matches": 12,
        "wins": 8,
        "score": 9.5,
        "score_per_match": 9.5 / 12,
        "points": 44.06,
        "faults": {"late": 2, "illegal": 0, "bad_body": 1},
    }
    console = Console(width=120, markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(standings_table([row]))
    shown = captured.get()
    assert "[red]evil[/red]:boom:[2J" in shown
    assert "\x1b" not in shown
    assert "9.50" in shown
    assert "0.792" in shown
    assert "44.1" in shown
    assert "3 (2 late, 1 bad_body)" in shown
    assert [part.strip() for part in shown.splitlines()[1].split("┃")[1:-1]] == [
        "rank", "name", "matches", "wins", "score", "per match", "points", "faults",
    ]  # fmt: skip
