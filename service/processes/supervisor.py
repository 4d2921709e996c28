"""Errors of this package. Each message is one line that can be shown to the user as it is."""

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


class LocalError(Exception):
    """A process, port or directory of this machine that cannot be used; the message says which, and what to do."""


def last_line(log: Path) -> str:
    """The last line of a log file that says something, without the process id and time that Redis puts before it."""
    with contextlib.suppress(OSError):
        for line in reversed(log.read_text("utf-8", "replace").splitlines()):
            if line.strip():
                return re.sub(r"^\d+:\w \d+ \w+ \d+ [\d:.]+ [*#.-] ", "", line.strip())
    return "it said nothing"


def wait_until(holds: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Asks `holds` again and again, at most for `seconds`; whether it came to hold."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True


LEASH = Path(__file__).with_name("leash.py")
#: A killed process may have started another one just before.
SWEEPS = 5


class Process:
    """A running child. It leads a session of its own, so that Ctrl-C in our terminal reaches only us, and all that it
    starts can be found and ended with it.

    The child is sent `orphaned` when the thread that made it ends (see leash.py): make it in a thread that lives as
    long as the child should.
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
        """Starts `command`; its output is appended to `log`, which only the user may read (None: goes where ours
        goes)."""
        with _output(log) as output:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), str(int(orphaned)), *command],
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

        What it left behind in its session is killed. That happens before its pid is given back to the system, so no
        stranger's session can be meant.
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
            with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in the group
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


#: Pauses before a child is started again (seconds), longer each time that it dies soon.
PAUSES = (0.0, 0.5, 1.0, 2.0, 5.0)
#: A child that has run so long (seconds) has earned the shortest pause again.
STEADY_SECONDS = 30.0
#: What children get to end by themselves (seconds). A child that is a supervisor too must be done before its own time,
#: the longest that is given by any, is over.
END_SECONDS = 3.5
LONGEST_END_SECONDS = 6.0
#: What those marked `last` get after that: together below the 10 s in which everything must have ended.
END_LAST_SECONDS = 2.0
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Child:
    """What to run, and how to tell that it serves."""

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str]
    ready: Callable[[], bool]
    ready_seconds: float = 30.0
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
    again: float | None = field(default=None)


class Supervisor:
    """Starts children in the order given, restarts each one that dies, and ends all of them.

    It has no thread of its own: children are looked after within `start` and `watch`, which must be called from one
    and the same thread (see Process).
    """

    def __init__(self, directory: Path | None, say: Callable[[str], None], *, end_seconds: float = END_SECONDS) -> None:
        """Children run in `directory` and log there, each into a file of its own (None: they run where we do, and
        their output goes where ours goes); `say` is told of each restart. At the end they get `end_seconds`."""
        self._directory = directory
        self._say = say
        self._end_seconds = end_seconds
        self._running: list[_Running] = []
        self._hurry = False

    def log(self, name: str) -> Path | None:
        """Where the output of that child goes; None: where ours goes."""
        return None if self._directory is None else self._directory / f"{name}.log"

    @property
    def pids(self) -> dict[str, int]:
        """The children that run now, by name."""
        return {item.child.name: item.process.pid for item in self._running if item.again is None}

    def start(self, child: Child) -> None:
        """Starts a child and waits until it is ready. Raises LocalError if it ends before, or takes too long."""
        item = _Running(child, self._run(child), time.monotonic())
        deadline = item.since + child.ready_seconds
        try:
            while not child.ready():
                ending = item.process.ended()
                if ending or time.monotonic() > deadline:
                    ending = ending or f"not ready within {child.ready_seconds:.0f} s"
                    raise LocalError(f"{child.name} did not start ({ending}){self._said(child.name)}")
                self.watch(POLL_SECONDS)
        except BaseException:
            item.process.kill()
            raise
        self._running.append(item)

    def watch(self, seconds: float) -> None:
        """Looks after the children for so long."""
        deadline = time.monotonic() + seconds
        while True:
            for item in self._running:
                self._tend(item)
            left = deadline - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(POLL_SECONDS, left))

    def watch_until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Looks after the children until `holds` does, at most for so long; whether it came to hold."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                return False
            self.watch(POLL_SECONDS)
        return True

    def end(self) -> None:
        """Ends all children: asks them, then kills those that take too long. Takes at most 10 s."""
        running, self._running = self._running, []
        self._end_all([item for item in running if not item.child.last], self._end_seconds)
        self._end_all([item for item in running if item.child.last], END_LAST_SECONDS)

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

    def _tend(self, item: _Running) -> None:
        now = time.monotonic()
        if item.again is not None:
            if now >= item.again:
                item.process, item.since, item.again = self._run(item.child), now, None
            return
        ending = item.process.ended()
        if ending is None:
            return
        item.deaths = 0 if now - item.since > STEADY_SECONDS else item.deaths
        pause = PAUSES[min(item.deaths, len(PAUSES) - 1)]
        item.deaths += 1
        item.again = now + pause
        when = f"is started again in {pause:g} s" if pause else "is started again"
        log = self.log(item.child.name)
        self._say(f"{item.child.name} ended ({ending}) and {when}{'' if log is None else f' (log: {log})'}")

    def _said(self, name: str) -> str:
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
            time.sleep(POLL_SECONDS)
        for process in processes:
            process.kill()
