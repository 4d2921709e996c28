"""`/v1/ladders`: opening them, entering and leaving them, watching them, ending their seasons."""

from __future__ import annotations

from functools import partial

from flask import Response, request

from service.api import responses, streaming
from service.api.call import Call
from service.api.endpoints import LOCATION_HEADER, Resource, ResponseSpec
from service.api.schemas import ladders as schemas
from service.api.schemas.common import EventsQuery, PageQuery, StreamHeaders
from service.api.schemas.exports import ExportSchema
from service.api.schemas.tournaments import TournamentEventsSchema
from service.operations.access.idempotency import CreatingAnswer
from service.operations.ladders import entrants, read, seasons
from service.operations.ladders.document import load_season
from service.operations.ladders.seasons import NewLadder
from service.operations.tournaments import events, export

blueprint = Resource(
    "ladders", __name__, url_prefix="/v1", description="Ladders: bots come and go, and are rated as they play."
)

_LINES = 'id: 7\nevent: block_started\ndata: {"n":7,"type":"block_started",…}\n\n'


@blueprint.operation(
    "POST",
    "/ladders",
    ResponseSpec(201, schemas.LadderSchema, "It is open.", LOCATION_HEADER),
    body=schemas.NewLadderSchema,
    body_example={"name": "house ladder", "references": ["greedy", "random", "greedy-2", "random-2"]},
    auth="required",
    errors=("forbidden",),
)
def open_ladder(call: Call) -> Response:
    """Open a ladder.

    With an organiser's key. Its first season begins at once, and rests until a bot enters.
    """
    ladder, doc = seasons.open_ladder(call.ctx, call.caller, NewLadder(**call.body))
    shown = read.show(call.ctx, ladder)
    if doc.callback_secret is not None:
        shown["callback_secret"] = doc.callback_secret
    return responses.created(CreatingAnswer(shown), responses.path("ladders", ladder))


@blueprint.operation("GET", "/ladders", ResponseSpec(200, schemas.LadderPageSchema), query=PageQuery)
def list_ladders(call: Call) -> Response:
    """List ladders.

    The newest ones come first.
    """
    return responses.page(request, read.listing(call.ctx, call.query["limit"], call.query["cursor"]))


@blueprint.operation("GET", "/ladders/<id:ladder>", ResponseSpec(200, schemas.LadderSchema), errors=("wrong_state",))
def read_ladder(call: Call, ladder: str) -> Response:
    """Show a ladder.

    Its settings, and the season that runs.
    """
    return responses.json_response(read.show(call.ctx, ladder))


@blueprint.operation(
    "DELETE",
    "/ladders/<id:ladder>",
    ResponseSpec(204, None, "It is closed."),
    auth="required",
    errors=("forbidden",),
)
def close_ladder(call: Call, ladder: str) -> Response:
    """Close a ladder.

    Its season ends, and no other follows. All of it can still be read. With an organiser's key.
    """
    seasons.close(call.ctx, call.caller, ladder)
    return responses.no_content()


@blueprint.operation(
    "POST",
    "/ladders/<id:ladder>/entrants",
    ResponseSpec(201, schemas.LadderEntrantSchema, "It has entered."),
    body=schemas.EnterLadderSchema,
    body_example={"bot": "my-bot"},
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def enter_ladder(call: Call, ladder: str) -> Response:
    """Enter a bot.

    The key that registered it may, the bot itself, and an organiser.
    """
    made = entrants.enter(call.ctx, call.caller, ladder, call.body["bot"])
    shown = {
        "name": made.name,
        "bot": made.bot,
        "version": made.version,
        "reference": made.reference,
        "away": made.away,
    }
    return responses.json_response(shown, 201)


@blueprint.operation(
    "DELETE",
    "/ladders/<id:ladder>/entrants/<id:bot>",
    ResponseSpec(204, None, "It gets no new blocks."),
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def leave_ladder(call: Call, ladder: str, bot: str) -> Response:
    """Take a bot off.

    It keeps its place in the table, and a block that it plays is finished. The key that registered it may, the bot
    itself, and an organiser.
    """
    entrants.leave(call.ctx, call.caller, ladder, bot)
    return responses.no_content()


@blueprint.operation(
    "GET", "/ladders/<id:ladder>/table", ResponseSpec(200, schemas.LadderTableSchema), errors=("wrong_state",)
)
def read_ladder_table(call: Call, ladder: str) -> Response:
    """Read the table.

    Ratings and intervals may be looked at at any time: they hold at every look.
    """
    return responses.json_response(read.table(call.ctx, ladder))


@blueprint.operation(
    "GET",
    "/ladders/<id:ladder>/blocks",
    ResponseSpec(200, schemas.LadderBlockPageSchema),
    query=PageQuery,
    errors=("wrong_state",),
)
def list_ladder_blocks(call: Call, ladder: str) -> Response:
    """List the blocks of the season that runs.

    The newest ones come first.
    """
    return responses.page(request, read.blocks(call.ctx, ladder, call.query["limit"], call.query["cursor"]))


@blueprint.operation(
    "POST",
    "/ladders/<id:ladder>/seasons",
    ResponseSpec(201, schemas.SeasonSchema, "The next one has begun."),
    body=schemas.NewSeasonSchema,
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def end_season(call: Call, ladder: str) -> Response:
    """End the season that runs.

    The next one begins at once, with those who took part and a new seed. With an organiser's key.
    """
    season = seasons.end_season(call.ctx, call.caller, ladder, call.body["ends"])
    return responses.json_response(read.season_summary(season), 201)


@blueprint.operation(
    "GET",
    "/ladders/<id:ladder>/seasons/<int:number>/export",
    ResponseSpec(200, ExportSchema, "The whole season."),
    errors=("wrong_state",),
)
def export_season(call: Call, ladder: str, number: int) -> Response:
    """Export a season that is over.

    Its log, every record, every table: what `montego verify` checks without the service.
    """
    season = load_season(call.ctx, ladder, number)
    return Response(export.export(call.ctx, season.tournament), content_type="application/json")


@blueprint.operation(
    "GET",
    "/ladders/<id:ladder>/events",
    *streaming.response_specs(TournamentEventsSchema, _LINES),
    query=EventsQuery,
    headers=StreamHeaders,
    errors=("wrong_state",),
)
def read_ladder_events(call: Call, ladder: str) -> Response:
    """Follow the season that runs.

    With `Accept: text/event-stream` it is a stream to the season's end, resumed by `Last-Event-ID`.
    """
    season = load_season(call.ctx, ladder)
    return streaming.respond(call, request, partial(events.wait_for_events, call.ctx, season.tournament))
