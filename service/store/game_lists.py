"""Lists of games: public ones, those of a bot, and those whose time has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.store import keys, paging
from service.store.clients import RedisClient, pairs, script, texts
from service.store.paging import Page

MAX_OWN = 1000
"""Games that the list of a bot or of an API key keeps, the newest ones."""


@dataclass(frozen=True, slots=True)
class Offers:
    """Casual games that wait for a poll bot. `since_ms`: those that it is offered, by the service time since when.
    `queued`: how many others follow when it has answered some of these."""

    since_ms: Mapping[str, int]
    queued: int


class GameLists:
    """Which games there are of a kind. All of it is derived from the games, which are the truth. Scripts write most of
    it with each append."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._older = script(client, "older", writes=False)
        self._ended = script(client, "ended", writes=False)
        self._note_own = script(client, "stamp", "own_games")
        self._offered = script(client, "offers", "offered")
        self._postpone = script(client, "postpone")

    def public(self, status: str | None, limit: int, cursor: str | None) -> Page:
        """Public games, newest first. Raises InvalidRequest for an invalid cursor."""
        return paging.page(self._client, keys.public(status), limit, cursor)

    def note_own(self, game: str, key: str | None, bots: Sequence[str]) -> None:
        """Lists a casual game among those of the API key that creates it, and of the bots that have a seat. It is
        called before the game is written, so that no game is missing from a list. A listed game that does not exist
        is skipped when the list is read."""
        of_bots = [name for bot in bots for name in (keys.bot_casual_games(bot), keys.bot_row(bot))]
        of_key = "" if key is None else keys.owner_games(key)
        self._note_own([keys.STAMP, of_key, *of_bots], [game, MAX_OWN])

    def of_key(self, key: str, limit: int, cursor: str | None) -> Page:
        """Casual games that were created with an API key, newest first. Raises InvalidRequest."""
        return paging.page(self._client, keys.owner_games(key), limit, cursor)

    def of_bot(self, bot: str, limit: int, cursor: str | None) -> Page:
        """Casual games in which a bot has a seat, newest first. Raises InvalidRequest."""
        return paging.page(self._client, keys.bot_casual_games(bot), limit, cursor)

    def overdue(self, limit: int) -> list[str]:
        """Games whose deadline has passed in service time."""
        return texts(self._older([keys.DEADLINES, keys.CLOCK], [0, "", limit]))

    def idle(self, older_than_ms: int, limit: int) -> list[str]:
        """Casual games open or running whose last append is older than that, in service time."""
        return texts(self._older([keys.IDLE, keys.CLOCK], [older_than_ms, "(", limit]))

    def expired(self, older_than_ms: int, limit: int) -> list[str]:
        """Casual games that have been over for longer than that, in service time."""
        return texts(self._older([keys.OVER, keys.CLOCK], [older_than_ms, "(", limit]))

    def unplayed_turns(self, older_than_ms: int, limit: int) -> list[tuple[str, int]]:
        """(game, seat) of push bots that have been to be called for longer than that, in service time.

        The time counts from the game's last append that left the seat with an open decision.
        """
        found = texts(self._older([keys.TURNS, keys.CLOCK], [older_than_ms, "(", limit]))
        return [(game, int(seat)) for game, _, seat in (member.rpartition(":") for member in found)]

    def drop_turn(self, game: str, seat: int) -> None:
        """The seat's bot needs no call any more; an append that names the seat again brings it back."""
        self._client.zrem(keys.TURNS, f"{game}:{seat}")

    def games_of(self, bot: str) -> list[str]:
        """Games not over in which the bot has a seat: a hint."""
        return sorted(texts(self._client.smembers(keys.bot_games(bot))))

    def ended_of(self, bot: str, within_ms: int) -> list[str]:
        """Games with a seat of the bot that ended less than so long ago (wall, at most ten minutes), newest first."""
        return texts(self._ended([keys.bot_ended(bot)], [within_ms]))

    def asked_in_matches(self, bot: str) -> list[str]:
        """Games of matches that wait for a poll bot: a hint, the games are the truth."""
        return sorted(texts(self._client.hkeys(keys.bot_waiting(bot))))

    def offered(self, bot: str) -> Offers:
        """Casual games that wait for a poll bot: those that it is offered, and the number of those that are queued."""
        names = [keys.bot_row(bot), keys.bot_offered(bot), keys.bot_queued(bot), keys.CLOCK]
        found: Any = self._offered(names, [keys.bot(bot)])
        return Offers({game: int(at_ms) for game, at_ms in pairs(found[0])}, int(found[1]))

    def withdraw_offer(self, bot: str, game: str) -> None:
        """A game that is gone or unreadable takes up no place among those that the bot is offered."""
        self._client.zrem(keys.bot_offered(bot), game)

    def postpone(self, game: str, by_ms: int) -> None:
        """The deadline of a casual game is that far from now, in service time. Nothing happens without one."""
        self._postpone([keys.DEADLINES, keys.CLOCK], [game, by_ms])
