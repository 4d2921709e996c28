"""A `montego` command in a terminal of its own, and every process that it leads to."""

from __future__ import annotations

import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

from service.processes.supervisor import wait_until
from tests.fixtures_redis import quick_folder

MARK = "MONTEGO_TEST_MARK"
PROCESSES = {"MONTEGO_WORKER_PROCESSES": "2"}
"""By default a service has four for each core, each of which takes a CPU second to start."""
OWN_SETTINGS = (
    "REDIS_URL",
    "MONTEGO_QUEUE_URL",
    "MONTEGO_URL",
    "MONTEGO_KEY",
    "MONTEGO_ORGANISER_KEY",
    "MONTEGO_BOT_NETWORKS",
)


class Terminal:
    """One running command. Its descendants are known, whatever became of its pid, by a mark in their environment, or by
    the folder in which they stand: Redis writes its title over its environment."""

    def __init__(
        self, *arguments: object, environ: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> None:
        """`folder` is where the command keeps its data, if that is not its temporary folder."""
        self._mark = secrets.token_hex(8)
        self.temporary = Path(tempfile.mkdtemp(prefix="montego-test-", dir=quick_folder()))
        self._folders = [self.temporary, *([folder] if folder else [])]
        inherited = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli.main", *map(str, arguments)],
            env={**inherited, **PROCESSES, MARK: self._mark, "TMPDIR": str(self.temporary), **(environ or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.out: list[str] = []
        self.err: list[str] = []
        self._news: queue.Queue[str] = queue.Queue()
        self._readers = [self._read(self.process.stdout, self.out), self._read(self.process.stderr, self.err)]

    def _read(self, stream: IO[str] | None, lines: list[str]) -> threading.Thread:
        assert stream is not None

        def read() -> None:
            for line in stream:
                lines.append(line.rstrip("\n"))
                self._news.put(lines[-1])

        thread = threading.Thread(target=read)
        thread.start()
        return thread

    def line_with(self, words: str, seconds: float = 60.0) -> str:
        """The next line of output that has these words, on either stream."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            over = self.process.poll() is not None and not any(reader.is_alive() for reader in self._readers)
            try:
                line = self._news.get(timeout=0.1)
            except queue.Empty:
                if over:
                    break
                continue
            if words in line:
                return line
        raise AssertionError(f"no line with {words!r}; err: {self.err[-10:]}, out: {self.out[-10:]}")

    def signal(self, signum: signal.Signals) -> None:
        self.process.send_signal(signum)

    def wait(self, seconds: float) -> int:
        """The exit code, with all output read."""
        code = self.process.wait(seconds)
        for reader in self._readers:
            reader.join(5)
        return code

    def processes(self) -> dict[int, str]:
        """Every running process that descends from the command, with its command line."""
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                marked = f"{MARK}={self._mark}".encode() in (entry / "environ").read_bytes().split(b"\0")
                stands = (entry / "cwd").readlink()
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:  # ended, or not ours
                continue
            if marked or any(stands.is_relative_to(folder) for folder in self._folders):
                found[int(entry.name)] = command
        return found

    def pid_of(self, words: str) -> int:
        """The oldest process of the command with these words on its command line."""
        return min(pid for pid, command in self.processes().items() if words in command)

    def all_ended(self, seconds: float) -> bool:
        return wait_until(lambda: not self.processes(), seconds, pause=0.1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves nothing running, also when the test has failed."""
        while left := self.processes():
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self.process.poll()
            time.sleep(0.02)
        self.wait(5)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        shutil.rmtree(self.temporary, ignore_errors=True)


@contextmanager
def running(
    *arguments: object, environ: Mapping[str, str] | None = None, folder: Path | None = None
) -> Iterator[Terminal]:
    """A command that has said that it is up: "Ctrl-C ends everything."."""
    with Terminal(*arguments, environ=environ, folder=folder) as terminal:
        terminal.line_with("Ctrl-C ends everything.", 120)
        yield terminal
