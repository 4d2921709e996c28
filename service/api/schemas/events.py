"""Events of a game: a union told apart by `type`."""

from __future__ import annotations

from collections.abc import Mapping

from marshmallow import Schema, fields, validate
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.schemas.actions import ships_field
from service.api.schemas.common import ROOMS, TIME, WORKERS, Boolean, Choice, Integer, ResponseSchema
from service.api.schemas.observation import STOP, WorkerSchema
from service.protocol import FAULTS, RESIGNATION_REASONS


def event_type(name: str) -> fields.String:
    """The member that tells the events apart."""
    return fields.String(required=True, validate=validate.Equal(name))


class EventBase(ResponseSchema):
    """What every event has."""

    n = Integer(1, required=True, metadata={"description": "Counts the game's events from 1, without gaps."})
    version = Integer(0, required=True)
    round = Integer(0, required=True)
    at = fields.String(required=True, metadata=TIME)
    forced = Boolean(metadata={"description": "True where there was only one legal action."})


class SeatEvent(EventBase):
    """An event of one seat."""

    seat = Integer(0, 3, required=True)


class JoinedEventSchema(SeatEvent):
    """A seat was taken."""

    type = event_type("joined")
    name = fields.String(required=True)


class StartedEventSchema(EventBase):
    """Everybody is seated."""

    type = event_type("started")
    players = Integer(2, 4, required=True)


class RoundBeganEventSchema(EventBase):
    """A round began, with this movement order."""

    type = event_type("round_began")
    order = fields.List(fields.Nested(WorkerSchema), required=True)


class OfferedEventSchema(SeatEvent):
    """Lazy Jack was offered to a seat."""

    type = event_type("offered")


class JackHiredEventSchema(SeatEvent):
    """Lazy Jack was hired."""

    type = event_type("jack_hired")
    companion = Choice("big", "little", required=True)


class DeclinedEventSchema(SeatEvent):
    """A seat did without Lazy Jack."""

    type = event_type("declined")


class ChosenEventSchema(SeatEvent):
    """A seat has chosen its cards; which ones, nobody learns before the reveal."""

    type = event_type("chosen")


class RevealedCardsSchema(ResponseSchema):
    """The cards of one seat."""

    seat = Integer(0, 3, required=True)
    big = Integer(1, 5, required=True)
    little = Integer(1, 5, required=True)
    jack = Integer(1, 5)


class RevealedEventSchema(EventBase):
    """All cards were revealed."""

    type = event_type("revealed")
    cards = fields.List(fields.Nested(RevealedCardsSchema), required=True)


class PushedSchema(ResponseSchema):
    """Who was pushed to the opposite stop."""

    seat = Integer(0, 3, required=True)
    worker = Choice(*WORKERS, required=True)
    from_ = Integer(0, 15, data_key="from", required=True)
    to = Integer(0, 15, required=True)


class WorkerEvent(SeatEvent):
    """An event of one worker; for Jack `seat` is who hired him."""

    worker = Choice(*WORKERS, required=True)


class MovedEventSchema(WorkerEvent):
    """A worker moved."""

    type = event_type("moved")
    from_ = Integer(0, 15, data_key="from", required=True, allow_none=True, metadata=STOP)
    to = Integer(0, 15, required=True, allow_none=True, metadata=STOP)
    pushed = fields.Nested(PushedSchema, required=True, allow_none=True)
    fell_back = Boolean(required=True)


class RoomEvent(WorkerEvent):
    """An event of a worker in front of a room."""

    warehouse = fields.String(required=True)
    room = Choice(*ROOMS, required=True)


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
    ship = fields.String(required=True)
    paid = fields.List(Integer(0), required=True, metadata={"description": "Points by seat."})
    filled_by = Integer(0, 3, required=True, allow_none=True)


class ShipDrawnEventSchema(EventBase):
    """A ship came to the last dock."""

    type = event_type("ship_drawn")
    ship = fields.String(required=True)
    last_six = Boolean(required=True)


class OrderChangedEventSchema(EventBase):
    """The movement order changed at the end of a round."""

    type = event_type("order_changed")
    order = fields.List(fields.Nested(WorkerSchema), required=True)
    shuffled = Boolean(required=True)


class DefaultedEventSchema(SeatEvent):
    """The default action was played for a seat."""

    type = event_type("defaulted")
    decision = fields.String(required=True)
    fault = Choice(*FAULTS, required=True, allow_none=True)


class ResignedEventSchema(EventBase):
    """Seats resigned, forfeited or were withdrawn."""

    type = event_type("resigned")
    seats = fields.List(Integer(0, 3), required=True)
    reason = Choice(*RESIGNATION_REASONS, required=True)


class FinishedEventSchema(EventBase):
    """The game is over."""

    type = event_type("finished")
    points = fields.List(Integer(0), required=True)
    places = fields.List(Integer(1, 4), required=True, allow_none=True)
    ended = Choice("played", "resigned", "aborted", required=True)


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

    events = fields.List(fields.Nested(EventSchema), required=True)
    last = Integer(0, required=True)
