"""Game records (PROTOCOL "Game record"): their shape, how they are built, replayed and verified."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from service.engine.actions import Action, parse_action
from service.engine.components import ComponentSet, components_to_json, parse_components, parse_players
from service.engine.errors import DamagedRecord, EngineError, GameIsNotOver, GameIsOver, InvalidInput, Path
from service.engine.game import Outcome, Step
from service.engine.json_checks import (
    MAX_INTEGER,
    below,
    between,
    integer,
    mapping,
    members,
    one_of,
    sequence,
    shown,
    string,
)
from service.engine.playthrough import BY, Playthrough
from service.engine.setup import (
    SECRETS,
    Order,
    Reshuffles,
    Setup,
    Variants,
    draw_setup,
    parse_orders,
    parse_seed,
    parse_setup,
    parse_variants,
    setup_to_json,
)
from service.engine.setup import commitment as committed
from service.protocol import FAULTS, REFUSED_AS, RESIGNATION_REASONS

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
MAX_DEPTH = 32
ENDINGS = ("played", "resigned", "aborted")

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


class Refusal(NamedTuple):
    """An answer that was refused before its decision was settled."""

    decision: str
    fault: str
    reason: str


class Shape(NamedTuple):
    """The members of a record with their types."""

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
    refusals: tuple[Refusal, ...]
    digest: str


def shape_of(value: object) -> Shape:
    """The members of a record, each checked by itself. Raises DamagedRecord, which names the member that is wrong."""
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
    _check_comments(found.get("comments", []))
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
        refusals=tuple(_refusal(item, i) for i, item in enumerate(sequence(found.get("refusals", []), ("refusals",)))),
        digest=_matching(found["digest"], ("digest",), _DIGEST, "sha256: and 64 hexadecimal digits"),
    )


def outcome_to_json(outcome: Outcome) -> dict[str, object]:
    """As the member `result` of a record."""
    return {
        "points": list(outcome.points),
        "places": None if outcome.places is None else list(outcome.places),
        "rounds": outcome.rounds,
        "ended": outcome.ended,
    }


def parse_outcome(value: object, players: int) -> Outcome:
    """An outcome from JSON. Judges its shape only. Raises InvalidInput."""
    found = members(value, (), ("points", "places", "rounds", "ended"))
    ended = one_of(found["ended"], ("ended",), ENDINGS)
    places = None
    if ended == "aborted":
        if found["places"] is not None:
            raise InvalidInput(("places",), "must be null in a game that was aborted")
    else:
        places = _integers(found["places"], "places", players)
    return Outcome(_integers(found["points"], "points", players), places, integer(found["rounds"], ("rounds",)), ended)


def _integers(value: object, name: str, count: int) -> tuple[int, ...]:
    numbers = tuple(integer(number, (name, i)) for i, number in enumerate(sequence(value, (name,))))
    if len(numbers) != count:
        raise InvalidInput((name,), f"must be {count} numbers, not {len(numbers)}")
    return numbers


def _check_plain(value: object, path: Path, depth: int) -> None:
    """Refuses values whose RFC 8785 form is not the same in every language: fractions, huge numbers, broken strings."""
    if depth > MAX_DEPTH:
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
        if depth == MAX_DEPTH or not _is_plain(item):
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
        if abs(number) > MAX_INTEGER:
            raise InvalidInput(path, f"is too large a number: {shown(number)}")


def _is_plain(value: object) -> bool:
    """Whether a value is one of the simple and harmless ones, as nearly all in a record are."""
    if type(value) is int:
        return -MAX_INTEGER <= value <= MAX_INTEGER
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


def _check_comments(value: object) -> None:
    for i, item in enumerate(sequence(value, ("comments",))):
        path = ("comments", i)
        told = members(item, path, ("decision", "comment"))
        for name, text in told.items():
            string(text, (*path, name))


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


def _refusal(value: object, i: int) -> Refusal:
    path = ("refusals", i)
    found = members(value, path, ("decision", "fault", "reason"))
    return Refusal(
        string(found["decision"], (*path, "decision")),
        one_of(found["fault"], (*path, "fault"), REFUSED_AS),
        string(found["reason"], (*path, "reason")),
    )


class Replay(NamedTuple):
    """A record that was played through: the game at its end, and what the start and then each entry led to."""

    play: Playthrough
    steps: tuple[Step, ...]


def build_record(
    play: Playthrough,
    *,
    game: str,
    deal: str,
    commitment: str,
    seed: str | None,
    nonce: str | None,
    block_seed: str | None,
    seats: Sequence[Mapping[str, object]],
) -> Json:
    """The record of a game that is over, with its digest.

    `seats` has each seat's `name` and `version`; `nonce` is hexadecimal; secrets that must stay secret are None. Raises
    GameIsNotOver.
    """
    over = play.game.outcome
    if over is None:
        raise GameIsNotOver
    record: Json = {
        "format": FORMAT,
        "game": game,
        "players": play.game.players,
        "variants": play.game.variants.to_json(),
        "components": components_to_json(play.game.components),
        "deal": deal,
        "commitment": commitment,
        "setup": {"seed": seed, "nonce": nonce, "block_seed": block_seed, **setup_to_json(play.setup)},
        "seats": [
            {"seat": number, "name": seat["name"], "version": seat["version"]} for number, seat in enumerate(seats)
        ],
        "actions": play.actions,
        "resignations": play.resignations,
        "orders": play.orders,
        "result": outcome_to_json(over),
    }
    if play.refusals:
        record["refusals"] = play.refusals
    record["digest"] = digest(record)
    return record


def canonical(record: Mapping[str, object]) -> bytes:
    """The record's RFC 8785 form in UTF-8, without digest, comments and secrets.

    The standard library is enough: member names are ASCII, so sorting them by code point sorts them by UTF-16 unit, and
    all numbers are integers below 2**53.
    """
    kept = {name: value for name, value in record.items() if name not in ("digest", "comments")}
    setup = kept.get("setup")
    if isinstance(setup, dict):
        kept["setup"] = {name: value for name, value in setup.items() if name not in SECRETS}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest(record: Mapping[str, object]) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the canonical form."""
    return "sha256:" + sha256(canonical(record)).hexdigest()


def replay(record: object) -> Replay:
    """Plays a record through again. Raises DamagedRecord, which names the first entry that is wrong."""
    shape = shape_of(record)
    return _replay(shape, mapping(record, ()))


def verify(record: object) -> Playthrough:
    """Replays a record and checks everything in it that can be checked.

    That is its shape, the commitment and the deal if the seed is given, each action, the resignations, the orders, the
    result, which decisions the refused answers were to, and the digest. A match of a tournament, which has a
    `block_seed`, cannot open the tournament's commitment by itself. Raises DamagedRecord, which names what does not
    fit.
    """
    shape = shape_of(record)
    found = mapping(record, ())
    _check_secrets(shape)
    _check_deal(shape, found)
    play = _replay(shape, found).play
    _check_refusals(shape)
    if shape.digest != digest(found):
        raise DamagedRecord(("digest",), "does not fit: something in the record was changed")
    return play


def _check_secrets(shape: Shape) -> None:
    if shape.seed is None:
        if shape.nonce is not None or shape.block_seed is not None:
            raise DamagedRecord(("setup", "seed"), "is missing, though another secret is opened")
        return
    if shape.nonce is None:
        raise DamagedRecord(("setup", "nonce"), "is missing, though there is a seed")
    if shape.block_seed is None and committed(shape.nonce, shape.seed) != shape.commitment:
        raise DamagedRecord(("commitment",), "is not opened by the nonce and the seed")


def _check_deal(shape: Shape, record: Json) -> None:
    if shape.deal == "given" or shape.seed is None:
        return
    drawn = setup_to_json(draw_setup(shape.components, shape.players, shape.seed, shape.block_seed))
    given = mapping(record["setup"], ("setup",))
    for name, value in drawn.items():
        if given[name] != value:
            raise DamagedRecord(("setup", name), "is not what the seed gives")


def _check_refusals(shape: Shape) -> None:
    """In the order of the actions, so that there is one record of a game only."""
    place = {entry.decision: number for number, entry in enumerate(shape.actions)}
    last = 0
    for i, refusal in enumerate(shape.refusals):
        here = place.get(refusal.decision)
        if here is None:
            raise DamagedRecord(("refusals", i, "decision"), f"is not one of the record: {shown(refusal.decision)}")
        if here < last:
            raise DamagedRecord(("refusals", i), "stands after an answer to a later decision")
        last = here


class _Replayer:
    """Plays the entries of a record through again."""

    def __init__(self, shape: Shape) -> None:
        # A deal from a known seed has its reshuffles from the seed too; other reshuffles are taken as recorded.
        drawn = shape.deal != "given" and shape.seed is not None
        reshuffles = Reshuffles(shape.seed) if drawn else Reshuffles(None, shape.orders)
        self._shape = shape
        self.play = Playthrough.start(shape.players, shape.variants, shape.components, shape.setup, reshuffles)
        self.steps = [self.play.first]

    def run(self) -> None:
        """Settles all entries; the cards of a round together, since they are revealed together."""
        shape, play = self._shape, self.play
        i = 0
        while i < len(shape.actions):
            if play.game.outcome is None:
                self._resign(i)
            size = shape.players if play.game.phase == "play" else 1
            entries = range(i, min(i + size, len(shape.actions)))
            early = self._resigned_before_the_end(entries)
            for j in sorted(entries, key=lambda j: shape.actions[j].seat not in early):
                if early and shape.actions[j].seat not in early:
                    self._resign(entries.stop)
                    early = frozenset()
                self._settle(j)
            i = entries.stop
        if play.game.outcome is None:
            self._resign(len(shape.actions))
        if play.game.outcome is None and shape.result.ended == "aborted":
            self.steps.append(play.abort())

    def _resigned_before_the_end(self, cards: range) -> frozenset[int]:
        """The seats that resigned after choosing the cards that ended the game.

        A resignation by a seat whose card is settled stands after the cards of the round. If the game goes on, it is
        replayed there; but nobody can resign once the game is over, so then it came before the reveal.
        """
        shape, game = self._shape, self.play.game
        resigning = frozenset(entry.seat for entry in shape.resignations if entry.after == cards.stop)
        if not resigning or game.phase != "play":
            return frozenset()
        for j in cards:
            try:
                game = game.apply(shape.actions[j].decision, shape.actions[j].action).game
            except EngineError:
                # Settling it for the record will fail likewise, and say where.
                return frozenset()
        return resigning if game.outcome is not None else frozenset()

    def _settle(self, i: int) -> None:
        entry = self._shape.actions[i]
        try:
            if self.play.game.outcome is not None:
                raise GameIsOver
            self.steps.append(self.play.settle(entry.decision, entry.action, entry.by, entry.fault))
        except EngineError as error:
            raise DamagedRecord(("actions", i), str(error)) from error

    def _resign(self, after: int) -> None:
        """Replays all resignations at one place. Those with one reason are made together: the last may leave nobody."""
        here = [(i, entry) for i, entry in enumerate(self._shape.resignations) if entry.after == after]
        for reason, group in groupby(here, key=lambda pair: pair[1].reason):
            entries = list(group)
            try:
                self.steps.append(self.play.resign([entry.seat for _, entry in entries], reason))
            except EngineError as error:
                raise DamagedRecord(("resignations", entries[0][0]), str(error)) from error


def _replay(shape: Shape, record: Json) -> Replay:
    replayer = _Replayer(shape)
    replayer.run()
    play = replayer.play
    for name, entries in (("actions", play.actions), ("resignations", play.resignations), ("orders", play.orders)):
        _compare(record, name, entries)
    if play.game.outcome is None:
        raise DamagedRecord(("actions", len(shape.actions)), "the record ends before the game")
    for name, value in outcome_to_json(play.game.outcome).items():
        given = mapping(record["result"], ("result",))[name]
        if given != value:
            raise DamagedRecord(("result", name), f"is {_text(given)}, but the game gave {_text(value)}")
    return Replay(play, tuple(replayer.steps))


def _compare(record: Json, name: str, found: Sequence[object]) -> None:
    given = sequence(record[name], (name,))
    for i, (one, other) in enumerate(zip(given, found, strict=False)):
        if one != other:
            raise DamagedRecord((name, i), f"is {_text(one)}, but the game gave {_text(other)}")
    if len(given) != len(found):
        raise DamagedRecord(
            (name, min(len(given), len(found))), f"{len(given)} entries, but the game gave {len(found)}"
        )


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
