"""Ports of this machine: whether one can be listened on."""

from __future__ import annotations

import socket

import pytest

from service.processes.ports import check_free, free_port
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
