"""Records that come from elsewhere: verified, and kept as games that are over."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from service.engine.actions import parse_action
from service.engine.components import parse_components, standard_components
from service.engine.errors import DamagedRecord
from service.engine.events import Event
from service.engine.game import Game
from service.engine.record import replay as replay_record
from service.engine.record import verify
from service.engine.setup import parse_orders, parse_setup
from service.engine.variants import parse_variants
from service.operations.access import ROLES, Caller, hashed, role_required, seat_token
from service.operations.context import Context
from service.operations.creating import write
from service.operations.entries import Aborted, Entry, Finished, Joined, Resigned, Settled, Started, encode
from service.operations.errors import InvalidRequest, WrongState
from service.operations.meta import GameMeta, SeatPlan
from service.operations.ports import GameRow
from service.operations.records import record_of
from service.operations.settling import load
from service.operations.tables import Table

IMPORTER = "importer"
GAME_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_OF_A_MATCH = re.compile(r"(.+)-[0-9]+-[0-9]+")


def import_record(ctx: Context, caller: Caller, record: Mapping[str, Any]) -> Table:
    """Keeps a record as a finished game, with its own id and digest. Its players' tokens are not known here.

    Any key may. Raises Unauthorized, Forbidden, InvalidRequest (naming the entry at which the record goes wrong),
    WrongState when the id is in use, Unavailable.
    """
    role_required(ctx, caller, *ROLES)
    try:
        verify(record)
    except DamagedRecord as error:
        raise InvalidRequest(error.path, error.reason) from None
    game = _check_id(ctx, record["game"])
    meta = _meta(ctx, record)
    entries = _entries(record)
    _check_kept_whole(game, meta, entries, record)
    # A token that nobody gets: by it an attempt at this call finds what an earlier one has imported.
    mark = hashed(seat_token(ctx, game, IMPORTER))
    write(ctx, game, meta, entries, {IMPORTER: mark})
    table = load(ctx, game)
    if table.tokens.get(IMPORTER) != mark:
        raise WrongState("There is a game of this id.")
    return table


def _check_id(ctx: Context, game: str) -> str:
    if not GAME_ID.fullmatch(game):
        raise InvalidRequest(("game",), f"An id here matches {GAME_ID.pattern}.")
    match = _OF_A_MATCH.fullmatch(game)
    # Else a record could take the place of a match that is still to be played.
    if match is not None and ctx.tournaments.read(match.group(1)) is not None:
        raise WrongState("This id belongs to a tournament of this service.")
    return game


def _meta(ctx: Context, record: Mapping[str, Any]) -> GameMeta:
    players = record["players"]
    components = parse_components(record["components"], players)
    secrets = record["setup"]
    seed = secrets.get("seed")
    # What follows from the seed is not kept beside it.
    given = record["deal"] == "given" or seed is None
    return GameMeta(
        players=players,
        variants=parse_variants(record["variants"]),
        deal=record["deal"],
        seed=seed or "",
        nonce=secrets.get("nonce"),
        block_seed=secrets.get("block_seed"),
        commitment=record["commitment"],
        seats=(SeatPlan("creator"),) * players,
        created_ms=ctx.wall_ms(),
        components=None if components == standard_components(players) else components,
        setup=parse_setup(secrets, components, players) if given else None,
        orders=parse_orders(record["orders"], players) if given else (),
    )


def _entries(record: Mapping[str, Any]) -> list[Entry]:
    """The log that a game with this record would have, all of it at one time, since a record holds none."""
    entries: list[Entry] = [Joined(0, seat["seat"], seat["name"], None, seat["version"]) for seat in record["seats"]]
    entries.append(Started(0))
    cards = {entry["decision"]: entry for entry in record["actions"] if entry["action"]["type"] == "play"}
    others = iter([entry for entry in record["actions"] if entry["action"]["type"] != "play"])
    begun_already = False

    def look(events: tuple[Event, ...], game: Game) -> None:
        nonlocal begun_already
        if not begun_already:
            begun_already = True
            return
        first = events[0]
        if first.type == "resigned":
            entries.append(Resigned(0, tuple(first.data["seats"]), str(first.data["reason"])))  # type: ignore[arg-type]
        elif first.type == "aborted":
            entries.append(Aborted(0))
        elif first.type == "chosen":
            entries.append(_settled(cards[f"{first.round}.play.{first.data['seat']}.0"]))
        else:
            entries.append(_settled(next(others)))

    replay_record(record, look)
    if not isinstance(entries[-1], Aborted):
        entries.append(Finished(0))
    return entries


def _settled(entry: Mapping[str, Any]) -> Settled:
    return Settled(0, entry["decision"], parse_action(entry["action"]), entry["by"], entry["fault"], None)


def _check_kept_whole(game: str, meta: GameMeta, entries: Sequence[Entry], record: Mapping[str, Any]) -> None:
    """What is read back must be what came, digest included: a record with members of its own cannot be kept."""
    lines = tuple(encode(entry) for entry in entries)
    kept = record_of(game, GameRow(meta.dump(), {}, len(lines), lines, {}, None, 0, 0), opened=True)
    for name in (*kept, *record):
        if name not in kept or kept[name] != record.get(name):
            raise InvalidRequest((name,), "This cannot be kept as it is: it has members that are not known here.")
