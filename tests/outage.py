"""Ways in which a Redis fails."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import redis

from service.processes.redis_server import RedisServer


class Outage:
    """Does to the tests' Redis what may happen to any."""

    def __init__(self, server: RedisServer, url: str) -> None:
        self._server = server
        self._admin = redis.Redis.from_url(url)
        self._stalled = False

    def restart(self) -> None:
        """Killed and started again on the same data. Clients lose their connections, Redis forgets its scripts."""
        self._server.restart()

    def remember(self) -> int:
        """Where the data stands now, for `rewind`."""
        return _append_only_file(self._server.directory).stat().st_size

    def sync(self, policy: str) -> None:
        """When Redis syncs what it writes to disk, until its next start: `always`, as we start it, or `everysec`."""
        self._admin.config_set("appendfsync", policy)

    def rewind(self, remembered: int) -> None:
        """Killed, and started again without what was written since: a crash under `everysec`, a failover or a restored
        backup may lose that."""
        self.kill()
        os.truncate(_append_only_file(self._server.directory), remembered)
        self._server.restart()

    def kill(self) -> None:
        """SIGKILL; it stays down."""
        os.kill(self._server.pid, signal.SIGKILL)
        while self._server.running:
            time.sleep(0.01)

    def stall(self) -> None:
        """It accepts connections and commands, and answers none."""
        os.kill(self._server.pid, signal.SIGSTOP)
        self._stalled = True

    def go_on(self) -> None:
        """After `stall`: what was sent meanwhile is done now."""
        os.kill(self._server.pid, signal.SIGCONT)
        self._stalled = False

    def fill(self) -> None:
        """Its memory is used up."""
        self._admin.config_set("maxmemory", 1)

    def refuse_writes(self) -> None:
        """It refuses all writes: too few replicas are there."""
        self._admin.config_set("min-replicas-to-write", 1)

    def end(self) -> None:
        if self._stalled:
            self.go_on()
        if not self._server.running:
            self._server.restart()
        self._admin.config_set("maxmemory", 0)
        self._admin.config_set("min-replicas-to-write", 0)
        self._admin.close()


def _append_only_file(directory: Path) -> Path:
    """The file that grows with each write: one of several since Redis 7."""
    return next(iter([*directory.glob("appendonlydir/*.incr.aof"), directory / "appendonly.aof"]))
