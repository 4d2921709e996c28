"""Errors (RFC 9457)."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.actions import ActionSchema
from service.api.schemas.common import Choice, ResponseSchema
from service.protocol import FAULTS


class SettledSchema(ResponseSchema):
    """How a decision was settled."""

    action = fields.Nested(ActionSchema, required=True)
    by = Choice("player", "default", required=True)
    fault = Choice(*FAULTS, required=True, allow_none=True)


class ProblemSchema(ResponseSchema):
    """Problem details. Which members beside the first five there are depends on `code`."""

    type = fields.String(required=True, metadata={"example": "urn:montego-bay:problem:illegal_action"})
    title = fields.String(required=True)
    status = fields.Integer(required=True, metadata={"example": 422})
    code = fields.String(
        required=True, metadata={"description": "A stable word for programs.", "example": "illegal_action"}
    )
    detail = fields.String(required=True, metadata={"description": "What is wrong, for people."})
    errors = fields.Dict(metadata={"description": "Messages by field, nested as the request is (`invalid_request`)."})
    legal_actions = fields.List(
        fields.Nested(ActionSchema), metadata={"description": "What would be legal (`illegal_action`)."}
    )
    settled = fields.Nested(SettledSchema, allow_none=True)
