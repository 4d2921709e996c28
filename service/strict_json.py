"""JSON from outside: RFC 8259 with the limits of RFC 7493 (I-JSON) that matter, where `json.loads` is lenient.

Text that two parsers could read differently is refused. Requests and answers of bots are read by the same rules.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

MAX_DEPTH = 32
"""Levels of nested objects and lists; an answer to an ask needs three, a record six."""
MAX_NUMBER_LENGTH = 40
"""Characters of one number: enough for 128 bits, and far fewer than what is slow to convert."""


class StrictJsonError(ValueError):
    """Bytes that are not strict JSON; `reason` says why, for the sender."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parse_strict(body: bytes, *, max_depth: int = MAX_DEPTH) -> object:
    """Parses JSON to dict, list, str, int, float, bool or None. A byte order mark is ignored.

    Raises StrictJsonError for bytes that are not UTF-8 or not JSON, for NaN and Infinity, two members with one name, a
    number longer than `MAX_NUMBER_LENGTH` or beyond the range of a float, half of a surrogate pair, anything after the
    value, and more than `max_depth` levels. The caller bounds the length.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"it is not UTF-8 at byte {error.start}") from None
    # Counting brackets is cheap and enough for nearly all bodies. Only beyond that does it matter which are in strings.
    if body.count(b"[") + body.count(b"{") > max_depth:
        _check_depth(body, max_depth)
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise StrictJsonError(f"it is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    if _SURROGATE.search(body):
        _check_surrogates(value)
    return value


_BRACKETS_AND_QUOTES = re.compile(rb'["\\\[\]{}]')
# Only an escape can be half of a surrogate pair: in UTF-8 it would be malformed.
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _check_depth(body: bytes, max_depth: int) -> None:
    depth = 0
    in_string = False
    escaped_at = -1
    for found in _BRACKETS_AND_QUOTES.finditer(body):
        mark, at = found.group(), found.start()
        if at == escaped_at:
            continue
        if mark == b"\\":
            escaped_at = at + 1
        elif mark == b'"':
            in_string = not in_string
        elif not in_string:
            depth += 1 if mark in b"[{" else -1
            if depth > max_depth:
                raise StrictJsonError(f"it is nested more than {max_depth} levels deep")


def _check_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise StrictJsonError("a string has half of a surrogate pair in it") from None


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise StrictJsonError(f"the member {name[:40]!r} is there twice")
            seen.add(name)
    return members


def _integer(text: str) -> int:
    _check_length(text)
    return int(text)


def _real(text: str) -> float:
    _check_length(text)
    number = float(text)
    if math.isinf(number):
        raise StrictJsonError("a number is too large")
    return number


def _check_length(text: str) -> None:
    if len(text) > MAX_NUMBER_LENGTH:
        raise StrictJsonError(f"a number has more than {MAX_NUMBER_LENGTH} characters")


def _no_constant(name: str) -> NoReturn:
    raise StrictJsonError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_integer, parse_float=_real, parse_constant=_no_constant
)
