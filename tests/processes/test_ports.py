"""Ports: whether one can be listened on, and whether somebody does."""

from __future__ import annotations

import socket

import pytest

from service.processes.ports import check_free, check_listening, free_port
from service.processes.supervisor import CannotStart


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "::1", "::"])
def test_a_free_port_is_accepted_on_every_kind_of_address(host: str) -> None:
    check_free(free_port(), host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_port_in_use_is_named(host: str) -> None:
    with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotStart, match=rf"^cannot listen at {host} port {port}: Address already in use"):
            check_free(port, host)


def test_an_unknown_host_is_named() -> None:
    with pytest.raises(CannotStart, match=r"^cannot listen at no.such.host.invalid port "):
        check_free(free_port(), "no.such.host.invalid")


def test_of_several_servers_in_a_url_one_has_to_be_there() -> None:
    down = free_port()
    with socket.create_server(("127.0.0.1", 0)) as there:
        url = f"redis+sentinel://:secret@127.0.0.1:{down},127.0.0.1:{there.getsockname()[1]}/name"
        check_listening("REDIS_URL", url, 26379)
    with pytest.raises(CannotStart, match=rf"^REDIS_URL: nothing answers at 127.0.0.1:{down} \(.*, nothing ") as caught:
        check_listening("REDIS_URL", url, 26379)
    assert "secret" not in str(caught.value)
