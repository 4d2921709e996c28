"""A whole tournament as one file (PROTOCOL "Export of a tournament")."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.common import TIME, Boolean, Choice, Integer, ResponseSchema
from service.api.schemas.records import HASH, RecordSchema
from service.api.schemas.tournaments import (
    EntrantSchema,
    ExportCrosstableSchema,
    ExportStageSchema,
    ScheduledMatchSchema,
    StandingSchema,
    TournamentSettingsSchema,
)


class ExportSettingsSchema(TournamentSettingsSchema):
    """What the tournament was created with, the seed included if it was given."""

    seed = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The seed that chance is drawn from; null or absent while it is secret."},
    )
    callback = fields.String(
        required=True, allow_none=True, metadata={"description": "The URL that callbacks are sent to, or null."}
    )


class ExportEntrantSchema(EntrantSchema):
    """A bot in a tournament, and the versions that it named."""

    versions = fields.List(fields.String(), required=True, metadata={"description": "Versions that bots have given."})


class ExportMatchSchema(ResponseSchema):
    """One attempt at a match. Lists of numbers and faults are by seat."""

    match = fields.String(required=True, metadata={"description": "The id of the match; null outside a tournament."})
    attempt = Integer(
        0,
        required=True,
        metadata={"description": "Counts from 0; above 0 the match was played again after it was void."},
    )
    status = Choice(
        "finished", "void", "cancelled", required=True, metadata={"description": "What became of the attempt."}
    )
    harness_slow = Boolean(
        required=True, metadata={"description": "Whether the service itself was too slow during the match."}
    )
    not_started = fields.List(fields.String(), required=True, metadata={"description": "Names."})
    faults = fields.List(
        fields.Dict(keys=fields.String(), values=Integer(0)),
        required=True,
        metadata={"description": "Faults of each kind, by seat."},
    )
    answers = fields.List(
        Integer(0), required=True, metadata={"description": "How many answers were measured, by seat."}
    )
    answer_ms = fields.List(
        Integer(0),
        required=True,
        metadata={"description": "Milliseconds that the seat took for all its answers, by seat."},
    )
    record = fields.Nested(
        RecordSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The record of the game; null if it was not played."},
    )


class RatingSchema(ResponseSchema):
    """What the results say of one bot."""

    name = fields.String(required=True, metadata={"description": "The name of the bot."})
    rating = fields.Float(required=True, metadata={"description": "The rating; null before the first result."})
    interval = fields.List(
        fields.Float(),
        required=True,
        allow_none=True,
        metadata={"description": "The 95 % interval of the rating; null if there is none."},
    )
    reason = fields.String(required=True, allow_none=True, metadata={"description": "Why there is no interval."})
    superiority = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Likelihood that the bot is stronger than the next one below it by rating."},
    )
    bands = fields.List(
        Integer(1),
        required=True,
        allow_none=True,
        metadata={"description": "The first and the last rank band that the bot belongs to; null without an interval."},
    )
    blocks = Integer(0, required=True, metadata={"description": "How many finished blocks the rating is based on."})
    error = fields.Float(
        allow_none=True,
        metadata={"description": "Of a ladder's season: the standard error of the rating, if there is one."},
    )
    provisional = Boolean(
        metadata={"description": "Of a ladder's season: whether the interval is more than 100 points wide to a side."}
    )


class ExportSchema(ResponseSchema):
    """A tournament that is over, with all that is needed to check it."""

    format = fields.String(
        required=True,
        validate=validate.Equal("montego-bay-tournament/1"),
        metadata={"description": "The format of the export."},
    )
    tournament = fields.String(required=True, metadata={"description": "The id of the tournament; null outside one."})
    status = Choice(
        "finished", "cancelled", "failed", required=True, metadata={"description": "How the tournament ended."}
    )
    reason = fields.String(
        required=True, allow_none=True, metadata={"description": "Why the tournament ended early, or null."}
    )
    created = fields.String(required=True, metadata=TIME)
    started = fields.String(
        required=True,
        allow_none=True,
        metadata={**TIME, "description": "When its first matches could be played, or null. RFC 3339, UTC."},
    )
    ended = fields.String(required=True, metadata={**TIME, "description": "When it ended. RFC 3339, UTC."})
    settings = fields.Nested(
        ExportSettingsSchema, required=True, metadata={"description": "What the tournament was created with."}
    )
    entrants = fields.List(
        fields.Nested(ExportEntrantSchema), required=True, metadata={"description": "The bots that take part."}
    )
    withdrawn = fields.List(fields.String(), required=True, metadata={"description": "Bots that were withdrawn."})
    seed = fields.String(
        required=True,
        metadata={"description": "The seed that chance is drawn from; null or absent while it is secret."},
    )
    nonce = fields.String(
        required=True,
        metadata={
            "description": "Opens the commitment together with the seed: 32 hexadecimal digits; not shown while secret."
        },
    )
    commitment = fields.String(required=True, metadata=HASH)
    stages = fields.List(
        fields.Nested(ExportStageSchema),
        required=True,
        metadata={"description": "Who met whom in each stage; empty for a round robin and a gauntlet."},
    )
    log = fields.List(
        fields.Dict(),
        required=True,
        metadata={"description": "Of a ladder's season: who came and went, and every block; else empty."},
    )
    schedule = fields.List(
        fields.Nested(ScheduledMatchSchema), required=True, metadata={"description": "Every match with its seats."}
    )
    matches = fields.List(
        fields.Nested(ExportMatchSchema), required=True, metadata={"description": "Every attempt at a match."}
    )
    standings = fields.List(
        fields.Nested(StandingSchema), required=True, metadata={"description": "The rows of the table, best first."}
    )
    crosstable = fields.Nested(
        ExportCrosstableSchema, required=True, metadata={"description": "Scores of every bot against every other."}
    )
    ratings = fields.List(
        fields.Nested(RatingSchema), required=True, metadata={"description": "The rating of each bot."}
    )
    digest = fields.String(required=True, metadata={"description": "`sha256:` and 64 hexadecimal digits."})
