"""Real worker processes for tests, and ways to end them that they don't expect."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from service.processes.supervisor import wait_until


def children() -> dict[int, list[tuple[int, str]]]:
    """(pid, command line) of all running processes, by the pid of their parent."""
    found: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # it has ended meanwhile
            continue
        if state != "Z":
            found.setdefault(int(parent), []).append((int(entry.name), command))
    return found


def tree_of(root: int) -> dict[int, str]:
    """Pids and command lines of a process and all that it has started."""
    by_parent = children()
    found: dict[int, str] = {}
    waiting = [(root, "root")]
    while waiting:
        pid, command = waiting.pop()
        found[pid] = command
        waiting += by_parent.get(pid, [])
    return found


def kill(pids: list[int]) -> None:
    """SIGKILL, without a word."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def environment(redis_url: str, **more: str) -> dict[str, str]:
    """The environment of a service over this Redis, with bots on loopback; nothing of the tests' own settings.

    No match is void because the machine is busy with other tests, unless a test says so.
    """
    ours = {"REDIS_URL": redis_url, "MONTEGO_BOT_NETWORKS": "127.0.0.0/8", "MONTEGO_HARNESS_SLOW_MS": "3600000"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MONTEGO_")}
    return {**kept, **ours, **more}


class Workers:
    """`montego worker --processes N`, with everything that it starts. Leaves nothing running."""

    def __init__(self, redis_url: str, processes: int = 2, **environ: str) -> None:
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed in __exit__)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "service.cli.main", "worker", "--processes", str(processes)],
            env=environment(redis_url, **environ),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._seen: dict[int, str] = {}

    def tree(self) -> dict[int, str]:
        """Pids and command lines of all of its processes, itself included."""
        found = tree_of(self._process.pid) if self._process.poll() is None else {}
        self._seen |= found
        return found

    def serving(self, role: str) -> list[int]:
        """Pids of the processes of a role: `matches`, `spare`, `turns` or `steward`. A job of theirs is none of
        them."""
        by_parent = children()
        return [pid for pid, command in by_parent.get(self._process.pid, []) if f"--role {role}" in command]

    def jobs(self) -> list[int]:
        """Pids of the processes in which blocks are played now: RQ forks one for each."""
        by_parent = children()
        parents = self.serving("matches") + self.serving("spare")
        return [pid for parent in parents for pid, _ in by_parent.get(parent, [])]

    def cpu_s(self) -> float:
        """CPU seconds that its processes have used so far, those included that have ended and were waited for."""
        ticks = 0
        for pid in self.tree():
            with suppress(OSError):  # it has ended meanwhile, and is counted with its parent's next time
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def kill_all(self) -> None:
        """The whole tree at once, as when the machine goes down."""
        kill(list(self.tree()))
        self._process.wait(10)
        assert wait_until(lambda: not self.survivors(), 10)

    def end(self, seconds: float) -> int:
        """SIGTERM, and so long to end; the exit status."""
        self.tree()
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(seconds)

    def survivors(self) -> list[int]:
        """Those of its processes that still run, also when it does not."""
        self.tree()
        alive = {pid: command for listed in children().values() for pid, command in listed}
        return [pid for pid, command in self._seen.items() if alive.get(pid) == command or pid == self._live_root()]

    def _live_root(self) -> int | None:
        return self._process.pid if self._process.poll() is None else None

    def log(self) -> str:
        """What it has written so far."""
        self._log.seek(0)
        return self._log.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            print(self.log())
        self.kill_all()
        self._log.close()
