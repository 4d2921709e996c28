"""Tournaments: settings, tables, matches."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.bots import BOT_STATUS, BOT_STATUSES, LAST_SEEN
from service.api.schemas.common import (
    TIME,
    Boolean,
    BoundedList,
    Choice,
    EngineChecked,
    Integer,
    Name,
    PrintableString,
    RequestSchema,
    ResponseSchema,
    cursor_field,
    reset_field,
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
from service.protocol import MAX_ATTEMPTS
from service.tournament.plan import FORMATS, MAX_ENTRANTS, MAX_ROUNDS

TOURNAMENT_STATUSES = ("waiting", "running", "paused", "finished", "cancelled", "failed")
MATCH_STATUSES = ("scheduled", "running", "finished", "void", "cancelled")
HOUR_MS = 3_600_000
MILLISECONDS = {"description": "Milliseconds."}
ROUNDS = {"description": "In a Swiss tournament: how many rounds; null in other formats."}
ADVANCE = {"description": "How many go on from each table of a knockout, or from each group of divisions; else null."}
MAX_DEALS = {"description": "In a knockout: how many deals an undecided table plays at most; null in other formats."}
GROUPS = {"description": "In divisions: how many groups there are at first; null in other formats."}
ATTEMPTS = {"description": "How many answers a bot may give to one decision, within the same time."}


def bots_field(description: str, *, required: bool = False) -> BoundedList:
    """Bots by name or id."""
    metadata = {"description": description}
    item = fields.String(validate=validate.Length(1, 80))
    if required:
        return BoundedList(item, 1, MAX_ENTRANTS, required=True, metadata=metadata)
    return BoundedList(item, 0, MAX_ENTRANTS, load_default=list, metadata=metadata)


class NewMatchTermsSchema(RequestSchema):
    """What every match of a new tournament or ladder is played with, and where callbacks go."""

    variants = EngineChecked(
        NewVariantsSchema, load_default=dict, metadata={"description": "The variants of the rules."}
    )
    components = EngineChecked(
        ComponentsSchema,
        allow_none=True,
        load_default=None,
        metadata={"description": "A component set of your own; null for the standard set."},
    )
    move_ms = Integer(10, HOUR_MS, load_default=1000, metadata=MILLISECONDS)
    bank_ms = Integer(0, HOUR_MS, load_default=5000, metadata=MILLISECONDS)
    warmup_ms = Integer(10, HOUR_MS, load_default=30_000, metadata=MILLISECONDS)
    max_faults = Integer(
        0,
        1_000_000,
        load_default=5,
        metadata={"description": "A seat with more faults than this forfeits the match."},
    )
    policy = Choice(
        "lenient",
        "strict",
        load_default="lenient",
        metadata={"description": "`strict`: the first illegal action forfeits the match."},
    )
    attempts = Integer(1, MAX_ATTEMPTS, load_default=1, metadata=ATTEMPTS)
    callback = PrintableString(1, 2048, allow_none=True, load_default=None, metadata=CALLBACK)


class MatchTermsSchema(ResponseSchema):
    """What every match of a tournament or a ladder is played with."""

    variants = fields.Nested(VariantsSchema, required=True, metadata={"description": "The variants of the rules."})
    components = fields.Nested(
        ComponentsSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The ships and warehouses that are used; null for the standard set."},
    )
    move_ms = Integer(required=True, metadata={"description": "Milliseconds for each decision."})
    bank_ms = Integer(required=True, metadata={"description": "Milliseconds in the bank of time."})
    warmup_ms = Integer(
        required=True, metadata={"description": "Milliseconds that a bot has to come up before a match."}
    )
    max_faults = Integer(
        required=True,
        metadata={"description": "A seat with more faults than this forfeits the match."},
    )
    policy = Choice(
        "lenient",
        "strict",
        required=True,
        metadata={"description": "`strict`: the first illegal action forfeits the match."},
    )
    attempts = Integer(1, MAX_ATTEMPTS, required=True, metadata=ATTEMPTS)


class NewTournamentSchema(NewMatchTermsSchema):
    """A tournament to play."""

    name = Name(required=True, metadata={"description": "The name of the tournament.", "example": "spring league"})
    format = Choice(
        *FORMATS,
        load_default="round_robin",
        metadata={
            "description": "`round_robin`: all against all; `gauntlet`: challengers against all others; `swiss`, "
            "`knockout` and `divisions` are drawn in stages."
        },
    )
    bots = bots_field("The names or ids of the bots that play.", required=True)
    challengers = bots_field("In a gauntlet: the bots that play against all others.")
    players = Integer(2, 4, load_default=4, metadata={"description": "How many seats the game has."})
    deals = Integer(1, 1_000_000, load_default=1, metadata={"description": "Deals that each set of entrants plays."})
    sets = Integer(
        1, 1_000_000, allow_none=True, load_default=None, metadata={"description": "How many sets; null: all."}
    )
    seatings = Choice(
        "rotations",
        "all",
        load_default="rotations",
        metadata={"description": "Whether each set plays every deal in rotations of its seats, or in all orders."},
    )
    rounds = Integer(1, MAX_ROUNDS, allow_none=True, load_default=None, metadata=ROUNDS)
    advance = Integer(1, MAX_ENTRANTS, allow_none=True, load_default=None, metadata=ADVANCE)
    max_deals = Integer(1, 1_000_000, allow_none=True, load_default=None, metadata=MAX_DEALS)
    groups = Integer(1, MAX_ENTRANTS, allow_none=True, load_default=None, metadata=GROUPS)
    seed = PrintableString(1, 128, allow_none=True, load_default=None, metadata=SEED)
    require_ready = Boolean(
        load_default=False, metadata={"description": "Whether to begin only when all entrants are online."}
    )


class TournamentSettingsSchema(MatchTermsSchema):
    """What the tournament was created with, defaults filled in."""

    name = fields.String(required=True, metadata={"description": "The name of the tournament."})
    format = Choice(
        *FORMATS,
        "ladder",
        required=True,
        metadata={"description": "How it is decided who meets whom; `ladder`: it is a season of a ladder."},
    )
    bots = fields.List(
        fields.String(), required=True, metadata={"description": "The names or ids of the bots that play."}
    )
    challengers = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "In a gauntlet: the bots that play against all others."},
    )
    players = Integer(2, 4, required=True, metadata={"description": "How many seats the game has."})
    deals = Integer(1, required=True, metadata={"description": "How many deals each set of entrants plays."})
    sets = Integer(
        1, required=True, allow_none=True, metadata={"description": "How many sets of entrants play; null: all."}
    )
    seatings = Choice(
        "rotations",
        "all",
        required=True,
        metadata={"description": "Whether each set plays every deal in rotations of its seats, or in all orders."},
    )
    rounds = Integer(1, required=True, allow_none=True, metadata=ROUNDS)
    advance = Integer(1, required=True, allow_none=True, metadata=ADVANCE)
    max_deals = Integer(1, required=True, allow_none=True, metadata=MAX_DEALS)
    groups = Integer(1, required=True, allow_none=True, metadata=GROUPS)
    require_ready = Boolean(
        required=True, metadata={"description": "Whether to begin only when all entrants are online."}
    )


class EntrantSchema(ResponseSchema):
    """A bot in a tournament; in a single tournament that is not over with its status."""

    bot = fields.String(required=True, metadata={"description": "The id of the bot."})
    name = fields.String(required=True, metadata={"description": "The name of the bot."})
    status = Choice(*BOT_STATUSES, metadata=BOT_STATUS)
    last_seen = fields.String(allow_none=True, metadata=LAST_SEEN)


class MatchCountsSchema(ResponseSchema):
    """How far a tournament is."""

    total = Integer(
        0, required=True, metadata={"description": "How many matches there are; expected, as long as `drawn` is less."}
    )
    drawn = Integer(0, required=True, metadata={"description": "Of how many it is known who meets whom."})
    finished = Integer(0, required=True, metadata={"description": "Played to their end."})
    cancelled = Integer(0, required=True, metadata={"description": "Will not be played (to their end)."})


class TournamentSummarySchema(ResponseSchema):
    """A tournament in a list."""

    tournament = fields.String(required=True, metadata={"description": "The id of the tournament; null outside one."})
    name = fields.String(required=True, metadata={"description": "The name of the tournament."})
    status = Choice(*TOURNAMENT_STATUSES, required=True, metadata={"description": "The status of the tournament."})
    reason = fields.String(
        required=True, allow_none=True, metadata={"description": "Why the tournament is in this status, or null."}
    )
    commitment = fields.String(
        required=True,
        metadata={"description": "Hexadecimal SHA-256 of nonce and seed, published before the first action."},
    )
    created = fields.String(required=True, metadata=TIME)
    matches = fields.Nested(
        MatchCountsSchema, required=True, metadata={"description": "How many matches are scheduled and done."}
    )


class TournamentSchema(TournamentSummarySchema):
    """A tournament; seed and nonce, which open the commitment, once it is over."""

    started = fields.String(
        required=True,
        allow_none=True,
        metadata={**TIME, "description": "When its first matches could be played, or null. RFC 3339, UTC."},
    )
    ended = fields.String(
        required=True, allow_none=True, metadata={**TIME, "description": "When it ended, or null. RFC 3339, UTC."}
    )
    settings = fields.Nested(
        TournamentSettingsSchema, required=True, metadata={"description": "What the tournament was created with."}
    )
    entrants = fields.List(
        fields.Nested(EntrantSchema), required=True, metadata={"description": "The bots that take part."}
    )
    withdrawn = fields.List(fields.String(), required=True, metadata={"description": "Bots that were withdrawn."})
    seed = fields.String(
        metadata={"description": "The seed that chance is drawn from; null or absent while it is secret."}
    )
    nonce = fields.String(
        metadata={
            "description": "Opens the commitment together with the seed: 32 hexadecimal digits; not shown while secret."
        }
    )
    callback_secret = fields.String(metadata=CALLBACK_SECRET)


class TournamentCallbackSecretSchema(CallbackSecretSchema):
    """The new secret of a tournament's callback, shown this once."""

    tournament = fields.String(required=True, metadata={"description": "The id of the tournament; null outside one."})


class TournamentPageSchema(ResponseSchema):
    """A page of tournaments, newest first."""

    items = fields.List(
        fields.Nested(TournamentSummarySchema), required=True, metadata={"description": "The items of this page."}
    )
    next = cursor_field()


class WithdrawalSchema(RequestSchema):
    """Which bot leaves."""

    bot = fields.String(required=True, validate=validate.Length(1, 80), metadata={"description": "Name or id."})


class StandingSchema(ResponseSchema):
    """A row of the standings."""

    rank = Integer(1, required=True, metadata={"description": "The rank; equal rows share it."})
    bot = fields.String(required=True, metadata={"description": "The id of the bot."})
    name = fields.String(required=True, metadata={"description": "The name of the bot."})
    matches = Integer(0, required=True, metadata={"description": "Matches that count for the bot."})
    wins = Integer(0, required=True, metadata={"description": "Matches won, shared first places as their share."})
    score = fields.Float(required=True, metadata={"description": "Opponents beaten, ties half: the sum over matches."})
    score_per_match = fields.Float(required=True, allow_none=True, metadata={"description": "The ranking goes by it."})
    points = fields.Float(required=True, allow_none=True, metadata={"description": "Average points a match."})
    faults = fields.Dict(
        keys=fields.String(), values=Integer(0), required=True, metadata={"description": "Faults of the bot by kind."}
    )
    forfeits = Integer(0, required=True, metadata={"description": "Matches that the bot forfeited."})
    not_started = Integer(0, required=True, metadata={"description": "Matches for which the bot did not come up."})
    answer_ms = fields.Float(required=True, allow_none=True, metadata={"description": "Average time to an answer."})
    versions = fields.List(fields.String(), required=True, metadata={"description": "Versions that bots have given."})
    rating = fields.Float(
        required=True, allow_none=True, metadata={"description": "The rating; null before the first result."}
    )
    interval = fields.List(
        fields.Float(),
        required=True,
        allow_none=True,
        metadata={"description": "The 95 % interval of the rating; null if there is none."},
    )
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

    tournament = fields.String(required=True, metadata={"description": "The id of the tournament; null outside one."})
    status = Choice(*TOURNAMENT_STATUSES, required=True, metadata={"description": "The status of the tournament."})
    matches = fields.Nested(
        MatchCountsSchema, required=True, metadata={"description": "How many matches are scheduled and done."}
    )
    standings = fields.List(
        fields.Nested(StandingSchema), required=True, metadata={"description": "The rows of the table, best first."}
    )


class ExportCrosstableSchema(ResponseSchema):
    """Entrant by entrant, rows and columns in the order of `names`."""

    names = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The names of the bots, in the order of rows and columns."},
    )
    matches = fields.List(
        fields.List(Integer(0, allow_none=True)),
        required=True,
        metadata={"description": "How many matches each bot played against each other; null for itself."},
    )
    score = fields.List(
        fields.List(fields.Float(allow_none=True)),
        required=True,
        metadata={"description": "The score of each bot against each other; null where they have not met."},
    )


class CrosstableSchema(ExportCrosstableSchema):
    """The crosstable of a tournament as it stands."""

    tournament = fields.String(required=True, metadata={"description": "The id of the tournament."})
    status = Choice(*TOURNAMENT_STATUSES, required=True, metadata={"description": "The status of the tournament."})


class ScheduledMatchSchema(ResponseSchema):
    """Who sits where in a match."""

    match = fields.String(required=True, metadata={"description": "The id of the match; null outside a tournament."})
    block = Integer(
        0, required=True, metadata={"description": "The number of the block that the match belongs to, from 0."}
    )
    seating = Integer(0, required=True, metadata={"description": "The number of the seating within the block, from 0."})
    seats = fields.List(fields.String(), required=True, metadata={"description": "The names of the bots by seat."})


class ExportStageSchema(ResponseSchema):
    """One draw: who meets whom next, from all that was played before it."""

    round = Integer(1, required=True, metadata={"description": "The round, from 1; tables that play on stay in it."})
    pools = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={"description": "Names of those who meet: a table, or a group in which all meet."},
    )
    deals = Integer(1, required=True, metadata={"description": "How many deals each set of entrants plays."})
    byes = fields.List(fields.String(), required=True, metadata={"description": "Bots that sit the round out."})
    advance = fields.List(
        Integer(0),
        required=True,
        metadata={"description": "How many of each pool go on; empty where nobody drops out."},
    )
    withdrawn = fields.List(
        fields.String(), required=True, metadata={"description": "Bots that had been withdrawn by then."}
    )


class StageSchema(ExportStageSchema):
    """A stage, with its blocks."""

    stage = Integer(0, required=True, metadata={"description": "The number of the stage, from 0."})
    first_block = Integer(0, required=True, metadata={"description": "The number of its first block."})
    blocks = Integer(0, required=True, metadata={"description": "How many blocks it has."})


class StagesSchema(ResponseSchema):
    """The stages that are drawn so far."""

    tournament = fields.String(required=True, metadata={"description": "The id of the tournament."})
    status = Choice(*TOURNAMENT_STATUSES, required=True, metadata={"description": "The status of the tournament."})
    format = Choice(*FORMATS, required=True, metadata={"description": "How it is decided who meets whom."})
    stages = fields.List(
        fields.Nested(StageSchema), required=True, metadata={"description": "Empty for a round robin and a gauntlet."}
    )


class MatchSchema(ScheduledMatchSchema):
    """A match, and what it came to."""

    game = fields.String(required=True, allow_none=True, metadata={"description": "The id of the game."})
    status = Choice(*MATCH_STATUSES, required=True, metadata={"description": "The status of the match."})
    points = fields.List(
        Integer(0), required=True, allow_none=True, metadata={"description": "Points by seat; null before the end."}
    )
    places = fields.List(
        Integer(1, 4),
        required=True,
        allow_none=True,
        metadata={"description": "Places by seat, ties shared; null if there are none."},
    )
    attempt = Integer(0, metadata={"description": "Above 0: played again after a void."})
    ended = fields.String(allow_none=True, metadata={"description": "How the game ended; null before its end."})
    faults = fields.List(fields.Dict(keys=fields.String(), values=Integer(0)), metadata={"description": "By seat."})
    forfeits = fields.List(fields.String(), metadata={"description": "Bots that forfeited the match."})
    not_started = fields.List(fields.String(), metadata={"description": "Bots that did not come up for the match."})
    versions = fields.List(
        fields.String(allow_none=True), metadata={"description": "The version of each bot, by seat."}
    )
    harness_slow = Boolean(metadata={"description": "Whether the service itself was too slow during the match."})


class MatchPageSchema(ResponseSchema):
    """A page of matches, in the order of the schedule."""

    items = fields.List(fields.Nested(MatchSchema), required=True, metadata={"description": "The items of this page."})
    next = cursor_field()


class SchedulePageSchema(ResponseSchema):
    """A page of the schedule."""

    items = fields.List(
        fields.Nested(ScheduledMatchSchema), required=True, metadata={"description": "The items of this page."}
    )
    next = cursor_field()


class TournamentEventSchema(ResponseSchema):
    """Something that happened in a tournament. Further members depend on `type`."""

    n = Integer(1, required=True, metadata={"description": "Counts the events from 1, without gaps."})
    type = fields.String(required=True, metadata={"description": "What happened.", "example": "match_finished"})
    at = fields.String(required=True, metadata=TIME)
    name = fields.String(metadata={"description": "Of the tournament (`started`)."})
    commitment = fields.String(metadata={"description": "The commitment to the seed (`started`)."})
    matches = Integer(0, metadata={"description": "How many there are (`started`)."})
    match = fields.String(metadata={"description": "The id of the match (`match_finished`)."})
    game = fields.String(allow_none=True, metadata={"description": "The id of its game (`match_finished`)."})
    seats = fields.List(fields.String(), metadata={"description": "The names of the bots by seat (`match_finished`)."})
    points = fields.List(Integer(0), metadata={"description": "Points by seat (`match_finished`)."})
    places = fields.List(Integer(1, 4), allow_none=True, metadata={"description": "Places by seat (`match_finished`)."})
    bot = fields.String(metadata={"description": "Who was withdrawn (`withdrawn`)."})
    stage = Integer(0, metadata={"description": "The number of the stage, from 0 (`stage_drawn`)."})
    round = Integer(1, metadata={"description": "The round that it belongs to, from 1 (`stage_drawn`)."})
    entrant = fields.String(metadata={"description": "Who entered or left a ladder (`entered`, `left`)."})
    block = Integer(0, metadata={"description": "The number of a ladder's block (`block_started`, `block_finished`)."})
    entrants = fields.List(fields.String(), metadata={"description": "Who plays that block (`block_started`)."})
    reason = fields.String(metadata={"description": "Why (`failed`, `cancelled`)."})
    seed = fields.String(metadata={"description": "Opens the commitment, in the last event."})
    nonce = fields.String(metadata={"description": "Opens the commitment, in the last event."})


class TournamentEventsSchema(ResponseSchema):
    """At most 1,000 events after a number; `last` is the number of the newest one here."""

    events = fields.List(
        fields.Nested(TournamentEventSchema), required=True, metadata={"description": "The events, oldest first."}
    )
    last = Integer(0, required=True, metadata={"description": "The number of the newest event here."})
    reset = reset_field()
