"""Who a browser is: seats of games and bots, kept in cookies that no script sees, each sent to its own pages only."""

from __future__ import annotations

from typing import Final

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from service.errors import Forbidden, Unauthorized
from service.operations.access import tokens
from service.operations.access.tokens import Caller
from service.operations.context import Context

KEPT_S: Final = 30 * 24 * 3600
"""How long a browser keeps a seat (seconds); a finished game is kept as long by default."""


def cookie_name(game: str) -> str:
    """The cookie of a game."""
    return f"montego_seat_{game}"


def seated(ctx: Context, game: str) -> Caller:
    """Who holds a seat of this game by this browser's cookie. Raises Unauthorized without one."""
    token = request.cookies.get(cookie_name(game))
    if not token:
        raise Unauthorized("This browser has no seat of the game.")
    return tokens.identify(ctx, token)


def has_seat(game: str) -> bool:
    """Whether this browser says that it has a seat of the game."""
    return bool(request.cookies.get(cookie_name(game)))


def give_seat(response: Response, game: str, token: str) -> Response:
    """Lets the browser keep a seat."""
    _keep(response, cookie_name(game), token, path=f"/play/{game}", samesite="Lax")
    return response


def _keep(response: AnyResponse, name: str, token: str, *, path: str, samesite: str) -> None:
    secure = request.is_secure
    response.set_cookie(name, token, max_age=KEPT_S, path=path, httponly=True, samesite=samesite, secure=secure)


def refuse_other_sites() -> None:
    """Raises Forbidden for a form that a page of another site sends (`Sec-Fetch-Site`, and `Origin` of older
    browsers)."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("This form was sent by another site.")
    origin = request.headers.get("Origin")
    if origin is not None and origin != request.host_url.rstrip("/"):
        raise Forbidden("This form was sent by another site.")


def bot_token(bot: str) -> str | None:
    """The token of this bot that the browser keeps."""
    return request.cookies.get(f"montego_bot_{bot}")


def give_bot(response: AnyResponse, bot: str, name: str, token: str) -> AnyResponse:
    """Lets the browser keep a bot's token, for the pages of that bot only."""
    _keep(response, f"montego_bot_{bot}", token, path=f"/bots/{name}", samesite="Strict")
    return response


def forget_bot(response: AnyResponse, bot: str, name: str) -> AnyResponse:
    """Lets the browser forget a bot's token."""
    response.delete_cookie(f"montego_bot_{bot}", path=f"/bots/{name}", httponly=True, samesite="Strict")
    return response
