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


def test_a_knockout_names_its_winner_and_shows_who_goes_on(archives: dict[str, Archive]) -> None:
    archive = archives["knockout"]
    counts = {"total": len(archive["schedule"]), "finished": 1, "cancelled": 1}
    told = tournament_values(TournamentState.load({**archive, "matches": counts}), [], Texts("en"))

    assert told["headline"] == f"{archive['standings'][0]['name']} won."
    assert told["ranked_by"].startswith("The rank goes by how far")
    first, *_, last = told["rounds"]
    final = {name for name, _ in last.pools[0]}
    assert first.title == "Round 1"
    assert first.byes == "ann, ben and cid"
    assert sum(ahead is True for pool in first.pools for _, ahead in pool) == 1
    assert all(ahead is None for _, ahead in last.pools[0])
    assert {row["name"] for row in archive["standings"][:2]} == final


def test_a_swiss_tournament_that_runs_names_its_round() -> None:
    stages = [{"round": 1}, {"round": 2}]
    state = {"standings": [row("a", (1, 1))], "matches": {"finished": 9}, "status": "running", "stages": stages}
    assert headline(TournamentState.load(state), Texts("en")) == "Round 2 is being played."
    assert headline(TournamentState.load({**state, "status": "cancelled"}), Texts("en")).startswith(
        "No winner is shown"
    )
