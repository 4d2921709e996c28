"""`/v1/records`: games that were played elsewhere."""

from __future__ import annotations

from flask import Response

from service.api import responses
from service.api.call import Call
from service.api.resource import LOCATION_HEADER, Resource, ResponseSpec
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
    view = records.import_record(call.ctx, call.caller, call.json)
    body = {"game": view.id, "status": view.status, "digest": call.json["digest"]}
    return responses.created(body, responses.path("games", view.id))
