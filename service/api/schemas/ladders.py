"""Ladders: settings, table, blocks, seasons."""

from __future__ import annotations

from marshmallow import fields, validate

from service.api.schemas.common import (
    TIME,
    Boolean,
    BoundedList,
    Choice,
    Integer,
    Name,
    PrintableString,
    RequestSchema,
    ResponseSchema,
    cursor_field,
)
from service.api.schemas.games import CALLBACK_SECRET
from service.api.schemas.tournaments import TOURNAMENT_STATUSES, MatchTermsSchema, NewMatchTermsSchema
from service.operations.ladders.document import ENTRY
from service.tournament.plan import MAX_ENTRANTS

ENDS = {"description": "When the season ends (RFC 3339, with its offset); null: by hand."}
BOT = {"description": "The name or id of the bot.", "example": "my-bot"}


class NewLadderSchema(NewMatchTermsSchema):
    """A ladder to open."""

    name = Name(required=True, metadata={"description": "The name of the ladder.", "example": "house ladder"})
    references = BoundedList(
        fields.String(validate=validate.Length(1, 80)),
        1,
        MAX_ENTRANTS,
        required=True,
        metadata={"description": "The names or ids of the reference bots: the mean of their ratings is always 1500."},
    )
    players = Integer(2, 4, load_default=4, metadata={"description": "How many seats a match has."})
    entry = Choice(
        *ENTRY,
        load_default="all",
        metadata={"description": "Whose bots may enter: those of `all` authors, or only those of your `own` key."},
    )
    ends = PrintableString(1, 40, allow_none=True, load_default=None, metadata=ENDS)


class SeasonSchema(ResponseSchema):
    """A season. It is a tournament, which has its matches, standings and events."""

    season = Integer(1, required=True, metadata={"description": "The number of the season, from 1."})
    tournament = fields.String(required=True, metadata={"description": "The id of its tournament."})
    status = Choice(*TOURNAMENT_STATUSES, required=True, metadata={"description": "The status of the tournament."})
    commitment = fields.String(required=True, metadata={"description": "The commitment to the season's seed."})
    began = fields.String(required=True, metadata=TIME)
    ends = fields.String(required=True, allow_none=True, metadata=ENDS)
    entrants = Integer(0, required=True, metadata={"description": "How many have entered in this season."})
    blocks = Integer(0, required=True, metadata={"description": "How many blocks are over."})


class LadderSummarySchema(ResponseSchema):
    """A ladder in a list."""

    ladder = fields.String(required=True, metadata={"description": "The id of the ladder."})
    name = fields.String(required=True, metadata={"description": "The name of the ladder."})
    status = Choice("open", "closed", required=True, metadata={"description": "Whether bots can enter."})
    players = Integer(2, 4, required=True, metadata={"description": "How many seats a match has."})
    entry = Choice(*ENTRY, required=True, metadata={"description": "Whose bots may enter."})
    created = fields.String(required=True, metadata=TIME)
    seasons = fields.List(
        fields.String(), required=True, metadata={"description": "Ids of its tournaments, one a season, oldest first."}
    )


class LadderSchema(LadderSummarySchema):
    """A ladder, with its settings and the season that runs."""

    settings = fields.Nested(
        MatchTermsSchema, required=True, metadata={"description": "What every match is played with."}
    )
    season = fields.Nested(SeasonSchema, required=True, metadata={"description": "The season that runs."})
    callback_secret = fields.String(metadata=CALLBACK_SECRET)


class LadderPageSchema(ResponseSchema):
    """A page of ladders."""

    items = fields.List(fields.Nested(LadderSummarySchema), required=True, metadata={"description": "Newest first."})
    next = cursor_field()


class EnterLadderSchema(RequestSchema):
    """A bot that enters."""

    bot = PrintableString(1, 80, required=True, metadata=BOT)


class LadderEntrantSchema(ResponseSchema):
    """A version of a bot on a ladder."""

    name = fields.String(
        required=True, metadata={"description": "Its name there: the bot's, with a number from its second version on."}
    )
    bot = fields.String(required=True, metadata={"description": "The id of the bot."})
    version = fields.String(required=True, allow_none=True, metadata={"description": "The version, if it is known."})
    reference = Boolean(required=True, metadata={"description": "Whether it is one of the reference bots."})
    away = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Why it gets no new blocks (`offline`, `left`, `newer version`); null: it takes part."
        },
    )


class LadderRowSchema(LadderEntrantSchema):
    """A row of the table."""

    rating = fields.Float(required=True, metadata={"description": "Elo points; the mean of the references is 1500."})
    error = fields.Float(
        required=True, allow_none=True, metadata={"description": "Its standard error; null before the first block."}
    )
    interval = fields.List(
        fields.Float(allow_none=True),
        required=True,
        allow_none=True,
        metadata={"description": "It holds the rating at every look in 95 of 100 ladders; an open end is null."},
    )
    provisional = Boolean(
        required=True, metadata={"description": "Whether the interval is more than 100 points wide to a side."}
    )
    blocks = Integer(0, required=True, metadata={"description": "How many blocks it rests on."})
    playing = Boolean(required=True, metadata={"description": "Whether it sits in a block that is being played."})
    places = fields.List(
        Integer(1),
        required=True,
        allow_none=True,
        metadata={"description": "The first and the last place that the intervals allow; null while provisional."},
    )


class LadderTableSchema(SeasonSchema):
    """The table of the season that runs."""

    ladder = fields.String(required=True, metadata={"description": "The id of the ladder."})
    table = fields.List(
        fields.Nested(LadderRowSchema), required=True, metadata={"description": "The entrants, strongest first."}
    )


class LadderMatchSchema(ResponseSchema):
    """A match of a block."""

    match = fields.String(required=True, metadata={"description": "The id of the match."})
    seats = fields.List(fields.String(), required=True, metadata={"description": "The names of the entrants by seat."})
    game = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of its game, once it is over."}
    )
    places = fields.List(
        Integer(1, 4), required=True, allow_none=True, metadata={"description": "Places by seat, once it is over."}
    )


class LadderBlockSchema(ResponseSchema):
    """Matches of the same entrants over one deal, in which each has every seat once."""

    block = Integer(0, required=True, metadata={"description": "The number of the block, from 0."})
    entrants = fields.List(fields.String(), required=True, metadata={"description": "In their order around the table."})
    status = Choice("running", "finished", required=True, metadata={"description": "Whether it is over."})
    counts = Boolean(
        required=True,
        allow_none=True,
        metadata={"description": "Whether it counts: not where a bot did not start. null while it runs."},
    )
    shares = fields.List(
        fields.Float(),
        required=True,
        allow_none=True,
        metadata={"description": "The share of pairs that each entrant won; null unless the block counts."},
    )
    matches = fields.List(fields.Nested(LadderMatchSchema), required=True, metadata={"description": "Its matches."})


class LadderBlockPageSchema(ResponseSchema):
    """A page of blocks."""

    items = fields.List(fields.Nested(LadderBlockSchema), required=True, metadata={"description": "Newest first."})
    next = cursor_field()


class NewSeasonSchema(RequestSchema):
    """The next season."""

    ends = PrintableString(1, 40, allow_none=True, load_default=None, metadata=ENDS)
