"""The whole service on this machine under one supervisor: API, workers, bots, and Redis if none is given."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import requests

from service.config import Settings
from service.processes.commands import api_command, bot_command, worker_command
from service.processes.ports import LOOPBACK, check_free, check_listening, free_port
from service.processes.redis_server import PORT_ATTEMPTS, READY_S, RedisHome, make_private
from service.processes.supervisor import MAX_END_S, CannotStart, Child, Supervisor

LOOPBACK_NETWORKS = "127.0.0.0/8 ::1/128"
DEFAULT_REDIS_PORT = 6379
DEFAULT_SENTINEL_PORT = 26379
#: What bots must not see.
SECRET_VARIABLES = ("REDIS_URL", "MONTEGO_QUEUE_URL", "MONTEGO_ORGANISER_KEY", "MONTEGO_KEY")


def responds(url: str) -> bool:
    """Whether a server of this machine answers 200 there."""
    with requests.Session() as session:
        session.trust_env = False  # a proxy has no business between us and our own processes
        try:
            return session.get(url, timeout=2.0, allow_redirects=False).status_code == 200
        except requests.RequestException:
            return False


@dataclass(frozen=True, slots=True)
class ReferenceBot:
    """A reference bot to run on this machine. It accepts only what is signed with `secret`."""

    name: str
    port: int
    secret: str

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"


class Stack:
    """Runs the parts of the service. A context manager: all of them end with it."""

    def __init__(
        self, data: Path | None, port: int | None, environ: Mapping[str, str], report: Callable[[str], None]
    ) -> None:
        """Starts nothing yet. `data` keeps the files of Redis, the logs and the organiser's key (None: a temporary
        directory); `port` is that of the API (None: a free one); `report` gets a line for each restart of a part.
        Raises CannotStart, and ConfigError for a setting that cannot be used."""
        settings = Settings.from_env(environ)
        if port is not None:
            check_free(port)
        self.port = port or free_port()
        self._temporary = data is None
        self.directory = Path(tempfile.mkdtemp(prefix="montego-")) if data is None else data.absolute()
        make_private(self.directory)
        self.logs = self.directory / "logs"
        make_private(self.logs)
        self._scratch = self.directory / "tmp"
        # What a process that was killed could not remove goes with the next start, or with the directory.
        shutil.rmtree(self._scratch, ignore_errors=True)
        make_private(self._scratch)
        self.key_is_made = not settings.organiser_key
        self.organiser_key = settings.organiser_key or _kept_key(self.directory / "organiser.key")
        self._environ = environ
        self._redis: RedisHome | None = None
        self.supervisor = Supervisor(self.logs, report, end_s=MAX_END_S)

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def start_redis(self) -> str:
        """Starts a Redis of our own, unless REDIS_URL names one; its URL. Raises CannotStart, also if the Redis for the
        queues that MONTEGO_QUEUE_URL may name is not there."""
        if queues := self._environ.get("MONTEGO_QUEUE_URL", "").strip():
            check_listening("MONTEGO_QUEUE_URL", queues, _default_port(queues))
        if given := self._environ.get("REDIS_URL", "").strip():
            check_listening("REDIS_URL", given, _default_port(given))
            return given
        self._redis = home = RedisHome(self.directory / "redis", environ=self._environ)
        home.repair()
        for attempt in range(PORT_ATTEMPTS):
            # With every answer synced to disk, SIGKILL is the surest end when we are gone, and costs nothing.
            child = Child(
                "redis", home.command, self._environ, home.answers, READY_S, last=True, orphaned=signal.SIGKILL
            )
            try:
                self.supervisor.start(child)
                break
            except CannotStart as error:
                # Another program was quicker to take the port that we found free.
                if attempt + 1 == PORT_ATTEMPTS or "Address already in use" not in str(error):
                    raise
                home.move_to(free_port())
        return home.url

    def start_api(self, redis_url: str) -> None:
        """Starts the API and waits until it can serve."""
        environ = self._service_environ(redis_url)
        self.supervisor.start(
            Child("api", api_command(LOOPBACK, self.port), environ, lambda: responds(f"{self.url}/readyz"))
        )

    def start_worker(self, redis_url: str) -> None:
        """Starts the workers. They serve no port, so nothing tells when they are ready."""
        self.supervisor.start(Child("worker", worker_command(), self._service_environ(redis_url), lambda: True))

    def start_bots(self, bots: Iterable[ReferenceBot]) -> None:
        """Starts reference bots and waits until all answer."""
        self.supervisor.start(*map(self._bot, bots))

    def _bot(self, bot: ReferenceBot) -> Child:
        environ = {key: value for key, value in self._environ.items() if key not in SECRET_VARIABLES}
        environ["MONTEGO_BOT_SECRET"] = bot.secret
        command = bot_command(bot.name, LOOPBACK, bot.port)
        # It is asked until the last match is put away: were it ended before, it would be charged with a fault.
        return Child(bot.name, command, environ, lambda: responds(bot.url), last=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.supervisor.end()
        if self._redis:
            self._redis.close()
        # Of a run that failed the logs are kept: the error names them.
        if self._temporary and isinstance(error, Exception):
            shutil.rmtree(self.directory / "redis", ignore_errors=True)
        elif self._temporary:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _service_environ(self, redis_url: str) -> dict[str, str]:
        networks = f"{self._environ.get('MONTEGO_BOT_NETWORKS', '')} {LOOPBACK_NETWORKS}".strip()
        return {
            **self._environ,
            "REDIS_URL": redis_url,
            "MONTEGO_ORGANISER_KEY": self.organiser_key,
            "MONTEGO_BOT_NETWORKS": networks,
            "TMPDIR": str(self._scratch),
        }


def _default_port(redis_url: str) -> int:
    return DEFAULT_SENTINEL_PORT if "+sentinel://" in redis_url else DEFAULT_REDIS_PORT


def _kept_key(file: Path) -> str:
    """The organiser key of an earlier run on the same directory, or a new one, kept for the next."""
    with contextlib.suppress(FileNotFoundError):
        if key := file.read_text("utf-8").strip():
            return key
    key = secrets.token_urlsafe(24)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as output:
        output.write(key + "\n")
    return key
