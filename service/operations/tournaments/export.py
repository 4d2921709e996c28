"""A tournament that is over as one file, with everything that is needed to check it without this service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from service.archive.file import FORMAT, digest
from service.errors import NotFound, WrongState
from service.ids import match_id
from service.operations.context import Context
from service.operations.games.records import record_of
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.events import began_and_ended
from service.operations.tournaments.matches import results, voids
from service.operations.tournaments.read import scheduled, tables_of, with_bots
from service.store.tournaments import TournamentRow
from service.timestamps import timestamp
from service.tournament.results import MatchResult
from service.tournament.schedule import Pairing
from service.tournament.tables import Tables

_PAIRINGS = 500
"""Matches of the schedule that are written in one piece."""


def export(ctx: Context, tournament: str) -> Iterator[str]:
    """The file (PROTOCOL "Export of a tournament") in pieces of JSON text: it can take a hundred megabytes.

    Raises NotFound, WrongState while the tournament is not over, Unavailable; the latter also between pieces.
    """
    row, doc = load_tournament(ctx, tournament)
    if not row.is_over:
        raise WrongState(f"The tournament is {row.status}: it can be exported once it is over.")
    attempts = [*results(ctx, tournament).values(), *voids(ctx, tournament).values()]
    attempts.sort(key=lambda result: (result.match, result.attempt))
    found = tables_of(ctx, tournament, row, doc)
    pairings = ctx.offload(lambda: [pairing for block in doc.schedule() for pairing in block.pairings])
    log = [] if doc.season is None else [json.loads(entry) for entry in ctx.ladders.log(tournament, 0)]
    head = _head(tournament, row, doc, found, log, began_and_ended(ctx, tournament, row))
    return _pieces(ctx, head, pairings, attempts, _tail(doc, found))


def _head(
    tournament: str,
    row: TournamentRow,
    doc: TournamentDoc,
    found: Tables,
    log: list[dict[str, Any]],
    times: tuple[str | None, str | None],
) -> dict[str, Any]:
    """The members before the schedule. `log`: of a ladder's season. `times`: when it began and ended."""
    versions = {standing["name"]: standing["versions"] for standing in found.standings}
    return {
        "format": FORMAT,
        "tournament": tournament,
        "status": row.status,
        "reason": row.reason,
        "created": timestamp(doc.created_ms),
        "started": times[0],
        "ended": times[1],
        "settings": {**doc.settings(), "seed": doc.seed if doc.seed_given else None, "callback": doc.callback},
        "entrants": [
            {"bot": entrant.bot, "name": entrant.name, "versions": versions[entrant.name]} for entrant in doc.entrants
        ],
        "withdrawn": [name for name in map(doc.name_of, row.withdrawn) if name is not None],
        "seed": doc.seed,
        "nonce": doc.nonce,
        "commitment": doc.commitment,
        "stages": [stage.to_json() for stage in doc.stages],
        "log": log,
    }


def _tail(doc: TournamentDoc, found: Tables) -> dict[str, Any]:
    return {
        "standings": with_bots(doc, found),
        "crosstable": found.crosstable,
        "ratings": list(found.ratings),
    }


def _pieces(
    ctx: Context,
    head: dict[str, Any],
    pairings: list[Pairing],
    attempts: list[MatchResult],
    tail: dict[str, Any],
) -> Iterator[str]:
    tournament = head["tournament"]
    yield _text(head).removesuffix("}") + ',"schedule":['
    for start in range(0, len(pairings), _PAIRINGS):
        some = [scheduled(tournament, pairing) for pairing in pairings[start : start + _PAIRINGS]]
        yield ("," if start else "") + _text(some)[1:-1]
    yield '],"matches":['
    # The digest is taken of the file with each record replaced by the record's own digest.
    listed: list[dict[str, Any]] = []
    for result in attempts:
        entry = _entry(ctx, tournament, result)
        yield ("," if listed else "") + _text(entry)
        if entry["record"] is not None:
            entry["record"] = {"digest": entry["record"]["digest"]}
        listed.append(entry)
    yield "]," + _text({**tail, "digest": ctx.offload(lambda: _digest(head, pairings, listed, tail))}).removeprefix("{")


def _digest(head: dict[str, Any], pairings: list[Pairing], listed: list[dict[str, Any]], tail: dict[str, Any]) -> str:
    schedule = [scheduled(head["tournament"], pairing) for pairing in pairings]
    return digest({**head, "schedule": schedule, "matches": listed, **tail})


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _entry(ctx: Context, tournament: str, result: MatchResult) -> dict[str, Any]:
    """One attempt at a match. Lists are by seat."""
    return {
        "match": match_id(tournament, result.block, result.seating),
        "attempt": result.attempt,
        "status": result.status,
        "harness_slow": result.harness_slow,
        "not_started": [result.seats[seat] for seat in result.not_started],
        "faults": [dict(kinds) for kinds in result.faults],
        "answers": list(result.answers),
        "answer_ms": list(result.answer_ms),
        "record": _record(ctx, result.game) if result.game else None,
    }


def _record(ctx: Context, game: str) -> dict[str, Any]:
    row = ctx.games.read(game, 0)
    if row is None:
        raise NotFound(f"The game {game} is gone.")
    return ctx.offload(lambda: record_of(game, row, opened=True))
