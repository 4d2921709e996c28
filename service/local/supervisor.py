"""Keeps child processes running, and ends them all."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from service.local.errors import LocalError
from service.local.logs import last_line
from service.local.process import Process

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
