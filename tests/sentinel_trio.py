"""Three Sentinels with a master and two replicas, as an operator starts them. Tests end servers of it."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis

from service.processes.ports import LOOPBACK, free_port
from service.processes.redis_server import find_binary
from service.processes.supervisor import wait_until
from tests.fixtures_redis import quick_folder

NAME = "montego"
USER = "service"
PASSWORD = "a-password-of-redis"
SENTINEL_PASSWORD = "a-password-of-sentinels"
DOWN_AFTER_MS = 1_500


@dataclass
class Trio:
    """Three servers and the three Sentinels that watch them, by port."""

    servers: list[int]
    sentinels: list[int]
    processes: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        hosts = ",".join(f"{LOOPBACK}:{port}" for port in self.sentinels)
        return f"redis+sentinel://{USER}:{PASSWORD}@{hosts}/{NAME}?sentinel_password={SENTINEL_PASSWORD}"

    def admin(self, port: int) -> redis.Redis:
        """A client of one of the servers."""
        return redis.Redis(LOOPBACK, port, password=PASSWORD, decode_responses=True, socket_timeout=5)

    def sentinel(self, port: int) -> redis.Redis:
        """A client of one of the Sentinels."""
        return redis.Redis(LOOPBACK, port, password=SENTINEL_PASSWORD, decode_responses=True, socket_timeout=5)

    def master(self) -> int:
        """The port of the server that most Sentinels name."""
        named: list[int] = []
        for port in self.sentinels:
            with self.sentinel(port) as sentinel:
                found: Any = sentinel.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
                named.append(int(found[1]))
        return max(named, key=named.count)

    def replicas(self) -> list[int]:
        """The ports of the servers that run and are not the master."""
        return [port for port in self.servers if port != self.master() and self.processes[port].poll() is None]

    def send(self, ports: Sequence[int], number: signal.Signals) -> None:
        """Sends a signal to servers."""
        for port in ports:
            os.kill(self.processes[port].pid, number)
            if number == signal.SIGKILL:
                self.processes[port].wait(10)

    def fail_over(self) -> int:
        """Kills the master, and waits until another server is it; its port."""
        old = self.master()
        self.send([old], signal.SIGKILL)
        assert wait_until(lambda: self.master() != old and self._is_master(self.master()), 60)
        return self.master()

    @contextmanager
    def cut_off_replicas(self) -> Iterator[None]:
        """Meanwhile nothing that is written reaches a replica."""
        replicas = self.replicas()
        for port in replicas:
            with self.admin(port) as admin:
                admin.config_set("masterauth", "another")
        with self.admin(self.master()) as admin:
            admin.client_kill_filter(_type="replica")
        try:
            yield
        finally:
            for port in replicas:
                with self.admin(port) as admin:
                    admin.config_set("masterauth", PASSWORD)

    def _is_master(self, port: int) -> bool:
        try:
            with self.admin(port) as admin:
                return bool(admin.execute_command("ROLE")[0] == "master")
        except redis.ConnectionError:
            return False

    def is_whole(self) -> bool:
        """Whether the replicas follow their master, and each Sentinel knows all servers and the other Sentinels."""
        try:
            with self.admin(self.servers[0]) as admin:
                if admin.info("replication")["connected_slaves"] != len(self.servers) - 1:
                    return False
            for port in self.sentinels:
                with self.sentinel(port) as sentinel:
                    (known,) = sentinel.sentinel_masters().values()
                    if (known["num-slaves"], known["num-other-sentinels"]) != (len(self.servers) - 1, 2):
                        return False
        except redis.ConnectionError:
            return False
        return True


@contextmanager
def sentinel_trio() -> Iterator[Trio]:
    """Started, and whole."""
    ports: set[int] = set()
    while len(ports) < 6:
        ports.add(free_port())
    listed = list(ports)
    trio = Trio(listed[:3], listed[3:])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="montego-trio-", dir=quick_folder())))
        stack.callback(_end, trio)
        master = trio.servers[0]
        for port in trio.servers:
            lines = [f"requirepass {PASSWORD}", f"masterauth {PASSWORD}", f"user {USER} on >{PASSWORD} ~* &* +@all"]
            lines += ["appendonly yes", 'save ""']
            lines += ["repl-diskless-sync yes", "repl-diskless-sync-delay 0"]
            lines += [] if port == master else [f"replicaof {LOOPBACK} {master}"]
            _start(trio, folder, port, lines)
        # A Sentinel that does not find the replicas at once looks for them again after ten seconds.
        assert wait_until(lambda: _followed(trio, master), 30)
        for port in trio.sentinels:
            lines = [f"requirepass {SENTINEL_PASSWORD}", f"sentinel sentinel-pass {SENTINEL_PASSWORD}"]
            lines += [f"sentinel monitor {NAME} {LOOPBACK} {master} 2", f"sentinel auth-pass {NAME} {PASSWORD}"]
            lines += [f"sentinel down-after-milliseconds {NAME} {DOWN_AFTER_MS}"]
            _start(trio, folder, port, lines, "--sentinel")
        assert wait_until(trio.is_whole, 60)
        yield trio


def _followed(trio: Trio, master: int) -> bool:
    try:
        with trio.admin(master) as admin:
            found = admin.info("replication")
    except redis.ConnectionError:
        return False
    return bool(found["connected_slaves"] == 2 and all(found[f"slave{n}"]["state"] == "online" for n in range(2)))


def _start(trio: Trio, folder: Path, port: int, lines: list[str], *options: str) -> None:
    home = folder / str(port)
    home.mkdir()
    config = home / "redis.conf"
    config.write_text("\n".join([f"bind {LOOPBACK}", f"port {port}", f"dir {home}", *lines]) + "\n")
    with (home / "log").open("w") as log:
        trio.processes[port] = subprocess.Popen([str(find_binary()), str(config), *options], stdout=log, stderr=log)


def _end(trio: Trio) -> None:
    for process in trio.processes.values():
        process.kill()
        process.wait(10)
