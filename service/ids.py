"""Ids that follow from what they name, so that what is created twice is one and the same (PROTOCOL "Tournaments")."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MATCH = re.compile(r"(?P<tournament>.+)-(?P<block>0|[1-9][0-9]{0,6})-(?P<seating>0|[1-9][0-9]?)")
_ATTEMPT = re.compile(r"(?P<match>.+)-(?:0|[1-9][0-9]{0,6})")


@dataclass(frozen=True, slots=True)
class MatchName:
    """What the id of a match says. `block` and `seating` count from 0."""

    tournament: str
    block: int
    seating: int


def match_id(tournament: str, block: int, seating: int) -> str:
    """The id of the match that a block plays in its seating of that number, both from 0."""
    return f"{tournament}-{block}-{seating}"


def game_id(tournament: str, block: int, seating: int, attempt: int) -> str:
    """The id of the game in which a match is played; `attempt` counts from 0."""
    return f"{match_id(tournament, block, seating)}-{attempt}"


def parse_match_id(match: str) -> MatchName | None:
    """What the id of a match says; None for any other text. Undoes `match_id`."""
    found = _MATCH.fullmatch(match)
    return MatchName(found["tournament"], int(found["block"]), int(found["seating"])) if found else None


def match_of_game(game: str) -> MatchName | None:
    """The match that the id of a game names; None for an id that is not a match's."""
    found = _ATTEMPT.fullmatch(game)
    return parse_match_id(found["match"]) if found else None
