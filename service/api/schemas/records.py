"""The record of a game (PROTOCOL "Game record")."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.actions import ActionSchema
from service.api.schemas.common import Choice, Integer, ResponseSchema
from service.api.schemas.games import ComponentsSchema
from service.api.schemas.observation import VariantsSchema, WorkerSchema
from service.protocol import FAULTS, RESIGNATION_REASONS

HASH = {"description": "64 hexadecimal digits."}


class RecordSetupSchema(ResponseSchema):
    """How the game was dealt. Seed, nonce and block_seed open the commitment; null while they may not be told."""

    seed = fields.String(required=True, allow_none=True)
    nonce = fields.String(required=True, allow_none=True)
    block_seed = fields.String(required=True, allow_none=True)
    warehouses = fields.List(fields.String(), required=True)
    ships = fields.List(fields.String(), required=True)
    order = fields.List(fields.Nested(WorkerSchema), required=True)


class RecordSeatSchema(ResponseSchema):
    """Who sat there."""

    seat = Integer(0, 3, required=True)
    name = fields.String(required=True)
    version = fields.String(required=True, allow_none=True)


class RecordActionSchema(ResponseSchema):
    """A settled action."""

    round = Integer(1, required=True)
    seat = Integer(0, 3, required=True)
    decision = fields.String(required=True)
    action = fields.Nested(ActionSchema, required=True)
    by = Choice("player", "default", required=True)
    fault = Choice(*FAULTS, required=True, allow_none=True)


class ResignationSchema(ResponseSchema):
    """A resignation, and how many entries of `actions` stand before it."""

    seat = Integer(0, 3, required=True)
    after = Integer(0, required=True)
    reason = Choice(*RESIGNATION_REASONS, required=True)


class ResultSchema(ResponseSchema):
    """How it ended."""

    points = fields.List(Integer(0), required=True)
    places = fields.List(Integer(1, 4), required=True, allow_none=True)
    rounds = Integer(0, required=True)
    ended = Choice("played", "resigned", "aborted", required=True)


class RecordSchema(ResponseSchema):
    """A game from its deal to its result, enough to replay it with no random numbers."""

    format = fields.String(required=True, validate=validate.Equal("montego-bay-record/1"))
    game = fields.String(required=True)
    players = Integer(2, 4, required=True)
    variants = fields.Nested(VariantsSchema, required=True)
    components = fields.Nested(ComponentsSchema, required=True)
    deal = Choice("drawn", "seeded", "given", required=True)
    commitment = fields.String(required=True, metadata=HASH)
    setup = fields.Nested(RecordSetupSchema, required=True)
    seats = fields.List(fields.Nested(RecordSeatSchema), required=True)
    actions = fields.List(fields.Nested(RecordActionSchema), required=True)
    resignations = fields.List(fields.Nested(ResignationSchema), required=True)
    orders = fields.List(fields.List(fields.Nested(WorkerSchema)), required=True)
    result = fields.Nested(ResultSchema, required=True)
    digest = fields.String(required=True, metadata={"description": "`sha256:` and 64 hexadecimal digits."})


class ImportedSchema(ResponseSchema):
    """The game that a record was kept as."""

    game = fields.String(required=True)
    status = Choice("finished", "aborted", required=True)
    digest = fields.String(required=True)
