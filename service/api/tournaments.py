"""`/v1/tournaments`: creating them, watching them, steering them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flask import Response, request

from service.api import idempotency, responses, streaming
from service.api.call import Call
from service.api.endpoints import LOCATION_HEADER, Resource, ResponseSpec, View
from service.api.schemas import tournaments as schemas
from service.api.schemas.common import EmptySchema, EventsQuery, PageQuery, RotationSchema, StreamHeaders
from service.api.schemas.exports import ExportSchema
from service.operations.tournaments import create, events, export, lifecycle, read, stages
from service.operations.tournaments.create import NewTournament

blueprint = Resource(
    "tournaments", __name__, url_prefix="/v1", description="Tournaments: an organiser runs them, anyone watches."
)

_LINES = 'id: 7\nevent: match_finished\ndata: {"n":7,"type":"match_finished",…}\n\n'


@blueprint.operation(
    "POST",
    "/tournaments",
    ResponseSpec(202, schemas.TournamentSchema, "It is being played.", LOCATION_HEADER),
    body=schemas.NewTournamentSchema,
    body_example={"name": "spring league", "bots": ["greedy", "random", "greedy-2", "random-2"], "deals": 3},
    auth="required",
    errors=("forbidden",),
    creates=True,
)
def create_tournament(call: Call) -> Response:
    """Create a tournament, which starts at once.

    With an organiser's key.
    """
    new = NewTournament(**call.body)
    made = idempotency.create(call, lambda claim: create.create_tournament(call.ctx, call.caller, new, claim))
    return responses.created(made, responses.path("tournaments", made.body["tournament"]), 202)


@blueprint.operation("GET", "/tournaments", ResponseSpec(200, schemas.TournamentPageSchema), query=PageQuery)
def list_tournaments(call: Call) -> Response:
    """List tournaments.

    The newest ones come first.
    """
    found = read.listing(call.ctx, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation("GET", "/tournaments/<id:tournament>", ResponseSpec(200, schemas.TournamentSchema))
def read_tournament(call: Call, tournament: str) -> Response:
    """Show a tournament.

    Its settings, its entrants and how far it is.
    """
    return responses.json_response(read.show(call.ctx, tournament))


@blueprint.operation(
    "DELETE",
    "/tournaments/<id:tournament>",
    ResponseSpec(204, None, "It is removed."),
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def remove_tournament(call: Call, tournament: str) -> Response:
    """Remove a tournament that is over, with all of its games.

    With an organiser's key.
    """
    lifecycle.remove(call.ctx, call.caller, tournament)
    return responses.no_content()


@blueprint.operation("GET", "/tournaments/<id:tournament>/standings", ResponseSpec(200, schemas.StandingsSchema))
def read_standings(call: Call, tournament: str) -> Response:
    """Read the standings.

    They count every finished match, also while the tournament runs.
    """
    return responses.json_response(read.standings(call.ctx, tournament))


@blueprint.operation("GET", "/tournaments/<id:tournament>/crosstable", ResponseSpec(200, schemas.CrosstableSchema))
def read_crosstable(call: Call, tournament: str) -> Response:
    """Read the crosstable.

    It has the score of every bot against every other.
    """
    return responses.json_response(read.crosstable(call.ctx, tournament))


@blueprint.operation(
    "GET",
    "/tournaments/<id:tournament>/matches",
    ResponseSpec(200, schemas.MatchPageSchema),
    query=PageQuery,
)
def list_matches(call: Call, tournament: str) -> Response:
    """List matches.

    They are in the order of the schedule, each with its result.
    """
    found = read.matches(call.ctx, tournament, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    "GET",
    "/tournaments/<id:tournament>/schedule",
    ResponseSpec(200, schemas.SchedulePageSchema),
    query=PageQuery,
)
def read_schedule(call: Call, tournament: str) -> Response:
    """List the schedule.

    It says which bot sits where in which match.
    """
    found = read.schedule(call.ctx, tournament, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation("GET", "/tournaments/<id:tournament>/stages", ResponseSpec(200, schemas.StagesSchema))
def read_stages(call: Call, tournament: str) -> Response:
    """List the stages.

    A Swiss tournament, a knockout and divisions are drawn stage by stage, each from the results before it.
    """
    return responses.json_response(stages.stages(call.ctx, tournament))


@blueprint.operation(
    "GET",
    "/tournaments/<id:tournament>/events",
    *streaming.response_specs(schemas.TournamentEventsSchema, _LINES),
    query=EventsQuery,
    headers=StreamHeaders,
)
def read_tournament_events(call: Call, tournament: str) -> Response:
    """Follow a tournament.

    With `Accept: text/event-stream` it is a stream to its end, resumed by `Last-Event-ID`.
    """
    return streaming.respond(call, request, partial(events.wait_for_events, call.ctx, tournament))


@blueprint.operation(
    "GET",
    "/tournaments/<id:tournament>/export",
    ResponseSpec(200, ExportSchema, "The whole tournament."),
    errors=("wrong_state",),
)
def export_tournament(call: Call, tournament: str) -> Response:
    """Export a tournament that is over.

    Settings, seed, schedule, every record, every table: what `montego verify` checks without the service.
    """
    return Response(export.export(call.ctx, tournament), content_type="application/json")


@blueprint.operation(
    "POST",
    "/tournaments/<id:tournament>/callback-secret",
    ResponseSpec(200, schemas.TournamentCallbackSecretSchema, "Shown this once."),
    body=RotationSchema,
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def rotate_tournament_callback_secret(call: Call, tournament: str) -> Response:
    """Replace the secret of a tournament's callback.

    The old one stays valid until the time that the answer states. With an organiser's key.
    """
    made = lifecycle.rotate_callback_secret(call.ctx, call.caller, tournament, **call.body)
    return responses.private(made)


def _change_of_state(noun: str) -> Callable[[View], View]:
    """Declares an operation that moves a tournament into another state and needs no more than its name."""
    return blueprint.operation(
        "POST",
        f"/tournaments/<id:tournament>/{noun}",
        ResponseSpec(200, schemas.TournamentSchema),
        body=EmptySchema,
        auth="required",
        errors=("forbidden", "wrong_state"),
    )


@_change_of_state("pause")
def pause_tournament(call: Call, tournament: str) -> Response:
    """Pause a tournament.

    No new match begins. With an organiser's key.
    """
    return responses.json_response(lifecycle.pause(call.ctx, call.caller, tournament))


@_change_of_state("resumption")
def resume_tournament(call: Call, tournament: str) -> Response:
    """Resume a paused tournament.

    With an organiser's key.
    """
    return responses.json_response(lifecycle.resume(call.ctx, call.caller, tournament))


@_change_of_state("cancellation")
def cancel_tournament(call: Call, tournament: str) -> Response:
    """Cancel a tournament.

    No further match is played. With an organiser's key.
    """
    return responses.json_response(lifecycle.cancel(call.ctx, call.caller, tournament))


@blueprint.operation(
    "POST",
    "/tournaments/<id:tournament>/withdrawals",
    ResponseSpec(200, schemas.TournamentSchema),
    body=schemas.WithdrawalSchema,
    body_example={"bot": "my-bot"},
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def withdraw_bot(call: Call, tournament: str) -> Response:
    """Withdraw a bot.

    Its unfinished blocks are cancelled, its finished ones count. An organiser may, and the bot itself.
    """
    return responses.json_response(lifecycle.withdraw(call.ctx, call.caller, tournament, call.body["bot"]))
