"""The record of a game (PROTOCOL "Game record")."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.actions import ActionSchema
from service.api.schemas.common import Outgoing, Whole, Word
from service.api.schemas.games import ComponentsSchema
from service.api.schemas.observation import VariantsSchema, WorkerSchema
from service.protocol import FAULTS, RESIGNATION_REASONS

HASH = {"description": "64 hexadecimal digits."}


class RecordSetupSchema(Outgoing):
    """How the game was dealt. Seed, nonce and block_seed open the commitment; null while they may not be told."""

    seed = fields.String(required=True, allow_none=True)
    nonce = fields.String(required=True, allow_none=True)
    block_seed = fields.String(required=True, allow_none=True)
    warehouses = fields.List(fields.String(), required=True)
    ships = fields.List(fields.String(), required=True)
    order = fields.List(fields.Nested(WorkerSchema), required=True)


class RecordSeatSchema(Outgoing):
    """Who sat there."""

    seat = Whole(0, 3, required=True)
    name = fields.String(required=True)
    version = fields.String(required=True, allow_none=True)


class RecordActionSchema(Outgoing):
    """A settled action."""

    round = Whole(1, required=True)
    seat = Whole(0, 3, required=True)
    decision = fields.String(required=True)
    action = fields.Nested(ActionSchema, required=True)
    by = Word("player", "default", required=True)
    fault = Word(*FAULTS, required=True, allow_none=True)


class ResignationSchema(Outgoing):
    """A resignation, and how many entries of `actions` stand before it."""

    seat = Whole(0, 3, required=True)
    after = Whole(0, required=True)
    reason = Word(*RESIGNATION_REASONS, required=True)


class ResultSchema(Outgoing):
    """How it ended."""

    points = fields.List(Whole(0), required=True)
    places = fields.List(Whole(1, 4), required=True, allow_none=True)
    rounds = Whole(0, required=True)
    ended = Word("played", "resigned", "aborted", required=True)


class RecordSchema(Outgoing):
    """A game from its deal to its result, enough to replay it with no random numbers."""

    format = fields.String(required=True, validate=validate.Equal("montego-bay-record/1"))
    game = fields.String(required=True)
    players = Whole(2, 4, required=True)
    variants = fields.Nested(VariantsSchema, required=True)
    components = fields.Nested(ComponentsSchema, required=True)
    deal = Word("drawn", "seeded", "given", required=True)
    commitment = fields.String(required=True, metadata=HASH)
    setup = fields.Nested(RecordSetupSchema, required=True)
    seats = fields.List(fields.Nested(RecordSeatSchema), required=True)
    actions = fields.List(fields.Nested(RecordActionSchema), required=True)
    resignations = fields.List(fields.Nested(ResignationSchema), required=True)
    orders = fields.List(fields.List(fields.Nested(WorkerSchema)), required=True)
    result = fields.Nested(ResultSchema, required=True)
    digest = fields.String(required=True, metadata={"description": "`sha256:` and 64 hexadecimal digits."})


class ImportedSchema(Outgoing):
    """The game that a record was kept as."""

    game = fields.String(required=True)
    status = Word("finished", "aborted", required=True)
    digest = fields.String(required=True)
