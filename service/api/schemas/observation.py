"""What one seat may see (PROTOCOL "Observation")."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.actions import DecisionSchema
from service.api.schemas.common import STATUSES, WORKERS, Boolean, Choice, Integer, ResponseSchema

STOP = {"description": "A stop of the path, clockwise from 0; null is the tavern."}


class VariantsSchema(ResponseSchema):
    """Which variants of the rules a game is played with."""

    tally = Choice(
        "warehouses", "circuit", required=True, metadata={"description": "The order in which rooms are cleared."}
    )
    last_place = Choice(
        "paid", "unpaid", required=True, metadata={"description": "Whether a ship pays the last place."}
    )
    starting_coins = Integer(0, 3, required=True, metadata={"description": "Coins that each player begins with."})


class RoomSchema(ResponseSchema):
    """One room of a warehouse."""

    good = Integer(0, 4, required=True, metadata={"description": "Good barrels to load."})
    broken = Integer(
        0, 2, required=True, metadata={"description": "Broken barrels; as many of the own barrels must be unloaded."}
    )
    coin = Integer(0, 1, required=True, metadata={"description": "1 if the room shows a coin, else 0."})


class BoardWarehouseSchema(ResponseSchema):
    """A tile of the board, with its two rooms."""

    warehouse = fields.String(required=True, metadata={"description": "The id of the warehouse.", "example": "w3"})
    upper = fields.Nested(RoomSchema, required=True, metadata={"description": "The upper room."})
    lower = fields.Nested(RoomSchema, required=True, metadata={"description": "The lower room."})


class WorkerSchema(ResponseSchema):
    """A worker of a seat."""

    seat = Integer(
        0, 3, required=True, metadata={"description": "The seat of the worker; for Jack, the one that hired him."}
    )
    worker = Choice(*WORKERS, required=True, metadata={"description": "The worker."})


class PlacedWorkerSchema(WorkerSchema):
    """A worker, and where it stands."""

    stop = Integer(0, 15, required=True, allow_none=True, metadata=STOP)


class ShipSchema(ResponseSchema):
    """A ship, and what it pays for 1st, 2nd and 3rd place."""

    ship = fields.String(required=True, metadata={"description": "The id of the ship.", "example": "s03"})
    capacity = Integer(
        0, 16, required=True, metadata={"description": "How many barrels the ship holds; 0 for the pilot boat."}
    )
    points = fields.List(Integer(0, 20), required=True, metadata={"description": "Points for 1st, 2nd and 3rd."})


class DockedShipSchema(ShipSchema):
    """A docked ship, and the barrels on it by seat."""

    barrels = fields.List(Integer(0, 16), required=True, metadata={"description": "Barrels aboard by seat."})


class JackSchema(ResponseSchema):
    """Who has hired Lazy Jack, and with which worker he set out."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat that hired him."})
    companion = Choice(
        "big", "little", required=True, metadata={"description": "The worker that Jack was placed with."}
    )


class SeatSchema(ResponseSchema):
    """A seat as everybody sees it. `chosen` is true from its choice of cards until the reveal."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    name = fields.String(required=True, allow_none=True, metadata={"description": "null while nobody sits there."})
    points = Integer(0, required=True, metadata={"description": "The seat's points."})
    coins = Integer(0, 15, required=True, metadata={"description": "The seat's coins."})
    supply = Integer(0, 16, required=True, metadata={"description": "The seat's barrels that are not on a ship."})
    aboard = Integer(0, 16, required=True, metadata={"description": "The seat's barrels on docked ships."})
    chosen = Boolean(
        required=True, metadata={"description": "Whether the seat has chosen its cards and they are not yet revealed."}
    )
    resigned = Boolean(required=True, metadata={"description": "Whether the seat has given up."})


class CardsSchema(ResponseSchema):
    """A seat's own cards of this round."""

    big = Integer(1, 5, required=True, metadata={"description": "The card of the seat's big worker."})
    little = Integer(1, 5, required=True, metadata={"description": "The card of the seat's little worker."})
    jack = Integer(1, 5, metadata={"description": "Lazy Jack's card, if the seat hired him."})


class ObservationSchema(ResponseSchema):
    """A game as one seat sees it; `seat` is null for a spectator."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})
    version = Integer(0, required=True, metadata={"description": "Grows by one with each entry of the game's log."})
    status = Choice(*STATUSES, required=True, metadata={"description": "The status of the game."})
    players = Integer(2, 4, required=True, metadata={"description": "How many seats the game has."})
    variants = fields.Nested(VariantsSchema, required=True, metadata={"description": "The variants of the rules."})
    seat = Integer(
        0, 3, required=True, allow_none=True, metadata={"description": "The seat that sees this; null for a spectator."}
    )
    round = Integer(0, required=True, metadata={"description": "The round, from 1; 0 before the first one."})
    phase = Choice("hire", "play", "clear", "over", required=True, metadata={"description": "The phase of the round."})
    decisions = fields.List(
        fields.Nested(DecisionSchema), required=True, metadata={"description": "The open decisions."}
    )
    due = fields.List(Integer(0, 3), required=True, metadata={"description": "The seats that owe a decision."})
    board = fields.List(
        fields.Nested(BoardWarehouseSchema),
        required=True,
        metadata={"description": "The warehouses from left to right."},
    )
    workers = fields.List(
        fields.Nested(PlacedWorkerSchema), required=True, metadata={"description": "Every worker with its stop."}
    )
    order = fields.List(
        fields.Nested(WorkerSchema), required=True, metadata={"description": "The movement order, first to last."}
    )
    docks = fields.List(fields.Nested(DockedShipSchema), required=True, metadata={"description": "Front first."})
    stack = Integer(0, 60, required=True, metadata={"description": "How many ships are left to draw."})
    unseen = fields.List(
        fields.Nested(ShipSchema), required=True, metadata={"description": "Which ships are left, by id."}
    )
    last_six = Boolean(required=True, metadata={"description": "Whether the next ship is one of the last six."})
    reshuffle = Boolean(
        required=True,
        metadata={
            "description": "Whether a ship of the last six was drawn in this round, so that the order will be shuffled."
        },
    )
    bank = Integer(0, 15, required=True, metadata={"description": "Coins in the bank."})
    jack = fields.Nested(
        JackSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Who has hired Lazy Jack; null if nobody has."},
    )
    seats = fields.List(
        fields.Nested(SeatSchema), required=True, metadata={"description": "What everybody may see of each seat."}
    )
    cards = fields.Nested(
        CardsSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The seat's own cards of this round; null before its choice and for a spectator."},
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
    commitment = fields.String(
        required=True,
        metadata={"description": "Hexadecimal SHA-256 of nonce and seed, published before the first action."},
    )
    places = fields.List(
        Integer(1, 4),
        required=True,
        allow_none=True,
        metadata={"description": "Places by seat, ties shared; null if there are none."},
    )


class OutcomeSchema(ResponseSchema):
    """How a game ended."""

    points = fields.List(Integer(0), required=True, metadata={"description": "Points by seat."})
    places = fields.List(
        Integer(1, 4),
        required=True,
        allow_none=True,
        metadata={"description": "Places by seat, ties shared; null if there are none."},
    )
    ended = Choice(
        "played",
        "resigned",
        "aborted",
        required=True,
        metadata={"description": "How the game ended: played to the end, by resignations, or aborted."},
    )
