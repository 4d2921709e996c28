"""Whether the workers of a machine are alive, as `montego worker --check` tells."""

from __future__ import annotations

import pytest

from service.cli.main import run
from service.config import Settings
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.workers.processes import Workers
from workers.worker_processes import QUEUES, queues_served_here


def test_workers_are_alive_while_they_run_and_not_after(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_url)
    assert run(["worker", "--check"]) == 1
    assert capsys.readouterr().err == "Error: no worker of this machine serves: matches, turns\n"
    with Workers(redis_url, 1):
        assert wait_until(lambda: queues_served_here(Settings(redis_url=redis_url)) == QUEUES, 30)
        assert run(["worker", "--check"]) == 0


def test_a_redis_that_is_not_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_URL", f"redis://:secret@127.0.0.1:{free_port()}/0")
    assert run(["worker", "--check"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("Error: Redis does not answer: ")
    assert "secret" not in err
    assert err.count("\n") == 1
