"""The shape of a game record (PROTOCOL "Game record"): every member's type and limits, before anything is replayed."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from service.engine.actions import Action, parse_action
from service.engine.chance import parse_seed
from service.engine.components import ComponentSet, parse_components, parse_players
from service.engine.errors import DamagedRecord, InvalidInput, Path
from service.engine.facts import Outcome
from service.engine.game import RESIGNATION_REASONS
from service.engine.playthrough import BY, FAULTS
from service.engine.setup import Order, Setup, parse_orders, parse_setup
from service.engine.shapes import LARGEST_INTEGER, below, between, integer, mapping, one_of, sequence, shown, string
from service.engine.snapshot import parse_outcome
from service.engine.variants import Variants, parse_variants

Json = dict[str, object]

FORMAT = "montego-bay-record/1"
DEALS = ("drawn", "seeded", "given")
MEMBERS = (
    "format",
    "game",
    "players",
    "variants",
    "components",
    "deal",
    "commitment",
    "setup",
    "seats",
    "actions",
    "resignations",
    "orders",
    "result",
    "digest",
)
DEEPEST = 32

_HASH = re.compile(r"[0-9a-f]{64}")
_NONCE = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Entry(NamedTuple):
    """One settled action of a record."""

    seat: int
    decision: str
    action: Action
    by: str
    fault: str | None


class Resignation(NamedTuple):
    """One resignation of a record."""

    seat: int
    after: int
    reason: str


class Shape(NamedTuple):
    """A record's members with their types."""

    players: int
    variants: Variants
    components: ComponentSet
    deal: str
    commitment: str
    setup: Setup
    seed: str | None
    nonce: bytes | None
    block_seed: str | None
    actions: tuple[Entry, ...]
    resignations: tuple[Resignation, ...]
    orders: tuple[Order, ...]
    result: Outcome
    digest: str


def shape_of(value: object) -> Shape:
    """A record's members, each checked by itself. Raises DamagedRecord with the member that is not as it must be."""
    try:
        _check_plain(value, (), 0)
        return _shape(value)
    except InvalidInput as error:
        raise DamagedRecord(error.path, error.reason) from error


def _shape(value: object) -> Shape:
    found = mapping(value, ())
    for name in MEMBERS:
        if name not in found:
            raise InvalidInput((name,), "is missing")
    one_of(found["format"], ("format",), (FORMAT,))
    string(found["game"], ("game",))
    players = parse_players(found["players"])
    components = below("components", parse_components, found["components"], players)
    secrets = mapping(found["setup"], ("setup",))
    _check_seats(found["seats"], players)
    return Shape(
        players=players,
        variants=below("variants", parse_variants, found["variants"]),
        components=components,
        deal=one_of(found["deal"], ("deal",), DEALS),
        commitment=_matching(found["commitment"], ("commitment",), _HASH, "64 hexadecimal digits"),
        setup=below("setup", parse_setup, secrets, components, players),
        seed=_optional_seed(secrets, "seed"),
        nonce=_nonce(secrets),
        block_seed=_optional_seed(secrets, "block_seed"),
        actions=tuple(_entry(item, i, players) for i, item in enumerate(sequence(found["actions"], ("actions",)))),
        resignations=tuple(
            _resignation(item, i, players) for i, item in enumerate(sequence(found["resignations"], ("resignations",)))
        ),
        orders=below("orders", parse_orders, found["orders"], players),
        result=below("result", parse_outcome, found["result"], players),
        digest=_matching(found["digest"], ("digest",), _DIGEST, "sha256: and 64 hexadecimal digits"),
    )


def _check_plain(value: object, path: Path, depth: int) -> None:
    """Only what has one RFC 8785 form whatever the language: no fractions, no huge numbers, no broken strings."""
    if depth > DEEPEST:
        raise InvalidInput(path, "is nested too deep")
    inside: Iterable[tuple[str | int, object]]
    if isinstance(value, dict):
        _check_names(value, path)
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    else:
        _check_leaf(value, path)
        return
    for name, item in inside:
        if depth == DEEPEST or not _is_plain(item):
            _check_plain(item, (*path, name), depth + 1)


def _check_names(found: Mapping[object, object], path: Path) -> None:
    for name in found:
        if not isinstance(name, str) or not name.isascii():
            raise InvalidInput(path, f"has a member name that is not ASCII: {shown(name)}")


def _check_leaf(value: object, path: Path) -> None:
    if isinstance(value, str):
        _check_text(value, path)
    elif value is not None and not isinstance(value, bool):
        number = integer(value, path)
        if abs(number) > LARGEST_INTEGER:
            raise InvalidInput(path, f"is too large a number: {shown(number)}")


def _is_plain(value: object) -> bool:
    """Whether a glance tells that there is nothing wrong with a value: so it is with nearly all of a record."""
    if type(value) is int:
        return -LARGEST_INTEGER <= value <= LARGEST_INTEGER
    return value is None or (type(value) is str and value.isascii())


def _check_text(value: str, path: Path) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(path, "is not Unicode text") from error


def _matching(value: object, path: Path, pattern: re.Pattern[str], what: str) -> str:
    text = string(value, path)
    if not pattern.fullmatch(text):
        raise InvalidInput(path, f"must be {what}, not {shown(text)}")
    return text


def _member(found: Json, path: Path, name: str) -> object:
    if name not in found:
        raise InvalidInput((*path, name), "is missing")
    return found[name]


def _optional_seed(secrets: Json, name: str) -> str | None:
    seed = _member(secrets, ("setup",), name)
    return None if seed is None else parse_seed(seed, ("setup", name))


def _nonce(secrets: Json) -> bytes | None:
    nonce = _member(secrets, ("setup",), "nonce")
    if nonce is None:
        return None
    return bytes.fromhex(_matching(nonce, ("setup", "nonce"), _NONCE, "32 hexadecimal digits"))


def _check_seats(value: object, players: int) -> None:
    seats = sequence(value, ("seats",))
    if len(seats) != players:
        raise InvalidInput(("seats",), f"must be {players}, not {len(seats)}")
    for i, item in enumerate(seats):
        path = ("seats", i)
        seat = mapping(item, path)
        if integer(_member(seat, path, "seat"), (*path, "seat")) != i:
            raise InvalidInput((*path, "seat"), f"must be {i}, not {seat['seat']}")
        for name in ("name", "version"):
            if _member(seat, path, name) is not None:
                string(seat[name], (*path, name))


def _entry(value: object, i: int, players: int) -> Entry:
    path = ("actions", i)
    found = mapping(value, path)
    integer(_member(found, path, "round"), (*path, "round"))
    fault = _member(found, path, "fault")
    given = _member(found, path, "action")
    try:
        action = parse_action(given)
    except InvalidInput as error:
        raise InvalidInput((*path, "action", *error.path), error.reason) from error
    return Entry(
        between(_member(found, path, "seat"), (*path, "seat"), 0, players - 1),
        string(_member(found, path, "decision"), (*path, "decision")),
        action,
        one_of(_member(found, path, "by"), (*path, "by"), BY),
        None if fault is None else one_of(fault, (*path, "fault"), FAULTS),
    )


def _resignation(value: object, i: int, players: int) -> Resignation:
    path = ("resignations", i)
    found = mapping(value, path)
    return Resignation(
        between(_member(found, path, "seat"), (*path, "seat"), 0, players - 1),
        integer(_member(found, path, "after"), (*path, "after")),
        one_of(_member(found, path, "reason"), (*path, "reason"), RESIGNATION_REASONS),
    )
