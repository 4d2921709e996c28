"""`/`: what this is, what runs now, and the start of a game; and the rules."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import count
from operator import attrgetter
from typing import Any, Final, NamedTuple

from flask import Response, redirect, request

from service.api.call import context
from service.api.endpoints import CREATES
from service.errors import OperationError
from service.operations.access.tokens import identify
from service.operations.bots import registry
from service.operations.context import Context
from service.operations.games import read as read_games
from service.operations.games import seats
from service.operations.games.create import NewGame, create
from service.operations.tournaments import read as read_tournaments
from service.web import live, pages, visitors
from service.web.blueprints import page_blueprint
from service.web.kept import Kept, kept
from service.web.play import name_of
from service.web.rendering import render
from service.web.words import Words

blueprint = page_blueprint("home")

SHOWN: Final = 8
"""Games and tournaments that are listed."""
MAX_BOTS: Final = 100
LOOK_S: Final = 1.0
"""How often the lists of an open page are looked at (seconds)."""


class GameLine(NamedTuple):
    """A public game. `join`: an open seat, or None."""

    id: str
    names: str
    state: str
    join: int | None


class TournamentLine(NamedTuple):
    """A tournament."""

    id: str
    name: str
    status: str
    running: bool
    progress: str


class BotOption(NamedTuple):
    """A bot that anybody can seat."""

    id: str
    name: str


@blueprint.get("/")
def show_home() -> Response:
    """The first page."""
    ctx = context()
    return pages.page(
        "home.html",
        here="home",
        bots=casual_bots(ctx),
        needs_key=not ctx.settings.anonymous_games,
        host=request.host_url.rstrip("/"),
        **_now(ctx, pages.words()),
    )


@blueprint.get("/now")
def follow_now() -> Response:
    """What runs now, again whenever it has changed, as a part of the first page."""
    return live.stream(_lists(context(), kept(), pages.words()))


def _lists(ctx: Context, own: Kept, words: Words) -> Iterator[bytes]:
    """Nothing tells of changes in lists. So the process reads them once in LOOK_S for all who have the page open."""
    yield live.BEGIN
    shown, silent = "", 0.0
    for number in count(1):
        try:
            text = own.lists.get(words, lambda: render("now.html", words.language, **_now(ctx, words)))
        except OperationError:
            # The browser comes back.
            return
        if text != shown:
            shown, silent = text, 0.0
            yield live.event(number, text)
        elif silent >= live.HEARTBEAT_S:
            silent = 0.0
            yield live.NOTHING_NEW
        time.sleep(LOOK_S)
        silent += LOOK_S


@blueprint.get("/rules")
def show_rules() -> Response:
    """The rules in the reader's language."""
    return pages.page("rules.html", here="rules")


def _now(ctx: Context, words: Words) -> dict[str, Any]:
    running = read_games.public_games(ctx, "running", SHOWN, None)["items"]
    waiting = read_games.public_games(ctx, "open", SHOWN, None)["items"]
    tournaments = read_tournaments.listing(ctx, SHOWN, None)["items"]
    return {
        "games": [_game_line(item, words) for item in (*waiting, *running)][:SHOWN],
        "tournaments": [tournament_line(item, words) for item in tournaments],
    }


def _game_line(item: Mapping[str, Any], words: Words) -> GameLine:
    waiting = item["open_seats"]
    state = words._("round %(num)s", num=item["round"])
    if waiting:
        state = words._n("waits for %(num)s player", "waits for %(num)s players", len(waiting))
    return GameLine(item["game"], words.players(item["seats"]), state, waiting[0] if waiting else None)


def tournament_line(item: Mapping[str, Any], words: Words) -> TournamentLine:
    """A tournament in a list."""
    matches = item["matches"]
    return TournamentLine(
        item["tournament"],
        words.name(item["name"]) or item["tournament"],
        words.tournament_status(item["status"]),
        item["status"] == "running",
        words._("%(finished)s of %(total)s matches", finished=matches["finished"], total=matches["total"]),
    )


def casual_bots(ctx: Context) -> list[BotOption]:
    """The bots that anybody can seat."""
    found = registry.listing(ctx, identify(ctx, None), MAX_BOTS, None)["items"]
    return sorted((BotOption(bot["bot"], bot["name"]) for bot in found if bot["casual"]), key=attrgetter("name"))


@blueprint.post("/games")
def start_game() -> Response:
    """A game for the visitor, who gets the first seat. It is in no list unless that is asked for."""
    visitors.refuse_other_sites()
    ctx = context()
    form = request.form
    others = [form.get(f"other{number}", "") for number in (1, 2, 3)]
    plans = ["open", *("open" if other == "open" else {"bot": other} for other in others if other)]
    caller = identify(ctx, form.get("key") or None)
    made = create(ctx, caller, NewGame(len(plans), seats=plans, public="public" in form))
    given = seats.join(ctx, made.view.id, 0, name_of(form))
    return visitors.give_seat(redirect(f"/play/{made.view.id}", 303), made.view.id, given.token)  # type: ignore[arg-type]


# Counted like every call that creates something.
setattr(start_game, CREATES, True)
