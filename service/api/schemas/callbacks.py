"""Callbacks (PROTOCOL "Callbacks"): what the service sends to the URL that a game or tournament has named."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.common import TIME, Choice, Integer, ResponseSchema

CALLBACK_TYPES = ("game.started", "game.turn", "game.ended", "tournament.started", "tournament.ended")


class CallbackDataSchema(ResponseSchema):
    """What the news is about."""

    game = fields.String(metadata={"description": "The id of the game, if it is about a game."})
    tournament = fields.String(metadata={"description": "The id of the tournament, if it is about one."})
    version = Integer(
        0,
        required=True,
        metadata={"description": "The version of the game, or the number of events of the tournament."},
    )
    due = fields.List(Integer(0, 3), required=True, metadata={"description": "The seats to act."})


class CallbackSchema(ResponseSchema):
    """News of a game or a tournament."""

    type = Choice(*CALLBACK_TYPES, required=True, metadata={"description": "What happened."})
    timestamp = fields.String(required=True, metadata={**TIME, "description": "When it happened: RFC 3339, UTC."})
    data = fields.Nested(CallbackDataSchema, required=True, metadata={"description": "What the news is about."})
