"""A whole tournament as one file (PROTOCOL "Export of a tournament")."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.common import TIME, Boolean, Choice, Integer, ResponseSchema
from service.api.schemas.records import HASH, RecordSchema
from service.api.schemas.tournaments import (
    EntrantSchema,
    ScheduledMatchSchema,
    StandingSchema,
    TournamentSettingsSchema,
)


class ExportSettingsSchema(TournamentSettingsSchema):
    """What the tournament was created with, the seed included if it was given."""

    seed = fields.String(required=True, allow_none=True)
    callback = fields.String(required=True, allow_none=True)


class ExportEntrantSchema(EntrantSchema):
    """A bot in a tournament, and the versions that it named."""

    versions = fields.List(fields.String(), required=True)


class ExportMatchSchema(ResponseSchema):
    """One attempt at a match. Lists of numbers and faults are by seat."""

    match = fields.String(required=True)
    attempt = Integer(0, required=True)
    status = Choice("finished", "void", "cancelled", required=True)
    harness_slow = Boolean(required=True)
    not_started = fields.List(fields.String(), required=True, metadata={"description": "Names."})
    faults = fields.List(fields.Dict(keys=fields.String(), values=Integer(0)), required=True)
    answers = fields.List(Integer(0), required=True)
    answer_ms = fields.List(Integer(0), required=True)
    record = fields.Nested(RecordSchema, required=True, allow_none=True)


class ExportCrosstableSchema(ResponseSchema):
    """Entrant by entrant, rows and columns in the order of `names`."""

    names = fields.List(fields.String(), required=True)
    matches = fields.List(fields.List(Integer(0, allow_none=True)), required=True)
    score = fields.List(fields.List(fields.Float(allow_none=True)), required=True)


class RatingSchema(ResponseSchema):
    """What the results say of one bot."""

    name = fields.String(required=True)
    rating = fields.Float(required=True)
    interval = fields.List(fields.Float(), required=True, allow_none=True)
    reason = fields.String(required=True, allow_none=True, metadata={"description": "Why there is no interval."})
    superiority = fields.Float(required=True, allow_none=True)
    bands = fields.List(Integer(1), required=True, allow_none=True)
    blocks = Integer(0, required=True)


class ExportSchema(ResponseSchema):
    """A tournament that is over, with all that is needed to check it."""

    format = fields.String(required=True, validate=validate.Equal("montego-bay-tournament/1"))
    tournament = fields.String(required=True)
    status = Choice("finished", "cancelled", "failed", required=True)
    reason = fields.String(required=True, allow_none=True)
    created = fields.String(required=True, metadata=TIME)
    settings = fields.Nested(ExportSettingsSchema, required=True)
    entrants = fields.List(fields.Nested(ExportEntrantSchema), required=True)
    withdrawn = fields.List(fields.String(), required=True)
    seed = fields.String(required=True)
    nonce = fields.String(required=True)
    commitment = fields.String(required=True, metadata=HASH)
    schedule = fields.List(fields.Nested(ScheduledMatchSchema), required=True)
    matches = fields.List(fields.Nested(ExportMatchSchema), required=True)
    standings = fields.List(fields.Nested(StandingSchema), required=True)
    crosstable = fields.Nested(ExportCrosstableSchema, required=True)
    ratings = fields.List(fields.Nested(RatingSchema), required=True)
    digest = fields.String(required=True, metadata={"description": "`sha256:` and 64 hexadecimal digits."})
