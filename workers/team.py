"""The processes of one `montego worker`, kept running until we are told to end."""

from __future__ import annotations

import logging
import os
import sys

from service.local.interrupts import Interrupted, interrupts
from service.local.supervisor import Child, Supervisor

WATCH_S = 3600.0

log = logging.getLogger("montego.worker")


def keep_running(processes: int) -> int:
    """Runs `processes` for blocks, one for turns and the steward; restarts what dies; ends all on SIGTERM, SIGINT or
    SIGHUP. The exit status."""
    names = ["steward", "turns", *(f"matches-{number}" for number in range(1, processes + 1))]
    supervisor = Supervisor(None, log.warning)
    with interrupts(supervisor.hurry) as state:
        try:
            with supervisor:
                for name in names:
                    supervisor.start(_child(name))
                log.info("%s processes for blocks, one for turns, and the steward are at work", processes)
                while True:
                    supervisor.watch(WATCH_S)
        except Interrupted:
            log.info("ended")
        finally:
            state.armed = False
    return 0


def _child(name: str) -> Child:
    command = (sys.executable, "-m", "workers", "--role", name.partition("-")[0])
    return Child(name, command, os.environ, ready=lambda: True)
