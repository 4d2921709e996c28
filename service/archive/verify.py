"""Whether the file of a tournament is true: everything in it that follows from something else is derived and compared.

The order is such that the first thing that does not fit is a cause and not a consequence: the commitment, the settings,
the schedule, each match (its deal follows from the seed, its game is replayed), which matches there must be, the stages
(each is drawn again from the results before it), the tables, and last the digest, which covers what follows from
nothing else, such as times.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeGuard

import rfc8785

from service.archive.file import FORMAT, MEMBERS, STATUSES, DamagedArchive, digest, having
from service.archive.matches import Promise, read_match
from service.archive.season import check_season
from service.archive.settings import ArchivedTerms, read_settings
from service.engine.errors import InvalidInput, Path
from service.engine.json_checks import mapping, one_of, sequence, shown, string
from service.engine.setup import commitment as committed
from service.engine.setup import parse_seed
from service.ids import match_id
from service.tournament import formats
from service.tournament.results import MatchResult
from service.tournament.tables import season_tables, tables

Steps = Callable[[Sequence[Any]], Iterable[Any]]

_NONCE = re.compile(r"[0-9a-f]{32}")
_KEPT = ("game", "digest", "seats", "resignations", "result")
_ENTRANT = ("bot", "name", "versions")

# Ratings come from floating-point arithmetic, which may differ in the last digit between machines: one unit of the
# digits that are shown.
_TOLERANCES = {"rating": 1.0, "interval": 1.0, "superiority": 0.002, "error": 1.0}


@dataclass(frozen=True, slots=True)
class Verified:
    """A file that was found sound: how many games were replayed, and how many of them count.

    `archive` is the file, with records cut down to `game`, `digest`, `seats`, `resignations` and `result`: they are
    nearly all of it.
    """

    tournament: str
    games: int
    finished: int
    voids: int
    archive: Mapping[str, Any]


def verify(value: object, commitment: str | None = None, steps: Steps = list) -> Verified:
    """Checks a whole file. Raises DamagedArchive, which names the first thing that does not fit.

    value       the file's JSON; its matches may be any sequence, and are gone through once
    commitment  the one that was published before the first game; None: the one in the file is believed
    steps       is handed the list of matches and gives them back one by one, to show progress
    """
    try:
        return _verify(value, commitment, steps)
    except InvalidInput as error:
        raise DamagedArchive(error.path, error.reason) from error


def _verify(value: object, commitment: str | None, steps: Steps) -> Verified:
    archive = having(value, (), MEMBERS)
    one_of(archive["format"], ("format",), (FORMAT,))
    one_of(archive["status"], ("status",), STATUSES)
    _check_commitment(archive, commitment)
    terms = read_settings(archive)
    _check_entrants(archive, terms)
    tournament = string(archive["tournament"], ("tournament",))
    _check_schedule(archive, terms, tournament)
    promise = Promise(
        tournament,
        terms,
        string(archive["seed"], ("seed",)),
        string(archive["nonce"], ("nonce",)),
        string(archive["commitment"], ("commitment",)),
    )
    results, kept = _read_matches(archive["matches"], promise, steps)
    archive = {**archive, "matches": kept}
    _check_attempts(archive, terms, results)
    _check_stages(archive, terms, results)
    if terms.season is not None:
        check_season(archive["log"], terms.players, archive["seed"], results)
    _check_tables(archive, terms, results)
    _check_digest(archive)
    games = sum(result.game != "" for result in results)
    finished = sum(result.status == "finished" for result in results)
    return Verified(tournament, games, finished, sum(result.status == "void" for result in results), archive)


def _read_matches(listed: object, promise: Promise, steps: Steps) -> tuple[list[MatchResult], list[dict[str, Any]]]:
    """What the matches came to, and what is kept of each: thousands of records would take a gigabyte."""
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise InvalidInput(("matches",), f"must be a list, not {shown(listed)}")
    results: list[MatchResult] = []
    kept: list[dict[str, Any]] = []
    for i, entry in enumerate(steps(listed)):
        results.append(read_match(promise, entry, ("matches", i)))
        record = entry["record"]
        kept.append({**entry, "record": None if record is None else {name: record[name] for name in _KEPT}})
    return results, kept


def _check_commitment(archive: Mapping[str, Any], published: str | None) -> None:
    seed = parse_seed(archive["seed"], ("seed",))
    nonce = string(archive["nonce"], ("nonce",))
    if not _NONCE.fullmatch(nonce):
        raise InvalidInput(("nonce",), f"must be 32 hexadecimal digits, not {shown(nonce)}")
    given = string(archive["commitment"], ("commitment",))
    if committed(bytes.fromhex(nonce), seed) != given:
        raise InvalidInput(("commitment",), "is not opened by the nonce and the seed")
    if published is not None and published != given:
        raise InvalidInput(("commitment",), f"is not {shown(published)}, the one that was published")


def _check_entrants(archive: Mapping[str, Any], terms: ArchivedTerms) -> None:
    path: Path = ("entrants",)
    listed = sequence(archive["entrants"], path)
    seen: set[str] = set()
    for i, item in enumerate(listed):
        entrant = having(item, (*path, i), _ENTRANT)
        bot = string(entrant["bot"], (*path, i, "bot"))
        if bot in seen:
            raise InvalidInput((*path, i, "bot"), f"{bot!r} is listed twice")
        seen.add(bot)
    _same([entrant["name"] for entrant in listed if isinstance(entrant, dict)], list(terms.names), path, "settings")
    withdrawn = [
        string(name, ("withdrawn", i)) for i, name in enumerate(sequence(archive["withdrawn"], ("withdrawn",)))
    ]
    for i, name in enumerate(withdrawn):
        if name not in terms.names:
            raise InvalidInput(("withdrawn", i), f"{name!r} is not one of the entrants")
    if archive["reason"] is not None:
        string(archive["reason"], ("reason",))
    for member in ("created", "started", "ended"):
        # One that was cancelled while it waited for its bots has not started.
        if member != "started" or archive[member] is not None:
            _check_time(archive[member], member)


def _check_time(value: object, member: str) -> None:
    given = string(value, (member,))
    try:
        datetime.fromisoformat(given)
    except ValueError:
        raise InvalidInput((member,), f"is no time: {shown(given)}") from None


def _check_schedule(archive: Mapping[str, Any], terms: ArchivedTerms, tournament: str) -> None:
    listed = sequence(archive["schedule"], ("schedule",))
    if len(listed) != terms.schedule.matches:
        raise InvalidInput(
            ("schedule",), f"has {len(listed)} matches, but settings and stages give {terms.schedule.matches}"
        )
    for block in terms.schedule:
        for pairing in block.pairings:
            wanted = {
                "match": match_id(tournament, pairing.block, pairing.seating),
                "block": pairing.block,
                "seating": pairing.seating,
                "seats": list(pairing.seats),
            }
            _same(listed[pairing.match], wanted, ("schedule", pairing.match), "settings, seed and stages")


def _check_attempts(archive: Mapping[str, Any], terms: ArchivedTerms, results: Sequence[MatchResult]) -> None:
    """In order, each attempt once; only after a void another one; and no match that should be there is missing."""
    withdrawn = set(archive["withdrawn"])
    before: MatchResult | None = None
    for i, result in enumerate(results):
        path = ("matches", i)
        again = before is not None and before.match == result.match
        expected = before.attempt + 1 if before is not None and again else 0
        if before is not None and result.match < before.match:
            raise InvalidInput((*path, "match"), "is out of order")
        if result.attempt != expected or (again and before is not None and before.status != "void"):
            raise InvalidInput((*path, "attempt"), f"is {result.attempt}, but there is no void before it")
        if result.harness_slow and result.attempt == 0 and result.status != "void":
            raise InvalidInput((*path, "harness_slow"), "counts only in a match that was void before")
        if result.status == "cancelled" and archive["status"] == "finished":
            block = terms.schedule.block(result.block)
            if withdrawn.isdisjoint(block.entrants):
                raise InvalidInput((*path, "status"), "is cancelled, but none of its bots was withdrawn")
        before = result
    if archive["status"] == "finished":
        decided = {result.match for result in results if result.status != "void"}
        for number in _matches_to_be(terms):
            if number not in decided:
                missing = terms.schedule.pairing(number)
                name = match_id(archive["tournament"], missing.block, missing.seating)
                raise InvalidInput(("matches",), f"{name} is missing")


def _matches_to_be(terms: ArchivedTerms) -> Iterable[int]:
    """The matches that a tournament that was finished must have. A season ends in the middle of blocks; those that its
    log has as finished must be there."""
    if terms.season is None:
        return range(terms.schedule.matches)
    blocks = (terms.season.block(number) for number in sorted(terms.season.finished))
    return (pairing.match for block in blocks for pairing in block.pairings)


def _check_stages(archive: Mapping[str, Any], terms: ArchivedTerms, results: Sequence[MatchResult]) -> None:
    """Each stage follows from the results of all stages before it, and from who had withdrawn by then."""
    if terms.season is not None:
        return
    path: Path = ("stages",)
    decided = {result.match for result in results if result.status != "void"}
    before: tuple[str, ...] = ()
    for number, stage in enumerate(terms.stages):
        here = (*path, number)
        if not set(before) <= set(stage.withdrawn) <= set(archive["withdrawn"]):
            raise InvalidInput((*here, "withdrawn"), "are not those that had withdrawn by then")
        before = stage.withdrawn
        earlier = terms.stages[:number]
        played = formats.known_blocks(terms.plan, earlier).matches
        if any(match not in decided for match in range(played)):
            raise InvalidInput(here, "was drawn before the stage before it was over")
        known = [result for result in results if result.match < played]
        wanted = formats.next_stage(terms.plan, earlier, known, stage.withdrawn)
        if wanted is None:
            raise InvalidInput(here, "follows the last stage that there can be")
        _same(archive["stages"][number], wanted.to_json(), here, "results before it")
    if archive["status"] == "finished":
        missing = formats.next_stage(terms.plan, terms.stages, results, archive["withdrawn"])
        if missing is not None:
            raise InvalidInput(path, f"has {len(terms.stages)} elements, but another stage follows from the results")


def _check_tables(archive: Mapping[str, Any], terms: ArchivedTerms, results: Sequence[MatchResult]) -> None:
    if terms.season is not None:
        found = season_tables(terms.season, results)
    else:
        ranking = formats.ranking(terms.plan, terms.stages, results)
        found = tables(terms.names, results, archive["seed"], ranking=ranking)
    bots = {entrant["name"]: entrant["bot"] for entrant in archive["entrants"]}
    rows = [{**row, "bot": bots[row["name"]]} for row in found.standings]
    source = "matches"
    _same(archive["standings"], rows, ("standings",), source)
    _same(archive["crosstable"], found.crosstable, ("crosstable",), source)
    _same(archive["ratings"], list(found.ratings), ("ratings",), source)
    versions = {row["name"]: row["versions"] for row in rows}
    for i, entrant in enumerate(archive["entrants"]):
        _same(entrant["versions"], versions[entrant["name"]], ("entrants", i, "versions"), source)


def _check_digest(archive: Mapping[str, Any]) -> None:
    try:
        found = digest(archive)
    except rfc8785.CanonicalizationError as error:
        raise InvalidInput((), f"has no canonical form: {error}") from None
    if archive["digest"] != found:
        raise InvalidInput(("digest",), "does not fit: something in the file was changed")


def _same(given: object, wanted: object, path: Path, source: str) -> None:
    """Raises InvalidInput, naming the first member or element that differs from what follows from `source`."""
    if isinstance(wanted, dict):
        found = mapping(given, path)
        for name, value in wanted.items():
            if name not in found:
                raise InvalidInput((*path, name), "is missing")
            _same(found[name], value, (*path, name), source)
    elif isinstance(wanted, list):
        elements = sequence(given, path)
        for i, (one, other) in enumerate(zip(elements, wanted, strict=False)):
            _same(one, other, (*path, i), source)
        if len(elements) != len(wanted):
            raise InvalidInput(path, f"has {len(elements)} elements, but by the {source} {len(wanted)}")
    elif not _equal(given, wanted, path):
        raise InvalidInput(path, f"is {shown(given)}, but by the {source} it is {shown(wanted)}")


def _equal(given: object, wanted: object, path: Path) -> bool:
    tolerance = next((_TOLERANCES[step] for step in path if step in _TOLERANCES), None)
    if tolerance is not None and _is_number(given) and _is_number(wanted):
        return math.isclose(given, wanted, rel_tol=0.0, abs_tol=tolerance + 1e-9)
    # 2.0 may have become 2 in somebody else's JSON library; true is no 1.
    alike = type(given) is type(wanted) or (_is_number(given) and _is_number(wanted))
    return alike and given == wanted


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
