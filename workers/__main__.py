"""`python -m workers --role ROLE`: one process of the team that `montego worker` starts."""

from __future__ import annotations

import argparse
import logging
import sys
import threading

import redis

from service.config import ConfigError, Settings
from service.operations.context import Context
from service.wiring import build
from workers.rq_worker import serve
from workers.shutdown import drain_on_sigterm, is_draining
from workers.steward import Steward
from workers.team import ROLES, log_to_stderr

log = logging.getLogger("montego.worker")


def main(arguments: list[str]) -> int:
    """Serves a queue, or is the steward. The exit status."""
    parser = argparse.ArgumentParser(prog="python -m workers", description=__doc__)
    parser.add_argument("--role", choices=ROLES, required=True)
    role: str = parser.parse_args(arguments).role
    log_to_stderr()
    try:
        settings = Settings.from_env()
        ctx = build(settings)
    except ConfigError as error:
        print(f"montego worker: {error}", file=sys.stderr)
        return 2
    return _steward(ctx) if role == "steward" else _serve(role, settings)


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
