"""TCP ports of this machine."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from service.processes.supervisor import CannotStart

LOOPBACK = "127.0.0.1"
CONNECT_S = 5.0


def free_port(host: str = LOOPBACK) -> int:
    """A port that is free now. Another program may take it before we do: be ready to ask again."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def check_free(port: int, host: str = LOOPBACK) -> None:
    """Raises CannotStart if we could not listen on that port now."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            # As servers do: a connection of an earlier run that still lingers is no obstacle.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise CannotStart(f"cannot listen at {host} port {port}: {error.strerror}; try another --port") from None


def check_listening(variable: str, url: str, default_port: int) -> None:
    """Raises CannotStart if nothing accepts connections at the host and port of this URL, or at any of several
    (`host:port,host:port`). The message leaves out the rest of it, a password among it. A URL without a host (unix:…)
    is not checked."""
    try:
        hosts = [urlsplit(f"//{host}") for host in urlsplit(url).netloc.rpartition("@")[2].split(",")]
        addresses = [(parts.hostname, parts.port or default_port) for parts in hosts if parts.hostname]
    except ValueError as error:
        raise CannotStart(f"{variable} is an invalid URL: {error}") from None
    failures: list[str] = []
    for host, port in addresses:
        try:
            socket.create_connection((host, port), CONNECT_S).close()
        except OSError as error:
            failures.append(f"nothing answers at {host}:{port} ({error.strerror or error})")
        else:
            return
    if failures:
        raise CannotStart(f"{variable}: {', '.join(failures)}")
