"""What is said of a tournament's games."""

from __future__ import annotations

from typing import Any

import pytest

from service.presentation.languages import LANGUAGES
from service.presentation.texts import Texts
from service.presentation.tournament import TournamentState, headline, tournament_values
from tests.archive.tampering import Archive


def row(name: str, bands: tuple[int, int], interval: tuple[float, float] | None = (1.0, 2.0)) -> dict[str, Any]:
    return {"name": name, "bands": list(bands), "interval": interval}


def first_line(*rows: dict[str, Any], finished: int = 9, status: str = "running") -> str:
    return headline(
        TournamentState.load({"standings": rows, "matches": {"finished": finished}, "status": status}), Texts("en")
    )


def test_the_first_line_says_no_more_than_the_games_show() -> None:
    assert first_line(row("a", (1, 1)), finished=0) == "No match has been played to its end yet."
    assert first_line(row("a", (1, 1), None), row("b", (1, 1), None)) == (
        "There are too few matches yet to say which bot is stronger."
    )
    assert first_line(row("a", (1, 1)), row("b", (1, 1))) == "No winner is shown: all 2 bots share the first band."
    assert first_line(row("a", (1, 1)), row("b", (2, 2))) == "a leads, and is shown to be stronger than all others."
    assert first_line(row("a", (1, 1)), row("b", (1, 2)), row("c", (1, 2)), row("d", (2, 2))) == (
        "a leads; it is not shown to be better than b and c."
    )
    near = [row(f"b{number}", (1, 2)) for number in range(5)]
    assert first_line(row("a", (1, 1)), *near, row("z", (2, 2))) == (
        "a leads; it is not shown to be better than 5 others."
    )


@pytest.mark.parametrize("status", ["finished", "cancelled", "failed"])
def test_the_first_line_of_a_tournament_that_is_over_promises_nothing(status: str) -> None:
    assert first_line(row("a", (1, 1)), finished=0, status=status) == "No match was played to its end."
    assert first_line(row("a", (1, 1), None), row("b", (1, 1), None), status=status) == (
        "These are too few matches to say which bot is stronger."
    )
    assert first_line(row("a", (1, 1)), row("b", (2, 2)), status=status) == (
        "a is first, and is shown to be stronger than all others."
    )
    assert first_line(row("a", (1, 1)), row("b", (1, 2)), row("c", (2, 2)), status=status) == (
        "a is first, but is not shown to be better than b."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tournament_is_told_in_every_language(archives: dict[str, Archive], language: str) -> None:
    for archive in archives.values():
        counts = {"total": len(archive["schedule"]), "finished": 1, "cancelled": 1}
        told = tournament_values(TournamentState.load({**archive, "matches": counts}), [], Texts(language))
        assert "%(" not in str(told)
