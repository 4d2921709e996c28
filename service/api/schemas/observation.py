"""What one seat may see (PROTOCOL "Observation")."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.actions import DecisionSchema
from service.api.schemas.common import STATUSES, WORKERS, Flag, Outgoing, Whole, Word

STOP = {"description": "A stop of the path, clockwise from 0; null is the tavern."}


class VariantsSchema(Outgoing):
    """Which variants of the rules a game is played with."""

    tally = Word("warehouses", "circuit", required=True)
    last_place = Word("paid", "unpaid", required=True)
    starting_coins = Whole(0, 3, required=True)


class RoomSchema(Outgoing):
    """One room of a warehouse."""

    good = Whole(0, 4, required=True)
    broken = Whole(0, 2, required=True)
    coin = Whole(0, 1, required=True)


class BoardWarehouseSchema(Outgoing):
    """A tile of the board, with its two rooms."""

    warehouse = fields.String(required=True, metadata={"example": "w3"})
    upper = fields.Nested(RoomSchema, required=True)
    lower = fields.Nested(RoomSchema, required=True)


class WorkerSchema(Outgoing):
    """A worker of a seat."""

    seat = Whole(0, 3, required=True)
    worker = Word(*WORKERS, required=True)


class PlacedWorkerSchema(WorkerSchema):
    """A worker, and where it stands."""

    stop = Whole(0, 15, required=True, allow_none=True, metadata=STOP)


class ShipSchema(Outgoing):
    """A ship, and what it pays for 1st, 2nd and 3rd place."""

    ship = fields.String(required=True, metadata={"example": "s03"})
    capacity = Whole(0, 16, required=True)
    points = fields.List(Whole(0, 20), required=True)


class DockedShipSchema(ShipSchema):
    """A docked ship, and the barrels on it by seat."""

    barrels = fields.List(Whole(0, 16), required=True)


class JackSchema(Outgoing):
    """Who has hired Lazy Jack, and with which worker he set out."""

    seat = Whole(0, 3, required=True)
    companion = Word("big", "little", required=True)


class SeatSchema(Outgoing):
    """A seat as everybody sees it. `chosen` is true from its choice of cards until the reveal."""

    seat = Whole(0, 3, required=True)
    name = fields.String(required=True, allow_none=True, metadata={"description": "null while nobody sits there."})
    points = Whole(0, required=True)
    coins = Whole(0, 15, required=True)
    supply = Whole(0, 16, required=True)
    aboard = Whole(0, 16, required=True)
    chosen = Flag(required=True)
    resigned = Flag(required=True)


class CardsSchema(Outgoing):
    """A seat's own cards of this round."""

    big = Whole(1, 5, required=True)
    little = Whole(1, 5, required=True)
    jack = Whole(1, 5)


class ObservationSchema(Outgoing):
    """A game as one seat sees it; `seat` is null for a spectator."""

    game = fields.String(required=True)
    version = Whole(0, required=True, metadata={"description": "Grows by one with each entry of the game's log."})
    status = Word(*STATUSES, required=True)
    players = Whole(2, 4, required=True)
    variants = fields.Nested(VariantsSchema, required=True)
    seat = Whole(0, 3, required=True, allow_none=True)
    round = Whole(0, required=True)
    phase = Word("hire", "play", "clear", "over", required=True)
    decisions = fields.List(fields.Nested(DecisionSchema), required=True)
    due = fields.List(Whole(0, 3), required=True, metadata={"description": "The seats that owe a decision."})
    board = fields.List(fields.Nested(BoardWarehouseSchema), required=True)
    workers = fields.List(fields.Nested(PlacedWorkerSchema), required=True)
    order = fields.List(fields.Nested(WorkerSchema), required=True)
    docks = fields.List(fields.Nested(DockedShipSchema), required=True, metadata={"description": "Front first."})
    stack = Whole(0, 60, required=True, metadata={"description": "How many ships are left to draw."})
    unseen = fields.List(
        fields.Nested(ShipSchema), required=True, metadata={"description": "Which ships are left, by id."}
    )
    last_six = Flag(required=True)
    reshuffle = Flag(required=True)
    bank = Whole(0, 15, required=True)
    jack = fields.Nested(JackSchema, required=True, allow_none=True)
    seats = fields.List(fields.Nested(SeatSchema), required=True)
    cards = fields.Nested(CardsSchema, required=True, allow_none=True)
    deal = Word("drawn", "seeded", "given", required=True)
    commitment = fields.String(required=True)
    places = fields.List(Whole(1, 4), required=True, allow_none=True)
