"""What all schemas are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from marshmallow import INCLUDE, RAISE, Schema, ValidationError, fields, validate

ID_PATTERN = "[A-Za-z0-9][A-Za-z0-9._-]{0,79}"
WORKERS = ("big", "little", "jack")
ROOMS = ("upper", "lower")
STATUSES = ("open", "running", "finished", "aborted")
TIME = {"format": "date-time", "description": "RFC 3339, UTC."}


class Incoming(Schema):
    """What is sent to us: unknown members are refused."""

    class Meta:
        unknown = RAISE


class Outgoing(Schema):
    """What we answer: members may be added, and clients ignore what they don't know."""

    class Meta:
        unknown = INCLUDE


class Flag(fields.Boolean):
    """True or false, and nothing that merely looks like it."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if value is True or value is False:
            return bool(value)
        raise self.make_error("invalid", input=value)


class Whole(fields.Integer):
    """An integer, within limits: not "3", not 3.0."""

    def __init__(self, least: int | None = None, most: int | None = None, **kwargs: Any) -> None:
        if least is not None or most is not None:
            kwargs["validate"] = validate.Range(least, most)
        super().__init__(strict=True, **kwargs)


class Text(fields.String):
    """A string of so many characters, without control characters, which would play tricks in terminals and logs."""

    def __init__(self, least: int = 0, most: int = 200, **kwargs: Any) -> None:
        super().__init__(validate=[validate.Length(least, most), _printable], **kwargs)


def _printable(text: str) -> None:
    if not text.isprintable():
        raise ValidationError("Printable characters only.")


class Word(fields.String):
    """One of a few words."""

    def __init__(self, *words: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(words), **kwargs)


class Described(fields.Nested):
    """A value that a schema describes and something else checks: the engine, whose errors name the tile and the field.

    The value comes through as it was sent.
    """

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, partial: Any = None, **kwargs: Any
    ) -> Any:
        wanted = list if self.many else dict
        if not isinstance(value, wanted):
            raise ValidationError("Must be a list." if self.many else "Must be an object.")
        return value


class CountInQuery(fields.Integer):
    """Digits in a query."""

    _DIGITS = re.compile(r"[0-9]{1,12}")

    def __init__(self, least: int, most: int | None = None, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(least, most), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not isinstance(value, str) or not self._DIGITS.fullmatch(value):
            raise self.make_error("invalid", input=value)
        return int(value)


class Seconds(fields.Float):
    """Seconds in a query, such as 25 or 2.5."""

    _DECIMAL = re.compile(r"[0-9]{1,4}(\.[0-9]{1,6})?")

    def __init__(self, most: float, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(0, most), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if not isinstance(value, str) or not self._DECIMAL.fullmatch(value):
            raise self.make_error("invalid", input=value)
        return float(value)


MAX_WAIT_S = 30


class WaitQuery(Incoming):
    """A query that can wait."""

    wait = Seconds(
        MAX_WAIT_S,
        load_default=0.0,
        metadata={"description": "Seconds to wait for news before answering, 0 to 30.", "example": 25},
    )


class PageQuery(Incoming):
    """A query for a page of a list."""

    limit = CountInQuery(1, 100, load_default=20, metadata={"description": "Items on a page, 1 to 100."})
    cursor = fields.String(
        load_default=None,
        validate=validate.Length(1, 200),
        metadata={"description": "`next` of the page before: where to go on."},
    )


class EventsQuery(WaitQuery):
    """Events after a number."""

    after = CountInQuery(0, load_default=0, metadata={"description": "The `n` of the last event the client has."})


class EmptySchema(Incoming):
    """`{}`, or no body at all."""


class StreamHeaders(Schema):
    """Where a stream goes on."""

    last_event_id = CountInQuery(
        0,
        data_key="Last-Event-ID",
        metadata={"description": "The id of the last event received, as browsers send it; goes before `after`."},
    )


class CreatingHeaders(Schema):
    """How a creating call can be repeated safely."""

    idempotency_key = fields.String(
        data_key="Idempotency-Key",
        validate=validate.Regexp(r"^[\x21-\x7e]{16,128}$"),
        metadata={"description": "16 to 128 characters: the same key and body give the same answer for 24 hours."},
    )


def cursor_field() -> fields.String:
    """`next` of a page."""
    return fields.String(
        required=True, allow_none=True, metadata={"description": "The cursor of the next page; null on the last one."}
    )
