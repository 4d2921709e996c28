"""JSON read strictly: what two parsers could read differently is refused (RFC 8259, and RFC 7493 "I-JSON")."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from service.api.refusals import MalformedJson


def _no_constant(name: str) -> NoReturn:
    raise MalformedJson(f"{name} is not JSON.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise MalformedJson(f"The number {text[:20]} is too large.")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise MalformedJson(f"The member {name[:40]!r} is given twice.")
            seen.add(name)
    return members


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)


def loads(body: bytes) -> Any:
    """The value of a JSON text in UTF-8. Raises MalformedJson: bad syntax, NaN, duplicate members, absurd depth or
    numbers, half a surrogate pair."""
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise MalformedJson(f"{error.msg} (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise MalformedJson("The body is nested too deeply.") from None
    except ValueError:
        # Python refuses to convert integers of thousands of digits.
        raise MalformedJson("A number is too large.") from None
    if b"\\u" in body:
        _refuse_half_pairs(value)
    return value


def _refuse_half_pairs(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise MalformedJson("A string has half a surrogate pair.") from None
