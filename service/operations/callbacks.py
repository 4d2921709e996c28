"""Callbacks: news that a platform gets of its games and tournaments (PROTOCOL "Callbacks").

A callback has the version and the seats with an open decision, nothing that a spectator cannot see. It is fixed when it
is written, so that a callback that is sent again is the same to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from service.addresses import UrlRefused, check_url
from service.errors import InvalidRequest, WrongState
from service.operations.access.rotation import live, old_valid_until, rotated
from service.operations.access.tokens import Caller, role_required, webhook_secret
from service.operations.context import Context
from service.operations.games.document import GameMeta
from service.operations.tournaments.document import TournamentDoc
from service.protocol import ROLES
from service.store.callbacks import Callback, Pending
from service.timestamps import timestamp


def check_callback(ctx: Context, caller: Caller, url: str | None) -> str | None:
    """A new secret for a callback URL that a new game or tournament names; None where it names none.

    The URL is checked in form; its address is checked whenever it is called. Raises Unauthorized or Forbidden without a
    key, InvalidRequest.
    """
    if url is None:
        return None
    role_required(ctx, caller, *ROLES)
    try:
        check_url(url)
    except UrlRefused as error:
        raise InvalidRequest(("callback",), f"The URL cannot be called: {error.reason}.") from None
    return webhook_secret(ctx)


def rotate_secret(ctx: Context, subject: str, first: str | None, *, at_once: bool) -> dict[str, Any]:
    """A new secret to sign callbacks of a game or tournament with; old ones stay valid as `rotated` says.

    `first`: the secret that it was created with. Raises WrongState where no callback was named, or too many secrets are
    valid.
    """
    if first is None:
        raise WrongState("No callback was named when this was created.")
    new = webhook_secret(ctx)
    secrets = ctx.callbacks.change_secrets(
        subject, lambda current, now_ms: rotated(current or ((first, None),), new, now_ms, at_once=at_once)
    )
    return {"callback_secret": new, "old_secret_valid_until": old_valid_until(secrets)}


def valid_secrets(pending: Pending) -> list[str]:
    """The secrets that a callback is signed with, newest first."""
    return live(pending.secrets or ((pending.callback.secret, None),), pending.read_ms)


def of_game(
    meta: GameMeta, game: str, *, before: str, status: str, due: Collection[int], at_ms: int
) -> tuple[Callback, ...]:
    """The callbacks of a change from one status to another (or the same) that leaves these seats due.
    `at_ms`: since the game was created."""
    url, secret = meta.callback, meta.callback_secret
    if url is None or secret is None:
        return ()
    kinds = []
    if before == "open" and status == "running":
        kinds.append("game.started")
    if due:
        kinds.append("game.turn")
    if status in ("finished", "aborted"):
        kinds.append("game.ended")
    seats = tuple(sorted(due))
    return tuple(Callback(kind, game, url, secret, meta.created_ms + at_ms, seats) for kind in kinds)


def of_tournament(doc: TournamentDoc, tournament: str, kind: str, at_ms: int) -> Callback | None:
    """The callback `tournament.started` or `tournament.ended` of a tournament; None if it has no callback URL."""
    if doc.callback is None or doc.callback_secret is None:
        return None
    return Callback(kind, tournament, doc.callback, doc.callback_secret, at_ms)


def webhook_id(pending: Pending) -> str:
    """`<game or tournament>_<word>_<version>`: the same again when the callback is sent again."""
    word = pending.callback.type.partition(".")[2]
    return f"{pending.callback.subject}_{word}_{pending.version}"


def body(pending: Pending) -> bytes:
    """The body that is sent: for the webhooks of Discord and Slack a line of text under the name that they ask for, for
    anybody else the news as JSON (PROTOCOL "Callbacks")."""
    callback = pending.callback
    subject = callback.type.partition(".")[0]
    if member := chat_member(callback.url):
        return json.dumps({member: _line(pending)}, separators=(",", ":")).encode()
    message = {
        "type": callback.type,
        "timestamp": timestamp(callback.at_ms),
        "data": {subject: callback.subject, "version": pending.version, "due": list(callback.due)},
    }
    return json.dumps(message, separators=(",", ":")).encode()


def chat_member(url: str) -> str | None:
    """The member in which the webhooks of a chat take a text: `content` of Discord's, `text` of Slack's; None for a URL
    that is neither."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if host in ("discord.com", "discordapp.com") and parts.path.startswith("/api/webhooks/"):
        return "content"
    if host == "hooks.slack.com":
        return "text"
    return None


def _line(pending: Pending) -> str:
    """The news in a line for people."""
    callback = pending.callback
    subject, _, word = callback.type.partition(".")
    if word == "turn":
        seats = ", ".join(map(str, callback.due))
        return f"Game {callback.subject}: {'seat' if len(callback.due) == 1 else 'seats'} {seats} to act."
    return f"{subject.capitalize()} {callback.subject} has {word}."
