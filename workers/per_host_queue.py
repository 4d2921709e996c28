"""Concurrent calls to many hosts, with a queue for each host, so that a dead host delays its own calls only."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable

MAX_FAILING_HOSTS = 10_000
log = logging.getLogger("montego.jobs")


class PerHostQueue:
    """At most `max_calls` at a time, each in a thread of its own, and at most `max_per_host` of them to one host.

    A host whose last call failed gets one call at a time, and all such hosts together at most half of `max_calls`.
    Hosts take turns. `call` is given an item, and returns whether its host answers. At most `max_items` wait or are
    being called.
    """

    def __init__(
        self,
        call: Callable[[str], bool],
        *,
        name: str,
        max_calls: int = 32,
        max_per_host: int = 4,
        max_items: int = 10_000,
    ) -> None:
        self._call = call
        self._name = name
        self._max_calls = max_calls
        self._max_per_host = max_per_host
        self._max_items = max_items
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, deque[str]] = OrderedDict()
        self._items: set[str] = set()
        self._busy: Counter[str] = Counter()
        self._failing: OrderedDict[str, None] = OrderedDict()

    def add(self, host: str, item: str) -> bool:
        """Queues an item and returns at once. An item that waits or is being called already is not added again. False:
        the queue is full."""
        with self._lock:
            if item in self._items:
                return True
            if len(self._items) >= self._max_items:
                return False
            self._items.add(item)
            self._waiting.setdefault(host, deque()).append(item)
            self._begin()
            return True

    def _begin(self) -> None:
        """Begins all calls that there is a slot for. Under the lock."""
        while (host := self._free_host()) is not None:
            waiting = self._waiting[host]
            item = waiting.popleft()
            self._waiting.move_to_end(host)
            if not waiting:
                del self._waiting[host]
            self._busy[host] += 1
            # Daemons: a process that was told to end does not wait for slow hosts.
            threading.Thread(target=self._run, args=(host, item), name=self._name, daemon=True).start()

    def _free_host(self) -> str | None:
        if self._busy.total() >= self._max_calls:
            return None
        failing = sum(count for host, count in self._busy.items() if host in self._failing)
        for host in self._waiting:
            if host in self._failing:
                if failing < self._max_calls // 2 and not self._busy[host]:
                    return host
            elif self._busy[host] < self._max_per_host:
                return host
        return None

    def _run(self, host: str, item: str) -> None:
        answered = False
        try:
            answered = self._call(item)
        except Exception:
            log.exception("a %s failed", self._name)
        finally:
            with self._lock:
                self._end(host, item, answered)
                self._begin()

    def _end(self, host: str, item: str, answered: bool) -> None:
        self._items.discard(item)
        self._busy[host] -= 1
        if not self._busy[host]:
            del self._busy[host]
        self._failing.pop(host, None)
        if not answered:
            self._failing[host] = None
            if len(self._failing) > MAX_FAILING_HOSTS:
                self._failing.popitem(last=False)
