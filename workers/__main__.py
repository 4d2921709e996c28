"""`python -m workers --role ROLE`: one of the processes that `montego worker` starts."""

from __future__ import annotations

import argparse
import logging
import sys
import threading

import redis

from service.config import ConfigError, Settings
from workers.context import worker_context
from workers.rq_worker import serve
from workers.shutdown import drain_on_sigterm, is_draining
from workers.steward import Steward
from workers.worker_processes import ROLES, log_to_stderr

log = logging.getLogger("montego.worker")


def main(arguments: list[str]) -> int:
    """Runs the steward, or serves a queue. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m workers", description=__doc__)
    parser.add_argument("--role", choices=ROLES, required=True)
    role: str = parser.parse_args(arguments).role
    log_to_stderr()
    try:
        settings = Settings.from_env()
        worker = worker_context()
    except ConfigError as error:
        print(f"montego worker: {error}", file=sys.stderr)
        return 2
    if role == "steward":
        drain_on_sigterm()
        Steward(worker.ctx).run(is_draining, threading.Event().wait)
        return 0
    try:
        serve(role, settings)
    except (redis.ConnectionError, redis.TimeoutError) as error:
        # One line: the supervisor starts the process again in a moment.
        log.warning("Redis does not answer: %s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
