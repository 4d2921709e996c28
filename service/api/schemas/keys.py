"""Keys of organisers, authors and creators."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.common import TIME, Choice, Name, RequestSchema, ResponseSchema, cursor_field
from service.protocol import ROLES

ROLE = {"description": "organiser: everything; author: registers bots; creator: makes games."}


class NewKeySchema(RequestSchema):
    """A key to make."""

    role = Choice(*ROLES, required=True, metadata=ROLE)
    name = Name(required=True, metadata={"example": "spring league"})


class KeySchema(ResponseSchema):
    """A key, without its text."""

    id = fields.String(required=True)
    role = Choice(*ROLES, required=True)
    name = fields.String(required=True)
    created = fields.String(required=True, metadata=TIME)


class CreatedKeySchema(KeySchema):
    """A new key; its text is shown this once."""

    key = fields.String(required=True)


class KeyPageSchema(ResponseSchema):
    """A page of keys, newest first."""

    items = fields.List(fields.Nested(KeySchema), required=True)
    next = cursor_field()
