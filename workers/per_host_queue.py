"""Concurrent calls to many bots and hosts, so that one that does not answer delays its own calls only."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

MAX_FAILING_LINES = 10_000
"""This many lines are remembered whose last call failed."""
log = logging.getLogger("montego.jobs")


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    line: str
    host: str
    max_in_line: int


class PerHostQueue:
    """Queues items in lines (one for each bot, or for each host) and calls each of them in a thread of its own.

    `call` is given an item, and returns whether there was an answer. At most `max_calls` run at a time, and at most
    `max_per_host` of them to one host. A line whose last call failed gets one call at a time, and all such lines
    together at most half of `max_calls`. Lines take turns. At most `max_items` wait or are being called.
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
        self._lines: OrderedDict[str, deque[_Item]] = OrderedDict()
        """The lines in which items wait, in the order of their next turn."""
        self._waiting: set[str] = set()
        self._running: dict[str, bool] = {}
        """Whether an item that is being called is to be called again."""
        self._busy_lines: Counter[str] = Counter()
        self._busy_hosts: Counter[str] = Counter()
        self._failing: OrderedDict[str, None] = OrderedDict()

    def add(self, host: str, name: str, *, line: str | None = None, max_in_line: int | None = None) -> bool:
        """Queues an item of this name and returns at once.

        `line`: by default that of the host. `max_in_line`: the line has at most so many calls at a time; by default as
        many as its host. An item that waits already is not added again. One that is being called is called once more
        afterwards. False: the queue is full.
        """
        item = _Item(name, line or host, host, max_in_line or self._max_per_host)
        with self._lock:
            if name in self._waiting:
                return True
            if name in self._running:
                self._running[name] = True
                return True
            if len(self._waiting) + len(self._running) >= self._max_items:
                return False
            self._put(item)
            self._begin()
            return True

    def _put(self, item: _Item) -> None:
        self._waiting.add(item.name)
        self._lines.setdefault(item.line, deque()).append(item)

    def _begin(self) -> None:
        """Begins all calls that there is a slot for. Under the lock."""
        while (line := self._free_line()) is not None:
            items = self._lines[line]
            item = items.popleft()
            self._lines.move_to_end(line)
            if not items:
                del self._lines[line]
            self._waiting.discard(item.name)
            self._running[item.name] = False
            self._busy_lines[line] += 1
            self._busy_hosts[item.host] += 1
            # Daemons: a process that was told to end does not wait for slow bots. Another one does what is left.
            threading.Thread(target=self._run, args=(item,), name=self._name, daemon=True).start()

    def _free_line(self) -> str | None:
        if len(self._running) >= self._max_calls:
            return None
        failing = sum(count for line, count in self._busy_lines.items() if line in self._failing)
        for line, items in self._lines.items():
            if self._busy_hosts[items[0].host] >= self._max_per_host:
                continue
            if line in self._failing:
                if failing < self._max_calls // 2 and not self._busy_lines[line]:
                    return line
            elif self._busy_lines[line] < items[0].max_in_line:
                return line
        return None

    def _run(self, item: _Item) -> None:
        answered = False
        try:
            answered = self._call(item.name)
        except Exception:
            log.exception("a %s failed", self._name)
        finally:
            with self._lock:
                self._end(item, answered)
                self._begin()

    def _end(self, item: _Item, answered: bool) -> None:
        for busy, key in ((self._busy_lines, item.line), (self._busy_hosts, item.host)):
            busy[key] -= 1
            if not busy[key]:
                del busy[key]
        self._failing.pop(item.line, None)
        if not answered:
            self._failing[item.line] = None
            if len(self._failing) > MAX_FAILING_LINES:
                self._failing.popitem(last=False)
        if self._running.pop(item.name):
            self._put(item)
