"""`/v1/hidden-texts`: names and comments that the pages do not show."""

from __future__ import annotations

from flask import Response

from service.api import responses
from service.api.call import Call
from service.api.endpoints import Resource, ResponseSpec
from service.api.schemas import hidden_texts as schemas
from service.operations.access import hidden_texts

blueprint = Resource(
    "hidden-texts",
    __name__,
    url_prefix="/v1",
    description="Hidden texts: names and comments that the pages do not show.",
)


@blueprint.operation(
    "GET",
    "/hidden-texts",
    ResponseSpec(200, schemas.HiddenTextsSchema),
    auth="required",
    errors=("forbidden",),
)
def list_hidden_texts(call: Call) -> Response:
    """List hidden texts.

    With an organiser's key.
    """
    return responses.private(hidden_texts.listing(call.ctx, call.caller))


@blueprint.operation(
    "POST",
    "/hidden-texts",
    ResponseSpec(200, schemas.HiddenTextsSchema, "All hidden texts."),
    body=schemas.HiddenTextSchema,
    body_example={"text": "a rude name"},
    auth="required",
    errors=("forbidden", "wrong_state"),
)
def hide_text(call: Call) -> Response:
    """Hide a text.

    Within seconds no page shows a name or a comment that is this text. Records and the API keep it. With an organiser's
    key.
    """
    return responses.private(hidden_texts.hide(call.ctx, call.caller, call.body["text"]))


@blueprint.operation(
    "POST",
    "/hidden-texts/removals",
    ResponseSpec(200, schemas.HiddenTextsSchema, "All hidden texts."),
    body=schemas.HiddenTextSchema,
    body_example={"text": "a rude name"},
    auth="required",
    errors=("forbidden", "not_found"),
)
def show_text_again(call: Call) -> Response:
    """Show a hidden text again.

    With an organiser's key.
    """
    return responses.private(hidden_texts.show_again(call.ctx, call.caller, call.body["text"]))
