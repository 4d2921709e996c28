"""What anybody can read of how a bot has done: its tournaments, its opponents there, its last matches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from service.operations.context import Context
from service.operations.tournaments.document import document_of
from service.operations.tournaments.read import tables_of

_EVENTS = 500
"""Events of a tournament in which a bot's last matches are looked for."""


@dataclass(frozen=True, slots=True)
class Participation:
    """A bot in a tournament. `standing`: its row (PROTOCOL "Tournaments"); `against`: by opponent's name, how many
    matches they shared and the score in them; `events`: how many the tournament has."""

    tournament: str
    name: str
    status: str
    created_ms: int
    bots: int
    standing: Mapping[str, Any]
    against: Mapping[str, tuple[int, float]]
    events: int


@dataclass(frozen=True, slots=True)
class Participations:
    """Those among some tournaments, newest first; `next`: the cursor of older tournaments."""

    items: Sequence[Participation]
    next: str | None


def participations(ctx: Context, bot: str, limit: int, cursor: str | None) -> Participations:
    """A bot's tournaments among the `limit` newest ones, or those after the cursor.

    Raises InvalidRequest for an invalid cursor, Unavailable.
    """
    page = ctx.tournaments.page(limit, cursor)
    found = []
    for tournament in page.ids:
        row = ctx.tournaments.read(tournament)
        if row is None:
            continue
        doc = document_of(ctx, tournament, row)
        name = doc.name_of(bot)
        if name is None:
            continue
        tables = tables_of(ctx, tournament, row, doc)
        found.append(
            Participation(
                tournament=tournament,
                name=doc.name,
                status=row.status,
                created_ms=doc.created_ms,
                bots=len(doc.entrants),
                standing=next(standing for standing in tables.standings if standing["name"] == name),
                against=_against(name, tables.crosstable),
                events=row.version,
            )
        )
    return Participations(found, page.next)


def _against(name: str, crosstable: Mapping[str, Any]) -> dict[str, tuple[int, float]]:
    names = crosstable["names"]
    at = names.index(name)
    matches, score = crosstable["matches"][at], crosstable["score"][at]
    return {other: (matches[i], score[i]) for i, other in enumerate(names) if matches[i]}


def last_matches(ctx: Context, played: Iterable[Participation], limit: int) -> list[dict[str, Any]]:
    """At most `limit` matches that a bot has finished in its tournaments, the newest of each first, as their events
    (PROTOCOL "Tournaments"). Of a tournament with many others, only the newest events are looked through. Raises
    Unavailable."""

    def finished() -> Iterable[dict[str, Any]]:
        for one in played:
            found = ctx.tournaments.events(one.tournament, max(0, one.events - _EVENTS), _EVENTS)
            for _, text in reversed(found):
                event = json.loads(text)
                if event["type"] == "match_finished" and one.standing["name"] in event["seats"]:
                    yield event

    return list(islice(finished(), limit))
