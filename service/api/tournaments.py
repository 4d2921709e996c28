"""`/v1/tournaments`: creating them, watching them, steering them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response, request

from service.api import responses, streaming
from service.api.call import Call
from service.api.resource import LOCATED, Answer, Operation, Resource
from service.api.schemas import tournaments as schemas
from service.api.schemas.common import EmptySchema, EventsQuery, PageQuery, StreamHeaders
from service.api.schemas.exports import ExportSchema
from service.operations.access.tokens import Caller
from service.operations.context import Context
from service.operations.tournaments import export, lifecycle
from service.operations.tournaments import views as views
from service.operations.tournaments.lifecycle import NewTournament

blueprint = Resource(
    "tournaments", __name__, url_prefix="/v1", description="Tournaments: an organiser runs them, anyone watches."
)

_LINES = 'id: 7\nevent: match_finished\ndata: {"n":7,"type":"match_finished",…}\n\n'


@blueprint.operation(
    Operation(
        "POST",
        "/tournaments",
        answers=(Answer(202, schemas.TournamentSchema, "It is being played.", LOCATED),),
        body=schemas.NewTournamentSchema,
        body_example={"name": "spring league", "bots": ["greedy", "random", "greedy-2", "random-2"], "deals": 3},
        who="token",
        errors=("forbidden",),
        creates=True,
    )
)
def create_tournament(call: Call) -> Response:
    """Create a tournament, which starts at once.

    With an organiser's key.
    """
    made = lifecycle.create(call.ctx, call.caller, NewTournament(**call.body))
    return responses.created(made, responses.at("tournaments", made["tournament"]), 202)


@blueprint.operation(
    Operation("GET", "/tournaments", answers=(Answer(200, schemas.TournamentPageSchema),), query=PageQuery)
)
def list_tournaments(call: Call) -> Response:
    """List tournaments, newest first."""
    found = lifecycle.listing(call.ctx, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation(Operation("GET", "/tournaments/<id:tournament>", answers=(Answer(200, schemas.TournamentSchema),)))
def read_tournament(call: Call, tournament: str) -> Response:
    """Show a tournament."""
    return responses.reply(lifecycle.show(call.ctx, tournament))


@blueprint.operation(
    Operation(
        "DELETE",
        "/tournaments/<id:tournament>",
        answers=(Answer(204, None, "It is removed."),),
        who="token",
        errors=("forbidden", "wrong_state"),
    )
)
def remove_tournament(call: Call, tournament: str) -> Response:
    """Remove a tournament that is over, with all of its games.

    With an organiser's key.
    """
    lifecycle.remove(call.ctx, call.caller, tournament)
    return responses.nothing()


@blueprint.operation(
    Operation("GET", "/tournaments/<id:tournament>/standings", answers=(Answer(200, schemas.StandingsSchema),))
)
def read_standings(call: Call, tournament: str) -> Response:
    """Read the table as it stands."""
    return responses.reply(views.standings(call.ctx, tournament))


@blueprint.operation(
    Operation("GET", "/tournaments/<id:tournament>/crosstable", answers=(Answer(200, schemas.CrosstableSchema),))
)
def read_crosstable(call: Call, tournament: str) -> Response:
    """Read the table entrant by entrant."""
    return responses.reply(views.crosstable(call.ctx, tournament))


@blueprint.operation(
    Operation(
        "GET",
        "/tournaments/<id:tournament>/matches",
        answers=(Answer(200, schemas.MatchPageSchema),),
        query=PageQuery,
    )
)
def list_matches(call: Call, tournament: str) -> Response:
    """List matches in the order of the schedule, with what they came to."""
    found = views.matches(call.ctx, tournament, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    Operation(
        "GET",
        "/tournaments/<id:tournament>/schedule",
        answers=(Answer(200, schemas.SchedulePageSchema),),
        query=PageQuery,
    )
)
def read_schedule(call: Call, tournament: str) -> Response:
    """List who sits where in which match."""
    found = views.schedule(call.ctx, tournament, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    Operation(
        "GET",
        "/tournaments/<id:tournament>/events",
        answers=streaming.told(schemas.TournamentEventsSchema, _LINES),
        query=EventsQuery,
        headers=StreamHeaders,
    )
)
def read_tournament_events(call: Call, tournament: str) -> Response:
    """Follow a tournament.

    With `Accept: text/event-stream` it is a stream to its end, resumed by `Last-Event-ID`.
    """
    return streaming.follow(call, request, partial(views.wait_for_events, call.ctx, tournament))


@blueprint.operation(
    Operation(
        "GET",
        "/tournaments/<id:tournament>/export",
        answers=(Answer(200, ExportSchema, "The whole tournament."),),
        errors=("wrong_state",),
    )
)
def export_tournament(call: Call, tournament: str) -> Response:
    """Export a tournament that is over.

    Settings, seed, schedule, every record, every table: what `montego verify` checks without the service.
    """
    return Response(export.export(call.ctx, tournament), content_type="application/json")


@blueprint.operation(
    Operation(
        "POST",
        "/tournaments/<id:tournament>/callback-secret",
        answers=(Answer(200, schemas.TournamentCallbackSecretSchema, "Shown this once."),),
        body=EmptySchema,
        who="token",
        errors=("forbidden", "wrong_state"),
    )
)
def rotate_tournament_callback_secret(call: Call, tournament: str) -> Response:
    """Replace the secret of a tournament's callback.

    The old one stays valid until the time that the answer states. With an organiser's key.
    """
    made = lifecycle.rotate_callback_secret(call.ctx, call.caller, tournament)
    return responses.reply(made, headers=responses.PRIVATE)


Step = Callable[[Context, Caller, str], dict[str, Any]]


def _steered(name: str, rule: str, summary: str, step: Step) -> None:
    """Registers a call without members that moves a tournament on."""

    def steer(call: Call, tournament: str) -> Response:
        return responses.reply(step(call.ctx, call.caller, tournament))

    steer.__name__ = name
    steer.__doc__ = summary
    blueprint.operation(
        Operation(
            "POST",
            f"/tournaments/<id:tournament>/{rule}",
            answers=(Answer(200, schemas.TournamentSchema),),
            body=EmptySchema,
            who="token",
            errors=("forbidden", "wrong_state"),
        )
    )(steer)


_steered("pause_tournament", "pause", "Pause a tournament: no new match begins.", lifecycle.pause)
_steered("resume_tournament", "resumption", "Go on with a paused tournament.", lifecycle.resume)
_steered("cancel_tournament", "cancellation", "End a tournament before its time.", lifecycle.cancel)


@blueprint.operation(
    Operation(
        "POST",
        "/tournaments/<id:tournament>/withdrawals",
        answers=(Answer(200, schemas.TournamentSchema),),
        body=schemas.WithdrawalSchema,
        body_example={"bot": "my-bot"},
        who="token",
        errors=("forbidden", "wrong_state"),
    )
)
def withdraw_bot(call: Call, tournament: str) -> Response:
    """Withdraw a bot.

    Its unfinished blocks are cancelled, its finished ones count. An organiser may, and the bot itself.
    """
    return responses.reply(lifecycle.withdraw(call.ctx, call.caller, tournament, call.body["bot"]))
