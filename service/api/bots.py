"""`/v1/bots`: registered bots."""

from __future__ import annotations

from flask import Response, request

from service.api import idempotency, responses
from service.api.call import Call
from service.api.endpoints import LOCATION_HEADER, Resource, ResponseSpec
from service.api.schemas import bots as schemas
from service.api.schemas.common import EmptySchema, PageQuery, RotationSchema, WaitQuery
from service.api.schemas.games import GamePageSchema, GamesQuery
from service.operations.access.idempotency import CreatingAnswer
from service.operations.bots import checks, poll, registry
from service.operations.bots.registry import NewBot
from service.operations.games import read

blueprint = Resource("bots", __name__, url_prefix="/v1", description="Bots: register them, look after them.")

CHECK_WAIT_S = 25


@blueprint.operation(
    "POST",
    "/bots",
    ResponseSpec(201, schemas.RegisteredBotSchema, "The bot and its secrets, shown this once.", LOCATION_HEADER),
    body=schemas.NewBotSchema,
    body_example={"name": "my-bot", "kind": "push", "url": "http://bot.example:9000"},
    auth="required",
    errors=("forbidden", "name_taken"),
    creates=True,
)
def register_bot(call: Call) -> Response:
    """Register a bot.

    With an author's or an organiser's key.
    """
    new = NewBot(**call.body)
    made = idempotency.create(call, lambda claim: registry.register(call.ctx, call.caller, new, claim).answer)
    return responses.created(made, responses.path("bots", made.body["bot"]))


@blueprint.operation("GET", "/bots", ResponseSpec(200, schemas.BotPageSchema), query=PageQuery)
def list_bots(call: Call) -> Response:
    """List bots.

    The newest ones come first.
    """
    found = registry.listing(call.ctx, call.caller, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation("GET", "/bots/<id:bot>", ResponseSpec(200, schemas.BotSchema))
def read_bot(call: Call, bot: str) -> Response:
    """Show a bot.

    With the owner's key or the bot's token it also shows what only the owner may see.
    """
    return responses.json_response(registry.show(call.ctx, call.caller, bot))


@blueprint.operation(
    "PATCH",
    "/bots/<id:bot>",
    ResponseSpec(200, schemas.BotSchema),
    body=schemas.BotChangesSchema,
    body_example={"casual": True},
    auth="required",
    errors=("forbidden",),
)
def change_bot(call: Call, bot: str) -> Response:
    """Change a bot.

    What is left out stays as it is.
    """
    return responses.json_response(registry.edit(call.ctx, call.caller, bot, call.body))


@blueprint.operation(
    "DELETE",
    "/bots/<id:bot>",
    ResponseSpec(204, None, "It is gone, and its name is free."),
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def delete_bot(call: Call, bot: str) -> Response:
    """Delete a bot.

    It is withdrawn from the casual games that it sits in.
    """
    registry.delete(call.ctx, call.caller, bot)
    return responses.no_content()


@blueprint.operation(
    "POST",
    "/bots/<id:bot>/token",
    ResponseSpec(200, schemas.NewTokenSchema, "Shown this once."),
    body=RotationSchema,
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def rotate_bot_token(call: Call, bot: str) -> Response:
    """Replace a bot's token.

    The old one stays valid until the time that the answer states.
    """
    return responses.private(registry.rotate_token(call.ctx, call.caller, bot, **call.body))


@blueprint.operation(
    "POST",
    "/bots/<id:bot>/secret",
    ResponseSpec(200, schemas.NewSecretSchema, "Shown this once."),
    body=RotationSchema,
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def rotate_bot_secret(call: Call, bot: str) -> Response:
    """Replace a bot's secret.

    The old one stays valid until the time that the answer states.
    """
    return responses.private(registry.rotate_secret(call.ctx, call.caller, bot, **call.body))


@blueprint.operation(
    "GET",
    "/bots/<id:bot>/games",
    ResponseSpec(200, GamePageSchema),
    query=GamesQuery,
    auth="required",
    errors=("forbidden",),
)
def list_bot_games(call: Call, bot: str) -> Response:
    """List the casual games in which a bot has a seat, newest first.

    For its owner. With `status` a page may have fewer games than `limit`. Matches are listed by their tournament.
    """
    query = call.query
    found = read.bot_games(call.ctx, call.caller, bot, query["status"], query["limit"], query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    "GET",
    "/bots/<id:bot>/faults",
    ResponseSpec(200, schemas.FaultPageSchema),
    query=PageQuery,
    auth="required",
    errors=("forbidden",),
)
def list_bot_faults(call: Call, bot: str) -> Response:
    """Read a bot's ledger of faults.

    It has the newest thousand, newest first. With the owner's key or the bot's token.
    """
    found = registry.faults(call.ctx, call.caller, bot, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    "POST",
    "/bots/<id:bot>/check",
    ResponseSpec(200, schemas.CheckSchema, "What was found."),
    ResponseSpec(202, schemas.CheckSchema, "It is not done yet.", LOCATION_HEADER),
    body=EmptySchema,
    auth="required",
    errors=("forbidden",),
)
def check_bot(call: Call, bot: str) -> Response:
    """Check whether a bot does what the bot protocol asks.

    Waits for up to 25 s; when that was not enough, `Location` says where the report will be. While a check of the bot
    runs, another call joins it.
    """
    check = checks.begin(call.ctx, call.caller, bot)
    found = checks.show(call.ctx, call.caller, bot, check, CHECK_WAIT_S)
    if found["status"] == "finished":
        return responses.private(found)
    return responses.created(CreatingAnswer(found), responses.path("bots", bot, "checks", check), 202)


@blueprint.operation(
    "GET",
    "/bots/<id:bot>/checks/<id:check>",
    ResponseSpec(200, schemas.CheckSchema, "The check; `report` is null while it runs."),
    query=WaitQuery,
    auth="required",
    errors=("forbidden",),
)
def read_bot_check(call: Call, bot: str, check: str) -> Response:
    """Read a bot's latest check.

    With `?wait=25` it answers as soon as the check is finished.
    """
    found = checks.show(call.ctx, call.caller, bot, check, call.query["wait"])
    return responses.private(found)


@blueprint.operation(
    "GET",
    "/bots/me/decisions",
    ResponseSpec(200, schemas.PolledSchema),
    query=schemas.PollQuery,
    auth="required",
    errors=("forbidden",),
)
def poll_decisions(call: Call) -> Response:
    """Poll: all that waits for the calling bot, in any game.

    With `?after=<cursor>&wait=25` it answers once that has changed.
    """
    query = call.query
    waiting = poll.poll(call.ctx, call.caller, after=query["after"], wait_s=query["wait"], version=query["version"])
    return responses.private(waiting.to_json())
