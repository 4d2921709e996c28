"""A process that serves one of RQ's queues."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any
from uuid import uuid4

from rq import Queue, SimpleWorker, Worker
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import BaseWorker
from rq.worker_registration import register

from service.config import Settings
from service.store.queues import SPARE
from service.wiring import rq_connection
from workers import jobs
from workers.jobs import check_bot, play_block, play_turn, send_callbacks
from workers.shutdown import begin_draining, drain_on_sigterm

# Imported here, before the fork, so that each block does not load the program anew.
JOBS = frozenset(f"{job.__module__}.{job.__qualname__}" for job in (play_block, play_turn, check_bot, send_callbacks))
"""What may be run. Whoever can write to Redis could name any function otherwise."""
WORKER_TTL_S = 20
"""RQ waits for a job for 15 s less than that before it gives its next sign of life."""
MONITOR_S = 5
"""While a job runs there is a sign of life so often."""
LIFE_S = 12
"""A process that gives no sign of life for so long counts as dead: with RQ's own 80 s the steward would hand out blocks
to processes that are gone, and the blocks would wait in the queue behind each other."""


class _OwnJobs(BaseWorker):
    """Runs our own jobs only, and is back soon after Redis was away."""

    max_connection_wait_time = 2.0

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """A sign of life. It also lists the process again, if it was taken for dead and is not."""
        super().heartbeat(LIFE_S, pipeline=pipeline)
        register(self, pipeline)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Refuses what is none of our jobs."""
        if job.func_name not in JOBS:
            self.log.error("job %s names %r, which is not run here", job.id, job.func_name)
            self.handle_job_failure(job=job, queue=queue, exc_string="This function is not run here.")
            return False
        return bool(super().perform_job(job, queue))


class BlockWorker(_OwnJobs, Worker):
    """Plays each block in a process of its own, to which it passes SIGTERM on."""

    def setup_work_horse_signals(self) -> None:
        """In the forked process: SIGTERM lets the job stop at the next decision."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        drain_on_sigterm()

    def handle_warm_shutdown_request(self) -> None:
        """The running match stops at its next decision; its log is the truth, another worker goes on."""
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)


class TurnWorker(_OwnJobs, SimpleWorker):
    """Plays turns in this very process: a turn is short, and a fork for each would cost more than the turn."""

    def handle_warm_shutdown_request(self) -> None:
        """The running turn stops at its next decision."""
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        begin_draining()


def serve(role: str, settings: Settings) -> None:
    """Serves a queue until SIGTERM or SIGINT: `turns`, or `matches` as one of its processes or as a `spare` one."""
    if role != "turns":
        jobs.prepare()
    connection: Any = rq_connection(settings)
    kind: type[BaseWorker] = TurnWorker if role == "turns" else BlockWorker
    queue = "turns" if role == "turns" else "matches"
    worker = kind(
        [Queue(queue, connection=connection, serializer=JSONSerializer)],
        name=f"{SPARE if role == 'spare' else ''}{uuid4().hex}",
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL_S,
        job_monitoring_interval=MONITOR_S,
        log_job_description=False,
    )
    worker.work(logging_level="WARNING")
