"""What the API itself refuses, before a use case is reached. Their codes meet HTTP in `errors.py`, with all others."""

from __future__ import annotations

from typing import Any

from service.operations.errors import OperationError


class MalformedJson(OperationError):
    """A body that is not one strict JSON text (RFC 8259, I-JSON): the position or the reason is in `detail`."""

    code = "malformed_json"


class TooLarge(OperationError):
    """A body above the limit."""

    code = "too_large"


class UnsupportedMediaType(OperationError):
    """A body that is not `application/json` in UTF-8, or is compressed."""

    code = "unsupported_media_type"


class InvalidMembers(OperationError):
    """A body, query or header that does not fit its schema. `errors`: messages by field, nested as the body is."""

    code = "invalid_request"

    def __init__(self, errors: dict[Any, Any]) -> None:
        super().__init__(_first(errors), errors=errors)


def _first(errors: dict[Any, Any]) -> str:
    """The first of nested messages as one sentence, with the path of its field."""
    path: list[str] = []
    found: Any = errors
    while isinstance(found, dict):
        name, found = next(iter(found.items()))
        if name != "_schema":
            path.append(str(name))
    reason = str(found[0]) if isinstance(found, list) and found else str(found)
    return f"{'.'.join(path)}: {reason}" if path else reason
