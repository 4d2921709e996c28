"""The record of a game (PROTOCOL "Game record")."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from service.api.schemas.actions import SettledSchema
from service.api.schemas.common import Choice, Integer, ResponseSchema
from service.api.schemas.games import ComponentsSchema, DealtTiles, RefusedSchema
from service.api.schemas.observation import OutcomeSchema, VariantsSchema, WorkerSchema
from service.protocol import RESIGNATION_REASONS

HASH = {"description": "64 hexadecimal digits."}


class RecordSetupSchema(DealtTiles, ResponseSchema):
    """How the game was dealt. Seed, nonce and block_seed open the commitment; null while they may not be told."""

    seed = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The seed that chance is drawn from; null or absent while it is secret."},
    )
    nonce = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Opens the commitment together with the seed: 32 hexadecimal digits; not shown while secret."
        },
    )
    block_seed = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The seed of the block; null for a game outside a tournament, or while it is secret."},
    )


class RecordSeatSchema(ResponseSchema):
    """Who sat there."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    name = fields.String(required=True, metadata={"description": "The name of the player."})
    version = fields.String(required=True, allow_none=True, metadata={"description": "The bot's version, or null."})


class RecordActionSchema(SettledSchema):
    """A settled action, and the decision that it answered."""

    round = Integer(1, required=True, metadata={"description": "The round, from 1."})
    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    decision = fields.String(required=True, metadata={"description": "The id of the decision."})


class ResignationSchema(ResponseSchema):
    """A resignation, and how many entries of `actions` stand before it."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    after = Integer(0, required=True, metadata={"description": "How many entries of `actions` come before it."})
    reason = Choice(
        *RESIGNATION_REASONS,
        required=True,
        metadata={"description": "Whether the seat resigned, forfeited by faults or was withdrawn."},
    )


class ResultSchema(OutcomeSchema):
    """How a game ended, and after how many rounds."""

    rounds = Integer(0, required=True, metadata={"description": "How many rounds were begun."})


class CommentSchema(ResponseSchema):
    """What a player wrote with an answer."""

    decision = fields.String(required=True, metadata={"description": "The id of the decision."})
    comment = fields.String(required=True, metadata={"description": "Up to 500 characters of its own."})


class RefusalSchema(RefusedSchema):
    """An answer that was refused before its decision was settled."""

    decision = fields.String(required=True, metadata={"description": "The id of the decision."})


class RecordSchema(ResponseSchema):
    """A game from its deal to its result, enough to replay it with no random numbers.

    The engine checks the records that come in, since its errors name the entry at which one goes wrong.
    """

    def load(self, data: Any, **kwargs: Any) -> Any:
        """The record as it was sent."""
        return data

    format = fields.String(
        required=True,
        validate=validate.Equal("montego-bay-record/1"),
        metadata={"description": "The format of the record."},
    )
    game = fields.String(required=True, metadata={"description": "The id of the game."})
    players = Integer(2, 4, required=True, metadata={"description": "How many seats the game has."})
    variants = fields.Nested(VariantsSchema, required=True, metadata={"description": "The variants of the rules."})
    components = fields.Nested(
        ComponentsSchema, required=True, metadata={"description": "All ships and warehouses of the game."}
    )
    deal = Choice(
        "drawn",
        "seeded",
        "given",
        required=True,
        metadata={
            "description": "How the game was dealt: by a seed from the service, by a seed from its creator, or by hand."
        },
    )
    commitment = fields.String(required=True, metadata=HASH)
    setup = fields.Nested(
        RecordSetupSchema, required=True, metadata={"description": "The deal: board, ships and first order."}
    )
    seats = fields.List(
        fields.Nested(RecordSeatSchema), required=True, metadata={"description": "The players by seat."}
    )
    actions = fields.List(
        fields.Nested(RecordActionSchema),
        required=True,
        metadata={
            "description": "All settled actions in order; the cards of a round by seat, where they were revealed."
        },
    )
    resignations = fields.List(
        fields.Nested(ResignationSchema), required=True, metadata={"description": "Seats that gave up."}
    )
    orders = fields.List(
        fields.List(fields.Nested(WorkerSchema)),
        required=True,
        metadata={"description": "The movement order of each round."},
    )
    result = fields.Nested(ResultSchema, required=True, metadata={"description": "How the game ended."})
    comments = fields.List(
        fields.Nested(CommentSchema),
        metadata={
            "description": "Comments in the order of the actions; missing where there are none. Not in the digest."
        },
    )
    refusals = fields.List(
        fields.Nested(RefusalSchema),
        metadata={
            "description": "Answers that were refused while the bot had attempts left, in the order of the actions; "
            "missing where there are none."
        },
    )
    digest = fields.String(required=True, metadata={"description": "`sha256:` and 64 hexadecimal digits."})


class ImportedSchema(ResponseSchema):
    """The game that a record was kept as."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})
    status = Choice("finished", "aborted", required=True, metadata={"description": "The status of the game."})
    digest = fields.String(
        required=True, metadata={"description": "`sha256:` and 64 hexadecimal digits over the record."}
    )
