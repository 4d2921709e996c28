"""The document of a ladder: what is fixed when it is opened."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from service.errors import NotFound, WrongState
from service.operations.context import Context
from service.operations.tournaments.document import Terms, TournamentDoc, load_tournament
from service.store.ladders import LadderRow
from service.store.tournaments import TournamentRow
from service.tournament.ladder import Season

ENTRY = ("all", "own")
"""Whose bots may enter: those of all authors, or only those of the key that opened the ladder."""


@dataclass(frozen=True, slots=True)
class LadderDoc:
    """`references`: ids of the bots whose mean rating is 1500. `owner`: the key that opened the ladder. `variants` and
    `components`: JSON, as in a tournament's document. `ends_ms`: when its first season ends; None: by hand."""

    name: str
    players: int
    references: tuple[str, ...]
    entry: str
    owner: str
    variants: dict[str, Any]
    components: dict[str, Any] | None
    terms: Terms
    created_ms: int
    ends_ms: int | None
    callback: str | None
    callback_secret: str | None

    def dump(self) -> str:
        """The document as JSON text."""
        return json.dumps(asdict(self), separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def load(cls, text: str) -> LadderDoc:
        """Reads what `dump` wrote."""
        plain = json.loads(text)
        return cls(**{**plain, "references": tuple(plain["references"]), "terms": Terms(**plain["terms"])})


@dataclass(frozen=True, slots=True)
class RunningSeason:
    """The season of a ladder that runs, or ran last. `number` counts from 1; `tournament` is its id."""

    ladder: str
    number: int
    tournament: str
    row: TournamentRow
    doc: TournamentDoc

    @property
    def season(self) -> Season:
        """Its log."""
        assert self.doc.season is not None, "a season's document has its log"
        return self.doc.season


def load_ladder(ctx: Context, ladder: str) -> tuple[LadderRow, LadderDoc]:
    """A ladder as it stands, and its document. Raises NotFound, Unavailable."""
    row = ctx.ladders.read(ladder)
    if row is None:
        raise NotFound("There is no ladder of this id.")
    return row, LadderDoc.load(row.doc)


def load_season(ctx: Context, ladder: str, number: int | None = None) -> RunningSeason:
    """A season of a ladder; without a number the newest. Raises NotFound, WrongState while it is only about to begin,
    Unavailable."""
    row, _ = load_ladder(ctx, ladder)
    return season_of(ctx, ladder, row, number)


def season_of(ctx: Context, ladder: str, row: LadderRow, number: int | None = None) -> RunningSeason:
    """The same for a ladder that was read."""
    number = len(row.seasons) if number is None else number
    if not 1 <= number <= len(row.seasons):
        raise NotFound(f"The ladder has {len(row.seasons)} seasons, numbered from 1.")
    tournament = row.seasons[number - 1]
    try:
        return RunningSeason(ladder, number, tournament, *load_tournament(ctx, tournament))
    except NotFound:
        raise WrongState("The next season is about to begin; try again.") from None
