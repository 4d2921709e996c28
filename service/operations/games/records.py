"""Records: what is kept of a game that is over."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from service.engine.actions import parse_action
from service.engine.components import parse_components, standard_components
from service.engine.decisions import Decision
from service.engine.errors import DamagedRecord
from service.engine.events import Event
from service.engine.game import Game
from service.engine.observation import GameHeader
from service.engine.playthrough import Playthrough
from service.engine.record import build_record, replay, verify
from service.engine.setup import parse_orders, parse_setup, parse_variants
from service.errors import GameNotOver, InvalidRequest, NotFound, WrongState
from service.ids import match_of_game
from service.operations.access.tokens import Caller, role_required
from service.operations.context import Context
from service.operations.games.asks import Budget, compose_ask
from service.operations.games.change import load
from service.operations.games.create import write
from service.operations.games.document import GameMeta, SeatPlan
from service.operations.games.log_entries import (
    Aborted,
    AnswerRefused,
    Entry,
    Finished,
    Joined,
    Resigned,
    Settled,
    Started,
    decode,
)
from service.operations.games.projection import GameProjection, GameView
from service.operations.names import check_name
from service.protocol import ROLES
from service.store.games import GameRow
from service.store.idempotency import Claim, Receipt


def record(ctx: Context, game: str) -> dict[str, Any]:
    """The record of a game that is over (PROTOCOL "Game record"). Raises NotFound, GameNotOver, Unavailable."""
    view = load(ctx, game)
    if not view.over:
        raise GameNotOver("A game has a record once it is over.")
    row = ctx.games.read(game, 0)
    if row is None:
        raise NotFound("There is no game of this id.")
    opened = _opened(ctx, view)
    return ctx.offload(lambda: record_of(game, row, opened=opened))


def _opened(ctx: Context, view: GameView) -> bool:
    """Whether the seed may be shown: that of a match only when its tournament is over."""
    if view.meta.match is None:
        return True
    tournament = ctx.tournaments.read(view.meta.match.tournament)
    return tournament is None or tournament.status in ("finished", "cancelled", "failed")


def record_of(game: str, row: GameRow, *, opened: bool) -> dict[str, Any]:
    """The record of a game from its whole log; without seed and nonce while they may not be shown."""
    return _build(game, GameMeta.load(row.meta), map(decode, row.entries), opened=opened)


def _build(game: str, meta: GameMeta, entries: Iterable[Entry], *, opened: bool) -> dict[str, Any]:
    play = Playthrough.start(meta.players, meta.variants, meta.component_set(), meta.dealt(), meta.reshuffles())
    comments: dict[str, str] = {}
    seats: list[dict[str, Any]] = [{"name": "", "version": None} for _ in range(meta.players)]
    for entry in entries:
        match entry:
            case Joined(_, seat, name, _, version):
                seats[seat] = {"name": name, "version": version}
            case Settled(_, decision, action, by, fault, _, comment):
                play.settle(decision, action, by, fault)
                if comment is not None:
                    comments[decision] = comment
            case AnswerRefused(_, decision, kind, reason):
                play.refuse(decision, kind, reason)
            case Resigned(_, resigned, reason):
                play.resign(resigned, reason)
            case Aborted():
                play.abort()
    record = build_record(
        play,
        game=game,
        deal=meta.deal,
        commitment=meta.commitment,
        # An imported record may have none.
        seed=(meta.seed or None) if opened else None,
        nonce=meta.nonce if opened else None,
        block_seed=meta.block_seed if opened else None,
        seats=seats,
    )
    # In the order of the actions, and only of those that are in the record.
    decisions = [entry["decision"] for entry in play.actions if entry["decision"] in comments]
    told = [{"decision": decision, "comment": comments[str(decision)]} for decision in decisions]
    return record | {"comments": told} if told else record


GAME_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def import_record(
    ctx: Context, caller: Caller, record: Mapping[str, Any], claim: Claim | None = None
) -> dict[str, Any]:
    """Keeps a record as a finished game, with its own id and digest. Its players' tokens are not known here.

    Returns the game's id, its status and the digest. `claim`: of a call with an Idempotency-Key.

    Any key may. Raises Unauthorized, Forbidden, InvalidRequest (naming the entry at which the record goes wrong),
    WrongState when the id is in use, Unavailable.
    """
    role_required(ctx, caller, *ROLES)
    now_ms = ctx.wall_ms()
    projection = ctx.offload(lambda: _projection_of(record, now_ms))
    game = projection.before.id
    match = match_of_game(game)
    # Else a record could take the place of a match that is still to be played.
    if match is not None and ctx.tournaments.read(match.tournament) is not None:
        raise WrongState("This id belongs to a tournament of this service.")
    answer = {"game": game, "status": projection.status, "digest": record["digest"]}
    if not write(ctx, projection, {}, receipt=Receipt.of(claim, answer)):
        raise WrongState("There is a game of this id.")
    return answer


def _projection_of(record: Mapping[str, Any], now_ms: int) -> GameProjection:
    """The game that a record tells of, before it is written. Raises InvalidRequest."""
    try:
        verify(record)
    except DamagedRecord as error:
        raise InvalidRequest(error.path, error.reason) from None
    for number, seat in enumerate(record["seats"]):
        check_name(seat["name"], "seats", number, "name")
    game = record["game"]
    if not GAME_ID.fullmatch(game):
        raise InvalidRequest(("game",), f"An id here matches {GAME_ID.pattern}.")
    meta = _meta(record, now_ms)
    entries = _log_entries(record)
    _check_kept_whole(_build(game, meta, entries, opened=True), record)
    projection = GameProjection(GameView.new(game, meta))
    for entry in entries:
        projection.add(entry)
    return projection


def _meta(record: Mapping[str, Any], now_ms: int) -> GameMeta:
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
        created_ms=now_ms,
        components=None if components == standard_components(players) else components,
        setup=parse_setup(secrets, components, players) if given else None,
        orders=parse_orders(record["orders"], players) if given else (),
    )


def _log_entries(record: Mapping[str, Any]) -> list[Entry]:
    """The log that a game with this record would have, all of it at one time, since a record holds none."""
    entries: list[Entry] = [Joined(0, seat["seat"], seat["name"], None, seat["version"]) for seat in record["seats"]]
    entries.append(Started(0))
    comments = {told["decision"]: told["comment"] for told in record.get("comments", ())}
    refused: defaultdict[str, list[AnswerRefused]] = defaultdict(list)
    for refusal in record.get("refusals", ()):
        refused[refusal["decision"]].append(
            AnswerRefused(0, refusal["decision"], refusal["fault"], refusal["reason"], 0)
        )
    cards = {entry["decision"]: entry for entry in record["actions"] if entry["action"]["type"] == "play"}
    others = iter([entry for entry in record["actions"] if entry["action"]["type"] != "play"])
    _, *steps = replay(record).steps
    for step in steps:
        first = step.events[0]
        if first.type == "resigned":
            entries.append(Resigned(0, tuple(first.data["seats"]), str(first.data["reason"])))  # type: ignore[arg-type]
        elif first.type == "aborted":
            entries.append(Aborted(0))
        else:
            chosen = first.type == "chosen"
            action = cards[f"{first.round}.play.{first.data['seat']}.0"] if chosen else next(others)
            entries += refused.get(action["decision"], [])
            entries.append(_settled(action, comments))
    if not isinstance(entries[-1], Aborted):
        entries.append(Finished(0))
    return entries


def _settled(entry: Mapping[str, Any], comments: Mapping[str, str]) -> Settled:
    decision, action = entry["decision"], parse_action(entry["action"])
    return Settled(0, decision, action, entry["by"], entry["fault"], None, comments.get(decision))


def _check_kept_whole(kept: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    """What is read back must be what came, digest included: a record with members of its own cannot be kept."""
    for name in (*kept, *record):
        if name not in kept or kept[name] != record.get(name):
            raise InvalidRequest((name,), "This cannot be kept as it is: it has members that are not known here.")


@dataclass(frozen=True, slots=True)
class RebuiltAsk:
    """A decision of a finished game: its ask, the state that it was about, and how it was settled then.

    `by` is `player` or `default`, `fault` the fault that led to a default, or None.
    """

    ask: dict[str, Any]
    game: Game
    decision: str
    action: dict[str, Any]
    by: str
    fault: str | None


def rebuild(record: Mapping[str, Any], *, round_: int, seat: int, budget_ms: int, time_ms: int) -> list[RebuiltAsk]:
    """The asks of a seat in a round, in the order asked: as they were at the first attempt, but for `match`, which no
    record holds, and `previous` (both null), with the given budget and no bank. The record is taken to be sound
    (`engine.record.verify`).

    A decision that was never settled (the game ended before) has none. Of a seat that resigned with its card settled no
    record says whether that was before the reveal: the ask that followed it is rebuilt as if it was after.
    Raises service.engine.errors.DamagedRecord.
    """
    openings: list[tuple[int, Game, Decision]] = []
    # Everybody sits down, then the game starts, before anything is settled.
    version = len(record["seats"])
    refused = Counter(refusal["decision"] for refusal in record.get("refusals", ()))
    known: set[str] = set()
    for step in replay(record).steps:
        game = step.game
        closed = known - {decision.id for decision in game.decisions}
        version += _entry_count(step.events) + sum(refused[decision] for decision in closed)
        openings.extend(
            (version, game, decision)
            for decision in game.decisions
            if decision.id not in known and decision.seat == seat and decision.round == round_
        )
        known = {decision.id for decision in game.decisions}
    settled = {entry["decision"]: entry for entry in record["actions"]}
    return [
        RebuiltAsk(
            compose_ask(game, _view(record, at), decision, Budget(budget_ms, 0), time_ms=time_ms),
            game,
            decision.id,
            settled[decision.id]["action"],
            settled[decision.id]["by"],
            settled[decision.id]["fault"],
        )
        for at, game, decision in openings
        if decision.id in settled
    ]


def _entry_count(events: tuple[Event, ...]) -> int:
    """How many entries of the log told of what a replay tells at once: seats forfeit together, and otherwise give up
    each by itself."""
    first = events[0] if events else None
    if first is None or first.type != "resigned" or first.data["reason"] == "forfeit":
        return 1
    seats = first.data["seats"]
    assert isinstance(seats, list), "the event has a list of seats"
    return len(seats)


def _view(record: Mapping[str, Any], version: int) -> GameHeader:
    names = tuple(seat["name"] for seat in record["seats"])
    return GameHeader(record["game"], version, "running", names, record["commitment"], record["deal"])
