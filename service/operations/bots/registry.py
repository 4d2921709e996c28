"""Bots: registering them, showing them, seating them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from service.addresses import UrlRefused, check_url
from service.errors import InvalidRequest, NameTaken, NotFound, WrongState
from service.operations.access.tokens import (
    Caller,
    bot_token,
    hashed,
    new_id,
    refuse_stranger,
    renewed,
    role_required,
    valid_of,
    webhook_secret,
)
from service.operations.context import Context
from service.operations.games.change import load, resign
from service.protocol import BOT_KINDS, BOT_NAME
from service.store.bots import Bot
from service.timestamps import timestamp

ONLINE_MS = 30_000
"""A poll bot is up if it has polled within the last 30 s (PROTOCOL "Poll")."""
MAX_GAMES = 256


@dataclass(frozen=True, slots=True)
class NewBot:
    """The body of `POST /v1/bots`."""

    name: str
    kind: str
    url: str | None = None
    casual: bool = False
    max_games: int = 4


@dataclass(frozen=True, slots=True)
class Registered:
    """A new bot and its secrets, which are shown this once. `secret` signs asks: only a push bot has one."""

    bot: Bot
    token: str
    secret: str | None


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


def register(ctx: Context, caller: Caller, new: NewBot) -> Registered:
    """Registers a bot for the caller's key. Raises Unauthorized, Forbidden, InvalidRequest, NameTaken, Unavailable."""
    role_required(ctx, caller, "author")
    if not BOT_NAME.fullmatch(new.name):
        raise InvalidRequest(("name",), f"A name matches {BOT_NAME.pattern}.")
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
        token_hash=hashed(token),
        secrets=((secret, None),) if secret else (),
    )
    if not ctx.bots.create(bot):
        raise NameTaken(f"There is a bot named {new.name}.")
    # An earlier attempt at this call may have registered it, and its owner changed it since.
    return Registered(ctx.bots.read(bot_id) or bot, token, secret)


def owns(caller: Caller, bot: Bot) -> bool:
    """Whether the caller may do what a bot's owner may: the key that registered it, the bot itself, an organiser."""
    by_key = caller.kind == "key" and caller.id == bot.owner
    return caller.is_organiser or by_key or (caller.kind == "bot" and caller.id == bot.id)


def read(ctx: Context, bot: str) -> Bot:
    """Raises NotFound."""
    found = ctx.bots.read(bot)
    if found is None:
        raise NotFound("There is no bot of this id.")
    return found


def owned(ctx: Context, caller: Caller, bot: str) -> Bot:
    """The bot, if the caller is its owner. Raises NotFound, Unauthorized, Forbidden."""
    found = read(ctx, bot)
    if not owns(caller, found):
        refuse_stranger(ctx, caller, "Only the bot's owner or an organiser may do this.")
    return found


def public_view(ctx: Context, bot: Bot, *, owner: bool) -> dict[str, Any]:
    """What is shown of a bot. Its URL is the owner's, and so is why it last did not come up."""
    status = "unknown"
    if bot.kind == "poll":
        seen = bot.last_poll_ms is not None and ctx.wall_ms() - bot.last_poll_ms <= ONLINE_MS
        status = "online" if seen else "offline"
    shown = {
        "bot": bot.id,
        "name": bot.name,
        "kind": bot.kind,
        "casual": bot.casual,
        "max_games": bot.max_games,
        "version": bot.version,
        "status": status,
        "created": timestamp(bot.created_ms),
    }
    if not owner:
        return shown
    return {**shown, "url": bot.url, "not_started": None if bot.absence is None else json.loads(bot.absence)}


def show(ctx: Context, caller: Caller, bot: str) -> dict[str, Any]:
    """One bot. Raises NotFound, Unavailable."""
    found = read(ctx, bot)
    return public_view(ctx, found, owner=owns(caller, found))


def listing(ctx: Context, caller: Caller, limit: int, cursor: str | None) -> dict[str, Any]:
    """All bots, newest first. Raises InvalidRequest for an invalid cursor."""
    page = ctx.bots.page(limit, cursor)
    found = [bot for bot in ctx.bots.many(page.ids) if bot is not None]
    return {"items": [public_view(ctx, bot, owner=owns(caller, bot)) for bot in found], "next": page.next}


def edit(ctx: Context, caller: Caller, bot: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes `url`, `casual` or `max_games`. Raises NotFound, Unauthorized, Forbidden, InvalidRequest."""
    found = owned(ctx, caller, bot)
    if "url" in changes:
        if found.kind == "poll":
            raise InvalidRequest(("url",), "A poll bot has no url: it calls the service.")
        found = replace(found, url=check_bot_url(changes["url"]))
    if "casual" in changes:
        found = replace(found, casual=changes["casual"])
    if "max_games" in changes:
        found = replace(found, max_games=_check_max_games(changes["max_games"]))
    if not ctx.bots.update(found):
        raise NotFound("There is no bot of this id.")
    return public_view(ctx, found, owner=True)


def rotate_token(ctx: Context, caller: Caller, bot: str) -> dict[str, Any]:
    """A new token; the old one is worth nothing from now on."""
    found = owned(ctx, caller, bot)
    token = bot_token(ctx, found.id)
    ctx.bots.update(replace(found, token_hash=hashed(token)))
    return {"bot": found.id, "token": token}


def rotate_secret(ctx: Context, caller: Caller, bot: str) -> dict[str, Any]:
    """A new secret to sign with; the newest old one stays valid for a day. Raises WrongState for a poll bot."""
    found = owned(ctx, caller, bot)
    if found.kind == "poll":
        raise WrongState("A poll bot has no secret: nothing is sent to it.")
    secrets, until = renewed(ctx, found.secrets)
    ctx.bots.update(replace(found, secrets=secrets))
    return {"bot": found.id, "secret": secrets[0][0], "old_secret_valid_until": timestamp(until)}


def valid_secrets(ctx: Context, bot: Bot) -> list[str]:
    """The secrets that an ask to the bot is signed with, newest first."""
    return valid_of(ctx, bot.secrets)


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
    busy = ctx.tournaments.playing(found.id)
    if busy:
        raise WrongState(f"The bot plays in a tournament that is not over: {', '.join(busy[:5])}.")
    for game in ctx.game_lists.games_of(found.id):
        withdraw(ctx, game, found.id)
    ctx.bots.delete(found.id)


def withdraw(ctx: Context, game: str, bot: str) -> None:
    """Withdraws a bot from a casual game; nothing happens when the game is over or gone."""
    try:
        view = load(ctx, game)
        seats = [seat for seat, held in enumerate(view.bots) if held == bot]
        resign(ctx, game, seats, "withdrawn", known=view)
    except NotFound:
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
