"""Actions: a union of five, told apart by `type` (RULES "Decisions and legal actions")."""

from __future__ import annotations

from collections.abc import Mapping

from marshmallow import Schema, fields, validate
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.schemas.common import ROOMS, WORKERS, Choice, Integer, RequestSchema, ResponseSchema
from service.protocol import FAULTS

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

    type = fields.String(
        required=True, validate=validate.Equal("decline"), metadata={"description": "Always `decline`."}
    )


class HireSchema(RequestSchema):
    """Hires Lazy Jack, who starts where this own worker is."""

    type = fields.String(required=True, validate=validate.Equal("hire"), metadata={"description": "Always `hire`."})
    worker = Choice("big", "little", required=True, metadata={"description": "The worker with whom Jack is placed."})


class PlaySchema(RequestSchema):
    """A card for each worker, and for Jack from whoever hired him."""

    type = fields.String(required=True, validate=validate.Equal("play"), metadata={"description": "Always `play`."})
    big = Integer(**CARDS, required=True, metadata={"description": "The card of the seat's big worker."})
    little = Integer(**CARDS, required=True, metadata={"description": "The card of the seat's little worker."})
    jack = Integer(**CARDS, metadata={"description": "Lazy Jack's card; only from the seat that hired him."})


class LoadSchema(RequestSchema):
    """Puts barrels in hand on docked ships."""

    type = fields.String(required=True, validate=validate.Equal("load"), metadata={"description": "Always `load`."})
    ships = ships_field()


class UnloadSchema(RequestSchema):
    """Takes own barrels from docked ships."""

    type = fields.String(required=True, validate=validate.Equal("unload"), metadata={"description": "Always `unload`."})
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
    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    type = Choice("hire", "play", "load", "unload", required=True, metadata={"description": "What is asked."})
    worker = Choice(*WORKERS, metadata={"description": "The worker in front of the room."})
    warehouse = fields.String(metadata={"description": "The id of the warehouse.", "example": "w3"})
    room = Choice(*ROOMS, metadata={"description": "Which room of the warehouse."})
    barrels = Integer(0, 16, metadata={"description": "What is in hand, or what must be unloaded."})


class SettledSchema(ResponseSchema):
    """How a decision was settled."""

    action = fields.Nested(ActionSchema, required=True, metadata={"description": "The action that was settled."})
    by = Choice(
        "player",
        "default",
        required=True,
        metadata={"description": "`player`, or `default` if the default action was played for the seat."},
    )
    fault = Choice(
        *FAULTS,
        required=True,
        allow_none=True,
        metadata={"description": "The fault that led to a default action, or null."},
    )
