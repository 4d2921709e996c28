"""`/v1/keys`: keys of organisers, authors and creators."""

from __future__ import annotations

from flask import Response, request

from service.api import responses
from service.api.call import Call
from service.api.resource import LOCATED, Answer, Operation, Resource
from service.api.schemas import keys as schemas
from service.api.schemas.common import PageQuery
from service.operations.access import keys

blueprint = Resource("keys", __name__, url_prefix="/v1", description="Keys: who may register bots and run tournaments.")


@blueprint.operation(
    Operation(
        "POST",
        "/keys",
        answers=(Answer(201, schemas.CreatedKeySchema, "The key, shown this once.", LOCATED),),
        body=schemas.NewKeySchema,
        body_example={"role": "author", "name": "Ada's bots"},
        who="token",
        errors=("forbidden",),
        creates=True,
    )
)
def create_key(call: Call) -> Response:
    """Make a key.

    With an organiser's key.
    """
    made = keys.create(call.ctx, call.caller, call.body["role"], call.body["name"])
    return responses.created({**keys.shown(made.key), "key": made.token}, responses.at("keys", made.key.id))


@blueprint.operation(
    Operation(
        "GET",
        "/keys",
        answers=(Answer(200, schemas.KeyPageSchema),),
        query=PageQuery,
        who="token",
        errors=("forbidden",),
    )
)
def list_keys(call: Call) -> Response:
    """List keys, newest first, without their text."""
    found = keys.listing(call.ctx, call.caller, call.query["limit"], call.query["cursor"])
    return responses.page(request, found)


@blueprint.operation(
    Operation(
        "DELETE",
        "/keys/<id:key>",
        answers=(Answer(204, None, "It is worth nothing any more."),),
        who="token",
        errors=("forbidden",),
    )
)
def revoke_key(call: Call, key: str) -> Response:
    """Revoke a key."""
    keys.revoke(call.ctx, call.caller, key)
    return responses.nothing()
