"""One child process that ends with us, in a session of its own, with its output in a file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from service.local.waiting import wait_until

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
