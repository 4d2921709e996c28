"""What one seat may see (PROTOCOL "Observation")."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.actions import DecisionSchema
from service.api.schemas.common import STATUSES, WORKERS, Boolean, Choice, Integer, ResponseSchema

STOP = {"description": "A stop of the path, clockwise from 0; null is the tavern."}


class VariantsSchema(ResponseSchema):
    """Which variants of the rules a game is played with."""

    tally = Choice("warehouses", "circuit", required=True)
    last_place = Choice("paid", "unpaid", required=True)
    starting_coins = Integer(0, 3, required=True)


class RoomSchema(ResponseSchema):
    """One room of a warehouse."""

    good = Integer(0, 4, required=True)
    broken = Integer(0, 2, required=True)
    coin = Integer(0, 1, required=True)


class BoardWarehouseSchema(ResponseSchema):
    """A tile of the board, with its two rooms."""

    warehouse = fields.String(required=True, metadata={"example": "w3"})
    upper = fields.Nested(RoomSchema, required=True)
    lower = fields.Nested(RoomSchema, required=True)


class WorkerSchema(ResponseSchema):
    """A worker of a seat."""

    seat = Integer(0, 3, required=True)
    worker = Choice(*WORKERS, required=True)


class PlacedWorkerSchema(WorkerSchema):
    """A worker, and where it stands."""

    stop = Integer(0, 15, required=True, allow_none=True, metadata=STOP)


class ShipSchema(ResponseSchema):
    """A ship, and what it pays for 1st, 2nd and 3rd place."""

    ship = fields.String(required=True, metadata={"example": "s03"})
    capacity = Integer(0, 16, required=True)
    points = fields.List(Integer(0, 20), required=True)


class DockedShipSchema(ShipSchema):
    """A docked ship, and the barrels on it by seat."""

    barrels = fields.List(Integer(0, 16), required=True)


class JackSchema(ResponseSchema):
    """Who has hired Lazy Jack, and with which worker he set out."""

    seat = Integer(0, 3, required=True)
    companion = Choice("big", "little", required=True)


class SeatSchema(ResponseSchema):
    """A seat as everybody sees it. `chosen` is true from its choice of cards until the reveal."""

    seat = Integer(0, 3, required=True)
    name = fields.String(required=True, allow_none=True, metadata={"description": "null while nobody sits there."})
    points = Integer(0, required=True)
    coins = Integer(0, 15, required=True)
    supply = Integer(0, 16, required=True)
    aboard = Integer(0, 16, required=True)
    chosen = Boolean(required=True)
    resigned = Boolean(required=True)


class CardsSchema(ResponseSchema):
    """A seat's own cards of this round."""

    big = Integer(1, 5, required=True)
    little = Integer(1, 5, required=True)
    jack = Integer(1, 5)


class ObservationSchema(ResponseSchema):
    """A game as one seat sees it; `seat` is null for a spectator."""

    game = fields.String(required=True)
    version = Integer(0, required=True, metadata={"description": "Grows by one with each entry of the game's log."})
    status = Choice(*STATUSES, required=True)
    players = Integer(2, 4, required=True)
    variants = fields.Nested(VariantsSchema, required=True)
    seat = Integer(0, 3, required=True, allow_none=True)
    round = Integer(0, required=True)
    phase = Choice("hire", "play", "clear", "over", required=True)
    decisions = fields.List(fields.Nested(DecisionSchema), required=True)
    due = fields.List(Integer(0, 3), required=True, metadata={"description": "The seats that owe a decision."})
    board = fields.List(fields.Nested(BoardWarehouseSchema), required=True)
    workers = fields.List(fields.Nested(PlacedWorkerSchema), required=True)
    order = fields.List(fields.Nested(WorkerSchema), required=True)
    docks = fields.List(fields.Nested(DockedShipSchema), required=True, metadata={"description": "Front first."})
    stack = Integer(0, 60, required=True, metadata={"description": "How many ships are left to draw."})
    unseen = fields.List(
        fields.Nested(ShipSchema), required=True, metadata={"description": "Which ships are left, by id."}
    )
    last_six = Boolean(required=True)
    reshuffle = Boolean(required=True)
    bank = Integer(0, 15, required=True)
    jack = fields.Nested(JackSchema, required=True, allow_none=True)
    seats = fields.List(fields.Nested(SeatSchema), required=True)
    cards = fields.Nested(CardsSchema, required=True, allow_none=True)
    deal = Choice("drawn", "seeded", "given", required=True)
    commitment = fields.String(required=True)
    places = fields.List(Integer(1, 4), required=True, allow_none=True)
