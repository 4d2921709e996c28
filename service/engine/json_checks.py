"""Checks of JSON values from outside: each returns the value with its type, or raises InvalidInput with the path."""

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from service.engine.errors import InvalidInput, Path

P = ParamSpec("P")
T = TypeVar("T")

MAX_INTEGER = 2**53 - 1
"""Larger integers in JSON are not exact in every language."""


def below(name: str, parse: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Parses a member. The path of an error in it starts with the member's name."""
    try:
        return parse(*args, **kwargs)
    except InvalidInput as error:
        raise InvalidInput((name, *error.path), error.reason) from error


def shown(value: object) -> str:
    """A value as text for an error message, shortened."""
    if isinstance(value, int) and value.bit_length() > 200:
        # Python refuses to print numbers of more than some thousand digits.
        return "a huge number"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def mapping(value: object, path: Path) -> dict[str, object]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise InvalidInput(path, f"must be an object, not {shown(value)}")
    for key in value:
        if not isinstance(key, str):
            raise InvalidInput(path, f"member names must be strings, not {shown(key)}")
    return value


def members(value: object, path: Path, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, object]:
    """A JSON object that has all the required members and none but these and the optional ones."""
    found = mapping(value, path)
    required = tuple(required)
    for name in required:
        if name not in found:
            raise InvalidInput((*path, name), "is missing")
    for name in found:
        if name not in required and name not in optional:
            raise InvalidInput((*path, name), "is not known")
    return found


def sequence(value: object, path: Path) -> list[object]:
    """A JSON array."""
    if not isinstance(value, list | tuple):
        raise InvalidInput(path, f"must be a list, not {shown(value)}")
    return list(value)


def string(value: object, path: Path) -> str:
    if not isinstance(value, str):
        raise InvalidInput(path, f"must be a string, not {shown(value)}")
    return value


def integer(value: object, path: Path) -> int:
    """An integer; true and false are not integers here."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInput(path, f"must be an integer, not {shown(value)}")
    return value


def between(value: object, path: Path, least: int, most: int, prefix: str = "") -> int:
    """An integer within limits. `prefix` starts the message and names what the number belongs to."""
    number = integer(value, path)
    if not least <= number <= most:
        raise InvalidInput(path, f"{prefix}must be {least} to {most}, not {shown(number)}")
    return number


def one_of(value: object, path: Path, choices: Iterable[str]) -> str:
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise InvalidInput(path, f"must be one of {', '.join(choices)}, not {shown(value)}")
    return value


def permutation(value: object, path: Path, ids: Iterable[str], what: str) -> tuple[str, ...]:
    """A list that names each of the ids once."""
    expected = tuple(ids)
    found = [string(item, (*path, i)) for i, item in enumerate(sequence(value, path))]
    for i, item in enumerate(found):
        if item not in expected:
            raise InvalidInput((*path, i), f"there is no {what} {shown(item)}")
        if item in found[:i]:
            raise InvalidInput((*path, i), f"{what} {shown(item)} is named twice")
    for item in expected:
        if item not in found:
            raise InvalidInput(path, f"{what} {shown(item)} is missing")
    return tuple(found)
