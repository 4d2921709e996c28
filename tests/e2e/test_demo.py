"""`montego demo`: a tournament from nothing."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from urllib.request import urlopen

import pytest

from service.processes.ports import free_port
from tests.e2e.running_service import KEY, OrganiserClient
from tests.e2e.terminal import Terminal, running

WITH_KEY = {"MONTEGO_ORGANISER_KEY": KEY}
HEADINGS = ["rank", "name", "matches", "wins", "score", "per match", "points", "rating", "faults"]


def _table(lines: list[str]) -> list[list[str]]:
    """The rows of the table at the end of the output, its headings first."""
    rows = [line for line in lines if line[:1] in ("┃", "│")]
    assert lines[-1].startswith("└"), "the table is the last output"
    return [[cell.strip() for cell in line.strip("┃│").replace("┃", "│").split("│")] for line in rows]


def _montego(*arguments: object, environ: Mapping[str, str] | None = None) -> Terminal:
    with Terminal(*arguments, environ=environ) as terminal:
        assert terminal.wait(170) == 0, terminal.err
        assert terminal.processes() == {}
    return terminal


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Terminal, Path]:
    """A demo that has run, with the folder of its records."""
    records = tmp_path_factory.mktemp("demo") / "records"
    return _montego("demo", "--records", records), records


def test_the_last_output_is_the_standings_of_four_bots(played: tuple[Terminal, Path]) -> None:
    terminal, _ = played
    headings, *rows = _table(terminal.out)
    assert headings == HEADINGS
    assert sorted(row[1] for row in rows) == ["greedy", "greedy-2", "random", "random-2"]
    assert {row[2] for row in rows} == {"12"}
    assert {row[8] for row in rows} == {"0"}
    assert sum(float(row[4]) for row in rows) == pytest.approx(12 * 2, abs=0.1)


def test_greedy_stands_above_random(played: tuple[Terminal, Path]) -> None:
    terminal, _ = played
    names = [row[1] for row in _table(terminal.out)[1:]]
    assert set(names[:2]) == {"greedy", "greedy-2"}


def test_progress_is_told_and_no_process_is_left(played: tuple[Terminal, Path]) -> None:
    terminal, _ = played
    assert "12 of 12 matches finished" in terminal.err
    assert terminal.processes() == {}


def test_every_record_of_it_is_sound(played: tuple[Terminal, Path]) -> None:
    _, records = played
    assert len(list(records.glob("*.json"))) == 12
    verified = _montego("replay", "--verify", records)
    assert len(verified.out) == 12
    assert all(line.startswith("ok ") for line in verified.out)


def test_kept_running_it_offers_records_to_replay_until_ctrl_c() -> None:
    with running("demo", "--keep", "--players", 2, "--deals", 1) as terminal:
        offer = next(line for line in terminal.err if "montego replay http" in line)
        assert _montego("replay", offer.split()[-1]).out
        watched = next(line for line in terminal.err if line.startswith("watch it at "))
        with urlopen(watched.split()[-1], timeout=30) as page:
            assert b"greedy" in page.read()
        terminal.signal(signal.SIGINT)
        assert terminal.wait(30) == 0
        assert terminal.processes() == {}


def test_ctrl_c_in_the_middle_ends_it_all() -> None:
    with Terminal("demo", "--deals", 50) as terminal:
        terminal.line_with("matches of 4 players", 60)
        terminal.signal(signal.SIGINT)
        assert terminal.wait(30) == 130
        assert terminal.processes() == {}
        assert terminal.out == []


def test_it_plays_at_another_service_with_the_bots_that_are_named(service: OrganiserClient) -> None:
    ports = [free_port(), free_port()]
    bots = [f"--bot=guest-{index}=http://127.0.0.1:{port}" for index, port in enumerate(ports)]
    with Terminal("bot", "greedy", "--port", ports[0]), Terminal("bot", "random", "--port", ports[1]):
        # Registered the first time, used again the second.
        for _ in range(2):
            arguments = ("demo", "--against", service.url, *bots, "--players", 2, "--deals", 1)
            table = _table(_montego(*arguments, environ=WITH_KEY).out)
            assert sorted(row[1] for row in table[1:]) == ["guest-0", "guest-1"]
        assert [bot["name"] for bot in service.items("/v1/bots")].count("guest-0") == 1
        elsewhere = f"--bot=guest-0=http://127.0.0.1:{free_port()}"
        with Terminal("demo", "--against", service.url, elsewhere, bots[1], environ=WITH_KEY) as refused:
            assert refused.wait(60) == 1
        assert "a bot 'guest-0' is already registered" in refused.err[-1]
