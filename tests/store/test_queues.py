"""Nudges in RQ's queues."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from service.errors import Unavailable
from service.store import clients
from service.store.clients import RedisClient
from service.store.queues import MATCHES, SPARE, TURNS, JobQueue, Processes
from tests.outage import Outage


@pytest.fixture
def connection(redis_url: str) -> Iterator[RedisClient]:
    client = clients.queue_commands(redis_url)
    with contextlib.closing(client):
        yield client


@pytest.fixture
def queue(connection: RedisClient) -> JobQueue:
    return JobQueue(connection)


def jobs(connection: RedisClient, name: str) -> list[Job]:
    found: list[Job] = Queue(name, connection=connection, serializer=JSONSerializer).jobs
    return found


def take(connection: RedisClient, name: str) -> Job:
    """What a worker does when it takes a job."""
    queue = Queue(name, connection=connection, serializer=JSONSerializer)
    taken = Queue.dequeue_any([queue], None, connection=connection, serializer=JSONSerializer)
    assert taken is not None
    job: Job = taken[0]
    return job


def test_a_block_is_a_job_of_its_dotted_name_with_plain_arguments(queue: JobQueue, connection: RedisClient) -> None:
    queue.enqueue_block("t_1-x", 3)
    (job,) = jobs(connection, MATCHES)
    assert (job.func_name, job.args, job.kwargs) == ("workers.jobs.play_block", ["t_1-x", 3], {})
    # No alarm in the middle of an append, no result kept, no retry of RQ's.
    assert (job.timeout, job.result_ttl, job.retries_left) == (-1, 0, None)
    assert job.failure_ttl is not None
    assert job.failure_ttl <= 3600


def test_a_turn_is_a_job_in_a_queue_of_its_own(queue: JobQueue, connection: RedisClient) -> None:
    queue.enqueue_turn("g-1_x", 2)
    (job,) = jobs(connection, TURNS)
    assert (job.func_name, job.args) == ("workers.jobs.play_turn", ["g-1_x", 2])
    assert jobs(connection, MATCHES) == []


def test_what_is_queued_is_not_queued_twice(queue: JobQueue, connection: RedisClient) -> None:
    for _ in range(3):
        queue.enqueue_block("t", 1)
        queue.enqueue_block("t", 2)
        queue.enqueue_turn("g", 0)
    assert [job.args for job in jobs(connection, MATCHES)] == [["t", 1], ["t", 2]]
    assert [job.args for job in jobs(connection, TURNS)] == [["g", 0]]


def test_of_twenty_who_queue_a_block_at_once_one_does(queue: JobQueue, connection: RedisClient) -> None:
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: queue.enqueue_block("t", 1), range(20)))
    assert len(jobs(connection, MATCHES)) == 1


def test_a_block_that_a_worker_has_taken_can_be_queued_again(queue: JobQueue, connection: RedisClient) -> None:
    queue.enqueue_block("t", 1)
    taken = take(connection, MATCHES)
    assert queue.queued_blocks() == set()
    queue.enqueue_block("t", 1)
    (again,) = jobs(connection, MATCHES)
    # The end of the first deletes what RQ has of it, and nothing of the second.
    taken.delete()
    assert [job.id for job in jobs(connection, MATCHES)] == [again.id]


def test_queued_blocks_are_those_that_no_worker_has_taken(queue: JobQueue, connection: RedisClient) -> None:
    for tournament, block in (("t", 1), ("u_2-y", 10), ("t", 12)):
        queue.enqueue_block(tournament, block)
    assert queue.queued_blocks() == {("t", 1), ("u_2-y", 10), ("t", 12)}
    take(connection, MATCHES)
    assert queue.queued_blocks() == {("u_2-y", 10), ("t", 12)}


def test_processes_are_those_of_the_queue_of_matches_with_a_sign_of_life(
    queue: JobQueue, connection: RedisClient
) -> None:
    assert queue.processes() == Processes(0, 0)
    workers = [SimpleWorker([name], connection=connection) for name in (MATCHES, MATCHES, TURNS)]
    spare = SimpleWorker([MATCHES], connection=connection, name=f"{SPARE}1")
    for worker in (*workers, spare):
        worker.register_birth()  # type: ignore[no-untyped-call]
    assert queue.processes() == Processes(2, 1)
    workers[0].register_death()  # type: ignore[no-untyped-call]
    assert queue.processes() == Processes(1, 1)
    # A worker that was killed has no time to say so: its heartbeat expires.
    connection.delete(workers[1].key, spare.key)
    assert queue.processes() == Processes(0, 0)


def test_a_queue_without_redis_is_unavailable(queue: JobQueue, outage: Outage) -> None:
    queue.enqueue_turn("g", 0)
    outage.kill()
    with pytest.raises(Unavailable):
        queue.enqueue_block("t", 1)
    with pytest.raises(Unavailable):
        queue.queued_blocks()
    with pytest.raises(Unavailable):
        queue.processes()


def test_an_id_that_rq_would_not_take_is_refused(queue: JobQueue) -> None:
    with pytest.raises(ValueError, match="Job ID"):
        queue.enqueue_block("t:1", 1)


def test_what_was_queued_survives_a_kill_of_redis(queue: JobQueue, connection: RedisClient, outage: Outage) -> None:
    queue.enqueue_block("t", 1)
    outage.restart()
    queue.enqueue_block("t", 1)
    assert queue.queued_blocks() == {("t", 1)}
    assert len(jobs(connection, MATCHES)) == 1


def test_a_block_that_got_lost_goes_before_those_that_wait(queue: JobQueue, connection: RedisClient) -> None:
    queue.enqueue_block("t", 1)
    queue.enqueue_block("t", 2)
    queue.enqueue_block("t", 3, first=True)
    assert [job.args[1] for job in jobs(connection, MATCHES)] == [3, 1, 2]
