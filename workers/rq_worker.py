"""A process that serves one of RQ's queues."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

from rq import Queue, SimpleWorker, Worker
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import BaseWorker

from service.config import Settings
from service.wiring import rq_connection
from workers.draining import begin_draining, drain_on_sigterm

JOBS = frozenset({"workers.jobs.play_block", "workers.jobs.play_turn"})
"""What may be run. Whoever can write to Redis could name any function otherwise."""
WORKER_TTL_S = 30
MONITOR_S = 5


class _OwnJobs(BaseWorker):
    """Runs our own jobs only, and is back soon after Redis was away."""

    max_connection_wait_time = 2.0

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


def serve_queue(name: str, settings: Settings) -> None:
    """Serves a queue until SIGTERM or SIGINT."""
    connection: Any = rq_connection(settings)
    kind: type[BaseWorker] = TurnWorker if name == "turns" else BlockWorker
    worker = kind(
        [Queue(name, connection=connection, serializer=JSONSerializer)],
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL_S,
        job_monitoring_interval=MONITOR_S,
        log_job_description=False,
    )
    worker.work(logging_level="WARNING")
