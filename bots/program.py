"""A bot that is any program: it reads asks from its standard input and writes answers to its standard output, a line of
JSON each (PROTOCOL "Standard input and output")."""

from __future__ import annotations

import json
import logging
import os
import re
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from montego_bot import Ask, BadChoice, Bot, Choice, Commented

log = logging.getLogger("bots")

MAX_LINE = 64 * 1024
"""The longest answer in bytes, as for a push bot (PROTOCOL "Push")."""
MAX_UNASKED = 16 * 1024
"""A program that has written more than so many bytes while it was not asked is ended. Less than what a pipe holds."""
MAX_LOG = 10 * 1024 * 1024
"""So many bytes of standard error are kept. The rest is read and thrown away."""
NO_LIMIT_S = 60.0
"""How long an answer may take where the game has no limit: the program answers one ask after another."""
MAX_PAUSE_S = 30.0
END_S = 2.0
"""A program that is told to end is killed after so long."""
CHUNK = 64 * 1024


class ProgramFailed(Exception):
    """The program exited, was silent too long or wrote what cannot be an answer; the text says which."""


class ProgramBot(Bot):
    """Asks one program, one ask at a time. Starts it when it is first asked, and again when it has failed, after pauses
    that grow while it fails again and again. `close` ends it."""

    def __init__(
        self, command: Sequence[str], *, name: str, errors: Path | None = None, cleanup: Sequence[str] = ()
    ) -> None:
        """`errors` is the file to which the program's standard error is added (None: it is thrown away).
        `cleanup` is a command that is run after the program has ended, such as one that removes a container."""
        self.name = name
        self._command, self._errors, self._cleanup = list(command), errors, list(cleanup)
        self._lock = threading.Lock()
        self._program: _Program | None = None
        self._pauses = _pauses()
        self._not_before = 0.0

    def act(self, ask: Ask) -> Choice:
        """The program's answer. Raises BadChoice with the reason if there is none in time, or none that is legal."""
        until = time.monotonic() + (NO_LIMIT_S if ask.budget_ms is None else ask.budget_ms / 1000)
        if not self._lock.acquire(timeout=max(0.0, until - time.monotonic())):
            raise BadChoice(f"decision {ask.decision.id}: the program was busy with other asks")
        try:
            return self._choice(ask, until)
        except ProgramFailed as failure:
            self._end()
            pause = next(self._pauses)
            self._not_before = time.monotonic() + pause
            message = f"decision {ask.decision.id}: {failure}; the program is started again after {pause:g} s"
            raise BadChoice(message) from None
        finally:
            self._lock.release()

    def close(self) -> None:
        """Ends the program."""
        with self._lock:
            self._end()

    def _choice(self, ask: Ask, until: float) -> Choice:
        program = self._running(until)
        line = program.ask(json.dumps(ask.raw, separators=(",", ":")).encode() + b"\n", until)
        choice = _read_answer(line)
        self._pauses = _pauses()
        return choice

    def _running(self, until: float) -> _Program:
        if self._program is not None:
            return self._program
        wait = self._not_before - time.monotonic()
        if wait > until - time.monotonic():
            raise ProgramFailed(f"it has failed and is not started for another {wait:.1f} s")
        time.sleep(max(0.0, wait))
        self._program = _Program(self._command, self._errors)
        return self._program

    def _end(self) -> None:
        if self._program is not None:
            self._program.end()
            self._program = None
            if self._cleanup:
                subprocess.run(self._cleanup, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


class _Program:
    """A process in a session of its own, with its pipes."""

    def __init__(self, command: list[str], errors: Path | None) -> None:
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise ProgramFailed(f"{command[0]} cannot be started: {error.strerror}") from None
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self._stdin, self._stdout = stdin, stdout
        for pipe in (stdin, stdout):
            os.set_blocking(pipe.fileno(), False)
        self._errors = threading.Thread(target=_keep, args=(stderr, errors), daemon=True)
        self._errors.start()

    def ask(self, line: bytes, until: float) -> bytes:
        """Writes the ask and gives the next line that the program writes, read while the ask is written. Raises
        ProgramFailed."""
        self._drop_unasked()
        received = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            selector.register(self._stdout, selectors.EVENT_READ)
            while b"\n" not in received and len(received) <= MAX_LINE:
                ready = selector.select(max(0.0, until - time.monotonic()))
                if not ready:
                    raise ProgramFailed("it gave no answer in time")
                for key, _ in ready:
                    if key.fileobj is self._stdout:
                        received += self._read()
                    else:
                        line = line[self._write(line) :]
                        if not line:
                            selector.unregister(self._stdin)
        answer, _, more = received.partition(b"\n")
        if len(answer) > MAX_LINE:
            raise ProgramFailed(f"it wrote a line of more than {MAX_LINE} bytes")
        if line or more.strip():
            raise ProgramFailed("it answered before it had read the ask" if line else "it wrote more than one line")
        return answer

    def end(self) -> None:
        """Ends the process and all that it has started."""
        with suppress(OSError):
            self._stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            # Its group may have members although the program itself has ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
        self._stdout.close()
        self._errors.join(END_S)

    def _drop_unasked(self) -> None:
        """Reads what the program wrote since its last answer. Raises ProgramFailed if that is too much, or its end."""
        dropped = 0
        with suppress(BlockingIOError):
            while dropped <= MAX_UNASKED:
                dropped += len(self._read())
        if dropped > MAX_UNASKED:
            raise ProgramFailed(f"it wrote more than {MAX_UNASKED} bytes without being asked")
        if dropped:
            log.warning("a program wrote %d bytes without being asked; they are ignored", dropped)

    def _read(self) -> bytes:
        received = os.read(self._stdout.fileno(), CHUNK)
        if not received:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
            raise ProgramFailed(f"it ended (exit status {self._process.poll()})")
        return received

    def _write(self, line: bytes) -> int:
        try:
            return os.write(self._stdin.fileno(), line)
        except BrokenPipeError:
            raise ProgramFailed(f"it reads no more (exit status {self._process.poll()})") from None


def _keep(pipe: IO[bytes], target: Path | None) -> None:
    """Copies standard error to a file, to its limit, and reads the rest so that the program does not wait."""
    with pipe, open(target or os.devnull, "ab", buffering=0) as file:
        left = max(0, MAX_LOG - file.tell())
        while part := os.read(pipe.fileno(), CHUNK):
            file.write(part[:left])
            left -= min(left, len(part))


def _read_answer(line: bytes) -> Choice:
    """The choice in a line: an object with `action` or `index`, and perhaps `comment`. Raises ProgramFailed for what is
    no such JSON; whether the choice is legal is for the kit to say."""
    try:
        answer: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise ProgramFailed(f"it wrote a line that is not JSON: {_shown(line)}") from None
    members = [name for name in ("action", "index") if isinstance(answer, dict) and name in answer]
    if len(members) != 1:
        raise ProgramFailed(f"it wrote a line without exactly one of action and index: {_shown(line)}")
    choice = answer[members[0]]
    comment = answer.get("comment")
    return Commented(choice, comment) if isinstance(comment, str) else choice


def _shown(line: bytes) -> str:
    return repr(re.sub(r"[^ -~]", "?", line[:80].decode("utf-8", "replace")))


def _pauses() -> Iterator[float]:
    """Seconds before a program is started again, growing."""
    pause = 0.25
    while True:
        yield pause
        pause = min(pause * 2, MAX_PAUSE_S)
