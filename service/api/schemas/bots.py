"""Registered bots."""

from __future__ import annotations

from collections.abc import Mapping

from marshmallow import Schema, fields, validate
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.schemas.common import (
    TIME,
    Boolean,
    Choice,
    Integer,
    Name,
    PrintableString,
    QuerySeconds,
    RequestSchema,
    ResponseSchema,
    cursor_field,
)
from service.api.schemas.games import AskSchema, ComponentsSchema
from service.api.schemas.observation import VariantsSchema
from service.protocol import BOT_KINDS, BOT_PROTOCOL, FAULTS, MAX_ATTEMPTS

BOT_NAME = "[a-z0-9][a-z0-9._-]{0,39}"
URL = {
    "description": "http or https; `/act` and the others are appended to its path.",
    "example": "http://bot.example:9000",
}

BOT_STATUSES = ("online", "offline", "unknown")
BOT_STATUS = {
    "description": "Of a poll bot: whether it polls. Of a push bot: whether it answered when it was last called, for a "
    "match, a casual game, a check or before a tournament; unknown if it never was."
}
LAST_SEEN = {**TIME, "description": "When it last polled, or answered a call."}
DISPLAY_NAME = {"description": "How people may read it: letters and signs of every language.", "example": "Robotà"}


class NewBotSchema(RequestSchema):
    """A bot to register."""

    name = fields.String(
        required=True,
        validate=validate.Regexp(f"^{BOT_NAME}$", error="A name must match {regex}"),
        metadata={"description": "The name of the bot; nobody else can have it.", "example": "my-bot"},
    )
    kind = Choice(*BOT_KINDS, required=True, metadata={"description": "`push`: we call it; `poll`: it calls us."})
    url = fields.String(allow_none=True, load_default=None, validate=validate.Length(1, 2000), metadata=URL)
    casual = Boolean(load_default=False, metadata={"description": "Whether others may seat it in casual games."})
    max_games = Integer(1, 256, load_default=4, metadata={"description": "Matches at once."})
    display_name = Name(allow_none=True, load_default=None, metadata=DISPLAY_NAME)


class BotChangesSchema(RequestSchema):
    """What can be changed of a bot."""

    url = fields.String(validate=validate.Length(1, 2000), metadata=URL)
    casual = Boolean(metadata={"description": "Whether others may seat the bot in casual games."})
    max_games = Integer(1, 256, metadata={"description": "How many matches the bot plays at the same time."})
    display_name = Name(allow_none=True, metadata=DISPLAY_NAME)


class AbsenceSchema(ResponseSchema):
    """A match that a bot did not come up for."""

    tournament = fields.String(required=True, metadata={"description": "The id of the tournament; null outside one."})
    match = fields.String(required=True, metadata={"description": "The id of the match; null outside a tournament."})
    detail = fields.String(required=True, metadata={"description": "What its warm-up came to, in plain words."})
    at = fields.String(required=True, metadata=TIME)


class BotSchema(ResponseSchema):
    """A bot; `url` and `not_started` are shown to its owner."""

    bot = fields.String(required=True, metadata={"description": "The id of the bot."})
    name = fields.String(required=True, metadata={"description": "The name of the bot."})
    display_name = fields.String(required=True, allow_none=True, metadata=DISPLAY_NAME)
    kind = Choice(
        *BOT_KINDS,
        required=True,
        metadata={"description": "`push`: the service calls the bot; `poll`: the bot calls the service."},
    )
    casual = Boolean(required=True, metadata={"description": "Whether others may seat the bot in casual games."})
    max_games = Integer(1, required=True, metadata={"description": "How many matches the bot plays at the same time."})
    version = fields.String(
        required=True, allow_none=True, metadata={"description": "The version that the bot gave last, or null."}
    )
    status = Choice(*BOT_STATUSES, required=True, metadata=BOT_STATUS)
    last_seen = fields.String(required=True, allow_none=True, metadata=LAST_SEEN)
    created = fields.String(required=True, metadata=TIME)
    url = fields.String(allow_none=True, metadata=URL)
    failure = fields.String(
        allow_none=True, metadata={"description": "Why a push bot is offline; null unless it is. For its owner."}
    )
    not_started = fields.Nested(
        AbsenceSchema, allow_none=True, metadata={"description": "The last match that it did not come up for."}
    )


class RegisteredBotSchema(BotSchema):
    """A new bot, with its token and its secret, which are shown this once."""

    token = fields.String(required=True, metadata={"description": "The bot's token, shown only this once."})
    secret = fields.String(
        required=True, allow_none=True, metadata={"description": "`whsec_…`, to check our signatures; push bots only."}
    )


class BotPageSchema(ResponseSchema):
    """A page of bots, newest first."""

    items = fields.List(fields.Nested(BotSchema), required=True, metadata={"description": "The items of this page."})
    next = cursor_field()


class NewTokenSchema(ResponseSchema):
    """A bot's new token, shown this once."""

    bot = fields.String(required=True, metadata={"description": "The id of the bot."})
    token = fields.String(required=True, metadata={"description": "The token, shown only this once."})
    old_token_valid_until = fields.String(
        required=True, allow_none=True, metadata={**TIME, "description": "RFC 3339, UTC; null after `at_once`."}
    )


class NewSecretSchema(ResponseSchema):
    """A bot's new secret, shown this once."""

    bot = fields.String(required=True, metadata={"description": "The id of the bot."})
    secret = fields.String(required=True, metadata={"description": "The new secret, shown only this once."})
    old_secret_valid_until = fields.String(
        required=True, allow_none=True, metadata={**TIME, "description": "RFC 3339, UTC; null after `at_once`."}
    )


class FaultSchema(ResponseSchema):
    """A fault of a bot."""

    kind = Choice(*FAULTS, required=True, metadata={"description": "The kind of fault."})
    game = fields.String(required=True, metadata={"description": "The id of the game."})
    match = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the match; null outside a tournament."}
    )
    tournament = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the tournament; null outside one."}
    )
    decision = fields.String(required=True, metadata={"description": "The id of the decision."})
    elapsed_ms = Integer(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "Milliseconds from the ask to the answer; null if unknown."},
    )
    status = Integer(0, required=True, allow_none=True, metadata={"description": "Of the bot's answer, if it had one."})
    detail = fields.String(required=True, metadata={"description": "What was wrong, in plain words."})
    received = fields.String(required=True, metadata={"description": "The beginning of what came, fit to be shown."})
    at = fields.String(required=True, metadata=TIME)


class FaultPageSchema(ResponseSchema):
    """A page of a bot's ledger, newest first."""

    items = fields.List(fields.Nested(FaultSchema), required=True, metadata={"description": "The items of this page."})
    next = cursor_field()


class FindingSchema(ResponseSchema):
    """What came of one part of a check."""

    check = fields.String(
        required=True, metadata={"description": "Which part of the check it is.", "example": "each decision"}
    )
    grade = Choice(
        "ok",
        "advice",
        "fault",
        required=True,
        metadata={"description": "`ok`, `advice`, or `fault` if the bot would lose decisions."},
    )
    detail = fields.String(required=True, metadata={"description": "What was found, in plain words."})
    fix = fields.String(required=True, allow_none=True, metadata={"description": "What to do about it."})


class CheckReportSchema(ResponseSchema):
    """What a check found."""

    kind = Choice(*BOT_KINDS, required=True, metadata={"description": "The kind of bot."})
    grade = Choice(
        "ready", "fair", "faulty", required=True, metadata={"description": "`fair`: there is advice, and no fault."}
    )
    version = fields.String(
        required=True, allow_none=True, metadata={"description": "The version that the bot gave, or null."}
    )
    asks = Integer(0, required=True, metadata={"description": "How often the bot was asked."})
    median_ms = Integer(0, required=True, allow_none=True, metadata={"description": "Of the time to an answer."})
    slowest_ms = Integer(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "Milliseconds of the slowest answer; null without answers."},
    )
    findings = fields.List(
        fields.Nested(FindingSchema), required=True, metadata={"description": "What each part of the check found."}
    )


class CheckSchema(ResponseSchema):
    """A check of a bot, kept for a day or until the next one."""

    bot = fields.String(required=True, metadata={"description": "The id of the bot."})
    check = fields.String(required=True, metadata={"description": "The id of the check."})
    status = Choice(
        "running", "finished", required=True, metadata={"description": "Whether the check is still running."}
    )
    at = fields.String(required=True, metadata=TIME)
    report = fields.Nested(
        CheckReportSchema,
        required=True,
        allow_none=True,
        metadata={"description": "What the check found; null while it runs."},
    )


class PollQuery(RequestSchema):
    """A poll of a bot."""

    after = fields.String(
        load_default=None,
        validate=validate.Length(1, 200),
        metadata={"description": "`cursor` of the last answer: answered once what waits has changed."},
    )
    wait = QuerySeconds(
        30, load_default=0.0, metadata={"description": "Seconds to wait for a change before answering, 0 to 30."}
    )
    version = PrintableString(1, 60, load_default=None, metadata={"description": "The version of the bot."})


class StartSchema(ResponseSchema):
    """A game that the bot sits in begins: the body of `/start`."""

    protocol = fields.String(
        required=True,
        validate=validate.Equal(BOT_PROTOCOL),
        metadata={"description": "The version of the bot protocol."},
    )
    game = fields.String(required=True, metadata={"description": "The id of the game."})
    match = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the match; null outside a tournament."}
    )
    tournament = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the tournament; null outside one."}
    )
    seat = Integer(0, 3, required=True, metadata={"description": "The seat, from 0."})
    players = Integer(2, 4, required=True, metadata={"description": "How many seats the game has."})
    variants = fields.Nested(VariantsSchema, required=True, metadata={"description": "The variants of the rules."})
    components = fields.Nested(
        ComponentsSchema, required=True, metadata={"description": "All ships and warehouses of the game."}
    )
    seats = fields.List(
        fields.String(allow_none=True), required=True, metadata={"description": "The names of the players by seat."}
    )
    move_ms = Integer(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "Milliseconds for each decision; null without a time limit."},
    )
    bank_ms = Integer(0, required=True, metadata={"description": "Milliseconds in the bank of time."})
    max_faults = Integer(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "A seat with more faults than this forfeits the match; null in a casual game."},
    )
    attempts = Integer(
        1, MAX_ATTEMPTS, required=True, metadata={"description": "How many answers the bot may give to one decision."}
    )


class EndSchema(ResponseSchema):
    """A game that the bot sat in is over: the body of `/end`."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})
    match = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the match; null outside a tournament."}
    )
    places = fields.List(
        Integer(1, 4),
        required=True,
        allow_none=True,
        metadata={"description": "Places by seat, ties shared; null if there are none."},
    )
    points = fields.List(Integer(0), required=True, metadata={"description": "Points by seat."})
    ended = Choice(
        "played",
        "resigned",
        "aborted",
        required=True,
        metadata={"description": "How the game ended: played to the end, by resignations, or aborted."},
    )
    faults = fields.Dict(
        keys=fields.String(),
        values=Integer(0),
        required=True,
        metadata={"description": "The faults of the bot by kind."},
    )
    record = fields.String(required=True, metadata={"description": "The path of the game's record."})


class StartNoticeSchema(StartSchema):
    """A game that the bot sits in has begun and is not over."""

    type = fields.String(required=True, validate=validate.Equal("start"), metadata={"description": "Always `start`."})


class EndNoticeSchema(EndSchema):
    """A game that the bot sat in is over since less than 10 minutes."""

    type = fields.String(required=True, validate=validate.Equal("end"), metadata={"description": "Always `end`."})


class NoticeSchema(OneOfSchema):
    """The start or the end of a game that the bot sits in."""

    type_field_remove = False
    type_schemas: Mapping[str, type[Schema] | Schema] = {"start": StartNoticeSchema, "end": EndNoticeSchema}


class PolledSchema(ResponseSchema):
    """All asks that wait for the bot now."""

    decisions = fields.List(
        fields.Nested(AskSchema), required=True, metadata={"description": "An ask for each open decision."}
    )
    notices = fields.List(
        fields.Nested(NoticeSchema),
        required=True,
        metadata={
            "description": "Starts of games that are running, and ends of games that ended in the last ten minutes."
        },
    )
    cursor = fields.String(required=True, metadata={"description": "Send it as `after` of the next poll."})
    more = Integer(
        1,
        metadata={
            "description": "How many games are left out here; missing where none is. They follow in later polls."
        },
    )
