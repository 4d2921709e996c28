"""Errors (RFC 9457)."""

from __future__ import annotations

from marshmallow import fields

from service.api.errors import CODES
from service.api.schemas.actions import ActionSchema, SettledSchema
from service.api.schemas.common import Choice, ResponseSchema


class ProblemSchema(ResponseSchema):
    """Problem details. Which members beside the first five there are depends on `code`."""

    type = fields.String(
        required=True,
        metadata={
            "description": "`urn:montego-bay:problem:` and the code.",
            "example": "urn:montego-bay:problem:illegal_action",
        },
    )
    title = fields.String(required=True, metadata={"description": "What all problems with this code have in common."})
    status = fields.Integer(required=True, metadata={"description": "The HTTP status.", "example": 422})
    code = Choice(
        *CODES, required=True, metadata={"description": "A stable word for programs.", "example": "illegal_action"}
    )
    detail = fields.String(required=True, metadata={"description": "What is wrong, for people."})
    errors = fields.Dict(metadata={"description": "Messages by field, nested as the request is (`invalid_request`)."})
    legal_actions = fields.List(
        fields.Nested(ActionSchema), metadata={"description": "What would be legal (`illegal_action`)."}
    )
    settled = fields.Nested(
        SettledSchema,
        allow_none=True,
        metadata={"description": "How the decision was settled instead; null if it was not."},
    )
    attempts_left = fields.Integer(
        metadata={"description": "How often the bot may try to answer the decision again (`settled` is null then)."}
    )
