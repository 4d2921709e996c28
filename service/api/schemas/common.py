"""What all schemas are made of: base classes, fields, and queries that several operations take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import INCLUDE, RAISE, Schema, ValidationError, fields, missing, validate

from service.names import MAX_NAME, NameRefused, check_name

ID_PATTERN = "[A-Za-z0-9][A-Za-z0-9._-]{0,79}"
WORKERS = ("big", "little", "jack")
ROOMS = ("upper", "lower")
STATUSES = ("open", "running", "finished", "aborted")
TIME = {"format": "date-time", "description": "RFC 3339, UTC."}


class RequestSchema(Schema):
    """A request body, or a part of one: unknown members are refused."""

    exactly_one_of: ClassVar[tuple[str, ...]] = ()
    """Members of which exactly one must be given. The OpenAPI document has a variant for each."""

    class Meta:
        unknown = RAISE


class ResponseSchema(Schema):
    """A response body, or a part of one: later versions may add members."""

    class Meta:
        unknown = INCLUDE


class Boolean(fields.Boolean):
    """`true` or `false`; not 1, not "yes"."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if value is True or value is False:
            return bool(value)
        raise self.make_error("invalid", input=value)


class Integer(fields.Integer):
    """A JSON integer within limits; not "3", not 3.0."""

    def __init__(self, minimum: int | None = None, maximum: int | None = None, **kwargs: Any) -> None:
        if minimum is not None or maximum is not None:
            kwargs["validate"] = validate.Range(minimum, maximum)
        super().__init__(strict=True, **kwargs)


class PrintableString(fields.String):
    """A string without control characters, which would play tricks in terminals and logs. Lengths are in characters."""

    def __init__(self, shortest: int = 0, longest: int = 200, **kwargs: Any) -> None:
        super().__init__(validate=[validate.Length(shortest, longest), _printable], **kwargs)


def _printable(text: str) -> None:
    if not text.isprintable():
        raise ValidationError("Printable characters only.")


class Name(fields.String):
    """The name of a player, game, tournament or key: letters and signs of every language."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=[validate.Length(1, MAX_NAME), _name], **kwargs)


def _name(text: str) -> None:
    try:
        check_name(text)
    except NameRefused as error:
        raise ValidationError(f"A name {error.reason}.") from None


class Choice(fields.String):
    """One of a few strings."""

    def __init__(self, *choices: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(choices), **kwargs)


class BoundedList(fields.List[Any]):
    """A list whose length is checked before its items, of which there could be a hundred thousand."""

    def __init__(self, item: fields.Field[Any], shortest: int, longest: int, **kwargs: Any) -> None:
        super().__init__(item, **kwargs)
        self.validators = [validate.Length(shortest, longest)]

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if isinstance(value, list):
            self._validate(value)
        return super()._deserialize(value, attr, data, **kwargs)


class EngineChecked(fields.Nested):
    """A value that the schema only describes. The engine checks it, since its errors name the tile and the member.

    Deserializing returns the value as it was sent.
    """

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, partial: Any = None, **kwargs: Any
    ) -> Any:
        wanted = list if self.many else dict
        if not isinstance(value, wanted):
            raise ValidationError("Must be a list." if self.many else "Must be an object.")
        return value


class CheckedOneByOne(fields.Nested):
    """An object among many that the schema only describes: the view checks each, and refuses only those that are
    invalid. Deserializing returns the value as it was sent."""

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """The value."""
        return value


class QueryInteger(fields.Integer):
    """An integer in a query or header, written in digits."""

    _DIGITS = re.compile(r"[0-9]{1,12}")

    def __init__(self, minimum: int, maximum: int | None = None, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(minimum, maximum), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not isinstance(value, str) or not self._DIGITS.fullmatch(value):
            raise self.make_error("invalid", input=value)
        return int(value)


class QueryBoolean(fields.Boolean):
    """`true` or `false` in a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise self.make_error("invalid", input=value)
        return bool(value == "true")


class QuerySeconds(fields.Float):
    """Seconds in a query: any number that a client's language writes, such as 25, 2.5 or 1e-05."""

    _NUMBER = re.compile(r"[0-9]{1,4}(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?")

    def __init__(self, maximum: float, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(0, maximum), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if not isinstance(value, str) or not self._NUMBER.fullmatch(value):
            raise self.make_error("invalid", input=value)
        return float(value)


MAX_WAIT_S = 30


class WaitQuery(RequestSchema):
    """`wait`, of an operation that can wait for news."""

    wait = QuerySeconds(
        MAX_WAIT_S,
        load_default=0.0,
        metadata={"description": "Seconds to wait for news before answering, 0 to 30.", "example": 25},
    )


class PageQuery(RequestSchema):
    """`limit` and `cursor`, of an operation that lists."""

    limit = QueryInteger(1, 100, load_default=20, metadata={"description": "Items on a page, 1 to 100."})
    cursor = fields.String(
        load_default=None,
        validate=validate.Length(1, 200),
        metadata={"description": "`next` of the page before: where to go on."},
    )


class EventsQuery(WaitQuery):
    """`after` and `wait`, of an operation that gives events."""

    after = QueryInteger(0, load_default=0, metadata={"description": "The `n` of the last event the client has."})


class EmptySchema(RequestSchema):
    """`{}`, or no body at all."""


class RotationSchema(RequestSchema):
    """How a token or secret is replaced."""

    at_once = Boolean(
        load_default=False,
        metadata={"description": "Whether the old ones are invalid from now on, as after a leak; else for a day more."},
    )


class LastEventId(fields.Field[tuple[int, str | None]]):
    """The id of an event of a stream: its number and time. An empty one counts as none (HTML, "Server-sent events");
    the number alone will do."""

    _ID = re.compile(r"([0-9]{1,15})(?:@([0-9TZ:.-]{20,30}))?")

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """The number, and the time or None; `missing` for no id."""
        return super().deserialize(missing if value == "" else value, *args, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[int, str | None]:
        found = self._ID.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise ValidationError("An event's id is its number, or its number, @ and its time.")
        return int(found[1]), found[2]


class StreamHeaders(Schema):
    """`Last-Event-ID`: where a stream is resumed."""

    last_event_id = LastEventId(
        data_key="Last-Event-ID",
        metadata={
            "type": "string",
            "description": "The id of the last event received, as browsers send it; goes before `after`.",
            "example": "42@2026-11-29T22:25:59.205Z",
        },
    )


class CreatingHeaders(Schema):
    """`Idempotency-Key`: makes a creating call safe to repeat."""

    idempotency_key = fields.String(
        data_key="Idempotency-Key",
        validate=validate.Regexp(r"^[\x21-\x7e]{16,128}$", error="Give 16 to 128 characters of ASCII, without spaces."),
        metadata={"description": "16 to 128 characters: the same key and body give the same answer for 24 hours."},
    )


def reset_field() -> fields.Boolean:
    """`reset`, only there when it is true."""
    return fields.Boolean(
        metadata={"description": "True if what the client has is no part of the past (any more); else it is missing."}
    )


def cursor_field() -> fields.String:
    """`next` of a page."""
    return fields.String(
        required=True, allow_none=True, metadata={"description": "The cursor of the next page; null on the last one."}
    )
