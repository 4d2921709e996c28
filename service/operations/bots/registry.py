"""Bots: registering them, showing them, seating them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from service.addresses import UrlRefused, check_url
from service.errors import InvalidRequest, NameTaken, NotFound, Unreadable, WrongState
from service.operations.access.rotation import live, old_valid_until, rotated
from service.operations.access.tokens import (
    Caller,
    bot_token,
    hashed,
    new_id,
    refuse_stranger,
    role_required,
    webhook_secret,
)
from service.operations.context import Context
from service.operations.games.change import load, resign
from service.operations.names import check_name
from service.protocol import BOT_KINDS, BOT_NAME
from service.store.bots import Bot, QuotaReached
from service.store.idempotency import Claim, Receipt
from service.timestamps import timestamp

ONLINE_MS = 30_000
"""A poll bot is online while its last poll may wait, and for 30 s more (PROTOCOL "Poll")."""
MAX_GAMES = 256
NO_BOT = "There is no bot of this id or name."
RESERVED_NAME = "me"
"""Not the name of any bot: `/v1/bots/me/…` is about the bot that calls."""


@dataclass(frozen=True, slots=True)
class NewBot:
    """The body of `POST /v1/bots`."""

    name: str
    kind: str
    url: str | None = None
    casual: bool = False
    max_games: int = 4
    display_name: str | None = None


@dataclass(frozen=True, slots=True)
class Registered:
    """A new bot and its secrets, which are shown this once. `secret` signs asks: only a push bot has one. `answer`: the
    same as its owner sees it (PROTOCOL "Bots")."""

    bot: Bot
    token: str
    secret: str | None
    answer: dict[str, Any]


def check_bot_url(url: str | None) -> str:
    """The URL of a push bot, checked in form (its address is checked whenever it is called). Raises InvalidRequest."""
    if url is None:
        raise InvalidRequest(("url",), "A push bot needs a url.")
    try:
        check_url(url)
    except UrlRefused as error:
        raise InvalidRequest(("url",), str(error)) from None
    return url


def _check_max_games(number: int) -> int:
    if not 1 <= number <= MAX_GAMES:
        raise InvalidRequest(("max_games",), f"From 1 to {MAX_GAMES}.")
    return number


def register(ctx: Context, caller: Caller, new: NewBot, claim: Claim | None = None) -> Registered:
    """Registers a bot for the caller's key. `claim`: of a call with an Idempotency-Key.

    Raises Unauthorized, Forbidden, InvalidRequest, NameTaken, WrongState (the key has as many bots as it may have),
    Unavailable.
    """
    role_required(ctx, caller, "author")
    if not BOT_NAME.fullmatch(new.name):
        raise InvalidRequest(("name",), f"A name matches {BOT_NAME.pattern}.")
    if new.name == RESERVED_NAME:
        raise InvalidRequest(
            ("name",), f"No bot can be named {RESERVED_NAME}: in paths it stands for the bot that calls."
        )
    if new.kind not in BOT_KINDS:
        raise InvalidRequest(("kind",), f"One of: {', '.join(BOT_KINDS)}.")
    if new.kind == "poll" and new.url is not None:
        raise InvalidRequest(("url",), "A poll bot has no url: it calls the service.")
    push = new.kind == "push"
    bot_id = new_id(ctx)
    token = bot_token(ctx, bot_id)
    secret = webhook_secret(ctx) if push else None
    bot = Bot(
        id=bot_id,
        name=new.name,
        kind=new.kind,
        url=check_bot_url(new.url) if push else None,
        casual=new.casual,
        max_games=_check_max_games(new.max_games),
        owner=caller.id,
        created_ms=ctx.wall_ms(),
        token_hashes=((hashed(token), None),),
        secrets=((secret, None),) if secret else (),
        display_name=check_name(new.display_name, "display_name"),
    )
    answer = {**public_view(bot, owner=True), "token": token, "secret": secret}
    quota = None if caller.is_organiser else ctx.settings.max_bots
    try:
        named = ctx.bots.create(bot, Receipt.of(claim, answer), quota=quota)
    except QuotaReached:
        raise WrongState(f"This key has {quota} bots, as many as it may have: delete one.") from None
    if not named:
        raise NameTaken(f"There is a bot named {new.name}.")
    return Registered(bot, token, secret, answer)


def owns(caller: Caller, bot: Bot) -> bool:
    """Whether the caller may do what a bot's owner may: the key that registered it, the bot itself, an organiser."""
    by_key = caller.kind == "key" and caller.id == bot.owner
    return caller.is_organiser or by_key or (caller.kind == "bot" and caller.id == bot.id)


def read(ctx: Context, bot: str) -> Bot:
    """The bot of this id or name. Raises NotFound."""
    found = find(ctx, bot)
    if found is None:
        raise NotFound(NO_BOT)
    return found


def owned(ctx: Context, caller: Caller, bot: str) -> Bot:
    """The bot, if the caller is its owner. Raises NotFound, Unauthorized, Forbidden."""
    found = read(ctx, bot)
    if not owns(caller, found):
        refuse_stranger(ctx, caller, "Only the bot's owner or an organiser may do this.")
    return found


def has_polled(bot: Bot) -> bool:
    """Whether a poll bot has polled lately."""
    return bot.seen_ms is not None and bot.read_ms - bot.seen_ms <= bot.last_wait_ms + ONLINE_MS


def status_of(bot: Bot) -> str:
    """`online`, `offline` or `unknown` (PROTOCOL "Bots")."""
    up = has_polled(bot) if bot.kind == "poll" else bot.up
    return "unknown" if up is None else "online" if up else "offline"


def last_seen(bot: Bot) -> str | None:
    """When the bot last polled, or answered a call."""
    return None if bot.seen_ms is None else timestamp(bot.seen_ms)


def public_view(bot: Bot, *, owner: bool) -> dict[str, Any]:
    """What is shown of a bot. Its URL is the owner's, and so is why it last did not come up."""
    shown = {
        "bot": bot.id,
        "name": bot.name,
        "display_name": bot.display_name,
        "kind": bot.kind,
        "casual": bot.casual,
        "max_games": bot.max_games,
        "version": bot.version,
        "status": status_of(bot),
        "last_seen": last_seen(bot),
        "created": timestamp(bot.created_ms),
    }
    if not owner:
        return shown
    return {
        **shown,
        "url": bot.url,
        "failure": bot.failure,
        "not_started": None if bot.absence is None else json.loads(bot.absence),
    }


def show(ctx: Context, caller: Caller, bot: str) -> dict[str, Any]:
    """One bot. Raises NotFound, Unavailable."""
    found = read(ctx, bot)
    return public_view(found, owner=owns(caller, found))


def listing(ctx: Context, caller: Caller, limit: int, cursor: str | None) -> dict[str, Any]:
    """All bots, newest first. Raises InvalidRequest for an invalid cursor."""
    page = ctx.bots.page(limit, cursor)
    found = [bot for bot in ctx.bots.many(page.ids) if bot is not None]
    return {"items": [public_view(bot, owner=owns(caller, bot)) for bot in found], "next": page.next}


def edit(ctx: Context, caller: Caller, bot: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes `url`, `casual`, `max_games` or `display_name`.

    Raises NotFound, Unauthorized, Forbidden, InvalidRequest.
    """
    found = owned(ctx, caller, bot)
    members = dict(changes)
    if "url" in members:
        if found.kind == "poll":
            raise InvalidRequest(("url",), "A poll bot has no url: it calls the service.")
        members["url"] = check_bot_url(members["url"])
    if "display_name" in members:
        members["display_name"] = check_name(members["display_name"], "display_name")
    if "max_games" in members:
        members["max_games"] = _check_max_games(members["max_games"])
    return public_view(_changed(ctx, found.id, lambda current: replace(current, **members)), owner=True)


def rotate_token(ctx: Context, caller: Caller, bot: str, *, at_once: bool = False) -> dict[str, Any]:
    """A new token; old ones stay valid as `rotated` says. Raises NotFound, Unauthorized, Forbidden, WrongState."""
    found = owned(ctx, caller, bot)
    token = bot_token(ctx, found.id)

    def with_token(current: Bot) -> Bot:
        return replace(
            current, token_hashes=rotated(current.token_hashes, hashed(token), current.read_ms, at_once=at_once)
        )

    changed = _changed(ctx, found.id, with_token)
    return {"bot": found.id, "token": token, "old_token_valid_until": old_valid_until(changed.token_hashes)}


def rotate_secret(ctx: Context, caller: Caller, bot: str, *, at_once: bool = False) -> dict[str, Any]:
    """A new secret to sign with; old ones stay valid as `rotated` says.

    Raises NotFound, Unauthorized, Forbidden, WrongState, also for a poll bot.
    """
    found = owned(ctx, caller, bot)
    if found.kind == "poll":
        raise WrongState("A poll bot has no secret: nothing is sent to it.")
    secret = webhook_secret(ctx)

    def with_secret(current: Bot) -> Bot:
        return replace(current, secrets=rotated(current.secrets, secret, current.read_ms, at_once=at_once))

    changed = _changed(ctx, found.id, with_secret)
    return {"bot": found.id, "secret": secret, "old_secret_valid_until": old_valid_until(changed.secrets)}


def _changed(ctx: Context, bot: str, edit: Callable[[Bot], Bot]) -> Bot:
    changed = ctx.bots.change(bot, edit)
    if changed is None:
        raise NotFound(NO_BOT)
    return changed


def valid_secrets(bot: Bot) -> list[str]:
    """The secrets that an ask to the bot is signed with, newest first."""
    return live(bot.secrets, bot.read_ms)


def faults(ctx: Context, caller: Caller, bot: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """The bot's ledger, newest first. Raises NotFound, Unauthorized, Forbidden, InvalidRequest for an invalid
    cursor."""
    documents, following = ctx.bots.faults(owned(ctx, caller, bot).id, limit, cursor)
    return {"items": [json.loads(document) for document in documents], "next": following}


def delete(ctx: Context, caller: Caller, bot: str) -> None:
    """Deletes a bot: its name is free, and it is withdrawn from the casual games that it sits in.

    Raises NotFound, Unauthorized, Forbidden, WrongState while it plays in a tournament.
    """
    found = owned(ctx, caller, bot)
    _check_idle(ctx, found)
    for game in ctx.game_lists.games_of(found.id):
        withdraw(ctx, game, found.id)
    if not ctx.bots.delete(found.id):
        # A tournament with it was created meanwhile, or somebody else has deleted it.
        _check_idle(ctx, found)


def _check_idle(ctx: Context, bot: Bot) -> None:
    busy = ctx.tournaments.playing(bot.id)
    if busy:
        raise WrongState(f"The bot plays in a tournament that is not over: {', '.join(busy[:5])}.")


def withdraw(ctx: Context, game: str, bot: str) -> None:
    """Withdraws a bot from a casual game; nothing happens when the game is over or gone."""
    try:
        view = load(ctx, game)
        seats = [seat for seat, held in enumerate(view.bots) if held == bot]
        resign(ctx, game, seats, "withdrawn", known=view)
    except (NotFound, Unreadable):
        return


def find(ctx: Context, reference: str) -> Bot | None:
    """A bot by its id or its name. Ids go first: a name can be chosen to look like another bot's id."""
    return ctx.bots.read(reference) or ctx.bots.find(reference)


def seatable(ctx: Context, caller: Caller, reference: str, path: tuple[str | int, ...]) -> Bot:
    """A bot that the caller may seat in a casual game. Raises InvalidRequest, Forbidden, Unauthorized."""
    bot = find(ctx, reference)
    if bot is None:
        raise InvalidRequest(path, f"There is no bot {reference[:40]!r}.")
    if not bot.casual and not owns(caller, bot):
        refuse_stranger(ctx, caller, f"{bot.name} is not open to casual games: only its owner may seat it.")
    return bot
