"""`/v1/keys`: keys of organisers, authors and creators."""

from __future__ import annotations

from flask import Response, request

from service.api import idempotency, responses
from service.api.call import Call
from service.api.endpoints import LOCATION_HEADER, Resource, ResponseSpec
from service.api.schemas import keys as schemas
from service.api.schemas.common import PageQuery
from service.api.schemas.games import GamePageSchema, GamesQuery
from service.operations.access import keys
from service.operations.games import read

blueprint = Resource("keys", __name__, url_prefix="/v1", description="Keys: who may register bots and run tournaments.")


@blueprint.operation(
    "POST",
    "/keys",
    ResponseSpec(201, schemas.CreatedKeySchema, "The key, shown this once.", LOCATION_HEADER),
    body=schemas.NewKeySchema,
    body_example={"role": "author", "name": "Ada's bots"},
    auth="required",
    errors=("forbidden",),
    creates=True,
)
def create_key(call: Call) -> Response:
    """Make a key.

    With an organiser's key.
    """
    role, name = call.body["role"], call.body["name"]
    made = idempotency.create(call, lambda claim: keys.create(call.ctx, call.caller, role, name, claim).answer)
    return responses.created(made, responses.path("keys", made.body["id"]))


@blueprint.operation(
    "GET",
    "/keys",
    ResponseSpec(200, schemas.KeyPageSchema),
    query=PageQuery,
    auth="required",
    errors=("forbidden",),
)
def list_keys(call: Call) -> Response:
    """List keys.

    The newest ones come first, without their text. With an organiser's key.
    """
    found = keys.listing(call.ctx, call.caller, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    "DELETE",
    "/keys/<id:key>",
    ResponseSpec(204, None, "It is worth nothing any more."),
    auth="required",
    errors=("forbidden",),
)
def revoke_key(call: Call, key: str) -> Response:
    """Revoke a key.

    It is invalid at once. With an organiser's key.
    """
    keys.revoke(call.ctx, call.caller, key)
    return responses.no_content()


@blueprint.operation(
    "GET",
    "/keys/me/games",
    ResponseSpec(200, GamePageSchema),
    query=GamesQuery,
    auth="required",
    errors=("forbidden",),
)
def list_games_of_key(call: Call) -> Response:
    """List the casual games that were created with the key of this call.

    The newest ones come first. With `status` a page may have fewer games than `limit`.
    """
    query = call.query
    found = read.key_games(call.ctx, call.caller, query["status"], query["limit"], query["cursor"])
    return responses.page(request, found)
