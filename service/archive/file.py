"""The format of an exported tournament (PROTOCOL "Export of a tournament"), and its digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import rfc8785

from service.engine.errors import InvalidInput, Misfit, Path
from service.engine.json_checks import mapping


class DamagedArchive(Misfit):
    """The first thing in the file that does not fit, and the reason."""


FORMAT = "montego-bay-tournament/1"
STATUSES = ("finished", "cancelled", "failed")
MEMBERS = (
    "format",
    "tournament",
    "status",
    "reason",
    "created",
    "started",
    "ended",
    "settings",
    "entrants",
    "withdrawn",
    "seed",
    "nonce",
    "commitment",
    "stages",
    "log",
    "schedule",
    "matches",
    "standings",
    "crosstable",
    "ratings",
    "digest",
)


def digest(archive: Mapping[str, Any]) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the file's RFC 8785 form in UTF-8, without `digest`, and with each
    record replaced by its own digest.

    Raises rfc8785.CanonicalizationError for values that have no such form.
    """
    kept = {name: value for name, value in archive.items() if name != "digest"}
    kept["matches"] = [_with_digest(entry) for entry in archive["matches"]]
    return "sha256:" + sha256(rfc8785.dumps(kept)).hexdigest()


def _with_digest(entry: Any) -> Any:
    record = entry.get("record") if isinstance(entry, dict) else None
    return {**entry, "record": record.get("digest")} if isinstance(record, dict) else entry


def having(value: object, path: Path, required: Iterable[str]) -> dict[str, Any]:
    """A JSON object with these members, and perhaps more that a later version has added. Raises InvalidInput."""
    found = mapping(value, path)
    for name in required:
        if name not in found:
            raise InvalidInput((*path, name), "is missing")
    return found
