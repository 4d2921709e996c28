"""Wakes all that wait in a process, with one reader of Redis for all of them.

Scripts publish what they changed, as lines `<topic> <version>`. Published news can be missed (Redis has no memory of
them), so they only make waiting short; what is right comes from the store: each waiter reads its topic's version after
it has registered, and the reader reads those of all waiters after each connection made and once a second. A waiter need
not read what another that still waits has read: had there been news since, the other would have been woken.

The reader sends a PING once a second, and reads the versions when the answer has come. A connection does not show by
itself that Redis is frozen or cut off: when the answer stays away for too long, the reader makes a new connection.

Works with threads and, if the process is monkey-patched before this is imported, with greenlets. A forked child starts
a reader of its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import redis
from redis.client import PubSub

from service.errors import Unavailable
from service.store import keys
from service.store.clients import RedisClient, script

PING_S = 1.0
MAX_SILENCE_S = 2.5
"""How long an answer to PING may take."""
MIN_PAUSE_S = 0.05
MAX_PAUSE_S = 1.0
GONE = 0
"""The version of a topic that is not there, or that has to be looked up."""


class Hub:
    """The versions of topics: `game:<id>`, `bot:<id>` or `tournament:<id>`."""

    def __init__(self, client: RedisClient, connect: Callable[[], redis.Redis]) -> None:
        """`client` reads versions, `connect` makes the client of the subscription. Nothing runs before a first wait."""
        self._client = client
        self._versions = script(client, "versions", writes=False)
        self._connect = connect
        self._rooms: dict[int, _WaitingRoom] = {}

    def version(self, topic: str) -> int:
        """The topic's version, read from the store; 0 where there is nothing. Raises Unavailable, and ValueError for an
        unknown kind of topic."""
        return self._read([topic])[topic]

    def wait(self, topic: str, seen: int, timeout_s: float) -> int:
        """Returns the topic's version as soon as it differs from `seen`, or `seen` when the time is up.

        While Redis is gone it goes on waiting. When Redis is back all waiters get GONE: it may have lost something, and
        have the same version again with another content. Raises ValueError for an unknown kind of topic.
        """
        ends = time.monotonic() + timeout_s
        _version_key(topic)
        room = self._room()
        waiter = room.enter(topic, seen)
        try:
            # Registered first, read then: what is appended in between is either read here or published to us.
            with contextlib.suppress(Unavailable):
                if not waiter.is_current:
                    version = self.version(topic)
                    if version != seen:
                        return version
                    room.note_current(waiter)
            waiter.event.wait(max(0.0, ends - time.monotonic()))
            return waiter.version
        finally:
            room.leave(waiter)

    @property
    def waiting(self) -> int:
        """How many wait in this process."""
        return self._room().number

    def close(self) -> None:
        """Ends this process's reader. A later wait starts another."""
        room = self._rooms.pop(os.getpid(), None)
        if room:
            room.close()

    def _room(self) -> _WaitingRoom:
        # A child of a fork has copies of the parent's locks and none of its threads: it gets a room of its own.
        pid = os.getpid()
        room = self._rooms.get(pid)
        return room or self._rooms.setdefault(pid, _WaitingRoom(self._connect, self._read))

    def _read(self, topics: Iterable[str]) -> dict[str, int]:
        names = list(topics)
        versions: Any = self._versions([_version_key(topic) for topic in names])
        return dict(zip(names, (int(version) for version in versions), strict=True))


class _Waiter:
    __slots__ = ("event", "is_current", "seen", "topic", "version")

    def __init__(self, topic: str, seen: int, *, is_current: bool) -> None:
        """`is_current`: what was seen is known to be the topic's version."""
        self.topic = topic
        self.seen = seen
        self.is_current = is_current
        self.version = seen
        self.event = threading.Event()

    def wake(self, version: int) -> None:
        self.version = version
        self.event.set()


class _WaitingRoom:
    """The waiters of one process, and their reader."""

    def __init__(self, connect: Callable[[], redis.Redis], read: Callable[[Iterable[str]], dict[str, int]]) -> None:
        self._connect = connect
        self._read = read
        self._lock = threading.Lock()
        self._waiters: dict[str, set[_Waiter]] = {}
        self._current: dict[str, int] = {}
        """By topic: the version that one who still waits has read. No news of the topic has come since."""
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    @property
    def number(self) -> int:
        """How many wait."""
        with self._lock:
            return sum(map(len, self._waiters.values()))

    def enter(self, topic: str, seen: int) -> _Waiter:
        with self._lock:
            waiter = _Waiter(topic, seen, is_current=self._current.get(topic) == seen)
            self._waiters.setdefault(topic, set()).add(waiter)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="montego-hub", daemon=True)
                self._thread.start()
        return waiter

    def note_current(self, waiter: _Waiter) -> None:
        """The waiter has read its topic's version since it registered, and has seen it before."""
        with self._lock:
            if not waiter.event.is_set():
                self._current[waiter.topic] = waiter.seen

    def leave(self, waiter: _Waiter) -> None:
        with self._lock:
            others = self._waiters.get(waiter.topic)
            if others is not None:
                others.discard(waiter)
                if not others:
                    del self._waiters[waiter.topic]
                    self._current.pop(waiter.topic, None)

    def close(self) -> None:
        self._closed.set()
        if self._thread:
            self._thread.join()

    def _run(self) -> None:
        pause, was_cut_off = MIN_PAUSE_S, False
        while not self._closed.is_set():
            with (
                contextlib.suppress(redis.RedisError, Unavailable, OSError),
                self._connect() as client,
                client.pubsub(ignore_subscribe_messages=True) as news,
            ):
                news.subscribe(keys.NEWS)
                self._reread()
                if was_cut_off:
                    self._wake_all()
                pause = MIN_PAUSE_S
                self._listen(news)
            # Also where no connection was made yet: those that wait have read from a Redis that may since have lost it.
            was_cut_off = True
            self._closed.wait(pause)
            pause = min(2 * pause, MAX_PAUSE_S)

    def _listen(self, news: PubSub) -> None:
        """Returns when the hub is closed. Raises redis.TimeoutError when Redis is silent for too long."""
        ping_at = time.monotonic() + PING_S
        silent_at: float | None = None
        while not self._closed.is_set():
            until = ping_at if silent_at is None else silent_at
            message = news.get_message(timeout=max(0.0, until - time.monotonic()))
            now = time.monotonic()
            if message is None:
                # Time that this process lost by itself does not count: what came meanwhile has been read first.
                if silent_at is not None and now >= silent_at:
                    raise redis.TimeoutError("no answer to PING")
            elif message["type"] == "pong":
                silent_at = None
                self._reread()
            else:
                self._spread(message["data"])
            if silent_at is None and now >= ping_at:
                news.ping()
                ping_at, silent_at = now + PING_S, now + MAX_SILENCE_S

    def _spread(self, lines: str) -> None:
        for line in lines.splitlines():
            topic, _, number = line.rpartition(" ")
            version = int(number)
            with self._lock:
                self._current.pop(topic, None)
                for waiter in self._waiters.get(topic, ()):
                    # News of an earlier version can come after it was read; a topic that is gone begins anew.
                    if version > waiter.seen or (version == GONE and waiter.seen != GONE):
                        waiter.wake(version)

    def _wake_all(self) -> None:
        with self._lock:
            self._current.clear()
            for waiters in self._waiters.values():
                for waiter in waiters:
                    waiter.wake(GONE)

    def _reread(self) -> None:
        with self._lock:
            # A waiter that comes later may have seen more than what is read now.
            present = [waiter for waiters in self._waiters.values() for waiter in waiters]
        if not present:
            return
        versions = self._read({waiter.topic for waiter in present})
        with self._lock:
            for waiter in present:
                if versions[waiter.topic] != waiter.seen:
                    self._current.pop(waiter.topic, None)
                    waiter.wake(versions[waiter.topic])


def _version_key(topic: str) -> str:
    kind, _, name = topic.partition(":")
    if kind == "game":
        return keys.game_log(name)
    if kind == "bot":
        return keys.bot_row(name)
    if kind == "tournament":
        return keys.tournament_events(name)
    raise ValueError(f"{topic!r} is no topic: game:<id>, bot:<id> or tournament:<id>")
