"""Events of a game: a union told apart by `type`."""

from __future__ import annotations

from collections.abc import Mapping

from marshmallow import Schema, fields, validate
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.schemas.actions import ships_field
from service.api.schemas.common import ROOMS, TIME, WORKERS, Flag, Outgoing, Whole, Word
from service.api.schemas.observation import STOP, WorkerSchema
from service.protocol import FAULTS, RESIGNATION_REASONS


def kind(word: str) -> fields.String:
    """The member that tells the events apart."""
    return fields.String(required=True, validate=validate.Equal(word))


class EventHead(Outgoing):
    """What every event has."""

    n = Whole(1, required=True, metadata={"description": "Counts the game's events from 1, without gaps."})
    version = Whole(0, required=True)
    round = Whole(0, required=True)
    at = fields.String(required=True, metadata=TIME)
    forced = Flag(metadata={"description": "True where there was only one legal action."})


class OfSeat(EventHead):
    """An event of one seat."""

    seat = Whole(0, 3, required=True)


class JoinedEventSchema(OfSeat):
    """A seat was taken."""

    type = kind("joined")
    name = fields.String(required=True)


class StartedEventSchema(EventHead):
    """Everybody is seated."""

    type = kind("started")
    players = Whole(2, 4, required=True)


class RoundBeganEventSchema(EventHead):
    """A round began, with this movement order."""

    type = kind("round_began")
    order = fields.List(fields.Nested(WorkerSchema), required=True)


class OfferedEventSchema(OfSeat):
    """Lazy Jack was offered to a seat."""

    type = kind("offered")


class JackHiredEventSchema(OfSeat):
    """Lazy Jack was hired."""

    type = kind("jack_hired")
    companion = Word("big", "little", required=True)


class DeclinedEventSchema(OfSeat):
    """A seat did without Lazy Jack."""

    type = kind("declined")


class ChosenEventSchema(OfSeat):
    """A seat has chosen its cards; which ones, nobody learns before the reveal."""

    type = kind("chosen")


class RevealedCardsSchema(Outgoing):
    """The cards of one seat."""

    seat = Whole(0, 3, required=True)
    big = Whole(1, 5, required=True)
    little = Whole(1, 5, required=True)
    jack = Whole(1, 5)


class RevealedEventSchema(EventHead):
    """All cards were revealed."""

    type = kind("revealed")
    cards = fields.List(fields.Nested(RevealedCardsSchema), required=True)


class PushedSchema(Outgoing):
    """Who was pushed to the opposite stop."""

    seat = Whole(0, 3, required=True)
    worker = Word(*WORKERS, required=True)
    from_ = Whole(0, 15, data_key="from", required=True)
    to = Whole(0, 15, required=True)


class OfWorker(OfSeat):
    """An event of one worker; for Jack `seat` is who hired him."""

    worker = Word(*WORKERS, required=True)


class MovedEventSchema(OfWorker):
    """A worker moved."""

    type = kind("moved")
    from_ = Whole(0, 15, data_key="from", required=True, allow_none=True, metadata=STOP)
    to = Whole(0, 15, required=True, allow_none=True, metadata=STOP)
    pushed = fields.Nested(PushedSchema, required=True, allow_none=True)
    fell_back = Flag(required=True)


class OfRoom(OfWorker):
    """An event of a worker in front of a room."""

    warehouse = fields.String(required=True)
    room = Word(*ROOMS, required=True)


class CoinTakenEventSchema(OfRoom):
    """A coin was taken from the bank."""

    type = kind("coin_taken")


class LoadedEventSchema(OfRoom):
    """Barrels were loaded."""

    type = kind("loaded")
    ships = ships_field()


class UnloadedEventSchema(OfRoom):
    """Barrels were taken back."""

    type = kind("unloaded")
    ships = ships_field()


class ShipSailedEventSchema(EventHead):
    """A ship was paid and sailed; `filled_by` got a point for its last barrel."""

    type = kind("ship_sailed")
    ship = fields.String(required=True)
    paid = fields.List(Whole(0), required=True, metadata={"description": "Points by seat."})
    filled_by = Whole(0, 3, required=True, allow_none=True)


class ShipDrawnEventSchema(EventHead):
    """A ship came to the last dock."""

    type = kind("ship_drawn")
    ship = fields.String(required=True)
    last_six = Flag(required=True)


class OrderChangedEventSchema(EventHead):
    """The movement order changed at the end of a round."""

    type = kind("order_changed")
    order = fields.List(fields.Nested(WorkerSchema), required=True)
    shuffled = Flag(required=True)


class DefaultedEventSchema(OfSeat):
    """The default action was played for a seat."""

    type = kind("defaulted")
    decision = fields.String(required=True)
    fault = Word(*FAULTS, required=True, allow_none=True)


class ResignedEventSchema(EventHead):
    """Seats resigned, forfeited or were withdrawn."""

    type = kind("resigned")
    seats = fields.List(Whole(0, 3), required=True)
    reason = Word(*RESIGNATION_REASONS, required=True)


class FinishedEventSchema(EventHead):
    """The game is over."""

    type = kind("finished")
    points = fields.List(Whole(0), required=True)
    places = fields.List(Whole(1, 4), required=True, allow_none=True)
    ended = Word("played", "resigned", "aborted", required=True)


class AbortedEventSchema(EventHead):
    """The game was broken off."""

    type = kind("aborted")


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


class EventsSchema(Outgoing):
    """Events after a number; `last` is the number of the newest one."""

    events = fields.List(fields.Nested(EventSchema), required=True)
    last = Whole(0, required=True)
