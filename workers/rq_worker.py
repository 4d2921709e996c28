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
from workers.jobs import check_bot, play_block, play_turn, probe_entrants, send_callbacks
from workers.shutdown import begin_draining, drain_on_sigterm

# Imported before the fork, so that each block does not load the program again.
JOBS = frozenset(
    f"{job.__module__}.{job.__qualname__}" for job in (play_block, play_turn, check_bot, probe_entrants, send_callbacks)
)
"""The functions that may be run. Without this list a client that can write to Redis could name any function."""
WORKER_TTL_S = 20
"""RQ waits for a job for 15 s less than that, and then sends a heartbeat."""
MONITOR_S = 5
"""The pause between two heartbeats while a job runs."""
HEARTBEAT_TTL_S = 12
"""A process without a heartbeat for this long counts as dead. With RQ's own 80 s the steward would hand out blocks to
processes that are gone, and the blocks would wait in the queue behind each other."""


class _ListedJobsWorker(BaseWorker):
    """Runs the listed jobs only, and comes back soon after Redis was down."""

    max_connection_wait_time = 2.0

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """Sends a heartbeat. It also registers the process again, if it was taken for dead and is not."""
        super().heartbeat(HEARTBEAT_TTL_S, pipeline=pipeline)
        register(self, pipeline)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Refuses a job that is not listed."""
        if job.func_name not in JOBS:
            self.log.error("job %s names %r, which may not be run", job.id, job.func_name)
            self.handle_job_failure(job=job, queue=queue, exc_string="This function may not be run.")
            return False
        return bool(super().perform_job(job, queue))


class BlockWorker(_ListedJobsWorker, Worker):
    """Plays each block in a forked process, to which it passes SIGTERM on."""

    def setup_work_horse_signals(self) -> None:
        """In the forked process, SIGTERM makes the job stop at its next decision."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        drain_on_sigterm()

    def handle_warm_shutdown_request(self) -> None:
        """The running match stops at its next decision, and another worker goes on with it."""
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)


class TurnWorker(_ListedJobsWorker, SimpleWorker):
    """Plays turns in this process: a turn is shorter than a fork."""

    def handle_warm_shutdown_request(self) -> None:
        """Running turns stop at their next decision."""
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        begin_draining()


def serve(role: str, settings: Settings) -> None:
    """Serves a queue until SIGTERM or SIGINT. `role`: `turns`, `matches`, or `spare` (a spare one for `matches`)."""
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
