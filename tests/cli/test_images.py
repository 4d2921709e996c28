"""Container images on the command line: lists that cannot be read, engines and images that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.container import image_name
from tests.cli.conftest import Montego


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("bot", "bot"),
        ("registry.example:5000/ann/My-Bot:1.2", "my-bot"),
        ("ann/bot@sha256:00ff", "bot"),
        ("a b", "a-b"),
    ],
)
def test_the_bot_of_an_image_has_its_name_without_registry_and_tag(image: str, name: str) -> None:
    assert image_name(image) == name


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "the list of images has no image"),
        ("# only a comment\n\n", "the list of images has no image"),
        ("ann=\n", "line 1 of the images is neither IMAGE nor NAME=IMAGE"),
        ("Ann Lee=bot\n", "line 1 of the images is neither IMAGE nor NAME=IMAGE"),
        ("ann/bot:1\nben/bot:2\n", "line 2 of the images: the name bot stands there twice; write NAME=IMAGE"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_with_the_line(
    montego: Montego, tmp_path: Path, lines: str, said: str
) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text(lines)
    ran = montego("tournament", "create", "greedy", "--images", listed)
    assert ran.code == 1
    assert said in ran.err


def test_without_docker_and_podman_both_are_named(
    montego: Montego, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = montego("run", "image", "bot")
    assert ran.code == 1
    assert "this needs docker or podman, which was not found on this machine" in ran.err


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_an_image_that_the_engine_does_not_have_is_named_with_the_reason(
    montego: Montego, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    program = tmp_path / engine
    program.write_text("#!/bin/sh\necho 'no such image' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    ran = montego("run", "image", "ann/bot:1", "--engine", engine)
    assert ran.code == 1
    assert f"{engine} has no image ann/bot:1 here (get it by {engine} pull): no such image" in ran.err


def test_a_tournament_without_bots_and_images_is_refused(montego: Montego) -> None:
    ran = montego("tournament", "create")
    assert ran.code == 2
    assert "a tournament needs bots, or --images" in ran.err


def test_a_program_needs_the_token_of_its_bot(montego: Montego) -> None:
    ran = montego("run", "stdio", "--name", "mine", "--", "true")
    assert ran.code == 1
    assert "this needs the bot's token in MONTEGO_BOT_TOKEN" in ran.err
