"""The processes of one `montego worker`, kept running until it is told to end."""

from __future__ import annotations

import logging
import os
import socket
import sys

import redis
from rq import Worker

from service.config import Settings
from service.errors import Unavailable
from service.processes.interrupts import Interrupted, interrupts
from service.processes.supervisor import Child, Supervisor
from service.store.queues import MATCHES, TURNS
from service.wiring import build, rq_connection

QUEUES = frozenset((MATCHES, TURNS))
ROLES = ("matches", "spare", "turns", "steward")
PROCESSES_PER_CORE = 4
"""Processes for blocks: most of the time a match waits for its bots."""
WATCH_S = 3600.0
COMMON_PER_SPARE = 4
"""One spare process is started for this many processes for blocks. It plays only blocks of slow bots. Such a block
costs next to nothing while it waits for its bot, but it holds a process."""

log = logging.getLogger("montego.worker")


def run_worker_processes(settings: Settings, processes: int | None = None) -> None:
    """Runs this many processes for blocks (None: as the settings say), spare ones, one for turns, and the steward.
    Restarts those that die, and ends all on SIGTERM, SIGINT or SIGHUP. Must be called in the main thread.

    Raises ConfigError for a REDIS_URL that cannot be used and a database of another version.
    """
    log_to_stderr()
    build(settings)  # for its errors, which each process would meet again otherwise
    processes = processes or settings.worker_processes or PROCESSES_PER_CORE * (os.cpu_count() or 1)
    spare = spare_of(processes)
    names = [
        "steward",
        "turns",
        *(f"matches-{number}" for number in range(1, processes + 1)),
        *(f"spare-{number}" for number in range(1, spare + 1)),
    ]
    supervisor = Supervisor(None, log.warning)
    with interrupts(supervisor.hurry) as state:
        try:
            with supervisor:
                for name in names:
                    supervisor.start(_child(name))
                log.info(
                    "%s processes for blocks, %s spare, one for turns, and the steward are at work", processes, spare
                )
                while True:
                    supervisor.watch(WATCH_S)
        except Interrupted:
            log.info("ended")
        finally:
            state.armed = False


def queues_served_here(settings: Settings) -> set[str]:
    """The queues that processes of this machine serve now, by their heartbeats. Raises Unavailable."""
    try:
        with rq_connection(settings) as connection:
            workers = Worker.all(connection=connection)
    except (redis.ConnectionError, redis.TimeoutError) as error:
        raise Unavailable(f"Redis does not answer: {error}") from None
    here = socket.gethostname()
    return {queue for worker in workers if worker.hostname == here for queue in worker.queue_names()}


def log_to_stderr() -> None:
    """Makes this process log to standard error, as all processes of a worker do."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s", stream=sys.stderr)


def spare_of(processes: int) -> int:
    """How many spare processes are started for this many processes for blocks."""
    return max(1, processes // COMMON_PER_SPARE)


def _child(name: str) -> Child:
    command = (sys.executable, "-m", "workers", "--role", name.partition("-")[0])
    return Child(name, command, os.environ, ready=lambda: True)
