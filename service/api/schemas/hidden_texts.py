"""Texts that pages do not show."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.common import RequestSchema, ResponseSchema

MAX_TEXT = 500


class HiddenTextSchema(RequestSchema):
    """A text to hide, or to show again."""

    text = fields.String(
        required=True,
        validate=validate.Length(1, MAX_TEXT),
        metadata={"description": "The whole name or comment, as it was written.", "example": "a rude name"},
    )


class HiddenTextsSchema(ResponseSchema):
    """All hidden texts, in alphabetical order."""

    items = fields.List(fields.String(), required=True, metadata={"description": "The texts."})
