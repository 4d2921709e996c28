"""`/v1/games`: from a new game to its record."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response, request

from service.api import answers, streaming
from service.api.call import Call
from service.api.resource import LOCATED, Answer, Operation, Refusal, Resource
from service.api.schemas import events as event_schemas
from service.api.schemas import games as schemas
from service.api.schemas.common import EmptySchema, EventsQuery, StreamHeaders, WaitQuery
from service.api.schemas.observation import ObservationSchema
from service.api.schemas.records import RecordSchema
from service.operations import acting, creating, games, listing, records, spoiling
from service.operations.acting import Answer as Submission
from service.operations.asks import observation
from service.operations.creating import NewGame
from service.operations.faults import RECEIVED_LIMIT, printable

blueprint = Resource("games", __name__, url_prefix="/v1", description="Games: create, join, watch, play.")

_VIEW_HEADERS = {"ETag": "The version, and whose view it is.", "Vary": "Authorization: a seat sees more."}
_LINES = 'id: 42\nevent: ship_drawn\ndata: {"n":42,"type":"ship_drawn",…}\n\n'


@blueprint.operation(
    Operation(
        "POST",
        "/games",
        answers=(Answer(201, schemas.CreatedGameSchema, "The game and its tokens, shown this once.", LOCATED),),
        body=schemas.NewGameSchema,
        body_example={"players": 2, "seats": ["creator", "open"]},
        errors=("forbidden",),
        creates=True,
    )
)
def create_game(call: Call) -> Response:
    """Create a game.

    It starts at once when no seat is open. Anyone may create one, or a key where the service asks for one. A `callback`
    needs a key.
    """
    made = creating.create(call.ctx, call.caller, NewGame(**call.body))
    body = {
        "game": made.table.id,
        "status": made.table.status,
        "commitment": made.table.meta.commitment,
        "creator_token": made.creator_token,
        "tokens": [{"seat": seat, "token": token} for seat, token in made.tokens],
        "observation": observation(made.table, None),
    }
    if made.callback_secret is not None:
        body["callback_secret"] = made.callback_secret
    return answers.created(body, answers.at("games", made.table.id))


@blueprint.operation(
    Operation("GET", "/games", answers=(Answer(200, schemas.GamePageSchema),), query=schemas.GamesQuery)
)
def list_games(call: Call) -> Response:
    """List public games, newest first.

    A game that is not public is in no list; whoever knows its id may watch it.
    """
    query = call.query
    found = listing.public_games(call.ctx, query["status"], query["limit"], query["cursor"])
    return answers.page(request, found)


@blueprint.operation(
    Operation(
        "GET",
        "/games/<id:game>",
        answers=(
            Answer(200, ObservationSchema, "The game as the caller sees it.", _VIEW_HEADERS),
            Answer(304, None, "The client has the newest version.", _VIEW_HEADERS),
        ),
        query=schemas.ViewQuery,
        headers=schemas.GameHeaders,
        errors=("forbidden",),
        of_game=True,
    )
)
def read_game(call: Call, game: str) -> Response:
    """Watch a game.

    With a seat's token it is that seat's view, else a spectator's. `?wait=25&version=17` (or `If-None-Match`) answers
    as soon as the version differs.
    """
    view = games.view(call.ctx, call.caller, game)
    if _has(call, view):
        view = games.wait_for_view(call.ctx, call.caller, game, view.version, call.query["wait"])
    headers = {
        "ETag": answers.etag(_tag(view)),
        "Vary": "Authorization",
        "Cache-Control": "no-store" if view.private else "no-cache",
    }
    return answers.not_modified(headers) if _has(call, view) else answers.reply(view.observation, headers=headers)


def _tag(view: games.View) -> str:
    return answers.tag(view.version, view.observation["seat"])


def _has(call: Call, view: games.View) -> bool:
    """Whether the client says that it has this very view."""
    return call.query["version"] == view.version or answers.has(request, _tag(view))


@blueprint.operation(
    Operation(
        "DELETE",
        "/games/<id:game>",
        answers=(Answer(204, None, "It is aborted."),),
        who="token",
        of_game=True,
        errors=("forbidden", "game_over"),
    )
)
def abort_game(call: Call, game: str) -> Response:
    """Abort a game.

    With the `creator_token` or an organiser's key.
    """
    games.abort(call.ctx, call.caller, game)
    return answers.nothing()


@blueprint.operation(
    Operation(
        "POST",
        "/games/<id:game>/callback-secret",
        answers=(Answer(200, schemas.GameCallbackSecretSchema, "Shown this once."),),
        body=EmptySchema,
        who="token",
        of_game=True,
        errors=("forbidden", "wrong_state"),
    )
)
def rotate_game_callback_secret(call: Call, game: str) -> Response:
    """Replace the secret of a game's callback.

    The old one stays valid until the time that the answer states. With the `creator_token` or an organiser's key.
    """
    return answers.reply(games.rotate_callback_secret(call.ctx, call.caller, game), headers=answers.PRIVATE)


@blueprint.operation(
    Operation(
        "POST",
        "/games/<id:game>/seats/<seat:seat>",
        answers=(Answer(201, schemas.JoinedSchema, "The seat's token, shown this once.", LOCATED),),
        body=schemas.JoinSchema,
        body_example={"name": "Ada"},
        errors=("seat_taken",),
        creates=True,
    )
)
def join_game(call: Call, game: str, seat: int) -> Response:
    """Take an open seat.

    The game starts with the last one.
    """
    given = games.join(call.ctx, game, seat, call.body["name"])
    body = {"game": game, "seat": given.seat, "token": given.token}
    return answers.created(body, answers.at("games", game))


@blueprint.operation(
    Operation(
        "GET",
        "/games/<id:game>/decision",
        answers=(
            Answer(200, schemas.AskSchema, "What the seat is asked."),
            Answer(204, None, "Nothing is asked of the seat, though the game is not over."),
        ),
        query=WaitQuery,
        who="token",
        of_game=True,
        errors=("forbidden", "game_over"),
    )
)
def read_decision(call: Call, game: str) -> Response:
    """Ask what a seat owes.

    With `?wait=25` it answers as soon as a decision is put to the seat.
    """
    ask = games.decision(call.ctx, call.caller, game, call.query["wait"])
    return answers.nothing() if ask is None else answers.reply(ask, headers=answers.PRIVATE)


@blueprint.operation(
    Operation(
        "GET",
        "/games/<id:game>/legal-actions",
        answers=(Answer(200, schemas.LegalActionsSchema, "In canonical order."),),
        who="token",
        of_game=True,
        errors=("forbidden", "not_your_decision", "game_over"),
    )
)
def read_legal_actions(call: Call, game: str) -> Response:
    """List a seat's legal actions."""
    return answers.reply(games.legal_actions(call.ctx, call.caller, game), headers=answers.PRIVATE)


def _spoil(call: Call, refusal: Refusal, game: str) -> dict[str, Any]:
    """An unusable answer of a poll bot in a match costs it the decision."""
    sent = refusal.sent
    named = sent.get("decision") if isinstance(sent, dict) else None
    decision = named if isinstance(named, str) else None
    told = {"detail": refusal.error.detail, "received": printable(refusal.received, RECEIVED_LIMIT)}
    settled = spoiling.spoil(call.ctx, call.caller, game, decision, **told)
    return {} if settled is None else {"settled": settled}


@blueprint.operation(
    Operation(
        "POST",
        "/games/<id:game>/actions",
        answers=(Answer(200, schemas.ActedSchema, "The decision is settled so."),),
        body=schemas.SubmissionSchema,
        body_example={"decision": "1.play.0.0", "action": {"type": "play", "big": 3, "little": 5}},
        who="token",
        of_game=True,
        errors=("forbidden", "illegal_action", "decision_closed", "not_your_decision", "game_over", "wrong_state"),
        refused=_spoil,
    )
)
def submit_action(call: Call, game: str) -> Response:
    """Settle a decision of the caller's seat.

    Sent again, the same answer gets the same decision, action and version.
    """
    acted = acting.act(call.ctx, call.caller, game, Submission(**call.body))
    body = {
        "decision": acted.decision,
        "action": acted.action,
        "version": acted.version,
        "observation": acted.observation,
    }
    return answers.reply(body, headers=answers.PRIVATE)


@blueprint.operation(
    Operation(
        "POST",
        "/games/<id:game>/resignation",
        answers=(Answer(200, schemas.ResignedSchema, "The seat has resigned."),),
        body=EmptySchema,
        who="token",
        of_game=True,
        errors=("forbidden", "game_over", "wrong_state"),
    )
)
def resign_game(call: Call, game: str) -> Response:
    """Resign.

    Default actions are played for the seat from now on.
    """
    view = games.resign(call.ctx, call.caller, game)
    return answers.reply({"version": view.version, "observation": view.observation}, headers=answers.PRIVATE)


@blueprint.operation(
    Operation(
        "GET",
        "/games/<id:game>/events",
        answers=streaming.told(event_schemas.EventsSchema, _LINES),
        query=EventsQuery,
        headers=StreamHeaders,
        errors=("forbidden",),
        of_game=True,
    )
)
def read_events(call: Call, game: str) -> Response:
    """Follow what happens.

    With `Accept: text/event-stream` it is a stream to the end of the game, resumed by `Last-Event-ID`.
    """
    return streaming.follow(call, request, partial(games.wait_for_events, call.ctx, call.caller, game))


@blueprint.operation(
    Operation(
        "GET",
        "/games/<id:game>/record",
        answers=(Answer(200, RecordSchema, "The record."),),
        errors=("game_not_over",),
    )
)
def read_record(call: Call, game: str) -> Response:
    """Read the record of a game that is over."""
    return answers.reply(records.record(call.ctx, game))
