"""Tournaments: settings, tables, matches."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.common import (
    TIME,
    Boolean,
    Choice,
    EngineChecked,
    Integer,
    Name,
    PrintableString,
    RequestSchema,
    ResponseSchema,
    cursor_field,
)
from service.api.schemas.games import (
    CALLBACK,
    CALLBACK_SECRET,
    SEED,
    CallbackSecretSchema,
    ComponentsSchema,
    NewVariantsSchema,
)
from service.api.schemas.observation import VariantsSchema

TOURNAMENT_STATUSES = ("running", "paused", "finished", "cancelled", "failed")
MATCH_STATUSES = ("scheduled", "running", "finished", "void", "cancelled")
HOUR_MS = 3_600_000
MILLISECONDS = {"description": "Milliseconds."}


def names(required: bool = False, most: int = 10_000) -> fields.List[str]:
    """Bots by name or id."""
    item = fields.String(validate=validate.Length(1, 80))
    if required:
        return fields.List(item, required=True, validate=validate.Length(1, most))
    return fields.List(item, load_default=list, validate=validate.Length(0, most))


class NewTournamentSchema(RequestSchema):
    """A tournament to play."""

    name = Name(required=True, metadata={"example": "spring league"})
    format = Choice("round_robin", "gauntlet", load_default="round_robin")
    bots = names(required=True)
    challengers = names()
    players = Integer(2, 4, load_default=4)
    deals = Integer(1, 1_000_000, load_default=1, metadata={"description": "Deals that each set of entrants plays."})
    sets = Integer(
        1, 1_000_000, allow_none=True, load_default=None, metadata={"description": "How many sets; null: all."}
    )
    seatings = Choice("rotations", "all", load_default="rotations")
    seed = PrintableString(1, 128, allow_none=True, load_default=None, metadata=SEED)
    variants = EngineChecked(NewVariantsSchema, load_default=dict)
    components = EngineChecked(ComponentsSchema, allow_none=True, load_default=None)
    move_ms = Integer(10, HOUR_MS, load_default=1000, metadata=MILLISECONDS)
    bank_ms = Integer(0, HOUR_MS, load_default=5000, metadata=MILLISECONDS)
    warmup_ms = Integer(10, HOUR_MS, load_default=30_000, metadata=MILLISECONDS)
    max_faults = Integer(0, 1_000_000, load_default=5)
    policy = Choice("lenient", "strict", load_default="lenient")
    callback = PrintableString(1, 2048, allow_none=True, load_default=None, metadata=CALLBACK)


class TournamentSettingsSchema(ResponseSchema):
    """What the tournament was created with, defaults filled in."""

    name = fields.String(required=True)
    format = Choice("round_robin", "gauntlet", required=True)
    bots = fields.List(fields.String(), required=True)
    challengers = fields.List(fields.String(), required=True)
    players = Integer(2, 4, required=True)
    deals = Integer(1, required=True)
    sets = Integer(1, required=True, allow_none=True)
    seatings = Choice("rotations", "all", required=True)
    variants = fields.Nested(VariantsSchema, required=True)
    components = fields.Nested(ComponentsSchema, required=True, allow_none=True)
    move_ms = Integer(required=True)
    bank_ms = Integer(required=True)
    warmup_ms = Integer(required=True)
    max_faults = Integer(required=True)
    policy = Choice("lenient", "strict", required=True)


class EntrantSchema(ResponseSchema):
    """A bot in a tournament."""

    bot = fields.String(required=True)
    name = fields.String(required=True)


class MatchCountsSchema(ResponseSchema):
    """How far a tournament is."""

    total = Integer(0, required=True)
    finished = Integer(0, required=True, metadata={"description": "Played to their end."})
    cancelled = Integer(0, required=True, metadata={"description": "Will not be played (to their end)."})


class TournamentSchema(ResponseSchema):
    """A tournament; seed and nonce, which open the commitment, once it is over."""

    tournament = fields.String(required=True)
    name = fields.String(required=True)
    status = Choice(*TOURNAMENT_STATUSES, required=True)
    reason = fields.String(required=True, allow_none=True)
    commitment = fields.String(required=True)
    created = fields.String(required=True, metadata=TIME)
    matches = fields.Nested(MatchCountsSchema, required=True)
    settings = fields.Nested(TournamentSettingsSchema, required=True)
    entrants = fields.List(fields.Nested(EntrantSchema), required=True)
    withdrawn = fields.List(fields.String(), required=True)
    seed = fields.String()
    nonce = fields.String()
    callback_secret = fields.String(metadata=CALLBACK_SECRET)


class TournamentCallbackSecretSchema(CallbackSecretSchema):
    """The new secret of a tournament's callback, shown this once."""

    tournament = fields.String(required=True)


class TournamentPageSchema(ResponseSchema):
    """A page of tournaments, newest first."""

    items = fields.List(fields.Nested(TournamentSchema), required=True)
    next = cursor_field()


class WithdrawalSchema(RequestSchema):
    """Which bot leaves."""

    bot = fields.String(required=True, validate=validate.Length(1, 80), metadata={"description": "Name or id."})


class StandingSchema(ResponseSchema):
    """A row of the standings."""

    rank = Integer(1, required=True)
    bot = fields.String(required=True)
    name = fields.String(required=True)
    matches = Integer(0, required=True)
    wins = Integer(0, required=True)
    score = fields.Float(required=True, metadata={"description": "Opponents beaten, ties half: the sum over matches."})
    score_per_match = fields.Float(required=True, allow_none=True, metadata={"description": "The ranking goes by it."})
    points = fields.Float(required=True, allow_none=True, metadata={"description": "Average points a match."})
    faults = fields.Dict(keys=fields.String(), values=Integer(0), required=True)
    forfeits = Integer(0, required=True)
    not_started = Integer(0, required=True)
    answer_ms = fields.Float(required=True, allow_none=True, metadata={"description": "Average time to an answer."})
    versions = fields.List(fields.String(), required=True)
    rating = fields.Float(required=True, allow_none=True)
    interval = fields.List(fields.Float(), required=True, allow_none=True)
    interval_missing = fields.String(
        required=True, allow_none=True, metadata={"description": "Why there is no interval."}
    )
    bands = fields.List(
        Integer(1), required=True, allow_none=True, metadata={"description": "First and last of its rank bands."}
    )
    superiority = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Likelihood that it is stronger than the next below it by rating."},
    )


class StandingsSchema(ResponseSchema):
    """The table as it stands."""

    tournament = fields.String(required=True)
    status = Choice(*TOURNAMENT_STATUSES, required=True)
    matches = fields.Nested(MatchCountsSchema, required=True)
    standings = fields.List(fields.Nested(StandingSchema), required=True)


class CrosstableSchema(ResponseSchema):
    """Entrant by entrant, rows and columns in the order of `names`."""

    tournament = fields.String(required=True)
    status = Choice(*TOURNAMENT_STATUSES, required=True)
    names = fields.List(fields.String(), required=True)
    matches = fields.List(fields.List(Integer(0, allow_none=True)), required=True)
    score = fields.List(fields.List(fields.Float(allow_none=True)), required=True)


class ScheduledMatchSchema(ResponseSchema):
    """Who sits where in a match."""

    match = fields.String(required=True)
    block = Integer(0, required=True)
    seating = Integer(0, required=True)
    seats = fields.List(fields.String(), required=True)


class MatchSchema(ScheduledMatchSchema):
    """A match, and what it came to."""

    game = fields.String(required=True, allow_none=True)
    status = Choice(*MATCH_STATUSES, required=True)
    points = fields.List(Integer(0), required=True, allow_none=True)
    places = fields.List(Integer(1, 4), required=True, allow_none=True)
    attempt = Integer(0, metadata={"description": "Above 0: played again after a void."})
    ended = fields.String(allow_none=True)
    faults = fields.List(fields.Dict(keys=fields.String(), values=Integer(0)), metadata={"description": "By seat."})
    forfeits = fields.List(fields.String())
    not_started = fields.List(fields.String())
    versions = fields.List(fields.String(allow_none=True))
    harness_slow = Boolean()


class MatchPageSchema(ResponseSchema):
    """A page of matches, in the order of the schedule."""

    items = fields.List(fields.Nested(MatchSchema), required=True)
    next = cursor_field()


class SchedulePageSchema(ResponseSchema):
    """A page of the schedule."""

    items = fields.List(fields.Nested(ScheduledMatchSchema), required=True)
    next = cursor_field()


class TournamentEventSchema(ResponseSchema):
    """Something that happened in a tournament. Further members depend on `type`."""

    n = Integer(1, required=True)
    type = fields.String(required=True, metadata={"example": "match_finished"})
    at = fields.String(required=True, metadata=TIME)
    name = fields.String(metadata={"description": "Of the tournament (`started`)."})
    commitment = fields.String()
    matches = Integer(0, metadata={"description": "How many there are (`started`)."})
    match = fields.String()
    seats = fields.List(fields.String())
    points = fields.List(Integer(0))
    places = fields.List(Integer(1, 4), allow_none=True)
    bot = fields.String(metadata={"description": "Who was withdrawn (`withdrawn`)."})
    reason = fields.String()
    seed = fields.String(metadata={"description": "Opens the commitment, in the last event."})
    nonce = fields.String()


class TournamentEventsSchema(ResponseSchema):
    """At most 1,000 events after a number; `last` is the number of the newest one here."""

    events = fields.List(fields.Nested(TournamentEventSchema), required=True)
    last = Integer(0, required=True)
