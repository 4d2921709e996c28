"""The supervision of child processes. The children are real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from service.processes.supervisor import CannotStart, Child, Supervisor, wait_until
from tests.processes.children import is_alive, pids, script, watched_until

SLEEP = "import time; time.sleep(60)"
ROOT = Path(__file__).parents[2]


def test_a_child_that_is_killed_is_started_again_and_one_line_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    with Supervisor(tmp_path, said.append) as supervisor:
        supervisor.start(script("worker", SLEEP))
        log = tmp_path / "worker.log"
        assert watched_until(supervisor, lambda: len(pids(log)) == 1, 5)
        os.kill(pids(log)[0], signal.SIGKILL)
        assert watched_until(supervisor, lambda: len(pids(log)) == 2, 5)
        assert [is_alive(pid) for pid in pids(log)] == [False, True]
        assert said == [f"worker ended (killed by SIGKILL) and is started again (log: {tmp_path / 'worker.log'})"]


def test_a_child_that_keeps_dying_is_started_again_after_longer_and_longer_pauses(tmp_path: Path) -> None:
    said: list[str] = []
    with Supervisor(tmp_path, said.append) as supervisor:
        supervisor.start(script("api", "raise SystemExit(3)"))
        assert watched_until(supervisor, lambda: len(said) == 3, 10)
    pauses = [line.partition(" (log")[0].rpartition("exit status 3) and ")[2] for line in said]
    assert pauses == ["is started again", "is started again in 0.5 s", "is started again in 1 s"]


def test_a_child_starts_when_the_one_before_is_ready(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    write = f"import pathlib, time; time.sleep(0.3); pathlib.Path({str(sign)!r}).write_text('up'); time.sleep(60)"
    with Supervisor(tmp_path, print) as supervisor:
        supervisor.start(script("first", write, ready=sign))
        assert sign.read_text("utf-8") == "up"


def test_children_that_are_started_together_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """Each is ready only once the other runs, too."""
    signs = {name: tmp_path / name for name in ("first", "second")}
    both = "while not all(os.path.exists(p) for p in SIGNS): time.sleep(0.01)"
    children = []
    for name, sign in signs.items():
        lines = (
            "import os, pathlib, time",
            f"SIGNS = {[str(one) for one in signs.values()]}",
            f"pathlib.Path({str(sign)!r}).touch()",
            both,
            f"pathlib.Path({str(sign)!r} + '.ready').touch()",
            "time.sleep(60)",
        )
        children.append(script(name, "\n".join(lines), ready=tmp_path / f"{name}.ready"))
    with Supervisor(tmp_path, print) as supervisor:
        supervisor.start(*children)


def test_of_children_that_are_started_together_none_is_left_when_one_fails(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    good = script(
        "good", f"import os, pathlib; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); {SLEEP}", ready=note
    )
    bad = script(
        "bad",
        f"import os, time\nwhile not os.path.exists({str(note)!r}): time.sleep(0.01)\nraise SystemExit('no')",
        ready=tmp_path / "never",
    )
    with Supervisor(tmp_path, print) as supervisor, pytest.raises(CannotStart, match="bad did not start"):
        supervisor.start(good, bad)
    assert not is_alive(int(note.read_text("utf-8")))


def test_a_child_that_ends_before_it_is_ready_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    child = script("api", "print('first'); raise SystemExit('the port is taken')", ready=tmp_path / "never")
    with (
        Supervisor(tmp_path, print) as supervisor,
        pytest.raises(CannotStart, match=r"api did not start \(exit status 1\): the port is taken \(log: .*api.log\)"),
    ):
        supervisor.start(child)


def test_a_child_that_is_never_ready_is_an_error_and_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = f"import os, pathlib; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); {SLEEP}"
    child = Child("slow", (sys.executable, "-S", "-c", program), os.environ, lambda: False, ready_s=1.0)
    with Supervisor(tmp_path, print) as supervisor, pytest.raises(CannotStart, match=r"slow .*not ready within 1 s"):
        supervisor.start(child)
    assert not is_alive(int(note.read_text("utf-8")))


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    child = Child("odd", (str(tmp_path / "nothing"),), os.environ, lambda: False, ready_s=10)
    with Supervisor(tmp_path, print) as supervisor, pytest.raises(CannotStart, match="nothing cannot be started"):
        supervisor.start(child)


def test_a_child_that_ignores_the_request_to_end_is_killed_within_ten_seconds(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    deaf = f"import pathlib, signal; signal.signal(15, signal.SIG_IGN); pathlib.Path({str(sign)!r}).touch(); {SLEEP}"
    supervisor = Supervisor(tmp_path, print)
    supervisor.start(script("deaf", deaf, ready=sign))
    (pid,) = pids(tmp_path / "deaf.log")
    began = time.monotonic()
    supervisor.end()
    assert time.monotonic() - began < 10
    assert not is_alive(pid)


def test_asked_to_hurry_it_kills_at_once(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    deaf = f"import pathlib, signal; signal.signal(15, signal.SIG_IGN); pathlib.Path({str(sign)!r}).touch(); {SLEEP}"
    supervisor = Supervisor(tmp_path, print)
    supervisor.start(script("deaf", deaf, ready=sign))
    (pid,) = pids(tmp_path / "deaf.log")
    supervisor.hurry()
    began = time.monotonic()
    supervisor.end()
    assert time.monotonic() - began < 2
    assert not is_alive(pid)


def test_grandchildren_in_groups_of_their_own_end_too(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    grandchild = f"import os; os.setpgid(0, 0); {SLEEP}"
    program = (
        "import pathlib, subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-S', '-c', {grandchild!r}])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    supervisor = Supervisor(tmp_path, print)
    supervisor.start(script("parent", program, ready=note))
    assert wait_until(lambda: bool(note.read_text("utf-8")), 5)
    grandchild_pid = int(note.read_text("utf-8"))
    assert is_alive(grandchild_pid)
    supervisor.end()
    assert not is_alive(grandchild_pid)


def test_the_one_marked_last_ends_after_the_others(tmp_path: Path) -> None:
    endings = tmp_path / "endings"
    program = (
        "import signal, time, sys\n"
        "def end(*_):\n"
        "    time.sleep({pause})\n"
        f"    open({str(endings)!r}, 'a').write('{{name}} ')\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "open({sign!r}, 'w').close()\n"
        "time.sleep(60)\n"
    )
    supervisor = Supervisor(tmp_path, print)
    for name, pause, last in (("redis", 0.0, True), ("worker", 0.4, False)):
        sign = tmp_path / f"{name}.sign"
        source = program.format(pause=pause, name=name, sign=str(sign))
        supervisor.start(script(name, source, ready=sign, last=last))
    supervisor.end()
    assert endings.read_text("utf-8").split() == ["worker", "redis"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent was killed")
def test_no_child_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from service.processes.supervisor import Supervisor\n"
        "from tests.processes.children import script\n"
        f"supervisor = Supervisor(pathlib.Path({str(tmp_path)!r}), print)\n"
        f"supervisor.start(script('one', {SLEEP!r}))\n"
        f"supervisor.start(script('two', {SLEEP!r}))\n"
        "supervisor.watch(60)\n"
    )
    logs = [tmp_path / "one.log", tmp_path / "two.log"]
    starter = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    assert wait_until(lambda: all(map(pids, logs)), 20)
    children = [pid for log in logs for pid in pids(log)]
    assert [is_alive(pid) for pid in children] == [True, True]
    starter.kill()
    starter.wait()
    assert wait_until(lambda: not any(map(is_alive, children)), 5)


def test_logs_are_closed_to_others(tmp_path: Path) -> None:
    with Supervisor(tmp_path, print) as supervisor:
        supervisor.start(script("worker", SLEEP))
        log = supervisor.log("worker")
        assert log is not None
        assert log.stat().st_mode & 0o777 == 0o600
