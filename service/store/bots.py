"""Registered bots, unique by name, and the ledgers of their faults."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from service.store import keys, paging
from service.store.clients import RedisClient, script
from service.store.paging import Page


@dataclass(frozen=True, slots=True)
class Bot:
    """A registered bot. `secrets`: (secret, wall time until which it is valid or None), newest first."""

    id: str
    name: str
    kind: str
    url: str | None
    casual: bool
    max_games: int
    owner: str
    created_ms: int
    token_hash: str
    secrets: tuple[tuple[str, int | None], ...]
    version: str | None = None
    last_poll_ms: int | None = None
    absence: str | None = None
    """JSON document about the last match for which the bot did not come up."""


MAX_FAULTS = 1000
"""Faults that a ledger keeps, the newest ones."""


class BotStore:
    """A bot goes by its id; its name leads to the id."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._create = script(client, "bot_create")
        self._update = script(client, "bot_update")
        self._delete = script(client, "bot_delete")
        self._polled = script(client, "bot_polled")
        self._fault = script(client, "bot_fault")
        self._set_version = script(client, "bot_version")
        self._absence = script(client, "bot_absence")

    def create(self, bot: Bot) -> bool:
        """Writes a new bot. False, and nothing is written, when the name is taken; True again for the same bot."""
        names = [keys.bot_row(bot.id), keys.BOT_NAMES, keys.BOTS, keys.SERIAL]
        return bool(self._create(names, [bot.id, bot.name, bot.created_ms, *_changeable(bot)]))

    def read(self, bot: str) -> Bot | None:
        """None: there is no such bot."""
        return _bot(bot, self._client.hmget(keys.bot_row(bot), _FIELDS))

    def find(self, name: str) -> Bot | None:
        """The bot of this name."""
        bot: Any = self._client.hget(keys.BOT_NAMES, name)
        return None if bot is None else self.read(bot)

    def many(self, bots: Sequence[str]) -> list[Bot | None]:
        """Several bots in the order asked, in one round trip."""
        with self._client.pipeline(transaction=False) as pipe:
            for bot in bots:
                pipe.hmget(keys.bot_row(bot), _FIELDS)
            return [_bot(bot, row) for bot, row in zip(bots, pipe.execute(), strict=True)]

    def update(self, bot: Bot) -> bool:
        """Replaces all but id, name, created_ms and absence. False: no such bot.

        A poll noted meanwhile is not lost: the later time stands, and a version of None leaves the one that is there.
        """
        return bool(self._update([keys.bot_row(bot.id)], _changeable(bot)))

    def delete(self, bot: str) -> bool:
        """Deletes a bot with its faults and hints; its name is free again. False: there is no such bot."""
        lists = [keys.bot_waiting(bot), keys.bot_games(bot), keys.bot_ended(bot), keys.bot_tournaments(bot)]
        lists.append(keys.bot_check(bot))
        names = [keys.bot_row(bot), keys.BOT_NAMES, keys.BOTS, keys.NEWS, keys.bot_faults(bot), *lists]
        return bool(self._delete(names, [bot]))

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for an invalid cursor."""
        return paging.page(self._client, keys.BOTS, limit, cursor)

    def set_version(self, bot: str, version: str | None) -> None:
        """Notes the version that a push bot has just named. Nothing else of it changes."""
        self._set_version([keys.bot_row(bot)], [version or ""])

    def note_absence(self, bot: str, absence: str) -> None:
        """Keeps a JSON document about the last match for which the bot did not come up. Nothing else of it changes."""
        self._absence([keys.bot_row(bot)], [absence])

    def polled(self, bot: str, version: str | None) -> None:
        """Notes that a poll bot has just polled (wall time), and its version if it named one."""
        self._polled([keys.bot_row(bot)], [version or ""])

    def add_fault(self, bot: str, fault: str) -> None:
        """Adds a JSON document to the bot's ledger, which keeps the newest 1,000. The same document is added once."""
        self._fault([keys.bot_row(bot), keys.bot_faults(bot)], [fault, MAX_FAULTS])

    def faults(self, bot: str, limit: int, cursor: str | None) -> tuple[list[str], str | None]:
        """A page of the ledger, newest first, and the cursor of the next page. Raises InvalidRequest."""
        return paging.scored(self._client, keys.bot_faults(bot), limit, cursor)


_FIELDS = ["name", "created", "doc", "version", "polled", "absence"]
#: Members of a bot that are not in its document: those that never change, and those that polls and matches change.
_APART = ("id", "name", "created_ms", "version", "last_poll_ms", "absence")


def _changeable(bot: Bot) -> list[str | int]:
    document = {name: value for name, value in asdict(bot).items() if name not in _APART}
    return [json.dumps(document), bot.version or "", bot.last_poll_ms or ""]


def _bot(bot: str, row: Any) -> Bot | None:
    name, created_ms, document, version, polled_ms, absence = row
    if name is None:
        return None
    rest = json.loads(document)
    return Bot(
        id=bot,
        name=name,
        created_ms=int(created_ms),
        version=version or None,
        last_poll_ms=int(polled_ms) if polled_ms else None,
        absence=absence,
        secrets=tuple((secret, until_ms) for secret, until_ms in rest.pop("secrets")),
        **rest,
    )
