"""Game records: written, read, replayed and verified (PROTOCOL "Game record")."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby

from service.engine.chance import commitment as committed
from service.engine.components import components_to_json
from service.engine.errors import DamagedRecord, EngineError, GameIsNotOver, GameIsOver
from service.engine.events import Event
from service.engine.game import Game
from service.engine.playthrough import Playthrough
from service.engine.record_shape import FORMAT, Json, Shape, shape_of
from service.engine.setup import Reshuffles, draw_setup, setup_to_json
from service.engine.shapes import mapping, sequence
from service.engine.snapshot import outcome_to_json

Teller = Callable[[tuple[Event, ...], Game], None]

SECRETS = ("seed", "nonce", "block_seed")


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
    """The record of a game that is over, digest included.

    `seats` gives each seat's `name` and `version`, `nonce` is hexadecimal; secrets are None where they are not to be
    opened yet. Raises GameIsNotOver.
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
    record["digest"] = digest(record)
    return record


def canonical(record: Mapping[str, object]) -> bytes:
    """The record's RFC 8785 form in UTF-8, without digest and secrets.

    The standard library is enough for it: member names are ASCII, so that sorting them by code point is sorting them by
    UTF-16 unit, and all numbers are integers below 2**53.
    """
    kept = {name: value for name, value in record.items() if name != "digest"}
    setup = kept.get("setup")
    if isinstance(setup, dict):
        kept["setup"] = {name: value for name, value in setup.items() if name not in SECRETS}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest(record: Mapping[str, object]) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the canonical form."""
    return "sha256:" + sha256(canonical(record)).hexdigest()


def parse_record(value: object) -> Json:
    """A record whose members all have the right shape. Members that are not known are kept. Raises DamagedRecord."""
    shape_of(value)
    return mapping(value, ())


def replay(record: object, tell: Teller | None = None) -> Playthrough:
    """Plays a record through again. Raises DamagedRecord, which names the entry at which it goes wrong.

    `tell` is called with what happened after each entry, and the game as it is then.
    """
    shape = shape_of(record)
    return _replay(shape, mapping(record, ()), tell or _tell_nobody)


def verify(record: object) -> Playthrough:
    """Replays a record and checks everything in it that can be checked.

    That is: its shape, the commitment and the deal where the seed is given, each action, the resignations, the orders,
    the result, and the digest. A tournament's commitment is not opened by one of its matches alone, which has a
    `block_seed`. Raises DamagedRecord, which names what does not fit.
    """
    shape = shape_of(record)
    found = mapping(record, ())
    _check_secrets(shape)
    _check_deal(shape, found)
    play = _replay(shape, found, _tell_nobody)
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


def _replay(shape: Shape, record: Json, tell: Teller) -> Playthrough:
    # A deal that comes from a known seed has its reshuffles from it too; else they are taken as recorded.
    drawn = shape.deal != "given" and shape.seed is not None
    reshuffles = Reshuffles(shape.seed) if drawn else Reshuffles(None, shape.orders)
    play = Playthrough.start(shape.players, shape.variants, shape.components, shape.setup, reshuffles)
    tell(play.begun_events, play.game)
    _settle_all(play, shape, tell)
    if play.game.outcome is None:
        _resign(play, shape, len(shape.actions), tell)
    if play.game.outcome is None and shape.result.ended == "aborted":
        tell(play.abort(), play.game)
    for name, entries in (("actions", play.actions), ("resignations", play.resignations), ("orders", play.orders)):
        _compare(record, name, entries)
    if play.game.outcome is None:
        raise DamagedRecord(("actions", len(shape.actions)), "the record ends before the game")
    for name, value in outcome_to_json(play.game.outcome).items():
        given = mapping(record["result"], ("result",))[name]
        if given != value:
            raise DamagedRecord(("result", name), f"is {_text(given)}, but the game gave {_text(value)}")
    return play


def _settle_all(play: Playthrough, shape: Shape, tell: Teller) -> None:
    """Settles all entries; a round's cards as one, since they are revealed as one."""
    i = 0
    while i < len(shape.actions):
        if play.game.outcome is None:
            _resign(play, shape, i, tell)
        size = shape.players if play.game.phase == "play" else 1
        entries = range(i, min(i + size, len(shape.actions)))
        early = _resigned_before_the_end(play.game, shape, entries)
        for j in sorted(entries, key=lambda j: shape.actions[j].seat not in early):
            if early and shape.actions[j].seat not in early:
                _resign(play, shape, entries.stop, tell)
                early = frozenset()
            _settle(play, shape, j, tell)
        i = entries.stop


def _resigned_before_the_end(game: Game, shape: Shape, cards: range) -> frozenset[int]:
    """Who resigned after choosing the cards that ended the game.

    A resignation by a seat whose card is settled stands after the round's cards. If the game goes on from there, it can
    wait until then; but once the game is over nobody can resign, so here it was before the reveal.
    """
    resigning = frozenset(given_up.seat for given_up in shape.resignations if given_up.after == cards.stop)
    if not resigning or game.phase != "play":
        return frozenset()
    for j in cards:
        try:
            game = game.apply(shape.actions[j].decision, shape.actions[j].action).game
        except EngineError:
            # Settling it for the record will fail likewise, and say where.
            return frozenset()
    return resigning if game.outcome is not None else frozenset()


def _settle(play: Playthrough, shape: Shape, i: int, tell: Teller) -> None:
    entry = shape.actions[i]
    try:
        if play.game.outcome is not None:
            raise GameIsOver
        happened = play.settle(entry.decision, entry.action, entry.by, entry.fault)
    except EngineError as error:
        raise DamagedRecord(("actions", i), str(error)) from error
    tell(happened, play.game)


def _resign(play: Playthrough, shape: Shape, after: int, tell: Teller) -> None:
    """All resignations that stand at one place, those with one reason at once: the last may leave nobody."""
    here = [(i, given_up) for i, given_up in enumerate(shape.resignations) if given_up.after == after]
    for reason, group in groupby(here, key=lambda pair: pair[1].reason):
        entries = list(group)
        try:
            happened = play.resign([given_up.seat for _, given_up in entries], reason)
        except EngineError as error:
            raise DamagedRecord(("resignations", entries[0][0]), str(error)) from error
        tell(happened, play.game)


def _compare(record: Json, name: str, found: Sequence[object]) -> None:
    given = sequence(record[name], (name,))
    for i, (one, other) in enumerate(zip(given, found, strict=False)):
        if one != other:
            raise DamagedRecord((name, i), f"is {_text(one)}, but the game gave {_text(other)}")
    if len(given) != len(found):
        raise DamagedRecord(
            (name, min(len(given), len(found))), f"{len(given)} entries, but the game gave {len(found)}"
        )


def _tell_nobody(events: tuple[Event, ...], game: Game) -> None:
    pass


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
