"""What the commands write: ordinary files, links, pipes, standard output; and terminals that have few characters."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import click
import pytest

from service.cli.files import writing
from tests.archive.tampering import Archive
from tests.cli.conftest import Montego, Scripted

PROGRAM = (sys.executable, "-m", "service.cli.main")


def test_a_file_appears_once_all_of_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    with writing(path) as file:
        file.write(b"part")
        assert not path.exists()
    assert path.read_bytes() == b"part"
    assert list(path.parent.iterdir()) == [path]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    with suppress(ZeroDivisionError), writing(path) as file:
        file.write(b"%d" % (1 // 0))
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(mode=0o640)
    with writing(path) as file:
        file.write(b"new")
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path, exists: bool) -> None:
    target, link = tmp_path / "kept" / "target", tmp_path / "link"
    target.parent.mkdir()
    if exists:
        target.write_text("before")
    link.symlink_to(target)
    with writing(link) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"


def test_a_pipe_is_written_into_and_stays_a_pipe(montego: Montego, tmp_path: Path, scripted: Scripted) -> None:
    scripted.on("GET /v1/tournaments/t1/export", 200, {"tournament": "t1"})
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text("utf-8")))
    reader.start()
    assert montego("tournament", "export", "t1", "-o", pipe, "--url", scripted.url).code == 0
    reader.join(10)
    assert json.loads(received[0]) == {"tournament": "t1"}
    assert pipe.is_fifo()


def test_a_dash_is_standard_output(montego: Montego, tmp_path: Path, scripted: Scripted, small: Archive) -> None:
    scripted.on("GET /v1/tournaments/t1/export", 200, {"tournament": "t1"})
    ran = montego("tournament", "export", "t1", "-o", "-", "--url", scripted.url)
    assert (json.loads(ran.out), ran.err) == ({"tournament": "t1"}, "")
    exported = tmp_path / "cup.json"
    exported.write_text(json.dumps(small), "utf-8")
    ran = montego("report", exported, "-o", "-")
    assert ran.out.startswith("<!doctype html>")
    assert ran.err == ""
    assert list(tmp_path.iterdir()) == [exported]


def test_a_folder_or_a_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "file" / "below", "Not a directory|File exists")):
        with pytest.raises(click.ClickException, match=rf"^{path} cannot be written: ({reason})"), writing(path):
            pass


def test_tables_of_two_tournaments_in_one_folder_are_two_sets_of_files(
    montego: Montego, tmp_path: Path, scripted: Scripted
) -> None:
    for tournament in ("t1", "t2"):
        path = f"GET /v1/tournaments/{tournament}"
        scripted.on(f"{path}/crosstable", 200, {"names": [tournament], "matches": [[None]], "score": [[None]]})
        scripted.on(f"{path}/standings", 200, {"standings": [{"name": tournament}]})
        scripted.on(f"{path}/matches", 200, {"items": [], "next": None})
        assert montego("tournament", "tables", tournament, "-o", tmp_path, "--url", scripted.url).code == 0
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == [
        f"{which}-{name}.csv" for which in ("t1", "t2") for name in ("crosstable", "matches", "standings")
    ]
    assert "t1" in (tmp_path / "t1-standings.csv").read_text("utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_a_terminal_without_a_character_shows_a_question_mark(encoding: str, scripted: Scripted) -> None:
    bot = {"bot": "b1", "name": "größe-东京", "kind": "push", "casual": True, "status": "unknown"}
    scripted.on("GET /v1/bots", 200, {"items": [bot], "next": None})
    for arguments in (("bots", "list", "--url", scripted.url), ("--help",), ("settings",), ("bots", "delete", "東")):
        done = subprocess.run(
            [*PROGRAM, *arguments],
            env={**os.environ, "PYTHONIOENCODING": encoding, "MONTEGO_URL": scripted.url},
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert b"bug" not in done.stderr
        assert b"Traceback" not in done.stderr
        assert done.returncode == (1 if "delete" in arguments else 0)
        if "list" in arguments:
            assert b"e-??" in done.stdout


def test_standard_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    def allow_few_bytes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [*PROGRAM, "settings"],
            env={**os.environ, "PYTHONUNBUFFERED": ""},
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=allow_few_bytes,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "Error: standard output cannot be written: File too large\n")
