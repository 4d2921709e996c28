"""`python -m workers --processes N`: N processes for blocks of matches, one for turns, and the steward."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading

import redis

from service.config import ConfigError, Settings
from service.operations.context import Context
from service.wiring import build
from workers.rq_worker import serve
from workers.shutdown import drain_on_sigterm, is_draining
from workers.steward import Steward
from workers.team import keep_running

PER_CORE = 4
"""Processes for blocks of each core: most of the time a match waits for its bots."""
ROLES = ("matches", "spare", "turns", "steward")

log = logging.getLogger("montego.worker")


def main(arguments: list[str]) -> int:
    """Runs the whole team, or with `--role` one member of it. The exit status."""
    parser = argparse.ArgumentParser(prog="montego worker", description=__doc__)
    parser.add_argument("--processes", type=int, default=0, help="processes for blocks; 0: four for each core")
    parser.add_argument("--role", choices=ROLES, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s", stream=sys.stderr)
    try:
        settings = Settings.from_env()
        ctx = build(settings)
    except ConfigError as error:
        print(f"montego worker: {error}", file=sys.stderr)
        return 2
    if given.role == "steward":
        return _steward(ctx)
    if given.role is not None:
        return _serve(given.role, settings)
    count = given.processes or settings.worker_processes or PER_CORE * (os.cpu_count() or 1)
    if not 1 <= count <= 256:
        print(f"montego worker: --processes must be from 1 to 256, not {count}", file=sys.stderr)
        return 2
    return keep_running(count)


def _serve(role: str, settings: Settings) -> int:
    """Serves a queue. A Redis that is not there is one line: the team tries again in a moment."""
    try:
        serve(role, settings)
    except (redis.ConnectionError, redis.TimeoutError) as error:
        log.warning("Redis does not answer: %s", error)
        return 1
    return 0


def _steward(ctx: Context) -> int:
    drain_on_sigterm()
    pause = threading.Event()
    Steward(ctx).run(is_draining, pause.wait)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
