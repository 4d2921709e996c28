"""RQ's queues. A job only names work; the state of the work is in the games and tournaments.

The queue `matches` has blocks of matches, `turns` all that is shorter: turns of bots in casual games, checks, calls of
entrants before a tournament, callbacks. Functions go by dotted name, their arguments are JSON. Each job has an id of
its own: a job that ends deletes what RQ keeps under its id, and that must not be another job for the same work. Under
the name of the work stands a mark, the id of its job that was queued last. All of it is in one Redis, which may be
another than that of the state.
"""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import dataclass
from typing import Any

import redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq.worker import BaseWorker
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

from service.store import keys
from service.store.clients import RedisClient

SPARE = "spare-"
"""What the name of a spare process starts with, and that of no other."""


@dataclass(frozen=True, slots=True)
class Processes:
    """How many processes for blocks are alive. Any of them plays any block; there are `spare` ones so that blocks of
    slow bots take no slot from the others (service.tournament.dispatch)."""

    common: int
    spare: int


MATCHES = "matches"
TURNS = "turns"
PLAY_BLOCK = "workers.jobs.play_block"
PLAY_TURN = "workers.jobs.play_turn"
CHECK_BOT = "workers.jobs.check_bot"
SEND_CALLBACKS = "workers.jobs.send_callbacks"
PROBE_ENTRANTS = "workers.jobs.probe_entrants"

#: RQ's alarm would strike anywhere, in the middle of an append too. A job's time is bounded by deadlines and leases.
NO_TIMEOUT = -1
#: Results are kept by the tournament, none by RQ.
RESULT_TTL_S = 0
#: Long enough for a look at what failed; the tournament counts the failures of its blocks.
FAILURE_TTL_S = 3600
#: Only a bound for garbage: a mark whose job is not in the queue has no effect.
MARK_TTL_S = 24 * 3600


_SPARE_KEY = f"{BaseWorker.redis_worker_namespace_prefix}{SPARE}".encode()


class JobQueue:
    """The same work is queued once, as long as no worker has taken it."""

    def __init__(self, client: RedisClient) -> None:
        """`client` answers in bytes, as RQ needs it."""
        self._client = client
        self._matches = Queue(MATCHES, connection=client, serializer=JSONSerializer)
        self._turns = Queue(TURNS, connection=client, serializer=JSONSerializer)

    def enqueue_block(self, tournament: str, block: int, *, first: bool = False) -> None:
        """`first`: before all blocks that wait."""
        self._enqueue(self._matches, PLAY_BLOCK, f"block_{tournament}_{block}", (tournament, block), first=first)

    def enqueue_turn(self, game: str, seat: int) -> None:
        self._enqueue(self._turns, PLAY_TURN, f"turn_{game}_{seat}", (game, seat))

    def enqueue_check(self, bot: str, check: str) -> None:
        # A check has an id of its own, and is queued when it is begun.
        self._turns.enqueue_call(
            CHECK_BOT,
            args=(bot, check),
            job_id=f"check_{bot}_{check}",
            timeout=NO_TIMEOUT,
            result_ttl=RESULT_TTL_S,
            failure_ttl=FAILURE_TTL_S,
            description=f"check_{bot}",
        )

    def enqueue_probe(self, tournament: str) -> None:
        self._enqueue(self._turns, PROBE_ENTRANTS, f"probe_{tournament}", (tournament,))

    def enqueue_callbacks(self) -> None:
        self._enqueue(self._turns, SEND_CALLBACKS, "callbacks", ())

    def queued_blocks(self) -> set[tuple[str, int]]:
        """Blocks in the queue that no worker has taken."""
        jobs = [job.split("_", 1)[1].rsplit("_", 2) for job in self._matches.get_job_ids()]
        return {(tournament, int(block)) for tournament, block, _ in jobs}

    def processes(self) -> Processes:
        """The processes for blocks that are alive: those whose heartbeat has not expired."""
        found: Any = self._client.smembers(WORKERS_BY_QUEUE_KEY % MATCHES)
        spare = [worker for worker in found if worker.startswith(_SPARE_KEY)]
        return Processes(self._alive([worker for worker in found if worker not in spare]), self._alive(spare))

    def _alive(self, workers: list[bytes]) -> int:
        return int(self._client.exists(*workers)) if workers else 0

    def _enqueue(
        self,
        queue: Queue,
        function: str,
        name: str,
        values: tuple[str | int, ...],
        *,
        first: bool = False,
    ) -> None:
        mark = keys.queued(name)
        job = f"{name}_{secrets.token_hex(4)}"
        with self._client.pipeline() as pipe:
            pipe.watch(mark)  # type: ignore[no-untyped-call]
            queued: Any = pipe.get(mark)
            if queued is not None and pipe.lpos(queue.key, queued) is not None:
                return
            pipe.multi()
            pipe.set(mark, job, ex=MARK_TTL_S)
            queue.enqueue_call(
                function,
                args=values,
                job_id=job,
                timeout=NO_TIMEOUT,
                result_ttl=RESULT_TTL_S,
                failure_ttl=FAILURE_TTL_S,
                description=name,
                at_front=first,
                pipeline=pipe,
            )
            # The mark has moved: somebody else queued the same just now.
            with contextlib.suppress(redis.WatchError):
                pipe.execute()
