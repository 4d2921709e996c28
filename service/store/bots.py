"""Registered bots, unique by name, and the ledgers of their faults."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from service.store import keys, paging
from service.store.clients import RedisClient, script
from service.store.idempotency import Receipt, receipt_keys, receipt_values, was_created
from service.store.paging import Page
from service.store.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Bot:
    """A registered bot as it was read. All times are those of Redis' clock, so that they can be compared."""

    id: str
    name: str
    kind: str
    url: str | None
    casual: bool
    max_games: int
    owner: str
    created_ms: int
    token_hashes: Secrets
    secrets: Secrets
    display_name: str | None = None
    version: str | None = None
    seen_ms: int | None = None
    """When it last polled, or answered a call."""
    last_wait_ms: int = 0
    """How long its last poll may have waited."""
    up: bool | None = None
    """Whether a push bot answered when it was last called; None before the first call."""
    failure: str | None = None
    """Why it did not answer its last call."""
    absence: str | None = None
    """JSON document about the last match for which the bot did not come up."""
    read_ms: int = field(default=0, compare=False)
    """When it was read."""


MAX_FAULTS = 1000
"""Faults that a ledger keeps, the newest ones."""


_QUOTA_REACHED = -2


class QuotaReached(Exception):
    """Nothing was written: the owner has as many bots as it may have."""


class BotStore:
    """A bot goes by its id; its name leads to the id."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._create = script(client, "stamp", "idempotency", "bot_create")
        self._change = script(client, "bot_change")
        self._delete = script(client, "bot_delete")
        self._polled = script(client, "bot_polled")
        self._fault = script(client, "stamp", "bot_fault")
        self._called = script(client, "bot_called")
        self._absence = script(client, "bot_absence")

    def create(self, bot: Bot, receipt: Receipt | None = None, *, quota: int | None = None) -> bool:
        """Writes a new bot. False, and nothing is written, when the name is taken.

        quota  how many bots its owner may have; None: any number

        Raises QuotaReached, ClaimLost.
        """
        lists = [keys.BOT_NAMES, keys.BOTS, keys.STAMP, keys.owner_bots(bot.owner)]
        names = [keys.bot_row(bot.id), *lists, *receipt_keys(receipt)]
        values = [bot.id, bot.name, bot.created_ms, _document(bot), quota or "", *receipt_values(receipt)]
        result = self._create(names, values)
        if result == _QUOTA_REACHED:
            raise QuotaReached(f"the owner {bot.owner} has {quota} bots")
        return was_created(result)

    def read(self, bot: str) -> Bot | None:
        """None: there is no such bot."""
        return self.many([bot])[0]

    def find(self, name: str) -> Bot | None:
        """The bot of this name."""
        bot: Any = self._client.hget(keys.BOT_NAMES, name)
        return None if bot is None else self.read(bot)

    def many(self, bots: Sequence[str]) -> list[Bot | None]:
        """Several bots in the order asked, in one round trip."""
        rows, read_ms = self._rows(bots)
        return [_bot(bot, row, read_ms) for bot, row in zip(bots, rows, strict=True)]

    def _rows(self, bots: Sequence[str]) -> tuple[list[Any], int]:
        """The values of `_FIELDS` of each bot, and Redis' clock (ms)."""
        with self._client.pipeline(transaction=False) as pipe:
            for bot in bots:
                pipe.hmget(keys.bot_row(bot), _FIELDS)
            pipe.time()
            *rows, (seconds, microseconds) = pipe.execute()
        return rows, seconds * 1000 + microseconds // 1000

    def change(self, bot: str, edit: Callable[[Bot], Bot]) -> Bot | None:
        """Changes a bot. `edit` gets the bot as it is and returns it with other members; those of `_APART` cannot be
        changed in this way. `edit` is called again when somebody else has changed the bot meanwhile, so that no change
        undoes another. Returns the changed bot; None if there is no such bot."""
        while True:
            (row,), read_ms = self._rows([bot])
            found = _bot(bot, row, read_ms)
            if found is None:
                return None
            changed = edit(found)
            if self._change([keys.bot_row(bot)], [row[_FIELDS.index("doc")], _document(changed)]):
                return changed

    def delete(self, bot: str) -> bool:
        """Deletes a bot with its faults and hints; its name is free again. False: there is no such bot, or it is an
        entrant of a tournament that is not over."""
        found = self.read(bot)
        if found is None:
            return False
        lists = [keys.bot_faults(bot), keys.bot_waiting(bot), keys.bot_games(bot), keys.bot_ended(bot)]
        lists += [keys.bot_casual_games(bot), keys.bot_check(bot), keys.bot_offered(bot), keys.bot_queued(bot)]
        names = [keys.bot_row(bot), keys.BOT_NAMES, keys.BOTS, keys.NEWS, keys.owner_bots(found.owner)]
        names += [keys.bot_tournaments(bot), *lists]
        return bool(self._delete(names, [bot]))

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for an invalid cursor."""
        return paging.page(self._client, keys.BOTS, limit, cursor)

    def note_call(self, bot: str, *, up: bool, version: str | None = None, failure: str = "") -> None:
        """Notes whether a push bot has just answered a call: if so the version that it named, else why it did not."""
        self._called([keys.bot_row(bot)], [int(up), (version if up else failure) or ""])

    def note_absence(self, bot: str, absence: str) -> None:
        """Keeps a JSON document about the last match for which the bot did not come up. Nothing else of it changes."""
        self._absence([keys.bot_row(bot)], [absence])

    def polled(self, bot: str, version: str | None, wait_ms: int) -> None:
        """Notes that a poll bot has just begun a poll that waits at most `wait_ms`, and its version if it named one."""
        self._polled([keys.bot_row(bot)], [version or "", wait_ms])

    def add_fault(self, bot: str, fault: str) -> None:
        """Adds a JSON document to the bot's ledger, which keeps the newest 1,000. The same document is added once."""
        self._fault([keys.bot_row(bot), keys.bot_faults(bot), keys.STAMP], [fault, MAX_FAULTS])

    def faults(self, bot: str, limit: int, cursor: str | None) -> tuple[list[str], str | None]:
        """A page of the ledger, newest first, and the cursor of the next page. Raises InvalidRequest."""
        return paging.scored(self._client, keys.bot_faults(bot), limit, cursor)


_FIELDS = ["name", "created", "doc", "version", "seen", "wait", "up", "failure", "absence"]
#: Members of a bot that are not in its document: those that never change, those that polls and calls change, and when
#: it was read.
_APART = ("id", "name", "created_ms", "version", "seen_ms", "last_wait_ms", "up", "failure", "absence", "read_ms")


def _document(bot: Bot) -> str:
    return json.dumps({name: value for name, value in asdict(bot).items() if name not in _APART}, separators=(",", ":"))


def _bot(bot: str, row: Any, read_ms: int) -> Bot | None:
    name, created_ms, document, version, seen_ms, wait_ms, up, failure, absence = row
    if name is None:
        return None
    members = json.loads(document)
    for several in ("token_hashes", "secrets"):
        members[several] = tuple((secret, until_ms) for secret, until_ms in members[several])
    return Bot(
        id=bot,
        name=name,
        created_ms=int(created_ms),
        version=version or None,
        seen_ms=int(seen_ms) if seen_ms else None,
        last_wait_ms=int(wait_ms or 0),
        up=None if up is None else up == "1",
        failure=failure or None,
        absence=absence,
        read_ms=read_ms,
        **members,
    )
