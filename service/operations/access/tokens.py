"""Who may do what: tokens and keys (PROTOCOL "Tokens").

Tokens are `mb_<game>.<seat>.<secret>` (seat 0 to 3 or `creator`), `mbb_<bot>.<secret>` and `mbk_<key>.<secret>`. A
secret is 32 random bytes, so a plain SHA-256 protects it well enough, and only that hash of a token is kept. A token
names its game, bot or key. The hash is stored with that, so to check it costs no extra read.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import NoReturn

from service.errors import Forbidden, Unauthorized
from service.operations.access.rotation import live
from service.operations.context import Context
from service.operations.games.projection import GameView
from service.store.bots import Bot


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request. `kind`: `anonymous`, `seat`, `creator`, `bot` or `key`.

    `identify` checks the tokens of bots and keys. A seat's or creator's token is checked when its game is read
    (`seat_at`, `check_known`). `id` is the game, bot or key that the token names.
    """

    kind: str
    id: str = ""
    seat: int | None = None
    token: str = ""
    role: str | None = None
    bot: Bot | None = None

    @property
    def scope(self) -> str:
        """Names the caller in rate limits and in idempotency keys."""
        return f"{self.kind}:{self.id}" if self.seat is None else f"{self.kind}:{self.id}.{self.seat}"

    @property
    def is_organiser(self) -> bool:
        """Organisers may do all that authors, creators and owners may."""
        return self.role == "organiser"


ANONYMOUS = Caller("anonymous")
NO_ENTRIES = 2**31
"""A version above any game's: to read a game without its log."""


def hashed(token: str) -> str:
    """The hash by which a token is stored, in hexadecimal digits."""
    return hashlib.sha256(token.encode()).hexdigest()


def _matches(token: str, kept: str | None) -> bool:
    return hmac.compare_digest(hashed(token), kept or "")


def _secret(ctx: Context) -> str:
    return base64.urlsafe_b64encode(ctx.random_bytes(32)).rstrip(b"=").decode()


def new_id(ctx: Context, length: int = 16) -> str:
    """An unguessable id of lower-case letters and digits (5 bits a character)."""
    return base64.b32encode(ctx.random_bytes(length * 5 // 8 + 1)).decode().lower()[:length]


def seat_token(ctx: Context, game: str, holder: int | str) -> str:
    """A new token of a seat, or of the creator."""
    return f"mb_{game}.{holder}.{_secret(ctx)}"


def bot_token(ctx: Context, bot: str) -> str:
    """A new token of a bot."""
    return f"mbb_{bot}.{_secret(ctx)}"


def key_token(ctx: Context, key: str) -> str:
    """A new key."""
    return f"mbk_{key}.{_secret(ctx)}"


def webhook_secret(ctx: Context) -> str:
    """A new secret to sign with (Standard Webhooks: `whsec_` and 24 to 64 bytes in base64)."""
    return "whsec_" + base64.b64encode(ctx.random_bytes(32)).decode()


def identify(ctx: Context, bearer: str | None) -> Caller:
    """The caller who sent a bearer token, or no token (None). Raises Unauthorized for an unknown token."""
    if bearer is None:
        return ANONYMOUS
    configured = ctx.settings.organiser_key
    if configured and hmac.compare_digest(hashed(bearer), hashed(configured)):
        return Caller("key", "environment", token=bearer, role="organiser")
    prefix, _, rest = bearer.partition("_")
    parts = rest.split(".")
    if prefix == "mb" and len(parts) == 3:
        return _game_caller(bearer, parts[0], parts[1])
    if prefix == "mbb" and len(parts) == 2:
        bot = ctx.bots.read(parts[0])
        if bot is not None and any(_matches(bearer, kept) for kept in live(bot.token_hashes, bot.read_ms)):
            return Caller("bot", bot.id, token=bearer, bot=bot)
    if prefix == "mbk" and len(parts) == 2:
        key = ctx.keys.read(parts[0])
        if key is not None and _matches(bearer, key.token_hash):
            return Caller("key", key.id, token=bearer, role=key.role)
    raise Unauthorized("This token is not known.")


def _game_caller(bearer: str, game: str, holder: str) -> Caller:
    if holder == "creator":
        return Caller("creator", game, token=bearer)
    if holder in ("0", "1", "2", "3"):
        return Caller("seat", game, int(holder), bearer)
    raise Unauthorized("This token is not known.")


def seat_at(caller: Caller, view: GameView) -> int | None:
    """The seat of this game that the caller holds, or None. Raises Unauthorized for a token that names this game but
    does not belong to it."""
    if caller.kind == "bot":
        return view.bots.index(caller.id) if caller.id in view.bots else None
    if caller.kind in ("seat", "creator") and caller.id == view.id:
        holder = "creator" if caller.seat is None else str(caller.seat)
        if not _matches(caller.token, view.tokens.get(holder)):
            raise Unauthorized("This token is not known.")
        return caller.seat
    return None


def seat_required(ctx: Context, caller: Caller, view: GameView) -> int:
    """The seat that the caller holds. Raises Unauthorized for an invalid token, Forbidden for one of another seat."""
    if caller.kind == "anonymous":
        raise Unauthorized("This needs the token of a seat: Authorization: Bearer …")
    seat = seat_at(caller, view)
    if seat is None:
        refuse_stranger(ctx, caller, "This token does not hold a seat of this game.")
    return seat


def check_known(ctx: Context, caller: Caller) -> None:
    """Checks a seat's or creator's token; `identify` has checked all others. Raises Unauthorized if it is unknown."""
    if caller.kind in ("seat", "creator"):
        row = ctx.games.read(caller.id, NO_ENTRIES)
        holder = "creator" if caller.seat is None else str(caller.seat)
        if row is None or not _matches(caller.token, row.tokens.get(holder)):
            raise Unauthorized("This token is not known.")


def refuse_stranger(ctx: Context, caller: Caller, why: str) -> NoReturn:
    """Raises Forbidden for a valid token that does not allow the call, Unauthorized for an invalid one."""
    check_known(ctx, caller)
    if caller.kind == "anonymous":
        raise Unauthorized(f"{why} No token was sent.")
    raise Forbidden(why)


def role_required(ctx: Context, caller: Caller, *roles: str) -> None:
    """Raises Unauthorized or Forbidden unless the caller's key has one of the roles; organisers have all of them."""
    if caller.is_organiser or (caller.role in roles):
        return
    refuse_stranger(ctx, caller, f"This needs a key of role {' or '.join(dict.fromkeys((*roles, 'organiser')))}.")
