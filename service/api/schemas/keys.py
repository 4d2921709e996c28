"""Keys of organisers, authors and creators."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.common import TIME, Choice, Name, RequestSchema, ResponseSchema, cursor_field
from service.protocol import ROLES

ROLE = {"description": "organiser: everything; author: registers bots; creator: makes games."}


class NewKeySchema(RequestSchema):
    """A key to make."""

    role = Choice(*ROLES, required=True, metadata=ROLE)
    name = Name(required=True, metadata={"description": "A name to tell keys apart.", "example": "spring league"})


class KeySchema(ResponseSchema):
    """A key, without its text."""

    id = fields.String(required=True, metadata={"description": "The id of the key."})
    role = Choice(*ROLES, required=True, metadata={"description": "What the key may do."})
    name = fields.String(required=True, metadata={"description": "A name for the key."})
    created = fields.String(required=True, metadata=TIME)


class CreatedKeySchema(KeySchema):
    """A new key; its text is shown this once."""

    key = fields.String(required=True, metadata={"description": "The key, shown only this once."})


class KeyPageSchema(ResponseSchema):
    """A page of keys, newest first."""

    items = fields.List(fields.Nested(KeySchema), required=True, metadata={"description": "The items of this page."})
    next = cursor_field()
