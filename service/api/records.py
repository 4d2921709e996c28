"""`/v1/records`: games that were played elsewhere."""

from __future__ import annotations

from flask import Response

from service.api import idempotency, responses
from service.api.call import Call
from service.api.endpoints import LOCATION_HEADER, Resource, ResponseSpec
from service.api.schemas.records import ImportedSchema, RecordSchema
from service.operations.games import records

blueprint = Resource("records", __name__, url_prefix="/v1", description="Records of games that were played elsewhere.")


@blueprint.operation(
    "POST",
    "/records",
    ResponseSpec(201, ImportedSchema, "It is kept as a game that is over.", LOCATION_HEADER),
    body=RecordSchema,
    auth="required",
    errors=("forbidden", "wrong_state"),
    creates=True,
)
def import_record(call: Call) -> Response:
    """Import a record.

    It is verified first, and keeps its id and digest. With any key.
    """
    made = idempotency.create(call, lambda claim: records.import_record(call.ctx, call.caller, call.json, claim))
    return responses.created(made, responses.path("games", made.body["game"]))
