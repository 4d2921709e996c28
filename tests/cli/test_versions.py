"""Bots that changed their version within a tournament are named below its standings."""

from __future__ import annotations

from typing import Any

from service.protocol import FAULTS
from tests.cli.conftest import Montego, Scripted


def row(name: str, versions: list[str]) -> dict[str, Any]:
    return {"rank": 1, "bot": "b", "name": name, "matches": 2, "wins": 1, "score": 1.0, "points": 9.0} | {
        "faults": dict.fromkeys(FAULTS, 0),
        "versions": versions,
    }


def test_a_change_of_version_is_shown_and_what_is_in_it_moves_nothing(montego: Montego, scripted: Scripted) -> None:
    rude = ["1\x1b[2J", "2<b>\u202e", "3", "4", "5", "6"]
    rows = [row("steady", ["1"]), row("silent", []), row("restless", rude)]
    state = {"tournament": "t", "name": "n", "status": "finished", "matches": {"total": 2, "finished": 2}}
    scripted.on("GET /v1/tournaments/t/standings", 200, {**state, "standings": rows})
    scripted.on("GET /v1/tournaments/t", 200, state)
    ran = montego("tournament", "show", "t", "--url", scripted.url)
    assert ran.code == 0, ran.err
    lines = [line for line in ran.out.splitlines() if "versions" in line]
    assert lines == ["restless played in 6 versions: 1[2J, 2<b>, 3, 4, 5, …"]
    assert "\x1b" not in ran.out and "\u202e" not in ran.out
