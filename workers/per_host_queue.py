"""Calls to many hosts beside each other, a line for each host, so that a dead one delays nobody but itself."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable

BAD_HOSTS_KNOWN = 10_000
log = logging.getLogger("montego.jobs")


class PerHostQueue:
    """At most `most` calls at a time, each in a thread of its own, at most `most_a_host` of them to one host.

    A host whose last call failed gets one place, and all such hosts together no more than half of the places. Hosts
    take turns. `call` gets an item and says whether it went well.
    """

    def __init__(
        self, call: Callable[[str], bool], *, name: str, most: int = 32, most_a_host: int = 4, longest: int = 10_000
    ) -> None:
        self._call = call
        self._name = name
        self._most = most
        self._most_a_host = most_a_host
        self._longest = longest
        self._lock = threading.Lock()
        self._lines: OrderedDict[str, deque[str]] = OrderedDict()
        self._known: set[str] = set()
        self._busy: Counter[str] = Counter()
        self._bad: OrderedDict[str, None] = OrderedDict()

    def add(self, host: str, item: str) -> bool:
        """Puts an item into its host's line and returns at once. An item that waits or is being called already is not
        added again. False: the lines are as long as they may be."""
        with self._lock:
            if item in self._known:
                return True
            if len(self._known) >= self._longest:
                return False
            self._known.add(item)
            self._lines.setdefault(host, deque()).append(item)
            self._begin()
            return True

    def _begin(self) -> None:
        """Begins all calls that there is a place for. Under the lock."""
        while (host := self._free_host()) is not None:
            line = self._lines[host]
            item = line.popleft()
            self._lines.move_to_end(host)
            if not line:
                del self._lines[host]
            self._busy[host] += 1
            # Daemons: a process that was told to end does not wait for slow hosts.
            threading.Thread(target=self._run, args=(host, item), name=self._name, daemon=True).start()

    def _free_host(self) -> str | None:
        if self._busy.total() >= self._most:
            return None
        slow = sum(count for host, count in self._busy.items() if host in self._bad)
        for host in self._lines:
            if host in self._bad:
                if slow < self._most // 2 and not self._busy[host]:
                    return host
            elif self._busy[host] < self._most_a_host:
                return host
        return None

    def _run(self, host: str, item: str) -> None:
        good = False
        try:
            good = self._call(item)
        except Exception:
            log.exception("a %s failed", self._name)
        finally:
            with self._lock:
                self._end(host, item, good)
                self._begin()

    def _end(self, host: str, item: str, good: bool) -> None:
        self._known.discard(item)
        self._busy[host] -= 1
        if not self._busy[host]:
            del self._busy[host]
        self._bad.pop(host, None)
        if not good:
            self._bad[host] = None
            if len(self._bad) > BAD_HOSTS_KNOWN:
                self._bad.popitem(last=False)
