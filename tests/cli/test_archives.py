"""Commands on an exported tournament: `verify`, `report`, `tournament tables`."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.cli.archive import verified_archive
from service.cli.table_files import Found, write
from tests.archive.tampering import Archive, changed, put
from tests.cli.conftest import Montego, Scripted


def _file(folder: Path, archive: object, name: str = "cup.json") -> Path:
    path = folder / name
    content = archive if isinstance(archive, bytes) else json.dumps(archive).encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["cup.json", "cup.json.gz"])
def test_a_sound_file_is_said_to_be_sound(montego: Montego, tmp_path: Path, small: Archive, name: str) -> None:
    ran = montego("verify", _file(tmp_path, small, name), "--commitment", small["commitment"].upper())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"sound: tournament {small['tournament']}, 2 games replayed, 2 matches counted\n"


def test_what_does_not_fit_is_named(montego: Montego, tmp_path: Path, small: Archive) -> None:
    forged = changed(small, put(("standings", 0, "wins"), 7), resealed=True)
    ran = montego("verify", _file(tmp_path, forged))
    assert (ran.code, ran.out) == (1, "")
    wins = small["standings"][0]["wins"]
    assert ran.err.endswith(f"standings[0].wins: is 7, but by the matches it is {wins}\n")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is not JSON"),
        (b"[]", "is not a tournament: that would be a JSON object"),
        (b'{"format":1,"format":2}', "is there twice"),
        (b'{"a":NaN}', "NaN is no JSON"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[" * 100_000, "nested more than 32 levels"),
        (b"\x1f\x8bnonsense", "damaged"),
    ],
)
def test_what_is_no_file_of_a_tournament_is_refused(
    montego: Montego, tmp_path: Path, content: bytes, reason: str
) -> None:
    path = _file(tmp_path, content)
    for command in (("verify", path), ("report", path), ("tournament", "tables", path)):
        ran = montego(*command)
        assert ran.code == 1
        assert reason in ran.err
        assert ran.err.count("\n") == 1


def test_a_file_that_is_cut_short_is_refused(montego: Montego, tmp_path: Path, small: Archive) -> None:
    whole = gzip.compress(json.dumps(small).encode())
    path = tmp_path / "cup.json.gz"
    path.write_bytes(whole[: len(whole) // 2])
    ran = montego("verify", path)
    assert ran.code == 1
    assert "damaged" in ran.err


def test_a_file_that_is_not_there_is_named(montego: Montego, tmp_path: Path) -> None:
    ran = montego("verify", tmp_path / "nosuch.json")
    assert ran.code == 1
    assert "nosuch.json cannot be read: No such file or directory" in ran.err


def test_a_report_is_written_beside_the_file(montego: Montego, tmp_path: Path, small: Archive) -> None:
    assert montego("report", _file(tmp_path, small, "cup.json.gz")).code == 0
    assert small["tournament"] in (tmp_path / "cup.html").read_text("utf-8")


def test_there_is_no_report_of_a_file_that_is_not_sound(montego: Montego, tmp_path: Path, small: Archive) -> None:
    ran = montego("report", _file(tmp_path, changed(small, put(("seed",), "another"))))
    assert ran.code == 1
    assert "commitment" in ran.err
    assert not (tmp_path / "cup.html").exists()


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_tables_of_a_file_are_written_as_csv(montego: Montego, tmp_path: Path, whole: Archive) -> None:
    assert montego("tournament", "tables", _file(tmp_path, whole), "-o", tmp_path / "out").code == 0
    standings = _rows(tmp_path / "out" / f"{whole['tournament']}-standings.csv")
    assert [row["name"] for row in standings] == [row["name"] for row in whole["standings"]]
    assert float(standings[0]["score"]) == whole["standings"][0]["score"]
    assert [int(standings[0][end]) for end in ("interval_low", "interval_high")] == whole["standings"][0]["interval"]
    pairs = _rows(tmp_path / "out" / f"{whole['tournament']}-crosstable.csv")
    assert len(pairs) == 6
    assert sum(float(row["score"]) for row in pairs) == 60
    seats = _rows(tmp_path / "out" / f"{whole['tournament']}-matches.csv")
    assert len(seats) == 2 * len(whole["matches"])
    result = whole["matches"][0]["record"]["result"]
    assert [int(row["points"]) for row in seats[:2]] == result["points"]
    assert [int(row["place"]) for row in seats[:2]] == result["places"]


def test_tables_of_a_file_are_written_as_json(montego: Montego, tmp_path: Path, small: Archive) -> None:
    assert montego("tournament", "tables", _file(tmp_path, small), "--format", "json", "-o", tmp_path).code == 0
    assert json.loads((tmp_path / f"{small['tournament']}-standings.json").read_text("utf-8")) == small["standings"]
    assert json.loads((tmp_path / f"{small['tournament']}-crosstable.json").read_text("utf-8")) == small["crosstable"]


def test_no_text_of_a_bot_is_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    match: dict[str, Any] = {
        "match": "t-0",
        "seats": ["ann", "ben"],
        "status": "finished",
        "points": [3, -0],
        "places": [1, 2],
        "versions": ['=HYPERLINK("http://x")', "@now,\nthen"],
    }
    write(Found("t", [], {"names": [], "matches": [], "score": []}, [match]), tmp_path, "csv")
    rows = _rows(tmp_path / "t-matches.csv")
    assert [row["version"] for row in rows] == ['\'=HYPERLINK("http://x")', "'@now,\nthen"]


def test_an_export_is_written_once_all_of_it_is_there(
    montego: Montego, tmp_path: Path, small: Archive, scripted: Scripted
) -> None:
    scripted.on("GET /v1/tournaments/t1/export", 200, small)
    path = tmp_path / "new" / "cup.json.gz"
    ran = montego("tournament", "export", "t1", "-o", path, "--url", scripted.url)
    assert ran.code == 0
    assert json.loads(gzip.decompress(path.read_bytes())) == small
    assert montego("verify", path).code == 0
    assert [item.name for item in path.parent.iterdir()] == ["cup.json.gz"]


def test_a_refused_export_leaves_no_file(montego: Montego, tmp_path: Path, scripted: Scripted) -> None:
    problem = {"title": "Conflict", "detail": "The tournament is running.", "code": "wrong_state"}
    scripted.on("GET /v1/tournaments/t1/export", 409, problem)
    ran = montego("tournament", "export", "t1", "-o", tmp_path / "cup.json", "--url", scripted.url)
    assert ran.code == 1
    assert ran.err == "Error: The tournament is running. (wrong_state)\n"
    assert list(tmp_path.iterdir()) == []


def _with_matches_again(content: bytes, name: str) -> bytes:
    """The same file with its matches once more, in front."""
    matches = json.dumps(json.loads(content)["matches"])
    return f'{{"{name}": {matches},'.encode() + content[1:]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content.replace(b'"attempt":', b'"attempt": 0, "attempt":', 1), "is there twice"),
        (lambda content: content.replace(b'"attempt": 0', b'"attempt": NaN', 1), "NaN is no JSON"),
        (lambda content: _with_matches_again(content, "matches"), "is there twice"),
        (lambda content: _with_matches_again(content, "other"), "under another name"),
        (lambda content: content.replace(b'"seats": [', b'"x": "\xff", "seats": [', 1), "is not UTF-8"),
        (lambda content: content[:-9], "is not JSON"),
    ],
    ids=["a member twice", "no number", "matches twice", "matches under two names", "no UTF-8", "cut off"],
)
def test_matches_are_read_as_strictly_as_the_rest(
    montego: Montego, tmp_path: Path, small: Archive, change: Callable[[bytes], bytes], reason: str
) -> None:
    ran = montego("verify", _file(tmp_path, change(json.dumps(small).encode())))
    assert ran.code == 1
    assert reason in ran.err
    assert ran.err.count("\n") == 1


def test_matches_that_are_no_list_are_refused(montego: Montego, tmp_path: Path, small: Archive) -> None:
    values: tuple[object, ...] = ("none", 7, {}, None)
    for value in values:
        ran = montego("verify", _file(tmp_path, changed(small, put(("matches",), value))))
        assert (ran.code, "matches: must be a list" in ran.err) == (1, True), ran.err


def test_what_is_kept_of_a_verified_file_is_the_file_without_what_happened_in_its_games(
    tmp_path: Path, small: Archive
) -> None:
    found = verified_archive(_file(tmp_path, small)).archive
    assert {**found, "matches": None} == {**small, "matches": None}
    for kept, entry in zip(found["matches"], small["matches"], strict=True):
        assert {**kept, "record": None} == {**entry, "record": None}
        assert kept["record"].items() < entry["record"].items()
        assert set(kept["record"]) == {"game", "digest", "seats", "resignations", "result"}
