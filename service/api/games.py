"""`/v1/games`: from a new game to its record."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import msgspec
from flask import Response, request

from service.api import idempotency, limits, responses, streaming
from service.api.call import Call, caller_of
from service.api.endpoints import LOCATION_HEADER, InvalidBody, Resource, ResponseSpec
from service.api.errors import InvalidMembers, problem_document
from service.api.parsing import load_object
from service.api.schemas import events as event_schemas
from service.api.schemas import games as schemas
from service.api.schemas.common import ID_PATTERN, EmptySchema, RotationSchema, StreamHeaders, WaitQuery
from service.api.schemas.records import RecordSchema
from service.errors import OperationError
from service.operations.access.tokens import Caller
from service.operations.bots.faults import RECEIVED_LIMIT, printable
from service.operations.games import act, act_all, create, read, records, seats
from service.operations.games.act import Acted, Submission
from service.operations.games.act_all import Outcome, Sent
from service.operations.games.create import NewGame
from service.operations.games.projection import GameView

blueprint = Resource("games", __name__, url_prefix="/v1", description="Games: create, join, watch, play.")

_VIEW_HEADERS = {
    "ETag": "The version, when it was made, and whose view it is.",
    "Vary": "Authorization: a seat sees more.",
}
_LINES = 'id: 42@2026-11-29T22:25:59.205Z\nevent: ship_drawn\ndata: {"n":42,"type":"ship_drawn",…}\n\n'


@blueprint.operation(
    "POST",
    "/games",
    ResponseSpec(201, schemas.CreatedGameSchema, "The game and its tokens, shown this once.", LOCATION_HEADER),
    body=schemas.NewGameSchema,
    body_example={"players": 2, "seats": ["creator", "open"]},
    errors=("forbidden",),
    creates=True,
)
def create_game(call: Call) -> Response:
    """Create a game.

    It starts at once when no seat is open. Anyone may create one, or a key where the service asks for one. A `callback`
    needs a key. With `count` up to 256 games are created, each of which counts as one creation.
    """
    new = NewGame(**call.body)
    limits.count(call.caller, new.count - 1)
    made = idempotency.create(call, lambda claim: create.create(call.ctx, call.caller, new, claim).answer)
    return responses.created(made, responses.path("games", made.body["game"]))


@blueprint.operation("GET", "/games", ResponseSpec(200, schemas.GamePageSchema), query=schemas.GamesQuery)
def list_games(call: Call) -> Response:
    """List public games, newest first.

    A game that is not public is in no list; whoever knows its id may watch it.
    """
    query = call.query
    found = read.public_games(call.ctx, query["status"], query["limit"], query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    "GET",
    "/games/<id:game>",
    ResponseSpec(200, schemas.ViewSchema, "The game as the caller sees it.", _VIEW_HEADERS),
    ResponseSpec(304, None, "The client has the newest version.", _VIEW_HEADERS),
    query=schemas.ViewQuery,
    headers=schemas.GameHeaders,
    errors=("forbidden",),
    checks_token=False,
)
def read_game(call: Call, game: str) -> Response:
    """Watch a game.

    With a seat's token it is that seat's view, else a spectator's. `?wait=25&version=17` (or `If-None-Match`) answers
    as soon as the version differs.
    """
    observed = read.observe(call.ctx, call.caller, game)
    if _has(call, observed) and not observed.view.over:
        observed = read.wait_for_observation(call.ctx, call.caller, observed, call.query["wait"])
    headers = {
        "ETag": responses.etag(_tag(observed)),
        "Vary": "Authorization",
        "Cache-Control": "no-cache" if observed.seat is None else "no-store",
    }
    if _has(call, observed):
        return responses.not_modified(headers)
    reset = {"reset": True} if _is_reset(call, observed.view) else {}
    return responses.json_response({**observed.observation, **reset}, headers=headers)


def _tag(observed: read.Observed) -> str:
    return responses.opaque_tag(observed.view.version, observed.view.changed_ms, observed.seat)


def _has(call: Call, observed: read.Observed) -> bool:
    """Whether the client says that it has this very view."""
    return call.query["version"] == observed.view.version or responses.client_has(request, _tag(observed))


def _is_reset(call: Call, view: GameView) -> bool:
    """Whether what the client says to have is no version of the game (any more)."""
    if call.query["version"] is not None:
        return not view.follows(call.query["version"])
    named = responses.views_of(request)
    return bool(named) and not any(view.follows(version, at_ms) for version, at_ms in named)


@blueprint.operation(
    "DELETE",
    "/games/<id:game>",
    ResponseSpec(204, None, "It is aborted."),
    auth="required",
    checks_token=False,
    errors=("forbidden", "game_over", "wrong_state"),
)
def abort_game(call: Call, game: str) -> Response:
    """Abort a game.

    With the `creator_token` or an organiser's key.
    """
    seats.abort(call.ctx, call.caller, game)
    return responses.no_content()


@blueprint.operation(
    "POST",
    "/games/<id:game>/callback-secret",
    ResponseSpec(200, schemas.GameCallbackSecretSchema, "Shown this once."),
    body=RotationSchema,
    auth="required",
    checks_token=False,
    errors=("forbidden", "wrong_state"),
)
def rotate_game_callback_secret(call: Call, game: str) -> Response:
    """Replace the secret of a game's callback.

    The old one stays valid until the time that the answer states. With the `creator_token` or an organiser's key.
    """
    return responses.private(seats.rotate_callback_secret(call.ctx, call.caller, game, **call.body))


@blueprint.operation(
    "POST",
    "/games/<id:game>/seats/<seat:seat>",
    ResponseSpec(201, schemas.JoinedSchema, "The seat's token, shown this once.", LOCATION_HEADER),
    body=schemas.JoinSchema,
    body_example={"name": "Ada"},
    errors=("seat_taken",),
    creates=True,
)
def join_game(call: Call, game: str, seat: int) -> Response:
    """Take an open seat.

    The game starts with the last one.
    """
    name = call.body["name"]
    given = idempotency.create(call, lambda claim: seats.join(call.ctx, game, seat, name, claim).answer)
    return responses.created(given, responses.path("games", game))


@blueprint.operation(
    "GET",
    "/games/<id:game>/decision",
    ResponseSpec(200, schemas.AskSchema, "What the seat is asked."),
    ResponseSpec(204, None, "Nothing is asked of the seat, though the game is not over."),
    query=WaitQuery,
    auth="required",
    checks_token=False,
    errors=("forbidden", "game_over"),
)
def read_decision(call: Call, game: str) -> Response:
    """Read the open decision of a seat.

    With `?wait=25` it answers as soon as a decision is put to the seat.
    """
    ask = read.decision(call.ctx, call.caller, game, call.query["wait"])
    return responses.no_content() if ask is None else responses.private(ask)


@blueprint.operation(
    "GET",
    "/games/<id:game>/legal-actions",
    ResponseSpec(200, schemas.LegalActionsSchema, "In canonical order."),
    auth="required",
    checks_token=False,
    errors=("forbidden", "not_your_decision", "game_over"),
)
def read_legal_actions(call: Call, game: str) -> Response:
    """List a seat's legal actions.

    They are in canonical order; the first one is the default action.
    """
    return responses.private(read.legal_actions(call.ctx, call.caller, game))


def _invalid_answer(call: Call, invalid: InvalidBody, game: str) -> dict[str, Any]:
    """A request of a poll bot in a match that is no answer is charged to it."""
    named = invalid.json.get("decision") if isinstance(invalid.json, dict) else None
    decision = named if isinstance(named, str) else None
    received = printable(invalid.raw, RECEIVED_LIMIT)
    charged = act.invalid_answer(call.ctx, call.caller, game, decision, detail=invalid.error.detail, received=received)
    return charged or {}


_PREFERENCE_HEADERS = {responses.PREFERENCE_APPLIED: "`return=…`, where the request's `Prefer` was followed."}


def _acted(acted: Acted, returned: str) -> dict[str, Any]:
    """An accepted answer; `returned`: `minimal` or `representation`."""
    if returned == "minimal":
        return {"version": acted.version}
    return {
        "decision": acted.decision,
        "action": acted.action,
        "version": acted.version,
        "observation": acted.observation,
    }


@blueprint.operation(
    "POST",
    "/games/<id:game>/actions",
    ResponseSpec(200, schemas.ActedSchema, "The decision is settled so.", _PREFERENCE_HEADERS),
    body=schemas.SubmissionSchema,
    body_example={"decision": "1.play.0.0", "action": {"type": "play", "big": 3, "little": 5}},
    headers=schemas.PreferHeaders,
    auth="required",
    checks_token=False,
    errors=("forbidden", "illegal_action", "decision_closed", "not_your_decision", "game_over", "wrong_state"),
    on_invalid_body=_invalid_answer,
)
def submit_action(call: Call, game: str) -> Response:
    """Settle a decision of the caller's seat.

    Sent again, the same answer gets the same decision, action and version. With `Prefer: return=minimal` it gets the
    version only.
    """
    acted = act.act(call.ctx, call.caller, game, Submission(**call.body))
    wanted = responses.preferred_return(request)
    return responses.preferred(_acted(acted, wanted or "representation"), wanted)


@blueprint.operation(
    "POST",
    "/actions",
    ResponseSpec(200, schemas.SubmissionResultsSchema, "What became of each answer.", _PREFERENCE_HEADERS),
    body=schemas.SubmissionsSchema,
    body_example={
        "actions": [
            {
                "game": "eqawirhjyq5kxc7j",
                "token": "mb_eqawirhjyq5kxc7j.0.xEPsqbzE",
                "decision": "1.play.0.0",
                "action": {"type": "play", "big": 3, "little": 5},
            }
        ]
    },
    headers=schemas.PreferHeaders,
    checks_token=False,
)
def submit_actions(call: Call) -> Response:
    """Settle up to 256 decisions of any games.

    Each answer is judged by itself, and has a result of its own. Answers to one game are taken in their order. Results
    are minimal, unless `Prefer: return=representation` asks for more.
    """
    wanted = responses.preferred_return(request)
    identified = cache(partial(caller_of, call.ctx))
    read: list[Sent | OperationError] = [_sent(call, identified, item) for item in call.body["actions"]]
    outcomes = iter(act_all.act_all(call.ctx, [item for item in read if isinstance(item, Sent)]))
    results = [_result(next(outcomes) if isinstance(item, Sent) else item, wanted or "minimal") for item in read]
    return responses.preferred({"results": results}, wanted)


_SENT = schemas.SentSubmissionSchema()


def _sent(call: Call, identified: Callable[[str], Caller], item: Any) -> Sent | OperationError:
    """One of many answers: who sends it, and for which game; or why it is no answer."""
    if not isinstance(item, dict):
        return InvalidMembers({"_schema": ["An answer must be an object."]})
    token, game = item.get("token"), item.get("game")
    try:
        caller = identified(token) if isinstance(token, str) else call.caller
    except OperationError as error:
        return error
    try:
        submission = load_object(item, _SENT)
    except InvalidMembers as error:
        if isinstance(game, str) and re.fullmatch(ID_PATTERN, game):
            invalid = InvalidBody(error, item, msgspec.json.encode(item))
            error.extra.update(_invalid_answer(replace(call, caller=caller), invalid, game))
        return error
    given = {name: value for name, value in submission.items() if name not in ("game", "token")}
    return Sent(caller, submission["game"], Submission(**given))


def _result(outcome: Outcome, returned: str) -> dict[str, Any]:
    if isinstance(outcome, OperationError):
        problem = problem_document(outcome.code, outcome.detail, outcome.extra)
        return {"status": problem["status"], "problem": problem}
    return {"status": 200, **_acted(outcome, returned)}


@blueprint.operation(
    "POST",
    "/games/<id:game>/resignation",
    ResponseSpec(200, schemas.ResignedSchema, "The seat has resigned."),
    body=EmptySchema,
    auth="required",
    checks_token=False,
    errors=("forbidden", "game_over", "wrong_state"),
)
def resign_game(call: Call, game: str) -> Response:
    """Resign.

    Default actions are played for the seat from now on.
    """
    observed = seats.resign(call.ctx, call.caller, game)
    return responses.private({"version": observed.view.version, "observation": observed.observation})


@blueprint.operation(
    "GET",
    "/games/<id:game>/events",
    *streaming.response_specs(event_schemas.EventsSchema, _LINES),
    query=event_schemas.GameEventsQuery,
    headers=StreamHeaders,
    errors=("forbidden",),
    checks_token=False,
)
def read_events(call: Call, game: str) -> Response:
    """Follow what happens.

    With `Accept: text/event-stream` it is a stream to the end of the game, resumed by `Last-Event-ID`. With
    `?observation=true` the events come with what the caller sees after them.
    """
    wait = partial(read.wait_for_events, call.ctx, call.caller, game)
    return streaming.respond(call, request, wait, _observation if call.query["observation"] else None)


def _observation(found: read.Events) -> dict[str, Any]:
    return found.seen.observation


@blueprint.operation(
    "GET",
    "/games/<id:game>/record",
    ResponseSpec(200, RecordSchema, "The record."),
    errors=("game_not_over",),
)
def read_record(call: Call, game: str) -> Response:
    """Read the record of a game that is over.

    It is enough to replay the game, and has a digest over its canonical form.
    """
    return responses.json_response(records.record(call.ctx, game))
