"""Actions: a union of five, told apart by `type` (RULES "Decisions and legal actions")."""

from __future__ import annotations

from collections.abc import Mapping

from marshmallow import Schema, fields, validate
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.schemas.common import ROOMS, WORKERS, Choice, Integer, RequestSchema, ResponseSchema

CARDS = {"minimum": 1, "maximum": 5}
SHIP_ID = validate.Regexp(r"^[a-z0-9_-]{1,16}$")


def ships_field() -> fields.Dict:
    """Barrels by ship."""
    return fields.Dict(
        keys=fields.String(validate=SHIP_ID),
        values=Integer(0, 16),
        required=True,
        metadata={"description": "Barrels by ship id.", "example": {"s03": 2}},
    )


class DeclineSchema(RequestSchema):
    """Does without Lazy Jack."""

    type = fields.String(required=True, validate=validate.Equal("decline"))


class HireSchema(RequestSchema):
    """Hires Lazy Jack, who starts where this own worker is."""

    type = fields.String(required=True, validate=validate.Equal("hire"))
    worker = Choice("big", "little", required=True)


class PlaySchema(RequestSchema):
    """A card for each worker, and for Jack from whoever hired him."""

    type = fields.String(required=True, validate=validate.Equal("play"))
    big = Integer(**CARDS, required=True)
    little = Integer(**CARDS, required=True)
    jack = Integer(**CARDS)


class LoadSchema(RequestSchema):
    """Puts barrels in hand on docked ships."""

    type = fields.String(required=True, validate=validate.Equal("load"))
    ships = ships_field()


class UnloadSchema(RequestSchema):
    """Takes own barrels from docked ships."""

    type = fields.String(required=True, validate=validate.Equal("unload"))
    ships = ships_field()


class ActionSchema(OneOfSchema):
    """One choice."""

    type_field_remove = False
    type_schemas: Mapping[str, type[Schema] | Schema] = {
        "decline": DeclineSchema,
        "hire": HireSchema,
        "play": PlaySchema,
        "load": LoadSchema,
        "unload": UnloadSchema,
    }


class DecisionSchema(ResponseSchema):
    """A question put to one seat. `worker`, `warehouse`, `room`, `barrels` where they apply."""

    id = fields.String(required=True, metadata={"example": "3.load.1.0", "description": "`<round>.<type>.<seat>.<n>`"})
    seat = Integer(0, 3, required=True)
    type = Choice("hire", "play", "load", "unload", required=True)
    worker = Choice(*WORKERS)
    warehouse = fields.String(metadata={"example": "w3"})
    room = Choice(*ROOMS)
    barrels = Integer(0, 16, metadata={"description": "What is in hand, or what must be unloaded."})
