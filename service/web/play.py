"""`/play/<id>`: a game as one of its players, and taking a seat of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from flask import Response, redirect, request, stream_with_context
from markupsafe import Markup

from service.api.call import context
from service.api.endpoints import CREATES
from service.errors import DecisionClosed, Forbidden, NotYourDecision, SeatTaken, Unauthorized
from service.operations.access.tokens import Caller, identify, seat_required
from service.operations.context import Context
from service.operations.games import act, seats
from service.operations.games.act import Submission
from service.operations.games.asks import open_decision
from service.operations.games.change import load
from service.operations.games.create import NewGame, create
from service.operations.games.projection import GameView
from service.web import games, live, pages, visitors
from service.web.blueprints import page_blueprint
from service.web.board import board
from service.web.choices import OpenChoice, choice_of, values
from service.web.explanations import since_own_choice
from service.web.kept import Kept, kept
from service.web.rendering import render
from service.web.words import Words

blueprint = page_blueprint("play")

PRIVATE: Final = {"Cache-Control": "no-store", "Vary": "Cookie, Accept-Language"}
NO_FORM: Final[Mapping[str, str]] = {}


@blueprint.get("/play/<id:game>")
def show_play(game: str) -> Response:
    """The game as its player sees it; without a seat, the ways to one."""
    ctx = context()
    view = load(ctx, game)
    seat = _own_seat(ctx, view)
    if seat is None:
        return _enter(view)
    return _page(view, seat, NO_FORM)


def _own_seat(ctx: Context, view: GameView) -> int | None:
    """The seat of this browser, or None; also for a token that is not one of this game."""
    if not visitors.has_seat(view.id):
        return None
    try:
        return seat_required(ctx, visitors.seated(ctx, view.id), view)
    except (Unauthorized, Forbidden):
        return None


def _caller(ctx: Context, view: GameView) -> tuple[Caller, int]:
    """Who sends a form, and its seat. Raises Unauthorized, Forbidden."""
    visitors.refuse_other_sites()
    caller = visitors.seated(ctx, view.id)
    return caller, seat_required(ctx, caller, view)


def _enter(view: GameView) -> Response:
    """How to get a seat: with a token, or one that is open."""
    words = pages.words()
    response = pages.page(
        "enter.html",
        game=view.id,
        title=words.players(view.names),
        open_seats=[seat for seat, name in enumerate(view.names) if name is None],
        names=[words.player(view.names, seat) for seat in range(view.meta.players)],
    )
    response.headers.update(PRIVATE)
    return response


def _page(view: GameView, seat: int, form: Mapping[str, str], notice: str = "") -> Response:
    own, words = kept(), pages.words()
    timeline = own.timelines.of(view)
    position = timeline.positions[-1]
    choice = _choice(own, view, seat, form, words)
    response = pages.page(
        "play.html",
        game=view.id,
        title=_title(view, seat, words),
        tab=_tab(view, choice, words),
        seat=seat,
        name=words.player(view.names, seat),
        version=view.version,
        choice_decision=choice.decision.id if choice is not None else "",
        stage=_stage(own, view, seat, choice, words),
        choice_form=_choice_form(own, view, seat, choice, words, notice),
        side=games.side(view, timeline, position, words),
        rooms=games.rooms(position, words),
        over=view.over,
    )
    response.headers.update(PRIVATE)
    return response


def _title(view: GameView, seat: int, words: Words) -> str:
    if view.status == "open":
        return words._("Your game")
    others = [words.player(view.names, other) for other in range(view.meta.players) if other != seat]
    return words._("Your game with %(names)s", names=words.listed(others))


def _choice(own: Kept, view: GameView, seat: int, form: Mapping[str, str], words: Words) -> OpenChoice | None:
    decision = open_decision(view, seat)
    if decision is None:
        return None
    position = own.timelines.of(view).positions[-1]
    # A form about another decision has nothing to say about this one.
    given = form if form.get("decision") == decision.id else NO_FORM
    return choice_of(view.game, position, decision, given, words)


def _tab(view: GameView, choice: OpenChoice | None, words: Words) -> str:
    if choice is not None:
        return words._("Your turn")
    return words._("Over") if view.over else words._("Waiting")


def _stage(own: Kept, view: GameView, seat: int, choice: OpenChoice | None, words: Words) -> Markup:
    position = own.timelines.of(view).positions[-1]
    cards = view.game.cards(seat) or {}
    return render(
        "stage.html",
        words.language,
        p=position,
        asked=_asked(own, view, seat, choice, words),
        told=words.event(position),
        steps=games.round_steps(words),
        drawing=board(
            position,
            view.game.config,
            words,
            choice.draft if choice is not None else None,
            {(seat, kind): card for kind, card in cards.items()},
        ),
    )


def _asked(own: Kept, view: GameView, seat: int, choice: OpenChoice | None, words: Words) -> str:
    """What is asked, in the words of the one who is asked."""
    position = own.timelines.of(view).positions[-1]
    if choice is None:
        if view.status == "open":
            return words._("The game begins when all seats are taken.")
        return words.now(position)
    decision = choice.decision
    if decision.type == "hire":
        return words._("Do you want to hire Lazy Jack for 3 coins?")
    if decision.type == "play":
        return words._("Choose a card for each of your workers.")
    place = {
        "worker": words.kind(decision.worker or ""),
        "barrels": words.barrels(decision.barrels or 0),
        "room": words.half(decision.room or ""),
        "warehouse": decision.warehouse,
    }
    if decision.type == "load":
        return words._("Your %(worker)s loads %(barrels)s (%(warehouse)s, %(room)s).", **place)
    return words._("Your %(worker)s takes %(barrels)s off ships (%(warehouse)s, %(room)s).", **place)


def _choice_form(
    own: Kept, view: GameView, seat: int, choice: OpenChoice | None, words: Words, notice: str = ""
) -> Markup:
    return render(
        "choice.html",
        words.language,
        game=view.id,
        view=view,
        seat=seat,
        words=words,
        notice=notice,
        open_seats=[number for number, name in enumerate(view.names) if name is None],
        host=request.host_url,
        outcome=words.outcome(own.timelines.of(view).positions[-1]) if view.over else "",
        results=_results(view),
        happened=since_own_choice(own.timelines.of(view).positions, seat, words),
        needs_key=not context().settings.anonymous_games,
        resigned=seat in view.game.resigned,
        tab=_tab(view, choice, words),
        **values(choice),
    )


def _results(view: GameView) -> list[int]:
    """The seats, the winner first."""
    outcome = view.game.outcome
    places = outcome.places if outcome is not None and outcome.places is not None else (1,) * view.meta.players
    return sorted(range(view.meta.players), key=lambda seat: (places[seat], -view.game.points[seat]))


def _parts(
    own: Kept, view: GameView, seat: int, choice: OpenChoice | None, words: Words, *, form: bool, notice: str = ""
) -> str:
    """The parts of the page that a change changes: the first one takes the place of the stage."""
    timeline = own.timelines.of(view)
    partial = Markup('<hx-partial id="{}" hx-swap="outerMorph">{}</hx-partial>')
    text = _stage(own, view, seat, choice, words)
    text += partial.format("side", games.side(view, timeline, timeline.positions[-1], words))
    text += partial.format("rooms", games.rooms(timeline.positions[-1], words))
    text += Markup('<hx-partial id="with" hx-swap="innerHTML">{}</hx-partial>').format(_title(view, seat, words))
    if form:
        text += partial.format("choice", _choice_form(own, view, seat, choice, words, notice))
    return text


@blueprint.post("/play/<id:game>/choice")
def choose(game: str) -> Response:
    """A step of a choice: shown as it would be, or made."""
    ctx = context()
    view = load(ctx, game)
    caller, seat = _caller(ctx, view)
    own, words = kept(), pages.words()
    form = request.form.to_dict()
    notice = ""
    submission = _submission(own, view, seat, form, words)
    if submission is not None:
        try:
            act.act(ctx, caller, game, submission)
        except (DecisionClosed, NotYourDecision):
            notice = words._("The game has moved on; this was decided before.")
        view, form = load(ctx, game), {}
    if "HX-Request" in request.headers:
        choice = _choice(own, view, seat, form, words)
        response = pages.html(_parts(own, view, seat, choice, words, form=True, notice=notice))
        response.headers.update(PRIVATE)
        return response
    if submission is not None and not notice:
        return redirect(f"/play/{game}", 303)  # type: ignore[return-value]
    return _page(view, seat, form, notice)


def _submission(own: Kept, view: GameView, seat: int, form: Mapping[str, str], words: Words) -> Submission | None:
    """What the form confirms; None: it only asks what would be."""
    decision = form.get("decision", "")[:60]
    if "index" in form and "choose" in form:
        given = form["index"]
        return Submission(decision, index=int(given) if given.isascii() and given.isdigit() and len(given) < 6 else -1)
    if "confirm" not in form:
        return None
    choice = _choice(own, view, seat, form, words)
    if choice is None or choice.decision.id != decision:
        # Sent again: it is judged by the game.
        return Submission(decision, index=-1)
    if choice.action is None:
        return None
    return Submission(decision, index=choice.legal.index(choice.action))


@blueprint.get("/play/<id:game>/live")
def follow_play(game: str) -> Response:
    """What changes for this player, as it changes."""
    ctx = context()
    view = load(ctx, game)
    seat = seat_required(ctx, visitors.seated(ctx, game), view)
    shown = request.args.get("decision", "")
    lines = _lines(ctx, kept(), view, seat, live.known(), shown, pages.words())
    response = live.stream(stream_with_context(lines))
    response.headers.update(PRIVATE)
    return response


def _lines(ctx: Context, own: Kept, view: GameView, seat: int, after: int, shown: str, words: Words) -> Iterator[bytes]:
    """`after`: the version that the page has; `shown`: the decision that its form is about. A form that is still open
    is left as it is: somebody may have begun to fill it in."""
    yield live.BEGIN
    for newest, reset in live.views(ctx, view):
        if newest.version != after or reset:
            after = newest.version
            choice = _choice(own, newest, seat, NO_FORM, words)
            decision = choice.decision.id if choice is not None else ""
            form = decision != shown or not decision or reset
            shown = decision
            yield live.event(after, _parts(own, newest, seat, choice, words, form=form))
        else:
            yield live.NOTHING_NEW
        if newest.over:
            yield live.OVER


@blueprint.post("/play/<id:game>/token")
def bring_token(game: str) -> Response:
    """A seat by its token: from a form, or from the part of a link that browsers don't send."""
    visitors.refuse_other_sites()
    ctx = context()
    token = request.form.get("token", "").strip()[:512]
    seat_required(ctx, identify(ctx, token or None), load(ctx, game))
    return visitors.give_seat(redirect(f"/play/{game}", 303), game, token)  # type: ignore[arg-type]


@blueprint.get("/play/<id:game>/seats/<seat:seat>")
def show_invitation(game: str, seat: int) -> Response:
    """Somebody is invited to a seat."""
    view = load(context(), game)
    if seat >= view.meta.players or view.names[seat] is not None:
        raise SeatTaken("The seat is not open.")
    words = pages.words()
    names = [words.player(view.names, other) for other, name in enumerate(view.names) if name is not None]
    response = pages.page("invitation.html", game=game, seat=seat, names=words.listed(names))
    response.headers.update(PRIVATE)
    return response


@blueprint.post("/play/<id:game>/seats/<seat:seat>")
def take_seat(game: str, seat: int) -> Response:
    """Takes an open seat, with a name."""
    visitors.refuse_other_sites()
    given = seats.join(context(), game, seat, name_of(request.form))
    return visitors.give_seat(redirect(f"/play/{game}", 303), game, given.token)  # type: ignore[arg-type]


def name_of(form: Mapping[str, str]) -> str | None:
    """The name that a form gives; None where it gives none."""
    return " ".join(form.get("name", "").split()) or None


@blueprint.post("/play/<id:game>/resignation")
def resign(game: str) -> Response:
    """Gives the seat up."""
    ctx = context()
    caller, _ = _caller(ctx, load(ctx, game))
    seats.resign(ctx, caller, game)
    return redirect(f"/play/{game}", 303)  # type: ignore[return-value]


@blueprint.post("/play/<id:game>/rematch")
def rematch(game: str) -> Response:
    """The same players once more: bots sit down again, people get an invitation."""
    ctx = context()
    view = load(ctx, game)
    _, seat = _caller(ctx, view)
    plans = [{"bot": plan.bot} if plan.bot else "open" for plan in view.meta.seats]
    caller = identify(ctx, request.form.get("key") or None)
    made = create(ctx, caller, NewGame(view.meta.players, seats=plans))
    given = seats.join(ctx, made.view.id, seat, view.names[seat])
    return visitors.give_seat(redirect(f"/play/{made.view.id}", 303), made.view.id, given.token)  # type: ignore[arg-type]


# Counted like every call that creates something.
setattr(rematch, CREATES, True)
