"""Finds the addresses of a name within a time limit. The system's resolver has none."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from time import monotonic


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address to connect to, in the form of the socket module."""

    family: socket.AddressFamily
    address: tuple[str, int] | tuple[str, int, int, int]


Resolver = Callable[[str, int], Sequence[Endpoint]]
"""From host and port to all their endpoints, the preferred one first. Raises OSError. It may block for long."""


def system_resolver(host: str, port: int) -> Sequence[Endpoint]:
    """All TCP endpoints that the system knows for the name. Raises socket.gaierror."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # (int, bytes) is what a Python built without IPv6 gives for an IPv6 address.
    return [Endpoint(family, address) for family, _, _, _, address in found if isinstance(address[0], str)]


class Lookup:
    """Runs a resolver in threads, so that a caller can stop waiting for it.

    A thread that hangs cannot be ended. So there is at most one thread a name, shared by all callers that wait for that
    name, and at most `max_threads` in all. They are daemons and don't keep the process alive. Nothing is cached.
    """

    def __init__(self, resolve: Resolver = system_resolver, max_threads: int = 64) -> None:
        self._resolve = resolve
        self._slots = threading.BoundedSemaphore(max_threads)
        self._lock = threading.Lock()
        self._running: dict[tuple[str, int], Future[Sequence[Endpoint]]] = {}

    def find(self, host: str, port: int, wait_s: float) -> Sequence[Endpoint]:
        """The endpoints of a name. Raises TimeoutError after `wait_s` seconds, OSError if there are none."""
        until = monotonic() + wait_s
        with self._lock:
            running = self._running.get((host, port))
        if running is None:
            # Other names hang. It is better to wait here than to fail at once for no fault of this name.
            if not self._slots.acquire(timeout=wait_s):
                raise TimeoutError
            running = self._start(host, port)
        return running.result(max(0.0, until - monotonic()))

    def _start(self, host: str, port: int) -> Future[Sequence[Endpoint]]:
        key = (host, port)
        with self._lock:
            running = self._running.get(key)
            if running is not None:  # another thread was quicker
                self._slots.release()
                return running
            running = Future()
            thread = threading.Thread(target=self._run, args=(key, running), name=f"lookup {host}", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the system has no more threads
                self._slots.release()
                raise OSError(str(error)) from error
            self._running[key] = running  # it is taken out under the same lock, so never before
            return running

    def _run(self, key: tuple[str, int], running: Future[Sequence[Endpoint]]) -> None:
        try:
            found = self._resolve(*key)
        except (OSError, ValueError) as error:
            outcome: Sequence[Endpoint] | OSError = error if isinstance(error, OSError) else OSError(str(error))
        else:
            outcome = found or OSError("the name has no address")
        with self._lock:
            del self._running[key]
        self._slots.release()
        if isinstance(outcome, OSError):
            running.set_exception(outcome)
        else:
            running.set_result(outcome)
