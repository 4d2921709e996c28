"""The processes of one `montego worker`, kept running until we are told to end."""

from __future__ import annotations

import logging
import os
import sys

from service.processes.interrupts import Interrupted, interrupts
from service.processes.supervisor import Child, Supervisor

WATCH_S = 3600.0
COMMON_OF_A_SPARE = 4
"""For so many processes for blocks there is one that plays only blocks of slow bots: these cost next to nothing while
they wait for their bot, but each holds a process."""

log = logging.getLogger("montego.worker")


def keep_running(processes: int) -> int:
    """Runs `processes` for blocks and the spare ones beside them, one for turns and the steward; restarts what dies;
    ends all on SIGTERM, SIGINT or SIGHUP. The exit status."""
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
    return 0


def spare_of(processes: int) -> int:
    """How many spare processes there are beside so many for blocks."""
    return max(1, processes // COMMON_OF_A_SPARE)


def _child(name: str) -> Child:
    command = (sys.executable, "-m", "workers", "--role", name.partition("-")[0])
    return Child(name, command, os.environ, ready=lambda: True)
