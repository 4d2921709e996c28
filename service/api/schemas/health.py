"""Health of a process."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.common import ResponseSchema


class HealthSchema(ResponseSchema):
    """A word."""

    status = fields.String(required=True, metadata={"description": "`ok` or `ready`.", "example": "ok"})
