"""JSON values read into dataclasses by the types of their members, where msgspec is not installed.

The extra `msgspec` does the same faster, with messages of the same form: what was expected, what was there, and the
path of the member, such as `$.decision.seat`. The names are those of msgspec.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]
"""Checks a value and gives it as its type. Raises ValidationError."""

_NAMES = {bool: "bool", int: "int", float: "float", str: "str", list: "array", dict: "object", type(None): "null"}


class ValidationError(ValueError):
    """A value of a wrong type, or a member that is missing. `path` leads to it from the value that is read."""

    def __init__(self, what: str, path: str = "") -> None:
        super().__init__(f"{what} - at `${path}`")
        self.what, self.path = what, path

    def below(self, step: str) -> ValidationError:
        """The same, with the path as it is one level further up."""
        return ValidationError(self.what, step + self.path)


def convert(value: object, kind: type[T]) -> T:
    """The value as a `kind`, a dataclass. Members that it does not know are ignored. Raises ValidationError."""
    reader: Callable[[Any], T] = _reader(kind)  # type: ignore[arg-type]
    return reader(value)


@cache
def _reader(kind: Any) -> Reader:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value: value
    if is_dataclass(kind):
        return _object(kind)
    if origin is Literal:
        return _one_of(arguments)
    if origin is Union:
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return _nullable(_reader(inner))
    if origin is tuple and arguments[-1] is Ellipsis:
        return _array(_reader(arguments[0]))
    if origin is tuple:
        return _fixed_array(tuple(map(_reader, arguments)))
    if origin is dict:
        return _mapping(_reader(arguments[1]))
    return _plain(kind)


def _expected(what: str, value: object) -> ValidationError:
    return ValidationError(f"Expected `{what}`, got `{_NAMES.get(type(value), type(value).__name__)}`")


def _object(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    members = [
        (field.name, _reader(hints[field.name]), field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
        if field.init
    ]

    def check(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _expected("object", value)
        found = {}
        for name, member, required in members:
            if name in value:
                try:
                    found[name] = member(value[name])
                except ValidationError as wrong:
                    raise wrong.below(f".{name}") from None
            elif required:
                raise ValidationError(f"Object missing required field `{name}`")
        return kind(**found)

    return check


def _one_of(choices: tuple[Any, ...]) -> Reader:
    def check(value: Any) -> Any:
        if not isinstance(value, str):
            raise _expected("str", value)
        if value not in choices:
            raise ValidationError(f"Invalid enum value {value[:40]!r}")
        return value

    return check


def _nullable(inner: Reader) -> Reader:
    return lambda value: None if value is None else inner(value)


def _array(item: Reader) -> Reader:
    def check(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise _expected("array", value)
        return tuple(_item(item, index, one) for index, one in enumerate(value))

    return check


def _fixed_array(items: tuple[Reader, ...]) -> Reader:
    def check(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise _expected("array", value)
        if len(value) != len(items):
            raise ValidationError(f"Expected `array` of length {len(items)}")
        return tuple(_item(item, index, one) for index, (item, one) in enumerate(zip(items, value)))

    return check


def _item(item: Reader, index: int, value: Any) -> Any:
    try:
        return item(value)
    except ValidationError as wrong:
        raise wrong.below(f"[{index}]") from None


def _mapping(inner: Reader) -> Reader:
    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _expected("object", value)
        found = {}
        for name, member in value.items():
            try:
                found[name] = inner(member)
            except ValidationError as wrong:
                raise wrong.below("[...]") from None
        return found

    return check


def _plain(kind: type) -> Reader:
    def check(value: Any) -> Any:
        # A bool is an int in Python, and is none in JSON.
        if type(value) is not kind:
            raise _expected(_NAMES[kind], value)
        return value

    return check
