"""Programs that play by standard input and output: good ones, and every way in which such a program can be faulty."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bots.program import MAX_LOG, ProgramBot
from bots.random_bot import RandomBot
from montego_bot import BadChoice, Poller, answer, read_ask, running
from service.processes.supervisor import wait_until
from tests.bots.poll_service import PollService
from tests.bots.positions import cards
from tests.pollers import running_pollers

TIMEOUT = 60
BUDGET_MS = 20_000
LAST = """
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    print(json.dumps({"index": len(ask["legal_actions"]) - 1}), flush=True)
"""
ONCE = "import sys\nsys.stdin.readline()\n"


@contextmanager
def program(source: str, errors: Path | None = None) -> Iterator[ProgramBot]:
    bot = ProgramBot([sys.executable, "-c", source], name="program", errors=errors)
    try:
        yield bot
    finally:
        bot.close()


def refusal(bot: ProgramBot, budget_ms: int = BUDGET_MS) -> str:
    """Why the bot gives no answer."""
    with pytest.raises(BadChoice) as refused:
        answer(bot, read_ask(cards(budget_ms=budget_ms)))
    return str(refused.value)


def test_a_program_plays_a_whole_game_and_its_errors_are_kept(tmp_path: Path) -> None:
    service, log = PollService(2, "program"), tmp_path / "log"
    source = LAST.replace("import json, sys", "import json, sys; print('hello', file=sys.stderr)")
    with running(service.app) as url, program(source, log) as bot:
        pollers = [Poller(bot, url, service.tokens[0], wait=1), Poller(RandomBot(), url, service.tokens[1], wait=1)]
        with running_pollers(pollers):
            assert service.over.wait(TIMEOUT)
    assert service.refused == []
    assert log.read_text() == "hello\n"


def test_an_action_and_a_comment_are_sent_as_the_program_wrote_them() -> None:
    source = ONCE + """print('{"action": {"type": "play", "big": 1, "little": 1}, "comment": "so"}', flush=True)"""
    with program(source) as bot:
        sent = answer(bot, read_ask(cards(budget_ms=BUDGET_MS)))
    assert sent == {"action": {"type": "play", "big": 1, "little": 1}, "comment": "so"}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (ONCE + "print('no idea')", "not JSON: 'no idea'"),
        (ONCE + "print('[1]')", "without exactly one of action and index"),
        (ONCE + """print('{"index": 0, "action": {}}')""", "without exactly one of action and index"),
        (ONCE + """print('{"index": 0}\\n{"index": 0}')""", "more than one line"),
        (ONCE + "print('x' * 100_000)", "a line of more than 65536 bytes"),
        (ONCE + "print('x', end='')", "it ended (exit status 0)"),
        (ONCE, "it ended (exit status 0)"),
        ("raise SystemExit(7)", "exit status 7"),
    ],
)
def test_a_program_that_writes_no_answer_is_ended_and_the_reason_given(source: str, reason: str) -> None:
    with program(source) as bot:
        assert reason in refusal(bot)
        assert bot._program is None


def test_a_program_that_hangs_is_ended_when_the_time_is_over(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    source = f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(999)"
    with program(source) as bot:
        assert "no answer in time" in refusal(bot, 3000)
        assert wait_until(pid.exists, TIMEOUT)
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


def test_an_illegal_choice_is_named_and_does_not_end_the_program() -> None:
    with program(LAST.replace('len(ask["legal_actions"]) - 1', "999")) as bot:
        assert "there is no index 999" in refusal(bot)
        assert bot._program is not None


def test_a_program_that_floods_its_output_is_ended_at_its_next_ask() -> None:
    source = LAST + "    while True: print('x' * 1000, flush=True)\n"
    with program(source) as bot:
        ask = read_ask(cards(budget_ms=BUDGET_MS))
        reasons = []
        for _ in range(2):
            try:
                answer(bot, ask)
            except BadChoice as refused:
                reasons.append(str(refused))
        # The flood is seen with the first answer, when the program is asked again, or as its next answer.
        words = ("without being asked", "more than one line", "not JSON")
        assert any(word in reason for reason in reasons for word in words)


def test_a_program_is_started_again_after_pauses_that_grow_until_it_answers(tmp_path: Path) -> None:
    marker = tmp_path / "works"
    source = f"import os\nif not os.path.exists({str(marker)!r}): raise SystemExit(1)\n{LAST}"
    with program(source) as bot:
        assert [refusal(bot).rpartition("after ")[2] for _ in range(3)] == ["0.25 s", "0.5 s", "1 s"]
        assert "is not started for another" in refusal(bot, 10)
        marker.touch()
        assert answer(bot, read_ask(cards(budget_ms=BUDGET_MS)))["action"]
        marker.unlink()
        bot.close()
        assert refusal(bot).endswith("after 0.25 s")


def test_what_a_program_writes_to_standard_error_does_not_fill_the_disk(tmp_path: Path) -> None:
    log = tmp_path / "log"
    source = LAST.replace("import json, sys", f"import json, sys; sys.stderr.write('x' * {MAX_LOG + 1_000_000})")
    with program(source, log) as bot:
        assert answer(bot, read_ask(cards(budget_ms=BUDGET_MS)))["action"]
    assert log.stat().st_size == MAX_LOG


def test_a_program_that_is_not_there_is_named() -> None:
    bot = ProgramBot(["/nowhere/program"], name="absent")
    assert "/nowhere/program cannot be started: No such file" in refusal(bot)
