"""`/games/<id>`: a game to watch and to replay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flask import Response, abort, redirect, request
from markupsafe import Markup

from service.api.call import context
from service.operations.context import Context
from service.operations.games.answers import GivenAnswer
from service.operations.games.change import load
from service.operations.games.projection import GameView
from service.presentation.languages import LANGUAGES
from service.web import assets, live, pages
from service.web.answers import bot_summaries, panel, remarks
from service.web.blueprints import page_blueprint
from service.web.board import board, standing
from service.web.kept import Kept, kept
from service.web.rendering import render
from service.web.timeline import GamePosition, Timeline
from service.web.words import Words

blueprint = page_blueprint("games")


class Line(NamedTuple):
    """A line of the log."""

    n: int
    text: str
    css: str


class SeatPanel(NamedTuple):
    """A seat beside the board. `waiting`: what it is to do now, and `since` when (RFC 3339), or nothing; `tags`: their
    class and text."""

    number: int
    name: str
    kind: str
    points: int
    standing: str
    waiting: str
    since: str
    tags: tuple[tuple[str, str], ...]
    coins: int
    aboard: int
    supply: int


class Row(NamedTuple):
    """A room in the table."""

    room: str
    stop: int
    shows: str
    who: str


@blueprint.get("/games/<id:game>")
def show_game(game: str) -> Response:
    """The page of a game, at its newest position or at the one that `at` names."""
    ctx, own = context(), kept()
    view = load(ctx, game)
    timeline = own.timelines.of(view)
    at = asked_step(timeline)
    if "go" in request.args:
        return _redirect(game, timeline, at)
    given = own.answers_of(ctx, view)
    words = pages.words()
    position = timeline.positions[at]
    return pages.page(
        "game.html",
        game=game,
        title=words.players(view.names),
        about=about(view, words),
        address=f"{request.host_url}games/{game}",
        at=at,
        newest=at == timeline.last,
        record=f"/v1/games/{game}/record" if view.over else "",
        live=not view.over,
        last=timeline.last,
        stage=stage(view, position, words),
        side=side(view, timeline, position, words, given),
        rooms=rooms(position, words),
        bar=bar(view, timeline, at, words, request.args.get("of", "")),
        summaries=bot_summaries(view, words) if view.over else [],
        remarks=remarks(view, timeline, given, words),
    )


def asked_step(timeline: Timeline) -> int:
    """The step that the request asks for."""
    return step_named(timeline, request.args.get("at", ""))


def step_named(timeline: Timeline, given: str) -> int:
    """The step nearest to the one that `at` names; the newest if it names none."""
    return _step(timeline, int(given[:9]) if given.isascii() and given.isdigit() else timeline.last)


def _step(timeline: Timeline, number: int) -> int:
    """The nearest step that there is."""
    return max(min(number, timeline.last), min(1, timeline.last))


def _redirect(game: str, timeline: Timeline, at: int) -> Response:
    """Where a button of the replay leads."""
    of = request.args.get("of", "")
    to = _target(timeline, at, request.args["go"], of)
    query = "" if to is None else f"?at={to}{f'&of={of}' if of in ('0', '1', '2', '3') else ''}"
    return redirect(f"/games/{game}{query}", 303)  # type: ignore[return-value]


def _target(timeline: Timeline, at: int, go: str, of: str) -> int | None:
    rounds = round_starts(timeline)
    if go == "last":
        return None
    if go == "back":
        return _step(timeline, at - 1)
    if go == "step":
        return _step(timeline, at + 1)
    if go == "round-back":
        return max((n for n in rounds if n < at), default=1)
    if go == "round":
        return min((n for n in rounds if n > at), default=timeline.last)
    if go == "decision":
        return min((n for n, seat in turns(timeline) if n > at and of in ("", str(seat))), default=timeline.last)
    return at


@blueprint.get("/games/<id:game>/positions/<int:n>/<language>/<version>")
@blueprint.get("/games/<id:game>/positions/<int:n>/<language>/<version>/over", defaults={"over": True})
def show_position(game: str, n: int, language: str, version: str, *, over: bool = False) -> Response:
    """A position as a part of a page. Its address has all that it depends on: also that the game is over, since the
    answers are shown then."""
    if language not in LANGUAGES:
        abort(404)
    ctx, own = context(), kept()
    view = load(ctx, game)
    timeline = own.timelines.of(view)
    if not 1 <= n <= timeline.last or (over and not view.over):
        abort(404)
    given = own.answers_of(ctx, view) if over else ()
    response = pages.html(fragment(own, view, timeline, n, pages.words(language), given))
    if version == assets.version():
        response.headers["Cache-Control"] = assets.FOREVER
        del response.headers["Vary"]
    return response


@blueprint.get("/games/<id:game>/live")
def follow_game(game: str) -> Response:
    """The newest position, again whenever there is a newer one, to the end of the game."""
    ctx = context()
    after = live.known()
    view = load(ctx, game)
    return live.stream(_lines(ctx, kept(), view, after, pages.words()))


def _lines(ctx: Context, own: Kept, view: GameView, after: int, words: Words) -> Iterator[bytes]:
    """`after`: the number of the event that the page has."""
    yield live.BEGIN
    for newest, reset in live.views(ctx, view):
        timeline = own.timelines.of(newest)
        if len(newest.history) != after or reset:
            after = len(newest.history)
            yield message(own, newest, timeline, words, own.answers_of(ctx, newest))
        else:
            yield live.NOTHING_NEW
        if newest.over:
            yield live.OVER


def message(own: Kept, view: GameView, timeline: Timeline, words: Words, given: tuple[GivenAnswer, ...] = ()) -> bytes:
    """The newest position as an event of the stream: the same parts as in the page. Encoded once for all spectators."""
    # The timeline may have gone on since this view was read.
    last = len(view.history)

    def draw() -> bytes:
        text = (
            parts_of_position(view, timeline, timeline.positions[last], words, given)
            + Markup('<hx-partial id="bar" hx-swap="outerMorph">{}</hx-partial>').format(
                bar(view, timeline, last, words)
            )
            + Markup('<hx-partial id="about" hx-swap="innerHTML">{}</hx-partial>').format(about(view, words))
        )
        return live.event(last, text)

    return own.messages.get((view.id, view.meta.created_ms, last, words), draw)


def fragment(
    own: Kept, view: GameView, timeline: Timeline, n: int, words: Words, given: tuple[GivenAnswer, ...]
) -> str:
    """All of a page that depends on the position."""
    key = (view.id, view.meta.created_ms, n, words, "over" if given else "position")
    return own.drawn.get(key, lambda: parts_of_position(view, timeline, timeline.positions[n], words, given))


def parts_of_position(
    view: GameView, timeline: Timeline, position: GamePosition, words: Words, given: tuple[GivenAnswer, ...]
) -> Markup:
    return (
        stage(view, position, words)
        + Markup('<hx-partial id="side" hx-swap="outerMorph">{}</hx-partial>').format(
            side(view, timeline, position, words, given)
        )
        + Markup('<hx-partial id="rooms" hx-swap="outerMorph">{}</hx-partial>').format(rooms(position, words))
    )


def stage(view: GameView, position: GamePosition, words: Words) -> Markup:
    """What happens now, and the board."""
    return render(
        "stage.html",
        words.language,
        p=position,
        asked=words.now(position),
        told=words.event(position),
        steps=round_steps(words),
        drawing=board(position, view.game.config, words),
    )


def round_steps(words: Words) -> tuple[tuple[str, str], ...]:
    """The steps of a round."""
    return (
        ("hire", words._("Hire Jack")),
        ("cards", words._("Choose cards")),
        ("move", words._("Move")),
        ("clear", words._("Clear rooms")),
        ("end", words._("Round ends")),
    )


def side(
    view: GameView, timeline: Timeline, position: GamePosition, words: Words, given: tuple[GivenAnswer, ...] = ()
) -> Markup:
    """The seats, the answer behind the position if the game is over, and what happened in this round."""
    log: list[Line] = []
    for earlier in reversed(timeline.positions[1 : position.n + 1]):
        if earlier.round != position.round:
            break
        kind = earlier.event["type"]
        css = "sail" if kind == "ship_sailed" else "fault" if kind == "defaulted" else ""
        log.append(Line(earlier.n, words.event(earlier), css))
    rounds = [(number, n) for number, n in _round_ends(timeline) if number < position.round]
    return render(
        "side.html",
        words.language,
        game=view.id,
        p=position,
        seats=seat_panels(view, position, words),
        answer=panel(view, position, given, words),
        log=log[::-1],
        rounds=rounds,
        facts=facts(position, words),
    )


def _round_ends(timeline: Timeline) -> list[tuple[int, int]]:
    """Each round that is over, and its last event."""
    starts = round_starts(timeline)
    return [(number, n - 1) for number, n in enumerate(starts[1:], 1)]


def round_starts(timeline: Timeline) -> list[int]:
    """The number of the event with which each round begins."""
    return [position.n for position in timeline.positions if position.event["type"] == "round_began"]


def turns(timeline: Timeline) -> list[tuple[int, int]]:
    """Each position in which a seat is first asked something, and the seat."""
    known: set[str] = set()
    found = []
    for position in timeline.positions:
        for decision in position.decisions:
            if decision.id not in known:
                known.add(decision.id)
                found.append((position.n, decision.seat))
    return found


def seat_panels(view: GameView, position: GamePosition, words: Words) -> list[SeatPanel]:
    """All seats as the position has them."""
    waiting = {decision.seat: words.waiting(decision) for decision in position.decisions}
    since = {decision.seat: position.opened[decision.id] for decision in position.decisions}
    ordinals = (words._("1st"), words._("2nd"), words._("3rd"), words._("4th"))
    places = position.places or tuple(1 + sum(other > own for other in position.points) for own in position.points)
    return [
        SeatPanel(
            seat,
            words.player(position.names, seat),
            words._("seat %(num)s, bot", num=seat) if view.meta.seats[seat].kind else words._("seat %(num)s", num=seat),
            position.points[seat],
            words._("points, %(place)s", place=ordinals[places[seat] - 1]),
            waiting.get(seat, ""),
            since.get(seat, ""),
            tuple(_tags(position, seat, words)),
            position.coins[seat],
            sum(ship.aboard(position.players)[seat] for ship in position.docks),
            position.supply[seat],
        )
        for seat in range(position.players)
    ]


def _tags(position: GamePosition, seat: int, words: Words) -> Iterator[tuple[str, str]]:
    if position.places is not None and position.places[seat] == 1:
        yield "on", words._("winner")
    if seat in position.chosen:
        yield "", words._("has chosen")
    if position.jack is not None and position.jack.seat == seat:
        yield "off", words._("hired Jack")
    if seat in position.resigned:
        yield "off", words._("has given up")
    if position.faults[seat]:
        yield "bad", words._n("%(num)s fault", "%(num)s faults", position.faults[seat])


def facts(position: GamePosition, words: Words) -> list[str]:
    """What else lies on the table."""
    found = [words._n("%(num)s coin in the bank.", "%(num)s coins in the bank.", position.bank)]
    if position.jack is not None:
        found.append(words._("Lazy Jack works for %(name)s.", name=words.player(position.names, position.jack.seat)))
    if position.unseen:
        found.append(words._("Ships not seen yet: %(ships)s.", ships=", ".join(position.unseen)))
    if position.reshuffle:
        found.append(words._("One of the last six ships came in: the order is shuffled next."))
    if not position.over:
        found.append(words._("The game ends when three ships or fewer are docked at the end of a round."))
    return found


def rooms(position: GamePosition, words: Words) -> Markup:
    """The board as a table."""
    count = len(position.board)
    rows = []
    for index, warehouse in enumerate(position.board):
        for half, stop, room in (
            ("upper", index, warehouse.upper),
            ("lower", 2 * count - 1 - index, warehouse.lower),
        ):
            name = f"{warehouse.id} {words.half(half)}"
            rows.append(Row(name, stop, words.shows(room), standing(position, stop, words)))
    return render("rooms.html", words.language, rows=rows)


def bar(view: GameView, timeline: Timeline, at: int, words: Words, of: str = "") -> Markup:
    """The controls of the replay. `of`: the seat whose decisions are looked for, or nothing."""
    of_types: dict[str, list[int]] = {}
    for position in timeline.positions:
        of_types.setdefault(position.event["type"], []).append(position.n)
    faults = [position.n for position in timeline.positions if position.event.get("fault")]
    return render(
        "bar.html",
        words.language,
        game=view.id,
        at=at,
        last=timeline.last,
        live=not view.over,
        rounds=of_types.get("round_began", []),
        sailings=of_types.get("ship_sailed", []),
        faults=faults,
        turns=[f"{n}.{seat}" for n, seat in turns(timeline)],
        names=[words.player(view.names, seat) for seat in range(view.meta.players)],
        of=of,
        fragment_tail=f"/{words.language}/{assets.version()}" + ("/over" if view.over else ""),
    )


def about(view: GameView, words: Words) -> str:
    """A line below the title."""
    kind = words._("match of a tournament") if view.meta.match else words._("casual game")
    players = words._n("%(num)s player", "%(num)s players", view.meta.players)
    parts = [words._("Over") if view.over else words._("Live") if view.status == "running" else words._("Not begun")]
    parts += [f"{kind}, {players}"]
    if view.status == "finished":
        parts.append(words._("points %(points)s", points=" : ".join(map(str, view.game.points))))
    if view.meta.name:
        parts.insert(0, words.name(view.meta.name))
    return " · ".join(parts)
