"""Events of a game: a union told apart by `type`."""

from __future__ import annotations

from collections.abc import Mapping

from marshmallow import Schema, fields, validate
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.schemas.actions import ships_field
from service.api.schemas.common import (
    ROOMS,
    TIME,
    WORKERS,
    Boolean,
    Choice,
    EventsQuery,
    Integer,
    QueryBoolean,
    ResponseSchema,
    reset_field,
)
from service.api.schemas.observation import STOP, ObservationSchema, OutcomeSchema, WorkerSchema
from service.protocol import FAULTS, RESIGNATION_REASONS


def event_type(name: str) -> fields.String:
    """The member that tells the events apart."""
    return fields.String(required=True, validate=validate.Equal(name), metadata={"description": f"Always `{name}`."})


class EventBase(ResponseSchema):
    """What every event has."""

    n = Integer(1, required=True, metadata={"description": "Counts the game's events from 1, without gaps."})
    version = Integer(0, required=True, metadata={"description": "The version of the game with this event."})
    round = Integer(0, required=True, metadata={"description": "The round, from 1; 0 before the first one."})
    at = fields.String(required=True, metadata=TIME)
    forced = Boolean(metadata={"description": "True where there was only one legal action."})


class SeatEvent(EventBase):
    """An event of one seat."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})


class JoinedEventSchema(SeatEvent):
    """A seat was taken."""

    type = event_type("joined")
    name = fields.String(required=True, metadata={"description": "The name of the player."})


class StartedEventSchema(EventBase):
    """Everybody is seated."""

    type = event_type("started")
    players = Integer(2, 4, required=True, metadata={"description": "How many seats the game has."})


class RoundBeganEventSchema(EventBase):
    """A round began, with this movement order."""

    type = event_type("round_began")
    order = fields.List(
        fields.Nested(WorkerSchema), required=True, metadata={"description": "The movement order, first to last."}
    )


class OfferedEventSchema(SeatEvent):
    """Lazy Jack was offered to a seat."""

    type = event_type("offered")


class JackHiredEventSchema(SeatEvent):
    """Lazy Jack was hired."""

    type = event_type("jack_hired")
    companion = Choice(
        "big", "little", required=True, metadata={"description": "The worker that Jack was placed with."}
    )


class DeclinedEventSchema(SeatEvent):
    """A seat did without Lazy Jack."""

    type = event_type("declined")


class ChosenEventSchema(SeatEvent):
    """A seat has chosen its cards; which ones, nobody learns before the reveal."""

    type = event_type("chosen")


class RevealedCardsSchema(ResponseSchema):
    """The cards of one seat."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    big = Integer(1, 5, required=True, metadata={"description": "The card of the seat's big worker."})
    little = Integer(1, 5, required=True, metadata={"description": "The card of the seat's little worker."})
    jack = Integer(1, 5, metadata={"description": "Lazy Jack's card, if the seat hired him."})


class RevealedEventSchema(EventBase):
    """All cards were revealed."""

    type = event_type("revealed")
    cards = fields.List(
        fields.Nested(RevealedCardsSchema), required=True, metadata={"description": "The cards of every seat."}
    )


class PushedSchema(ResponseSchema):
    """Who was pushed to the opposite stop."""

    seat = Integer(0, 3, required=True, metadata={"description": "The seat of the worker that was pushed."})
    worker = Choice(*WORKERS, required=True, metadata={"description": "The worker."})
    from_ = Integer(0, 15, data_key="from", required=True, metadata={"description": "The stop that the worker left."})
    to = Integer(0, 15, required=True, metadata={"description": "The stop that the worker reached."})


class WorkerEvent(SeatEvent):
    """An event of one worker; for Jack `seat` is who hired him."""

    worker = Choice(*WORKERS, required=True, metadata={"description": "The worker."})


class MovedEventSchema(WorkerEvent):
    """A worker moved."""

    type = event_type("moved")
    from_ = Integer(0, 15, data_key="from", required=True, allow_none=True, metadata=STOP)
    to = Integer(0, 15, required=True, allow_none=True, metadata=STOP)
    pushed = fields.Nested(
        PushedSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The worker that was pushed to the opposite stop, or null."},
    )
    fell_back = Boolean(
        required=True,
        metadata={"description": "Whether the worker fell back because the stop and its opposite were taken."},
    )


class RoomEvent(WorkerEvent):
    """An event of a worker in front of a room."""

    warehouse = fields.String(required=True, metadata={"description": "The id of the warehouse."})
    room = Choice(*ROOMS, required=True, metadata={"description": "Which room of the warehouse."})


class CoinTakenEventSchema(RoomEvent):
    """A coin was taken from the bank."""

    type = event_type("coin_taken")


class LoadedEventSchema(RoomEvent):
    """Barrels were loaded."""

    type = event_type("loaded")
    ships = ships_field()


class UnloadedEventSchema(RoomEvent):
    """Barrels were taken back."""

    type = event_type("unloaded")
    ships = ships_field()


class ShipSailedEventSchema(EventBase):
    """A ship was paid and sailed; `filled_by` got a point for its last barrel."""

    type = event_type("ship_sailed")
    ship = fields.String(required=True, metadata={"description": "The id of the ship."})
    paid = fields.List(Integer(0), required=True, metadata={"description": "Points by seat."})
    filled_by = Integer(
        0,
        3,
        required=True,
        allow_none=True,
        metadata={"description": "The seat that put the last barrel aboard; null if the ship was not full."},
    )


class ShipDrawnEventSchema(EventBase):
    """A ship came to the last dock."""

    type = event_type("ship_drawn")
    ship = fields.String(required=True, metadata={"description": "The id of the ship."})
    last_six = Boolean(required=True, metadata={"description": "Whether the ship was one of the last six."})


class OrderChangedEventSchema(EventBase):
    """The movement order changed at the end of a round."""

    type = event_type("order_changed")
    order = fields.List(
        fields.Nested(WorkerSchema), required=True, metadata={"description": "The movement order, first to last."}
    )
    shuffled = Boolean(
        required=True,
        metadata={"description": "Whether the order was shuffled; otherwise the last token moved to the front."},
    )


class DefaultedEventSchema(SeatEvent):
    """The default action was played for a seat."""

    type = event_type("defaulted")
    decision = fields.String(required=True, metadata={"description": "The id of the decision."})
    fault = Choice(
        *FAULTS,
        required=True,
        allow_none=True,
        metadata={"description": "The fault that led to a default action, or null."},
    )


class ResignedEventSchema(EventBase):
    """Seats resigned, forfeited or were withdrawn."""

    type = event_type("resigned")
    seats = fields.List(Integer(0, 3), required=True, metadata={"description": "The seats that gave up."})
    reason = Choice(
        *RESIGNATION_REASONS,
        required=True,
        metadata={"description": "Whether the seats resigned, forfeited by faults or were withdrawn."},
    )


class FinishedEventSchema(EventBase, OutcomeSchema):
    """The game is over."""

    type = event_type("finished")


class AbortedEventSchema(EventBase):
    """The game was broken off."""

    type = event_type("aborted")


class EventSchema(OneOfSchema):
    """Something that everybody at the table saw happen."""

    type_field_remove = False
    type_schemas: Mapping[str, type[Schema] | Schema] = {
        "joined": JoinedEventSchema,
        "started": StartedEventSchema,
        "round_began": RoundBeganEventSchema,
        "offered": OfferedEventSchema,
        "jack_hired": JackHiredEventSchema,
        "declined": DeclinedEventSchema,
        "chosen": ChosenEventSchema,
        "revealed": RevealedEventSchema,
        "moved": MovedEventSchema,
        "coin_taken": CoinTakenEventSchema,
        "loaded": LoadedEventSchema,
        "unloaded": UnloadedEventSchema,
        "ship_sailed": ShipSailedEventSchema,
        "ship_drawn": ShipDrawnEventSchema,
        "order_changed": OrderChangedEventSchema,
        "defaulted": DefaultedEventSchema,
        "resigned": ResignedEventSchema,
        "finished": FinishedEventSchema,
        "aborted": AbortedEventSchema,
    }


class EventsSchema(ResponseSchema):
    """Events after a number; `last` is the number of the newest one."""

    events = fields.List(
        fields.Nested(EventSchema), required=True, metadata={"description": "The events, oldest first."}
    )
    last = Integer(0, required=True, metadata={"description": "The number of the newest event here."})
    reset = reset_field()
    observation = fields.Nested(
        ObservationSchema,
        metadata={"description": "What the caller sees after the events, if the query asks for it."},
    )


class GameEventsQuery(EventsQuery):
    """Events of a game, perhaps with what the caller sees after them."""

    observation = QueryBoolean(
        load_default=False,
        metadata={"description": "Whether the observation after the events comes with them."},
    )
