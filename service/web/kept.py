"""What the pages of a process keep between requests."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, Generic, TypeVar

from flask import current_app
from markupsafe import Markup

from service.operations.context import Context
from service.operations.games.answers import GivenAnswer, answers
from service.operations.games.projection import GameView
from service.web.timeline import Timelines

EXTENSION: Final = "montego.web"
T = TypeVar("T")


class Recent(Generic[T]):
    """What a process has made last, since a thousand spectators see the same. It makes one after the other."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[tuple[object, ...], T] = OrderedDict()

    def get(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What `make` gives, or gave for this key."""
        with self._lock:
            found = self._kept.pop(key, None)
            if found is None:
                found = make()
            self._kept[key] = found
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
            return found


class Fresh(Generic[T]):
    """What many look at and what changes often: made anew when somebody asks, but no sooner than after a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._kept: dict[Hashable, tuple[float, T]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, or gave for this key a moment ago."""
        with self._lock:
            made_s, found = self._kept.get(key, (-self._seconds, None))
            if found is None or time.monotonic() - made_s >= self._seconds:
                found = make()
                self._kept[key] = time.monotonic(), found
            return found


@dataclass(frozen=True, slots=True)
class Kept:
    """What the pages of a process keep between requests. A position as HTML takes about 40 kB, as a picture 120 kB."""

    timelines: Timelines = field(default_factory=Timelines)
    drawn: Recent[str] = field(default_factory=lambda: Recent(512))
    messages: Recent[bytes] = field(default_factory=lambda: Recent(64))
    pictures: Recent[bytes] = field(default_factory=lambda: Recent(64))
    answers: Recent[tuple[GivenAnswer, ...]] = field(default_factory=lambda: Recent(64))
    """By game and the hash chain of its log: those of a game that is over."""
    lists: Fresh[Markup] = field(default_factory=lambda: Fresh(0.9))
    """By words: games and tournaments that run now."""

    def answers_of(self, ctx: Context, view: GameView) -> tuple[GivenAnswer, ...]:
        """How a game was answered; nothing before it is over."""
        return self.answers.get((view.id, view.chain), lambda: answers(ctx, view)) if view.over else ()


def kept() -> Kept:
    """That of the running application."""
    found: Kept = current_app.extensions[EXTENSION]
    return found
