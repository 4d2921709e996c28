"""Conformance checks of bots: the latest one of each, for a while."""

from __future__ import annotations

from typing import Any

from service.errors import NotFound
from service.store import keys
from service.store.clients import Client, script


class CheckStore:
    """"""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._begin = script(client, "check_begin")
        self._end = script(client, "check_end")

    def begin(self, bot: str, check: str, doc: str, ttl_ms: int) -> str:
        """Writes the document of a new check, unless one is running: the check that runs now. Raises NotFound."""
        running = str(self._begin([keys.bot_row(bot), keys.bot_check(bot)], [check, doc, ttl_ms]))
        if not running:
            raise NotFound("There is no bot of this id.")
        return running

    def end(self, bot: str, check: str, doc: str, ttl_ms: int) -> bool:
        """Replaces the document of a check that is running, and wakes who waits for the topic of the bot. False: it is
        the latest one no more."""
        names = [keys.bot_row(bot), keys.bot_check(bot), keys.NEWS]
        return bool(self._end(names, [check, doc, ttl_ms, bot]))

    def latest(self, bot: str) -> tuple[str, str] | None:
        """The latest check and its document."""
        found: Any = self._client.hmget(keys.bot_check(bot), ["check", "doc"])
        return None if found[0] is None else (found[0], found[1])
