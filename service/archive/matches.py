"""The matches in a file: each record is replayed, and the rest of the match is compared with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.archive.file import DamagedArchive, having
from service.archive.settings import ArchivedTerms
from service.engine.errors import DamagedRecord, InvalidInput, Path
from service.engine.json_checks import MAX_INTEGER, between, members, one_of, sequence, shown, string
from service.engine.record import verify as verify_record
from service.engine.setup import block_seed, match_seed
from service.ids import game_id, parse_match_id
from service.protocol import FAULTS
from service.tournament.results import STATUSES, MatchResult, ResultError
from service.tournament.schedule import Pairing

_MEMBERS = (
    "match",
    "attempt",
    "status",
    "harness_slow",
    "not_started",
    "faults",
    "answers",
    "answer_ms",
    "record",
)
MAX_ATTEMPTS = 2
"""A match is played, and played once more if the first attempt was void."""


@dataclass(frozen=True, slots=True)
class Promise:
    """Everything that the records of a tournament must agree with."""

    tournament: str
    terms: ArchivedTerms
    seed: str
    nonce: str
    commitment: str


def read_match(promise: Promise, value: object, path: Path) -> MatchResult:
    """One attempt at a match, its record replayed. Raises DamagedArchive."""
    try:
        return _match(promise, value, path)
    except InvalidInput as error:
        raise DamagedArchive(error.path, error.reason) from error
    except ResultError as error:
        raise DamagedArchive((*path, *error.path), error.reason) from error


def _match(promise: Promise, value: object, path: Path) -> MatchResult:
    found = having(value, path, _MEMBERS)
    pairing = _pairing(promise, found["match"], (*path, "match"))
    attempt = between(found["attempt"], (*path, "attempt"), 0, MAX_ATTEMPTS - 1)
    status = one_of(found["status"], (*path, "status"), STATUSES)
    slow = found["harness_slow"]
    if not isinstance(slow, bool):
        raise InvalidInput((*path, "harness_slow"), f"must be true or false, not {shown(slow)}")
    record: Any = found["record"]
    base: dict[str, Any] = {
        "match": pairing.match,
        "block": pairing.block,
        "seating": pairing.seating,
        "attempt": attempt,
        "status": status,
        "seats": pairing.seats,
        "harness_slow": slow,
    }
    if record is None:
        _check_unplayed(status, found, path)
        return MatchResult(**base)
    here = (*path, "record")
    _check_record(promise, pairing, attempt, record, here)
    _check_ending(status, record, path)
    faults = _faults(found["faults"], record, (*path, "faults"))
    _check_forfeits(promise.terms, record, here)
    _check_refusals(promise.terms, record, here)
    forfeits = tuple(sorted(given_up["seat"] for given_up in record["resignations"]))
    return MatchResult(
        **base,
        points=tuple(record["result"]["points"]),
        places=None if record["result"]["places"] is None else tuple(record["result"]["places"]),
        ended=record["result"]["ended"],
        faults=faults,
        forfeits=forfeits,
        not_started=_not_started(found["not_started"], pairing, record, (*path, "not_started")),
        versions=tuple(seat["version"] for seat in record["seats"]),
        answers=_times(found["answers"], promise.terms.players, (*path, "answers")),
        answer_ms=_times(found["answer_ms"], promise.terms.players, (*path, "answer_ms")),
        game=record["game"],
    )


def _check_unplayed(status: str, found: Mapping[str, Any], path: Path) -> None:
    if status != "cancelled":
        raise InvalidInput((*path, "record"), f"is missing, though the match is {status}")
    for name in ("not_started", "faults", "answers", "answer_ms"):
        if found[name] != []:
            raise InvalidInput((*path, name), "must be empty where nothing was played")


def _pairing(promise: Promise, value: object, path: Path) -> Pairing:
    text, schedule = string(value, path), promise.terms.schedule
    named = parse_match_id(text)
    if (
        named is None
        or named.tournament != promise.tournament
        or named.block >= schedule.blocks
        or named.seating >= schedule.seatings_per_block
    ):
        raise InvalidInput(path, f"there is no match {shown(text)} in the schedule")
    return schedule.block(named.block).pairings[named.seating]


def _check_record(promise: Promise, pairing: Pairing, attempt: int, record: Any, path: Path) -> None:
    """The record by itself, and that it is one of this match: the deal from the tournament's seed, who sat where."""
    try:
        verify_record(record)
    except DamagedRecord as error:
        raise InvalidInput((*path, *error.path), error.reason) from error
    of_block = block_seed(promise.seed, pairing.block)
    expected = {
        "game": game_id(promise.tournament, pairing.block, pairing.seating, attempt),
        "commitment": promise.commitment,
        **promise.terms.fixed(),
    }
    secrets = {
        "seed": match_seed(of_block, attempt, pairing.seating),
        "nonce": promise.nonce,
        "block_seed": of_block,
    }
    for name, wanted in expected.items():
        if record[name] != wanted:
            raise InvalidInput((*path, name), f"is not the tournament's ({shown(wanted)})")
    for name, wanted in secrets.items():
        if record["setup"][name] != wanted:
            raise InvalidInput((*path, "setup", name), "does not follow from the tournament's seed")
    for seat, name in enumerate(pairing.seats):
        if record["seats"][seat]["name"] != name:
            raise InvalidInput((*path, "seats", seat, "name"), f"must be {name!r}, as the schedule has it")


def _check_ending(status: str, record: Any, path: Path) -> None:
    """A finished match has a placing; a cancelled one was broken off."""
    aborted = record["result"]["ended"] == "aborted"
    if status == "finished" and aborted:
        raise InvalidInput((*path, "status"), "is finished, but the game was aborted")
    if status == "cancelled" and not aborted:
        raise InvalidInput((*path, "status"), "is cancelled, but the game was played to its end")


def _faults(value: object, record: Any, path: Path) -> tuple[dict[str, int], ...]:
    """Faults by seat, which must be those of the record's actions.

    Of a game that was broken off the record lacks cards that were not revealed, and so their faults.
    """
    counted = faults_of(record, len(record["actions"]))
    given = sequence(value, path)
    aborted = record["result"]["ended"] == "aborted"
    if aborted and not given:
        return ()
    if len(given) != len(counted):
        raise InvalidInput(path, f"must have {len(counted)} elements, one a seat, not {len(given)}")
    for seat, counts in enumerate(counted):
        kinds = {
            kind: between(number, (*path, seat, kind), 1, MAX_INTEGER)
            for kind, number in members(given[seat], (*path, seat), (), FAULTS).items()
        }
        if kinds != counts and not (aborted and all(kinds.get(kind, 0) >= counts[kind] for kind in counts)):
            raise InvalidInput((*path, seat), f"is {shown(kinds)}, but the record has {dict(counts)}")
    return tuple(dict(item) for item in given if isinstance(item, dict))


def faults_of(record: Any, upto: int) -> list[Counter[str]]:
    """Faults by seat and kind of the first `upto` actions of a record."""
    counted = [Counter[str]() for _ in record["seats"]]
    for action in record["actions"][:upto]:
        if action["fault"] is not None:
            counted[action["seat"]][action["fault"]] += 1
    return counted


def _check_forfeits(terms: ArchivedTerms, record: Any, path: Path) -> None:
    """Each forfeit has a cause: the bot did not come up, or made more faults than the settings allow."""
    for i, given_up in enumerate(record["resignations"]):
        if given_up["reason"] != "forfeit":
            continue
        counts = faults_of(record, given_up["after"])[given_up["seat"]]
        enough = counts.total() > terms.max_faults or (terms.policy == "strict" and counts["illegal"] > 0)
        if not enough and given_up["after"] > 0:
            raise InvalidInput((*path, "resignations", i), "forfeits, but has not made that many faults")


def _check_refusals(terms: ArchivedTerms, record: Any, path: Path) -> None:
    """No bot had more attempts than the settings allow."""
    tried = Counter(refusal["decision"] for refusal in record.get("refusals", ()))
    for decision, refused in tried.items():
        if refused >= terms.attempts:
            reason = f"has {refused} answers to {decision} that were refused: {terms.attempts} attempts are allowed"
            raise InvalidInput((*path, "refusals"), reason)


def _not_started(value: object, pairing: Pairing, record: Any, path: Path) -> tuple[int, ...]:
    """Seats whose bot did not come up: they forfeited before the first decision."""
    early = sorted(
        given_up["seat"]
        for given_up in record["resignations"]
        if given_up["after"] == 0 and given_up["reason"] == "forfeit"
    )
    wanted = [pairing.seats[seat] for seat in early]
    given = sequence(value, path)
    if given != wanted and not (record["result"]["ended"] == "aborted" and not given):
        raise InvalidInput(path, f"is {shown(given)}, but by the record it is {wanted}")
    return tuple(early)


def _times(value: object, players: int, path: Path) -> tuple[int, ...]:
    given = sequence(value, path)
    if len(given) not in (0, players):
        raise InvalidInput(path, f"must have {players} elements, one a seat, not {len(given)}")
    return tuple(between(item, (*path, i), 0, MAX_INTEGER) for i, item in enumerate(given))
