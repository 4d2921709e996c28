"""Tournaments: settings, tables, matches."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.common import (
    TIME,
    Described,
    Flag,
    Incoming,
    Outgoing,
    Text,
    Whole,
    Word,
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


class NewTournamentSchema(Incoming):
    """A tournament to play."""

    name = Text(1, 60, required=True, metadata={"example": "spring league"})
    format = Word("round_robin", "gauntlet", load_default="round_robin")
    bots = names(required=True)
    challengers = names()
    players = Whole(2, 4, load_default=4)
    deals = Whole(1, 1_000_000, load_default=1, metadata={"description": "Deals that each set of entrants plays."})
    sets = Whole(
        1, 1_000_000, allow_none=True, load_default=None, metadata={"description": "How many sets; null: all."}
    )
    seatings = Word("rotations", "all", load_default="rotations")
    seed = Text(1, 128, allow_none=True, load_default=None, metadata=SEED)
    variants = Described(NewVariantsSchema, load_default=dict)
    components = Described(ComponentsSchema, allow_none=True, load_default=None)
    move_ms = Whole(10, HOUR_MS, load_default=1000, metadata=MILLISECONDS)
    bank_ms = Whole(0, HOUR_MS, load_default=5000, metadata=MILLISECONDS)
    warmup_ms = Whole(10, HOUR_MS, load_default=30_000, metadata=MILLISECONDS)
    max_faults = Whole(0, 1_000_000, load_default=5)
    policy = Word("lenient", "strict", load_default="lenient")
    callback = Text(1, 2048, allow_none=True, load_default=None, metadata=CALLBACK)


class TournamentSettingsSchema(Outgoing):
    """What the tournament was created with, defaults filled in."""

    name = fields.String(required=True)
    format = Word("round_robin", "gauntlet", required=True)
    bots = fields.List(fields.String(), required=True)
    challengers = fields.List(fields.String(), required=True)
    players = Whole(2, 4, required=True)
    deals = Whole(1, required=True)
    sets = Whole(1, required=True, allow_none=True)
    seatings = Word("rotations", "all", required=True)
    variants = fields.Nested(VariantsSchema, required=True)
    components = fields.Nested(ComponentsSchema, required=True, allow_none=True)
    move_ms = Whole(required=True)
    bank_ms = Whole(required=True)
    warmup_ms = Whole(required=True)
    max_faults = Whole(required=True)
    policy = Word("lenient", "strict", required=True)


class EntrantSchema(Outgoing):
    """A bot in a tournament."""

    bot = fields.String(required=True)
    name = fields.String(required=True)


class MatchCountsSchema(Outgoing):
    """How far a tournament is."""

    total = Whole(0, required=True)
    finished = Whole(0, required=True, metadata={"description": "Played to their end."})
    cancelled = Whole(0, required=True, metadata={"description": "Will not be played (to their end)."})


class TournamentSchema(Outgoing):
    """A tournament; seed and nonce, which open the commitment, once it is over."""

    tournament = fields.String(required=True)
    name = fields.String(required=True)
    status = Word(*TOURNAMENT_STATUSES, required=True)
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


class TournamentPageSchema(Outgoing):
    """A page of tournaments, newest first."""

    items = fields.List(fields.Nested(TournamentSchema), required=True)
    next = cursor_field()


class WithdrawalSchema(Incoming):
    """Which bot leaves."""

    bot = fields.String(required=True, validate=validate.Length(1, 80), metadata={"description": "Name or id."})


class StandingSchema(Outgoing):
    """A row of the standings."""

    rank = Whole(1, required=True)
    bot = fields.String(required=True)
    name = fields.String(required=True)
    matches = Whole(0, required=True)
    wins = Whole(0, required=True)
    score = fields.Float(required=True, metadata={"description": "Opponents beaten, ties half: the sum over matches."})
    score_per_match = fields.Float(required=True, allow_none=True, metadata={"description": "The ranking goes by it."})
    points = fields.Float(required=True, allow_none=True, metadata={"description": "Average points a match."})
    faults = fields.Dict(keys=fields.String(), values=Whole(0), required=True)
    forfeits = Whole(0, required=True)
    not_started = Whole(0, required=True)
    answer_ms = fields.Float(required=True, allow_none=True, metadata={"description": "Average time to an answer."})
    versions = fields.List(fields.String(), required=True)
    rating = fields.Float(required=True, allow_none=True)
    interval = fields.List(fields.Float(), required=True, allow_none=True)
    interval_missing = fields.String(
        required=True, allow_none=True, metadata={"description": "Why there is no interval."}
    )
    bands = fields.List(
        Whole(1), required=True, allow_none=True, metadata={"description": "First and last of its rank bands."}
    )
    superiority = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Likelihood that it is stronger than the next below it by rating."},
    )


class StandingsSchema(Outgoing):
    """The table as it stands."""

    tournament = fields.String(required=True)
    status = Word(*TOURNAMENT_STATUSES, required=True)
    matches = fields.Nested(MatchCountsSchema, required=True)
    standings = fields.List(fields.Nested(StandingSchema), required=True)


class CrosstableSchema(Outgoing):
    """Entrant by entrant, rows and columns in the order of `names`."""

    tournament = fields.String(required=True)
    status = Word(*TOURNAMENT_STATUSES, required=True)
    names = fields.List(fields.String(), required=True)
    matches = fields.List(fields.List(Whole(0, allow_none=True)), required=True)
    score = fields.List(fields.List(fields.Float(allow_none=True)), required=True)


class ScheduledMatchSchema(Outgoing):
    """Who sits where in a match."""

    match = fields.String(required=True)
    block = Whole(0, required=True)
    seating = Whole(0, required=True)
    seats = fields.List(fields.String(), required=True)


class MatchSchema(ScheduledMatchSchema):
    """A match, and what it came to."""

    game = fields.String(required=True, allow_none=True)
    status = Word(*MATCH_STATUSES, required=True)
    points = fields.List(Whole(0), required=True, allow_none=True)
    places = fields.List(Whole(1, 4), required=True, allow_none=True)
    attempt = Whole(0, metadata={"description": "Above 0: played again after a void."})
    ended = fields.String(allow_none=True)
    faults = fields.List(fields.Dict(keys=fields.String(), values=Whole(0)), metadata={"description": "By seat."})
    forfeits = fields.List(fields.String())
    not_started = fields.List(fields.String())
    versions = fields.List(fields.String(allow_none=True))
    harness_slow = Flag()


class MatchPageSchema(Outgoing):
    """A page of matches, in the order of the schedule."""

    items = fields.List(fields.Nested(MatchSchema), required=True)
    next = cursor_field()


class SchedulePageSchema(Outgoing):
    """A page of the schedule."""

    items = fields.List(fields.Nested(ScheduledMatchSchema), required=True)
    next = cursor_field()


class TournamentEventSchema(Outgoing):
    """Something that happened in a tournament. Further members depend on `type`."""

    n = Whole(1, required=True)
    type = fields.String(required=True, metadata={"example": "match_finished"})
    at = fields.String(required=True, metadata=TIME)
    name = fields.String(metadata={"description": "Of the tournament (`started`)."})
    commitment = fields.String()
    matches = Whole(0, metadata={"description": "How many there are (`started`)."})
    match = fields.String()
    seats = fields.List(fields.String())
    points = fields.List(Whole(0))
    places = fields.List(Whole(1, 4), allow_none=True)
    bot = fields.String(metadata={"description": "Who was withdrawn (`withdrawn`)."})
    reason = fields.String()
    seed = fields.String(metadata={"description": "Opens the commitment, in the last event."})
    nonce = fields.String()


class TournamentEventsSchema(Outgoing):
    """At most 1,000 events after a number; `last` is the number of the newest one here."""

    events = fields.List(fields.Nested(TournamentEventSchema), required=True)
    last = Whole(0, required=True)
