"""`montego rungs`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Montego


def test_rungs_are_played_shown_and_written(montego: Montego, tmp_path: Path) -> None:
    written = tmp_path / "rungs.json"
    ran = montego("rungs", "--to", "greedy", "--deals", 4, "--processes", 1, "--json", written)
    assert ran.code == 0, ran.err
    assert ran.out.count("greedy") == ran.out.count("random") == 3
    lines = json.loads(written.read_text("utf-8"))
    assert [(line["upper"], line["lower"], line["seats"], line["deals"], line["games"]) for line in lines] == [
        ("greedy", "random", [1, 1], 4, 8),
        ("greedy", "random", [1, 3], 4, 16),
        ("greedy", "random", [3, 1], 4, 16),
    ]
    assert all(line["interval"][0] > line["par"] for line in lines)


def test_one_deal_shows_nothing_and_the_exit_code_says_so(montego: Montego) -> None:
    ran = montego("rungs", "--to", "greedy", "--deals", 1, "--processes", 1)
    assert ran.code == 1
    assert "not shown to be stronger: greedy over random, 1 against 3" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--quick", "--depth"), "exclude each other"),
        (("--quick", "--from", "duct"), "exclude each other"),
        (("--from", "duct", "--to", "greedy"), "--from duct is above --to greedy"),
        (("--deals", "0"), "0 is not in the range"),
        (("--from", "chess"), "'chess' is not one of"),
        (("--from", "random"), "'random' is not one of"),
    ],
)
def test_what_cannot_be_played_is_one_line(montego: Montego, arguments: tuple[str, ...], said: str) -> None:
    ran = montego("rungs", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
