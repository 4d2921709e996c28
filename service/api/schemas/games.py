"""Games: what is asked for, and what is answered."""

from __future__ import annotations

from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.api.schemas.actions import ActionSchema, DecisionSchema
from service.api.schemas.common import (
    ID_PATTERN,
    STATUSES,
    TIME,
    Boolean,
    BoundedList,
    CheckedOneByOne,
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
    reset_field,
)
from service.api.schemas.observation import ObservationSchema, RoomSchema, WorkerSchema
from service.api.schemas.problems import ProblemSchema
from service.protocol import BOT_PROTOCOL, FAULTS, MAX_ATTEMPTS, REFUSED_AS

CALLBACK = {
    "description": "A URL that is told of start, turns and end by signed POSTs; http or https, without a query.",
    "example": "https://example.org/montego",
}
CALLBACK_SECRET = {"description": "What callbacks are signed with, if a `callback` was named; shown this once."}
SEED = {"description": "What chance is drawn from: 1 to 128 printable characters.", "example": "kill-1"}


MAX_COUNT = 256
"""How many games a call creates."""
MAX_SUBMISSIONS = 256
"""How many answers `POST /v1/actions` takes."""


class SeatPlanField(fields.Field[Any]):
    """What a seat is made of: "creator", "open", or a bot by name or id. The use case checks it."""

    json_schema: ClassVar[dict[str, Any]] = {
        "oneOf": [
            {"type": "string", "enum": ["creator", "open"], "title": "PersonSeat"},
            {
                "type": "object",
                "title": "BotSeat",
                "properties": {"bot": {"type": "string", "description": "The name or id of a bot."}},
                "required": ["bot"],
                "additionalProperties": False,
            },
        ]
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return value


class NewVariantsSchema(RequestSchema):
    """Variants of the rules; what is left out is as the rules have it."""

    tally = Choice("warehouses", "circuit", metadata={"description": "The order in which rooms are cleared."})
    last_place = Choice("paid", "unpaid", metadata={"description": "Whether a ship pays the last place."})
    starting_coins = Integer(0, 3, metadata={"description": "Coins that each player begins with."})


class ShipTileSchema(RequestSchema):
    """A cargo ship of a component set."""

    id = fields.String(
        required=True, validate=validate.Regexp(r"^[a-z0-9_-]{1,16}$"), metadata={"description": "The id of the ship."}
    )
    capacity = Integer(3, 16, required=True, metadata={"description": "How many barrels the ship holds."})
    points = fields.List(
        Integer(0, 20),
        required=True,
        validate=validate.Length(equal=3),
        metadata={"description": "Points for 1st, 2nd and 3rd, not rising."},
    )


class WarehouseTileSchema(RequestSchema):
    """A warehouse of a component set."""

    id = fields.String(
        required=True,
        validate=validate.Regexp(r"^[a-z0-9_-]{1,16}$"),
        metadata={"description": "The id of the warehouse."},
    )
    upper = fields.Nested(RoomSchema, required=True, metadata={"description": "The upper room."})
    lower = fields.Nested(RoomSchema, required=True, metadata={"description": "The lower room."})


class ComponentsSchema(RequestSchema):
    """A component set: 7 warehouses with 2 or 3 players, 8 with 4, and 4 to 60 cargo ships."""

    ships = fields.List(
        fields.Nested(ShipTileSchema),
        required=True,
        validate=validate.Length(4, 60),
        metadata={"description": "The cargo ships."},
    )
    warehouses = fields.List(
        fields.Nested(WarehouseTileSchema),
        required=True,
        validate=validate.Length(7, 8),
        metadata={"description": "The warehouse tiles."},
    )


class DealtTiles(Schema):
    """Board, ships and order of a deal, for a schema of one."""

    warehouses = fields.List(
        fields.String(), required=True, metadata={"description": "The ids of the warehouses from left to right."}
    )
    ships = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The ids of the cargo ships in drawing order; the first three are docked."},
    )
    order = fields.List(
        fields.Nested(WorkerSchema), required=True, metadata={"description": "The movement order, first to last."}
    )


class SetupSchema(DealtTiles, RequestSchema):
    """A deal: board from left to right, ships in drawing order (the first three are docked), order first to last."""

    seed = fields.String(
        allow_none=True,
        metadata={"description": "The seed that chance is drawn from; null or absent while it is secret."},
    )
    nonce = fields.String(
        allow_none=True,
        metadata={
            "description": "Opens the commitment together with the seed: 32 hexadecimal digits; not shown while secret."
        },
    )
    block_seed = fields.String(
        allow_none=True,
        metadata={"description": "The seed of the block; null for a game outside a tournament, or while it is secret."},
    )


class OrderField(fields.List[Any]):
    """A movement order. The engine checks it."""

    def __init__(self) -> None:
        super().__init__(fields.Nested(WorkerSchema))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return value


class NewGameSchema(RequestSchema):
    """A new game."""

    players = Integer(2, 4, required=True, metadata={"description": "How many seats the game has.", "example": 2})
    seed = PrintableString(1, 128, allow_none=True, load_default=None, metadata=SEED)
    variants = EngineChecked(
        NewVariantsSchema, allow_none=True, load_default=None, metadata={"description": "The variants of the rules."}
    )
    components = EngineChecked(
        ComponentsSchema,
        allow_none=True,
        load_default=None,
        metadata={"description": "A component set of your own; null for the standard set."},
    )
    setup = EngineChecked(
        SetupSchema,
        allow_none=True,
        load_default=None,
        metadata={"description": "A deal that is given in full, or null."},
    )
    orders = BoundedList(
        OrderField(),
        0,
        60,
        allow_none=True,
        load_default=None,
        metadata={"description": "Movement orders by round, used where a reshuffle happens."},
    )
    seats = BoundedList(
        SeatPlanField(),
        2,
        4,
        allow_none=True,
        load_default=None,
        metadata={
            "description": "One entry for each seat; without it all seats are the creator's.",
            "example": ["creator", "open"],
        },
    )
    turn_seconds = Integer(
        1,
        7 * 24 * 3600,
        allow_none=True,
        load_default=None,
        metadata={"description": "A seat that lets so many seconds pass gets the default action."},
    )
    name = Name(allow_none=True, load_default=None, metadata={"description": "A name for the game, or null."})
    public = Boolean(load_default=False, metadata={"description": "Whether `GET /v1/games` lists it."})
    callback = PrintableString(1, 2048, allow_none=True, load_default=None, metadata=CALLBACK)
    count = Integer(1, MAX_COUNT, load_default=1, metadata={"description": "How many such games to create."})


class SeatTokenSchema(ResponseSchema):
    """A seat and its token, which is shown this once."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    token = fields.String(required=True, metadata={"description": "The token, shown only this once."})


class NewGameTokensSchema(ResponseSchema):
    """A new game, with the tokens that are shown this once: the creator's, and those of the creator's seats."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})
    status = Choice(*STATUSES, required=True, metadata={"description": "The status of the game."})
    commitment = fields.String(
        required=True,
        metadata={"description": "Hexadecimal SHA-256 of nonce and seed, published before the first action."},
    )
    creator_token = fields.String(required=True, metadata={"description": "The creator's token, shown only this once."})
    tokens = fields.List(
        fields.Nested(SeatTokenSchema),
        required=True,
        metadata={"description": "The tokens of the creator's seats, shown only this once."},
    )
    callback_secret = fields.String(metadata=CALLBACK_SECRET)
    observation = fields.Nested(
        ObservationSchema, required=True, metadata={"description": "What the seat may see of the game."}
    )


class CreatedGameSchema(NewGameTokensSchema):
    """A new game, with the tokens that are shown this once: the creator's, and those of the creator's seats."""

    others = fields.List(
        fields.Nested(NewGameTokensSchema),
        metadata={"description": "The other games, if `count` asked for more than one."},
    )


class CallbackSecretSchema(ResponseSchema):
    """A new secret of a callback, shown this once."""

    callback_secret = fields.String(required=True, metadata={"description": "The new secret, shown only this once."})
    old_secret_valid_until = fields.String(
        required=True, allow_none=True, metadata={**TIME, "description": "RFC 3339, UTC; null after `at_once`."}
    )


class GameCallbackSecretSchema(CallbackSecretSchema):
    """The new secret of a game's callback, shown this once."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})


class GameSummarySchema(ResponseSchema):
    """A public game in a list."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})
    name = fields.String(required=True, allow_none=True, metadata={"description": "The name of the game, or null."})
    status = Choice(*STATUSES, required=True, metadata={"description": "The status of the game."})
    players = Integer(2, 4, required=True, metadata={"description": "How many seats the game has."})
    seats = fields.List(
        fields.String(allow_none=True), required=True, metadata={"description": "Names by seat; null: nobody yet."}
    )
    open_seats = fields.List(Integer(0, 3), required=True, metadata={"description": "Seats that can still be taken."})
    round = Integer(0, required=True, metadata={"description": "The round, from 1; 0 before the first one."})
    turn_seconds = Integer(
        1, required=True, allow_none=True, metadata={"description": "Seconds for a turn; null without a limit."}
    )
    created = fields.String(required=True, metadata=TIME)


class GamePageSchema(ResponseSchema):
    """A page of public games, newest first."""

    items = fields.List(
        fields.Nested(GameSummarySchema), required=True, metadata={"description": "The items of this page."}
    )
    next = cursor_field()


class GamesQuery(PageQuery):
    """Which public games."""

    status = Choice(*STATUSES, load_default=None, metadata={"description": "Only games with this status."})


class ViewQuery(WaitQuery):
    """A view of a game, perhaps of the next version only."""

    version = QueryInteger(
        0,
        load_default=None,
        metadata={"description": "What the client has: answered with 304 until the version differs."},
    )


class ViewSchema(ObservationSchema):
    """A game as the caller sees it."""

    reset = reset_field()


class JoinSchema(RequestSchema):
    """Who takes the seat."""

    name = Name(allow_none=True, load_default=None, metadata={"description": "The name of the player, or null."})


class JoinedSchema(ResponseSchema):
    """The seat and its token, which is shown this once."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})
    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    token = fields.String(required=True, metadata={"description": "The token, shown only this once."})


class SubmissionSchema(RequestSchema):
    """An answer to a decision: the action, or its index in the legal actions; exactly one of the two."""

    exactly_one_of: ClassVar[tuple[str, ...]] = ("action", "index")

    decision = fields.String(
        required=True,
        validate=validate.Length(1, 64),
        metadata={"description": "The id of the decision.", "example": "1.play.0.0"},
    )
    action = EngineChecked(ActionSchema, metadata={"description": "The action. Give either this or `index`."})
    index = Integer(0, 1_000_000, metadata={"description": "Into the legal actions, from 0."})
    comment = fields.String(
        metadata={
            "description": "For those who read the record, where it stands once the game is over; cut after 500 "
            "characters.",
            "example": "The front ship sails first.",
        }
    )

    @validates_schema
    def _one_of_the_two(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("action" in data) == ("index" in data):
            raise ValidationError("Give exactly one of action and index.")


class ActedSchema(ResponseSchema):
    """An accepted answer; the observation may be newer than the version that it made. After `Prefer: return=minimal`
    it has its version only."""

    decision = fields.String(metadata={"description": "The id of the decision that was settled."})
    action = fields.Nested(ActionSchema, metadata={"description": "The action that was settled."})
    version = Integer(0, required=True, metadata={"description": "The version of the game that the answer made."})
    observation = fields.Nested(ObservationSchema, metadata={"description": "What the seat may see of the game."})


class PreferHeaders(Schema):
    """`Prefer`: how much of an accepted answer comes back."""

    prefer = fields.String(
        data_key="Prefer",
        metadata={
            "description": "`return=minimal`: the version only; `return=representation`: all of it (RFC 7240).",
            "example": "return=minimal",
        },
    )


class SentSubmissionSchema(SubmissionSchema):
    """An answer among many, with its game and the token of its seat."""

    game = fields.String(
        required=True,
        validate=validate.Regexp(f"^{ID_PATTERN}$"),
        metadata={"description": "The id of the game.", "example": "eqawirhjyq5kxc7j"},
    )
    token = fields.String(
        validate=validate.Length(1, 512),
        metadata={"description": "The token of the seat; without it, the one of the request counts."},
    )


class SubmissionsSchema(RequestSchema):
    """Answers to decisions of any games."""

    actions = BoundedList(
        CheckedOneByOne(SentSubmissionSchema),
        1,
        MAX_SUBMISSIONS,
        required=True,
        metadata={"description": "The answers, 1 to 256. Those to one game are taken in their order."},
    )


class SubmissionResultSchema(ActedSchema):
    """What became of one answer among many: its version, or the problem why it was refused. After
    `Prefer: return=representation` an accepted one has all that it would have alone."""

    status = Integer(200, 599, required=True, metadata={"description": "The status that the answer would get alone."})
    version = Integer(0, metadata={"description": "The version of the game that the answer made."})
    problem = fields.Nested(ProblemSchema, metadata={"description": "Why the answer was refused."})


class SubmissionResultsSchema(ResponseSchema):
    """One result for each answer, in the same order."""

    results = fields.List(
        fields.Nested(SubmissionResultSchema), required=True, metadata={"description": "In the order of the answers."}
    )


class ResignedSchema(ResponseSchema):
    """The game after a resignation."""

    version = Integer(0, required=True, metadata={"description": "The version of the game after the resignation."})
    observation = fields.Nested(
        ObservationSchema, required=True, metadata={"description": "What the seat may see of the game."}
    )


class PreviousSchema(ResponseSchema):
    """What became of the seat's last answer."""

    decision = fields.String(required=True, metadata={"description": "The id of the decision."})
    outcome = Choice("ok", *FAULTS, required=True, metadata={"description": "`ok`, or the fault."})
    elapsed_ms = Integer(
        0, required=True, metadata={"description": "Milliseconds from the ask to the answer; null if unknown."}
    )


class LegalActionsSchema(ResponseSchema):
    """The open decision of a seat, and what it may answer, in canonical order."""

    decision = fields.Nested(
        DecisionSchema, required=True, metadata={"description": "The decision that is open for the seat."}
    )
    legal_actions = fields.List(
        fields.Nested(ActionSchema),
        required=True,
        metadata={"description": "Every legal action in canonical order; the first one is the default action."},
    )


class RefusedSchema(ResponseSchema):
    """Why an answer was refused."""

    fault = Choice(*REFUSED_AS, required=True, metadata={"description": "The fault that the answer was."})
    reason = fields.String(required=True, metadata={"description": "What was wrong, in plain words."})


class AskSchema(LegalActionsSchema):
    """A decision as its seat is asked it (PROTOCOL "The ask"), showing the game as it stood when it was opened."""

    protocol = fields.String(
        required=True,
        validate=validate.Equal(BOT_PROTOCOL),
        metadata={"description": "The version of the bot protocol."},
    )
    game = fields.String(required=True, metadata={"description": "The id of the game."})
    match = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the match; null outside a tournament."}
    )
    observation = fields.Nested(
        ObservationSchema, required=True, metadata={"description": "What the seat may see of the game."}
    )
    budget_ms = Integer(0, required=True, allow_none=True, metadata={"description": "null: no limit."})
    bank_ms = Integer(0, required=True, metadata={"description": "Milliseconds in the bank of time."})
    deadline = fields.String(required=True, allow_none=True, metadata=TIME)
    previous = fields.Nested(
        PreviousSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The outcome of the seat's last answer in this game, or null."},
    )
    attempt = Integer(
        1,
        MAX_ATTEMPTS,
        required=True,
        metadata={"description": "Which answer to this decision is asked for: 1, and more after refused ones."},
    )
    attempts = Integer(
        1, MAX_ATTEMPTS, required=True, metadata={"description": "How many answers the bot may give to one decision."}
    )
    refused = fields.Nested(
        RefusedSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Why the last answer to this decision was refused; null at the first attempt."},
    )


class GameHeaders(Schema):
    """Conditions on a view."""

    if_none_match = fields.String(
        data_key="If-None-Match", metadata={"description": "`ETag` of what the client has: 304 if nothing has changed."}
    )
