"""Conformance checks of bots: the latest one of each bot, kept for a while."""

from __future__ import annotations

from typing import Any

from service.errors import NotFound
from service.store import keys
from service.store.clients import RedisClient, script


class CheckStore:
    """A check whose time is up is forgotten."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._begin = script(client, "check_begin")
        self._end = script(client, "check_end")

    def begin(self, bot: str, check: str, doc: str, ttl_ms: int) -> str:
        """Writes the document of a new check, unless one is running. Returns the id of the check that runs now. Raises
        NotFound without such a bot."""
        running = str(self._begin([keys.bot_row(bot), keys.bot_check(bot)], [check, doc, ttl_ms]))
        if not running:
            raise NotFound("There is no bot of this id.")
        return running

    def end(self, bot: str, check: str, doc: str, ttl_ms: int) -> bool:
        """Replaces the document of a running check, and wakes all who wait for the topic of the bot. False: it is no
        longer the latest check."""
        names = [keys.bot_row(bot), keys.bot_check(bot), keys.NEWS]
        return bool(self._end(names, [check, doc, ttl_ms, bot]))

    def latest(self, bot: str) -> tuple[str, str] | None:
        """The id of the latest check, and its document. None: there is none."""
        found: Any = self._client.hmget(keys.bot_check(bot), ["check", "doc"])
        return None if found[0] is None else (found[0], found[1])
