"""Child processes: started in order, started again when they die, and ended with us.

`Process` is one child, which `end_with_parent.py` ends when we end; `Supervisor` looks after several. `montego up` runs
the parts of the service under one, and each `montego worker` its processes.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

END_WITH_PARENT = Path(__file__).with_name("end_with_parent.py")
#: A process that was killed may have started another one just before: its session is searched so often.
SWEEPS = 5
#: Pauses before a child is started again (seconds), longer each time that it dies soon.
PAUSES_S = (0.0, 0.5, 1.0, 2.0, 5.0)
#: A child that has run so long gets the shortest pause again.
STEADY_S = 30.0
#: What children get to end by themselves. A child that is a supervisor itself must be done before the time that it is
#: given is over: `MAX_END_S` is for a supervisor of supervisors.
END_S = 3.5
MAX_END_S = 6.0
#: What children marked `last` get after that: together below the 10 s in which everything must have ended.
END_LAST_S = 2.0
POLL_S = 0.05


class CannotStart(Exception):
    """A process, port or directory of this machine that cannot be used. The message is one line for the user: which it
    is, and what to do."""


class Process:
    """A running child. It leads a session of its own: Ctrl-C in our terminal reaches only us, and all that the child
    starts can be found and ended with it.

    The child is sent `orphaned` when the thread that made it ends (see `end_with_parent.py`): make it in a thread that
    lives as long as the child should.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path | None,
        environ: Mapping[str, str],
        directory: Path | None = None,
        orphaned: signal.Signals = signal.SIGTERM,
    ) -> None:
        """Starts `command`. Its output is appended to `log`, which only the user may read (None: goes where ours
        goes)."""
        with _output(log) as output:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", str(END_WITH_PARENT), str(os.getpid()), str(int(orphaned)), *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=None if output is None else subprocess.STDOUT,
                env=dict(environ),
                cwd=directory,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    def ended(self) -> str | None:
        """How the child ended ("exit status 1", "killed by SIGKILL"), or None while it runs.

        What it left behind in its session is killed. That happens before its pid is given back to the system, so that
        no session of a stranger is hit.
        """
        if self._popen.returncode is None:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return None
            self._kill_session()
            self._popen.wait()
        return _ending(self._popen.returncode)

    def wait(self, seconds: float) -> bool:
        """Waits until the child has ended, at most so long; whether it has."""
        # Not Popen.wait: it would reap the child before what it left behind could be ended.
        return wait_until(lambda: self.ended() is not None, seconds)

    def terminate(self) -> None:
        """Asks the child itself to end (SIGTERM). It passes that on to its own children as it sees fit."""
        if self.ended() is None:
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Ends the child and all that it started at once."""
        if self.ended() is None:
            self._kill_session()
            self._popen.wait()

    def end(self, seconds: float) -> None:
        """Asks the child to end, and kills it when it has not done so in time."""
        self.terminate()
        if not self.wait(seconds):
            self.kill()

    def _kill_session(self) -> None:
        for _ in range(SWEEPS):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # no process is left in the group
                os.killpg(self.pid, signal.SIGKILL)
            # Some put their own children into groups of their own (RQ does), but not into other sessions.
            others = _members(self.pid)
            if not others:
                return
            for pid in others:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _output(log: Path | None) -> contextlib.AbstractContextManager[IO[bytes] | None]:
    if log is None:
        return contextlib.nullcontext()
    return open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


def _members(session: int) -> list[int]:
    """The running processes of a session but its leader. Only Linux lists them; elsewhere none is found."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            # pid (name) state parent group session …; the name may hold anything, a parenthesis too
            state, _, _, member_of = entry.read_text("utf-8", "replace").rpartition(")")[2].split()[:4]
        except OSError:  # it has ended meanwhile
            continue
        pid = int(entry.parent.name)
        if int(member_of) == session and pid != session and state != "Z":
            found.append(pid)
    return found


def _ending(returncode: int) -> str:
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:  # a real-time signal, which has no name
        return f"killed by signal {-returncode}"


@dataclass(frozen=True, slots=True)
class Child:
    """What to run, and how to tell that it serves."""

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str]
    ready: Callable[[], bool]
    ready_s: float = 30.0
    #: Is ended when all others have ended, since they need it to put their work away.
    last: bool = False
    #: What the system sends it when we are killed.
    orphaned: signal.Signals = signal.SIGTERM


@dataclass(slots=True)
class _Running:
    child: Child
    process: Process
    since: float
    deaths: int = 0
    #: When to start it again; None while it runs.
    restart_at: float | None = field(default=None)


class Supervisor:
    """Starts children, restarts each one that dies, and ends all of them.

    It has no thread of its own: it looks after the children within `start` and `watch`, which must be called from one
    and the same thread (see Process).
    """

    def __init__(self, directory: Path | None, report: Callable[[str], None], *, end_s: float = END_S) -> None:
        """Children run in `directory` and log there, each into a file of its own (None: they run where we do, and
        their output goes where ours goes). `report` gets a line for each restart. At the end children get `end_s`."""
        self._directory = directory
        self._report = report
        self._end_s = end_s
        self._running: list[_Running] = []
        self._hurry = False

    def log(self, name: str) -> Path | None:
        """Where the output of that child goes; None: where ours goes."""
        return None if self._directory is None else self._directory / f"{name}.log"

    def start(self, *children: Child) -> None:
        """Starts children at once and waits until all are ready. Raises CannotStart if one ends before, or takes too
        long; then none of them runs."""
        started: list[_Running] = []
        try:
            started.extend(_Running(child, self._run(child), time.monotonic()) for child in children)
            waiting = started
            while waiting := [item for item in waiting if not item.child.ready()]:
                for item in waiting:
                    self._check_starting(item)
                self.watch(POLL_S)
        except BaseException:
            for item in started:
                item.process.kill()
            raise
        self._running += started

    def _check_starting(self, item: _Running) -> None:
        ending, child = item.process.ended(), item.child
        if ending or time.monotonic() > item.since + child.ready_s:
            ending = ending or f"not ready within {child.ready_s:.0f} s"
            raise CannotStart(f"{child.name} did not start ({ending}){self._last_words(child.name)}")

    def watch(self, seconds: float) -> None:
        """Looks after the children for so long."""
        deadline = time.monotonic() + seconds
        while True:
            for item in self._running:
                self._restart_if_ended(item)
            left = deadline - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(POLL_S, left))

    def end(self) -> None:
        """Ends all children: asks them, then kills those that take too long. Takes at most 10 s."""
        running, self._running = self._running, []
        self._end_all([item for item in running if not item.child.last], self._end_s)
        self._end_all([item for item in running if item.child.last], END_LAST_S)

    def hurry(self) -> None:
        """Makes an `end` under way kill what still runs. May be called from a signal handler."""
        self._hurry = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def _run(self, child: Child) -> Process:
        return Process(
            child.command,
            log=self.log(child.name),
            environ=child.environ,
            directory=self._directory,
            orphaned=child.orphaned,
        )

    def _restart_if_ended(self, item: _Running) -> None:
        now = time.monotonic()
        if item.restart_at is not None:
            if now >= item.restart_at:
                item.process, item.since, item.restart_at = self._run(item.child), now, None
            return
        ending = item.process.ended()
        if ending is None:
            return
        item.deaths = 0 if now - item.since > STEADY_S else item.deaths
        pause = PAUSES_S[min(item.deaths, len(PAUSES_S) - 1)]
        item.deaths += 1
        item.restart_at = now + pause
        when = f"is started again in {pause:g} s" if pause else "is started again"
        log = self.log(item.child.name)
        self._report(f"{item.child.name} ended ({ending}) and {when}{'' if log is None else f' (log: {log})'}")

    def _last_words(self, name: str) -> str:
        log = self.log(name)
        return "" if log is None else f": {last_line(log)} (log: {log})"

    def _end_all(self, items: list[_Running], seconds: float) -> None:
        processes = [item.process for item in reversed(items)]
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + seconds
        while not self._hurry and time.monotonic() < deadline:
            if all(process.ended() for process in processes):
                return
            time.sleep(POLL_S)
        for process in processes:
            process.kill()


def last_line(log: Path) -> str:
    """The last line of a log file that says something, without the process id and time that Redis puts before it."""
    with contextlib.suppress(OSError):
        for line in reversed(log.read_text("utf-8", "replace").splitlines()):
            if line.strip():
                return re.sub(r"^\d+:\w \d+ \w+ \d+ [\d:.]+ [*#.-] ", "", line.strip())
    return "nothing is in its log"


def wait_until(holds: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Calls `holds` again and again, at most for `seconds`; whether it came to hold."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True
