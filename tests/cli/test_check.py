"""`montego check` and `montego ask`: a bot put to the test from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bots.faulty import start
from bots.greedy import GreedyBot
from bots.inprocess import question
from bots.random_bot import RandomBot
from montego_bot import Bot, answer, push_app, read_ask, running
from service.engine.actions import parse_action
from service.engine.components import standard_components
from service.engine.playthrough import Playthrough
from service.engine.record import build_record
from service.engine.setup import Reshuffles, Variants, commitment, draw_setup
from service.processes.ports import free_port
from tests.cli.conftest import Montego

SECRET = "whsec_" + "c2VjcmV0" * 4
NONCE = bytes(16)
SEED = "asked"


def played(bot: Bot) -> dict[str, Any]:
    """The record of a game of two that the same bot plays on both sides."""
    components = standard_components(2)
    play = Playthrough.start(2, Variants(), components, draw_setup(components, 2, SEED), Reshuffles(SEED))
    while play.game.outcome is None:
        for ask in [question(play.game, decision) for decision in play.game.decisions]:
            action = parse_action(answer(bot, read_ask(ask))["action"])
            play.settle(ask["decision"]["id"], action, "player")
    seats: list[dict[str, object]] = [{"name": name, "version": None} for name in ("ann", "\x1b[31mben")]
    return build_record(
        play,
        game="g1",
        deal="seeded",
        commitment=commitment(NONCE, SEED),
        seed=SEED,
        nonce=NONCE.hex(),
        block_seed=None,
        seats=seats,
    )


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("asked") / "game.json"
    path.write_text(json.dumps(played(GreedyBot())), "utf-8")
    return path


def test_a_good_bot_is_ready(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTEGO_BOT_SECRET", SECRET)
    with running(push_app(GreedyBot(), secrets=[SECRET])) as url:
        ran = montego("check", url)
    assert ran.code == 0
    assert "ready: nothing to fix" in ran.out
    assert "a wrong signature" in ran.out


def test_a_bad_bot_is_faulty_and_told_what_to_mend(montego: Montego) -> None:
    with start("repeated-illegal") as bad:
        ran = montego("check", bad.url)
        as_json = montego("check", bad.url, "--json")
    assert ran.code == as_json.code == 1
    assert "faulty" in ran.out
    assert "→ Answer with an entry of `legal_actions`" in ran.out
    report = json.loads(as_json.out)
    assert report["grade"] == "faulty"


@pytest.mark.parametrize("name", ["ansi-and-html", "junk"])
def test_what_a_bot_says_moves_nothing_in_the_terminal(montego: Montego, name: str) -> None:
    with start(name) as bad:
        ran = montego("check", bad.url)
    assert not any(character < " " and character != "\n" for character in ran.out + ran.err)
    assert "\u202e" not in ran.out


def test_nobody_there_is_told(montego: Montego) -> None:
    ran = montego("check", f"http://127.0.0.1:{free_port()}")
    assert ran.code == 1
    assert "unreachable" in ran.out


@pytest.mark.parametrize("url", ["ftp://bot", "bot", "http://user@bot", "http://bot?x=1"])
def test_a_url_that_is_none_is_one_line(montego: Montego, url: str) -> None:
    ran = montego("check", url)
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert ran.err.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in ran.err


def test_a_secret_that_is_none_is_one_line(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTEGO_BOT_SECRET", "whsec_!!!")
    ran = montego("check", "http://127.0.0.1:9")
    assert ran.code == 1
    assert "MONTEGO_BOT_SECRET" in ran.err


def test_the_bot_that_played_answers_the_same_again(montego: Montego, record: Path) -> None:
    with running(push_app(GreedyBot())) as url:
        ran = montego("ask", record, "--round", 2, "--seat", 1, "--bot", url)
        as_json = montego("ask", record, "--round", 2, "--seat", 1, "--bot", url, "--json")
    assert ran.code == 0
    asked = [line for line in ran.out.splitlines() if line.startswith("2.")]
    assert asked[0] == "2.play.1.0"
    assert ran.out.count("the same") == len(asked)
    answers = json.loads(as_json.out)
    assert [answer["decision"] for answer in answers] == asked
    assert all(answer["same"] and answer["now"]["action"] == answer["then"]["action"] for answer in answers)


def test_another_bot_answers_otherwise_somewhere(montego: Montego, record: Path) -> None:
    outs = []
    with running(push_app(RandomBot())) as url:
        for number in (1, 2, 3):
            ran = montego("ask", record, "--round", number, "--seat", 0, "--bot", url)
            assert ran.code == 0
            outs.append(ran.out)
    assert "another" in "".join(outs)


def test_a_fault_is_named(montego: Montego, record: Path) -> None:
    with start("hanging") as bad:
        ran = montego("ask", record, "--round", 1, "--seat", 0, "--bot", bad.url, "--budget-ms", 200)
        assert bad.asks >= 1
    assert ran.code == 1
    assert "now   late: no whole answer within 200 ms" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--round", 99, "--seat", 0), "asked nothing in round 99"),
        (("--round", 1, "--seat", 3), "there is no seat 3"),
    ],
)
def test_what_was_never_asked_is_said(montego: Montego, record: Path, arguments: tuple[object, ...], said: str) -> None:
    ran = montego("ask", record, *arguments, "--bot", "http://127.0.0.1:9")
    assert ran.code == 1
    assert said in ran.err


def test_a_damaged_record_is_refused(montego: Montego, record: Path, tmp_path: Path) -> None:
    broken = json.loads(record.read_text("utf-8"))
    broken["actions"][0]["action"]["big"] = 6
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken), "utf-8")
    ran = montego("ask", path, "--round", 1, "--seat", 0, "--bot", "http://127.0.0.1:9")
    assert ran.code == 1
    assert str(path) in ran.err
