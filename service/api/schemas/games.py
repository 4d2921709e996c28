"""Games: what is asked for, and what is answered."""

from __future__ import annotations

from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.api.schemas.actions import ActionSchema, DecisionSchema
from service.api.schemas.common import (
    STATUSES,
    TIME,
    Boolean,
    Choice,
    EngineChecked,
    Integer,
    Name,
    PageQuery,
    PrintableString,
    QueryInteger,
    RequestSchema,
    ResponseSchema,
    WaitQuery,
    cursor_field,
)
from service.api.schemas.observation import ObservationSchema, RoomSchema, WorkerSchema
from service.protocol import BOT_PROTOCOL, FAULTS

SEAT_PLANS = {
    "description": "One entry a seat; without it all seats are the creator's.",
    "items": {
        "oneOf": [
            {"type": "string", "enum": ["creator", "open"]},
            {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Of the creator, who gets the seat."}},
                "required": ["name"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"bot": {"type": "string", "description": "A bot's name or id."}},
                "required": ["bot"],
                "additionalProperties": False,
            },
        ]
    },
    "example": ["creator", "open"],
}
CALLBACK = {
    "description": "A URL that is told of start, turns and end by signed POSTs; http or https, without a query.",
    "example": "https://example.org/montego",
}
CALLBACK_SECRET = {"description": "What callbacks are signed with, if a `callback` was named; shown this once."}
SEED = {"description": "What chance is drawn from: 1 to 128 printable characters.", "example": "kill-1"}


class NewVariantsSchema(RequestSchema):
    """Variants of the rules; what is left out is as the rules have it."""

    tally = Choice("warehouses", "circuit")
    last_place = Choice("paid", "unpaid")
    starting_coins = Integer(0, 3)


class ShipTileSchema(RequestSchema):
    """A cargo ship of a component set."""

    id = fields.String(required=True, validate=validate.Regexp(r"^[a-z0-9_-]{1,16}$"))
    capacity = Integer(3, 16, required=True)
    points = fields.List(Integer(0, 20), required=True, validate=validate.Length(equal=3))


class WarehouseTileSchema(RequestSchema):
    """A warehouse of a component set."""

    id = fields.String(required=True, validate=validate.Regexp(r"^[a-z0-9_-]{1,16}$"))
    upper = fields.Nested(RoomSchema, required=True)
    lower = fields.Nested(RoomSchema, required=True)


class ComponentsSchema(RequestSchema):
    """A component set: 7 warehouses with 2 or 3 players, 8 with 4, and 4 to 60 cargo ships."""

    ships = fields.List(fields.Nested(ShipTileSchema), required=True, validate=validate.Length(4, 60))
    warehouses = fields.List(fields.Nested(WarehouseTileSchema), required=True, validate=validate.Length(7, 8))


class SetupSchema(RequestSchema):
    """A deal: board from left to right, ships in drawing order (the first three are docked), order first to last."""

    warehouses = fields.List(fields.String(), required=True)
    ships = fields.List(fields.String(), required=True)
    order = fields.List(fields.Nested(WorkerSchema), required=True)
    seed = fields.String(allow_none=True)
    nonce = fields.String(allow_none=True)
    block_seed = fields.String(allow_none=True)


class OrderField(fields.List[Any]):
    """A movement order. The engine checks it."""

    def __init__(self) -> None:
        super().__init__(fields.Nested(WorkerSchema))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return value


class NewGameSchema(RequestSchema):
    """A new game."""

    players = Integer(2, 4, required=True, metadata={"example": 2})
    seed = PrintableString(1, 128, allow_none=True, load_default=None, metadata=SEED)
    variants = EngineChecked(NewVariantsSchema, allow_none=True, load_default=None)
    components = EngineChecked(ComponentsSchema, allow_none=True, load_default=None)
    setup = EngineChecked(SetupSchema, allow_none=True, load_default=None)
    orders = fields.List(
        OrderField(),
        allow_none=True,
        load_default=None,
        validate=validate.Length(max=60),
        metadata={"description": "Movement orders by round, used where a reshuffle happens."},
    )
    seats = fields.List(
        fields.Raw(), allow_none=True, load_default=None, validate=validate.Length(2, 4), metadata=SEAT_PLANS
    )
    turn_seconds = Integer(
        1,
        7 * 24 * 3600,
        allow_none=True,
        load_default=None,
        metadata={"description": "A seat that lets so many seconds pass gets the default action."},
    )
    name = Name(allow_none=True, load_default=None)
    public = Boolean(load_default=False, metadata={"description": "Whether `GET /v1/games` lists it."})
    callback = PrintableString(1, 2048, allow_none=True, load_default=None, metadata=CALLBACK)


class SeatTokenSchema(ResponseSchema):
    """A seat and its token, which is shown this once."""

    seat = Integer(0, 3, required=True)
    token = fields.String(required=True)


class CreatedGameSchema(ResponseSchema):
    """A new game, with the tokens that are shown this once: the creator's, and those of the creator's seats."""

    game = fields.String(required=True)
    status = Choice(*STATUSES, required=True)
    commitment = fields.String(required=True)
    creator_token = fields.String(required=True)
    tokens = fields.List(fields.Nested(SeatTokenSchema), required=True)
    callback_secret = fields.String(metadata=CALLBACK_SECRET)
    observation = fields.Nested(ObservationSchema, required=True)


class CallbackSecretSchema(ResponseSchema):
    """A new secret of a callback, shown this once."""

    callback_secret = fields.String(required=True)
    old_secret_valid_until = fields.String(
        required=True, allow_none=True, metadata={**TIME, "description": "RFC 3339, UTC; null after `at_once`."}
    )


class GameCallbackSecretSchema(CallbackSecretSchema):
    """The new secret of a game's callback, shown this once."""

    game = fields.String(required=True)


class GameSummarySchema(ResponseSchema):
    """A public game in a list."""

    game = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    status = Choice(*STATUSES, required=True)
    players = Integer(2, 4, required=True)
    seats = fields.List(
        fields.String(allow_none=True), required=True, metadata={"description": "Names by seat; null: nobody yet."}
    )
    open_seats = fields.List(Integer(0, 3), required=True)
    round = Integer(0, required=True)
    turn_seconds = Integer(1, required=True, allow_none=True)
    created = fields.String(required=True, metadata=TIME)


class GamePageSchema(ResponseSchema):
    """A page of public games, newest first."""

    items = fields.List(fields.Nested(GameSummarySchema), required=True)
    next = cursor_field()


class GamesQuery(PageQuery):
    """Which public games."""

    status = Choice(*STATUSES, load_default=None)


class ViewQuery(WaitQuery):
    """A view of a game, perhaps of the next version only."""

    version = QueryInteger(
        0,
        load_default=None,
        metadata={"description": "What the client has: answered with 304 until the version differs."},
    )


class JoinSchema(RequestSchema):
    """Who takes the seat."""

    name = Name(allow_none=True, load_default=None)


class JoinedSchema(ResponseSchema):
    """The seat and its token, which is shown this once."""

    game = fields.String(required=True)
    seat = Integer(0, 3, required=True)
    token = fields.String(required=True)


class SubmissionSchema(RequestSchema):
    """An answer to a decision: the action, or its index in the legal actions; exactly one of the two."""

    json_schema_extra: ClassVar[dict[str, Any]] = {"minProperties": 2, "maxProperties": 2}

    decision = fields.String(required=True, validate=validate.Length(1, 64), metadata={"example": "1.play.0.0"})
    action = EngineChecked(ActionSchema)
    index = Integer(0, 1_000_000, metadata={"description": "Into the legal actions, from 0."})

    @validates_schema
    def _one_of_the_two(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("action" in data) == ("index" in data):
            raise ValidationError("Give exactly one of action and index.")


class ActedSchema(ResponseSchema):
    """An accepted answer; the observation may be newer than the version that it made."""

    decision = fields.String(required=True)
    action = fields.Nested(ActionSchema, required=True)
    version = Integer(0, required=True)
    observation = fields.Nested(ObservationSchema, required=True)


class ResignedSchema(ResponseSchema):
    """The game after a resignation."""

    version = Integer(0, required=True)
    observation = fields.Nested(ObservationSchema, required=True)


class PreviousSchema(ResponseSchema):
    """What became of the seat's last answer."""

    decision = fields.String(required=True)
    outcome = Choice("ok", *FAULTS, required=True)
    elapsed_ms = Integer(0, required=True)


class AskSchema(ResponseSchema):
    """A decision as its seat is asked it (PROTOCOL "The ask"), showing the game as it stood when it was opened."""

    protocol = fields.String(required=True, validate=validate.Equal(BOT_PROTOCOL))
    game = fields.String(required=True)
    match = fields.String(required=True, allow_none=True)
    decision = fields.Nested(DecisionSchema, required=True)
    observation = fields.Nested(ObservationSchema, required=True)
    legal_actions = fields.List(fields.Nested(ActionSchema), required=True)
    budget_ms = Integer(0, required=True, allow_none=True, metadata={"description": "null: no limit."})
    bank_ms = Integer(0, required=True)
    deadline = fields.String(required=True, allow_none=True, metadata=TIME)
    previous = fields.Nested(PreviousSchema, required=True, allow_none=True)


class LegalActionsSchema(ResponseSchema):
    """The open decision of a seat, and what it may answer, in canonical order."""

    decision = fields.Nested(DecisionSchema, required=True)
    legal_actions = fields.List(fields.Nested(ActionSchema), required=True)


class GameHeaders(Schema):
    """Conditions on a view."""

    if_none_match = fields.String(
        data_key="If-None-Match", metadata={"description": "`ETag` of what the client has: 304 if nothing has changed."}
    )
