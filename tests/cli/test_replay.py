"""`montego replay`: sound records are told, damaged ones refused with what does not fit."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.engine.components import standard_components
from service.engine.playthrough import Playthrough
from service.engine.record import build_record, digest
from service.engine.setup import Reshuffles, Variants, commitment, draw_setup
from tests.cli.conftest import Montego, Scripted

Record = dict[str, Any]
NONCE = bytes(range(16))


def played(players: int, seed: str, names: tuple[str, ...] = ("ann", "bob", "cid", "dee")) -> Record:
    """The record of a game in which every action was drawn at random."""
    components = standard_components(players)
    play = Playthrough.start(players, Variants(), components, draw_setup(components, players, seed), Reshuffles(seed))
    draw = random.Random(seed)
    while play.game.outcome is None:
        decision = play.game.decisions[0].id
        play.settle(decision, draw.choice(play.game.legal_actions(decision)), "player")
    return build_record(
        play,
        game="g1",
        deal="seeded",
        commitment=commitment(NONCE, seed),
        seed=seed,
        nonce=NONCE.hex(),
        block_seed=None,
        seats=[{"name": name, "version": None} for name in names[:players]],
    )


@pytest.fixture(scope="module")
def record() -> Record:
    return played(3, "a seed")


def _file(tmp_path: Path, record: object, name: str = "game.json") -> Path:
    path = tmp_path / name
    path.write_text(record if isinstance(record, str) else json.dumps(record), "utf-8")
    return path


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_sound_record_is_told_round_by_round(montego: Montego, tmp_path: Path, players: int) -> None:
    record = played(players, f"seed {players}")
    ran = montego("replay", _file(tmp_path, record))
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.lower().splitlines()
    for number in range(1, record["result"]["rounds"] + 1):
        assert sum(f"round {number}" in line for line in lines) >= 1
    for seat, points in zip(record["seats"], record["result"]["points"], strict=True):
        assert any(seat["name"] in line and str(points) in line for line in lines)


def test_a_record_is_fetched_from_a_url(montego: Montego, scripted: Scripted, record: Record) -> None:
    scripted.on("GET /v1/games/g1/record", 200, record)
    ran = montego("replay", "--verify", f"{scripted.url}/v1/games/g1/record")
    assert ran.code == 0
    assert ran.out == f"ok       {scripted.url}/v1/games/g1/record\n"


def test_a_game_that_is_not_over_has_no_record_to_replay(montego: Montego, scripted: Scripted) -> None:
    problem = {"title": "Conflict", "detail": "the game is not over", "code": "game_not_over"}
    scripted.on("GET /v1/games/g1/record", 409, problem)
    url = f"{scripted.url}/v1/games/g1/record"
    ran = montego("replay", url)
    assert (ran.code, ran.err) == (1, f"Error: {url}: the game is not over (game_not_over)\n")


def test_the_action_at_which_a_record_goes_wrong_is_named(montego: Montego, tmp_path: Path, record: Record) -> None:
    damaged = copy.deepcopy(record)
    index, entry = next((i, e) for i, e in enumerate(record["actions"]) if e["action"]["type"] == "load" and i > 9)
    ships = entry["action"]["ships"]
    damaged["actions"][index]["action"]["ships"] = {ship: count + 1 for ship, count in ships.items()}
    path = _file(tmp_path, damaged)
    ran = montego("replay", path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"Error: {path}: actions[{index}]")
    assert ran.err.count("\n") == 1


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values in a record that are no list or object."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*path, key))]
    if isinstance(value, list):
        return [leaf for index, inner in enumerate(value) for leaf in _leaves(inner, (*path, index))]
    return [path]


def _changed(record: Record, path: tuple[str | int, ...]) -> Record:
    damaged = copy.deepcopy(record)
    holder: Any = damaged
    for step in path[:-1]:
        holder = holder[step]
    before = holder[path[-1]]
    holder[path[-1]] = before + 1 if isinstance(before, int) else f"{before or ''}x"
    return damaged


def test_a_record_in_which_any_one_value_was_changed_is_refused(
    montego: Montego, tmp_path: Path, record: Record
) -> None:
    paths = _leaves(record)
    draw = random.Random(7)
    tops = {path[0]: path for path in paths}
    sample = list(tops.values()) + draw.sample(paths, 80)
    for number, path in enumerate(sample):
        _file(tmp_path, _changed(record, path), f"{number:03}.json")
    ran = montego("replay", "--verify", tmp_path)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert len(lines) == len(sample)
    sound = [sample[number] for number, line in enumerate(lines) if not line.startswith("refused  ")]
    assert sound == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r["result"]["points"].reverse() or r["result"]["points"].insert(0, 99), "result"),
        (lambda r: r["setup"].update(seed="another seed"), "commitment"),
        (lambda r: r["seats"][0].update(name="eve"), "digest"),
        (lambda r: r["orders"][1].reverse(), "orders[1]"),
        (lambda r: r.update(format="montego-bay-record/2"), "format"),
        (lambda r: r.pop("actions"), "actions"),
    ],
)
def test_what_does_not_fit_is_named(
    montego: Montego, tmp_path: Path, record: Record, change: Callable[[Record], object], words: str
) -> None:
    damaged = copy.deepcopy(record)
    change(damaged)
    ran = montego("replay", _file(tmp_path, damaged))
    assert ran.code == 1
    assert words in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[]", "is not a record: a record is a JSON object"),
        ("{}", "format"),
        ('{"format":1,"format":2}', "the member 'format' is there twice"),
        ('{"players":NaN}', "NaN is no JSON"),
        ("[" * 200_000, "nested more than 32 levels"),
        ("9" * 5000, "a number has more than 40 characters"),
    ],
)
def test_what_is_no_record_is_one_clear_line(montego: Montego, tmp_path: Path, content: str, words: str) -> None:
    ran = montego("replay", _file(tmp_path, content))
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    assert "bug" not in ran.err
    assert ran.err.count("\n") == 1


def test_a_name_with_half_a_character_is_no_bug(montego: Montego, tmp_path: Path, record: Record) -> None:
    damaged = copy.deepcopy(record)
    damaged["seats"][0]["name"] = "\ud800"
    ran = montego("replay", _file(tmp_path, damaged))
    assert ran.code == 1
    assert "bug" not in ran.err


def test_bytes_that_are_no_text_are_refused(montego: Montego, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(b'{"a": "\xff"}')
    assert "is not UTF-8" in montego("replay", path).err


def test_verifying_goes_on_after_one_that_is_refused(montego: Montego, tmp_path: Path, record: Record) -> None:
    folder = tmp_path / "records"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    _file(folder, record, "a.json")
    _file(folder, {**record, "game": "g2"}, "b.json")
    _file(folder / "inner", record, "c.json")
    (folder / "notes.txt").write_text("no record", "utf-8")
    ran = montego("replay", "--verify", folder, tmp_path / "missing.json", tmp_path / "empty")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        f"ok       {folder}/a.json",
        f"refused  {folder}/b.json: digest: does not fit: something in the record was changed",
        f"ok       {folder}/inner/c.json",
        f"refused  {tmp_path}/missing.json: cannot be read: No such file or directory",
        f"refused  {tmp_path}/empty: there is no *.json file in this folder",
    ]
    assert ran.err == "Error: 3 of 5 refused\n"


def test_names_in_a_record_do_not_steer_the_terminal(montego: Montego, tmp_path: Path) -> None:
    record = played(2, "x", ("\x1b[2Jann", "[bold]bob[/bold]"))
    assert record["digest"] == digest(record)
    ran = montego("replay", _file(tmp_path, record))
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "[bold]bob[/bold]" in ran.out
