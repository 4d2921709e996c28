"""`/bots`: all bots, and one with what it has played; with its token also what only its author may see."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from service.api.call import context
from service.errors import Forbidden, Unauthorized
from service.operations.access.tokens import ANONYMOUS, Caller, identify
from service.operations.bots import checks, history, registry
from service.operations.bots.history import Participation
from service.operations.context import Context
from service.operations.games.change import load
from service.presentation.names import one_line, shown
from service.presentation.tournament import MatchLine, Whisker, match_line, whiskers
from service.protocol import FAULTS
from service.web import pages, visitors
from service.web.blueprints import page_blueprint
from service.web.words import Words

blueprint = page_blueprint("bots")

PAGE: Final = 50
"""Bots, tournaments that are looked through, or faults on one page."""
LAST: Final = 12
"""Matches that are listed."""


class BotLine(NamedTuple):
    """A bot in a list."""

    name: str
    display_name: str
    kind: str
    status: str
    online: bool
    version: str
    casual: bool


class TournamentResult(NamedTuple):
    """How a bot did in a tournament."""

    id: str
    name: str
    status: str
    rank: str
    rating: str
    whisker: Whisker | None
    interval: str
    score: str
    matches: int
    answer: str
    faults: str


class Opponent(NamedTuple):
    """How a bot did against another one, in all tournaments that are shown. `width`: of a bar, in percent."""

    name: str
    matches: int
    score: str
    width: str


class FaultEntry(NamedTuple):
    """An entry of a bot's ledger. `asked`: what it was asked; `address`: of the position; `again`: the command that
    asks it again."""

    kind: str
    at: str
    asked: str
    detail: str
    received: str
    elapsed: str
    address: str
    again: str


@blueprint.get("/bots")
def list_bots() -> Response:
    """All bots, newest first."""
    words = pages.words()
    found = registry.listing(context(), ANONYMOUS, PAGE, request.args.get("after") or None)
    lines = [_bot_line(bot, words) for bot in found["items"]]
    return pages.page("all_bots.html", here="bots", bots=lines, following=found["next"])


@blueprint.get("/bots/<name>")
def show_bot(name: str) -> Response:
    """A bot."""
    ctx, words = context(), pages.words()
    bot = registry.read(ctx, name)
    caller = _known(ctx, visitors.bot_token(bot.id))
    mine = registry.owns(caller, bot)
    public = registry.public_view(bot, owner=False)
    found = history.participations(ctx, bot.id, PAGE, request.args.get("after") or None)
    rows = [one.standing for one in found.items]
    marks, lines = whiskers(rows, words)
    check = checks.latest(ctx, bot.id)
    faults = Counter[str]()
    for row in rows:
        faults.update(row["faults"])
    response = pages.page(
        "bot.html",
        here="bots",
        bot=_bot_line(public, words),
        created=words.time(public["created"]),
        last_seen=words.time(public["last_seen"]) if public["last_seen"] else "–",
        marks=marks,
        tournaments=[_result(*one, words) for one in zip(found.items, lines, strict=True)],
        following=found.next,
        opponents=_opponents(found.items),
        faults=[(words.fault(kind), faults[kind]) for kind in FAULTS if faults[kind]],
        matches=[_match(event, words) for event in history.last_matches(ctx, found.items, LAST)],
        check=_check(check, words),
        mine=_private(ctx, caller, registry.public_view(bot, owner=True), check, words) if mine else None,
    )
    if mine:
        response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.post("/bots/<name>/token")
def take_token(name: str) -> AnyResponse:
    """Lets the browser keep the bot's token, which shows its author what nobody else sees."""
    visitors.refuse_other_sites()
    ctx = context()
    bot = registry.read(ctx, name)
    caller = _known(ctx, request.form.get("token", "").strip())
    if caller.kind != "bot" or caller.id != bot.id:
        raise Forbidden("This is not the token of this bot.")
    return visitors.give_bot(redirect(f"/bots/{bot.name}", 303), bot.id, bot.name, caller.token)


@blueprint.post("/bots/<name>/token/removal")
def forget_token(name: str) -> AnyResponse:
    """Lets the browser forget the bot's token."""
    visitors.refuse_other_sites()
    bot = registry.read(context(), name)
    return visitors.forget_bot(redirect(f"/bots/{bot.name}", 303), bot.id, bot.name)


@blueprint.post("/bots/<name>/check")
def begin_check(name: str) -> AnyResponse:
    """Begins a check of the bot, for its author."""
    visitors.refuse_other_sites()
    ctx = context()
    bot = registry.read(ctx, name)
    checks.begin(ctx, _known(ctx, visitors.bot_token(bot.id)), bot.id)
    return redirect(f"/bots/{bot.name}#check-h", 303)


@blueprint.get("/bots/<name>/faults/<id:game>/<decision>")
def show_fault(name: str, game: str, decision: str) -> AnyResponse:
    """Leads to the position in which the default action was played for a decision."""
    view = load(context(), game)
    number = next(
        (
            number
            for number, event in enumerate(view.history, 1)
            if event.type == "defaulted" and event.data["decision"] == decision
        ),
        None,
    )
    return redirect(f"/games/{game}" if number is None else f"/games/{game}?at={number}")


def _known(ctx: Context, token: str | None) -> Caller:
    """Who a token belongs to; anybody without one, or with one that is not valid (any more)."""
    try:
        return identify(ctx, token or None)
    except Unauthorized:
        return ANONYMOUS


def _bot_line(bot: Mapping[str, Any], words: Words) -> BotLine:
    return BotLine(
        name=bot["name"],
        display_name=words.name(bot["display_name"] or ""),
        kind={"push": words._("is called"), "poll": words._("polls")}[bot["kind"]],
        status={"online": words._("online"), "offline": words._("offline"), "unknown": words._("not seen yet")}[
            bot["status"]
        ],
        online=bot["status"] == "online",
        version=shown(bot["version"] or ""),
        casual=bot["casual"],
    )


def _result(one: Participation, whisker: Whisker | None, words: Words) -> TournamentResult:
    row = one.standing
    faults = sum(row["faults"].values())
    return TournamentResult(
        id=one.tournament,
        name=words.name(one.name) or one.tournament,
        status=words.tournament_status(one.status),
        rank=words._("%(rank)s of %(bots)s", rank=row["rank"], bots=one.bots),
        rating="" if row["rating"] is None else f"{row['rating']:.0f}",
        whisker=whisker,
        interval="" if row["interval"] is None else "–".join(f"{end:.0f}" for end in row["interval"]),
        score="" if row["score_per_match"] is None else f"{100 * row['score_per_match']:.1f} %",
        matches=row["matches"],
        answer="" if row["answer_ms"] is None else words.milliseconds(row["answer_ms"]),
        faults=str(faults) if faults else "",
    )


def _opponents(played: Sequence[Participation]) -> list[Opponent]:
    matches: defaultdict[str, int] = defaultdict(int)
    score: defaultdict[str, float] = defaultdict(float)
    for one in played:
        for name, (met, scored) in one.against.items():
            matches[name] += met
            score[name] += scored
    return [
        Opponent(name, matches[name], f"{share:.0f} %", f"{share:.1f}%")
        for name in sorted(matches, key=lambda name: (-matches[name], name))
        for share in [100 * score[name] / matches[name]]
    ]


def _match(event: Mapping[str, Any], words: Words) -> MatchLine:
    return match_line({**event, "status": "finished"}, words)


def _check(check: Mapping[str, Any] | None, words: Words) -> str:
    """What a check has found, in a sentence; empty if there is none."""
    if check is None:
        return ""
    if check["report"] is None:
        return words._("A check is running since %(time)s.", time=words.time(check["at"]))
    time = words.time(check["at"])
    return {
        "ready": words._("Ready: nothing to fix (%(time)s).", time=time),
        "fair": words._("Fair: it can play, and there is advice (%(time)s).", time=time),
        "faulty": words._("Faulty: it would lose decisions or matches (%(time)s).", time=time),
    }[check["report"]["grade"]]


def _private(
    ctx: Context, caller: Caller, bot: Mapping[str, Any], check: Mapping[str, Any] | None, words: Words
) -> dict[str, Any]:
    """What only the author sees of a bot and its latest check."""
    report = None if check is None else check["report"]
    after = request.args.get("faults_after") or None
    ledger = registry.faults(ctx, caller, bot["bot"], PAGE, after)
    return {
        "url": bot["url"],
        "failure": one_line(bot["failure"] or ""),
        "absence": None if bot["not_started"] is None else one_line(bot["not_started"]["detail"]),
        "findings": [] if report is None else report["findings"],
        "faults": list(_ledger(ledger["items"], bot, words)),
        "following": ledger["next"],
    }


def _ledger(items: Sequence[Mapping[str, Any]], bot: Mapping[str, Any], words: Words) -> Iterator[FaultEntry]:
    root = request.host_url.rstrip("/")
    for item in items:
        number, kind, seat, _ = item["decision"].split(".")
        record = f"{root}/v1/games/{item['game']}/record"
        yield FaultEntry(
            kind=words.fault(item["kind"]),
            at=words.time(item["at"]),
            asked=words._(
                "round %(round)s, seat %(seat)s: %(what)s", round=number, seat=seat, what=_asked(kind, words)
            ),
            detail=one_line(item["detail"]),
            received=one_line(item["received"]),
            elapsed="" if item["elapsed_ms"] is None else words.milliseconds(item["elapsed_ms"]),
            address=f"/bots/{bot['name']}/faults/{item['game']}/{item['decision']}",
            again=f"montego ask {record} --round {number} --seat {seat} --bot {bot['url'] or 'URL'}",
        )


def _asked(kind: str, words: Words) -> str:
    return {
        "hire": words._("whether to hire Lazy Jack"),
        "play": words._("which cards to play"),
        "load": words._("where to load barrels"),
        "unload": words._("where to take barrels off"),
    }[kind]
