"""Matches of a tournament: their games and their results, for the workers that play them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from service.engine.setup import block_seed, match_seed
from service.errors import NotFound, Unreadable
from service.ids import game_id, match_id
from service.operations.context import Context
from service.operations.games.change import abort, add_what_follows, load
from service.operations.games.create import write
from service.operations.games.document import GameMeta, MatchTerms, SeatPlan
from service.operations.games.log_entries import Joined, Resigned, Started
from service.operations.games.projection import GameProjection, GameView
from service.operations.tournaments.document import TournamentDoc
from service.operations.tournaments.events import event_text
from service.store.bots import Bot
from service.store.leases import Lease
from service.tournament.results import MatchResult
from service.tournament.schedule import Pairing

ATTEMPTS = (0, 1)
"""A match is played, and played once more if the first attempt was void; the second one counts."""


def open_match(
    ctx: Context,
    tournament: str,
    doc: TournamentDoc,
    pairing: Pairing,
    *,
    attempt: int,
    bots: Mapping[str, Bot],
    absent: Collection[int] = (),
    lease: Lease | None = None,
) -> GameView:
    """The game of a match, created if there is none yet. Raises LeaseLost, Unavailable.

    bots    the entrants by name, with the versions that they named
    absent  seats whose bot did not come up: they forfeit before the first decision
    """
    game = game_id(tournament, pairing.block, pairing.seating, attempt)
    meta = match_meta(ctx, tournament, doc, pairing, attempt=attempt, bots=bots)
    projection = GameProjection(GameView.new(game, meta))
    for seat, name in enumerate(pairing.seats):
        projection.add(Joined(0, seat, name, bots[name].id, bots[name].version))
    projection.add(Started(0))
    if absent:
        projection.add(Resigned(0, tuple(sorted(absent)), "forfeit"))
        add_what_follows(projection, 0)
    write(ctx, projection, {}, match=True, lease=lease)
    return load(ctx, game)


def match_meta(
    ctx: Context, tournament: str, doc: TournamentDoc, pairing: Pairing, *, attempt: int, bots: Mapping[str, Bot]
) -> GameMeta:
    """What is fixed about the game of a match."""
    of_block = block_seed(doc.seed, pairing.block)
    terms = doc.terms
    return GameMeta(
        players=doc.players,
        variants=doc.variants,
        deal="seeded" if doc.seed_given else "drawn",
        seed=match_seed(of_block, attempt, pairing.seating),
        nonce=doc.nonce,
        block_seed=of_block,
        commitment=doc.commitment,
        seats=tuple(SeatPlan("bot", bots[name].id, bots[name].kind, name) for name in pairing.seats),
        created_ms=ctx.wall_ms(),
        components=doc.components,
        match=MatchTerms(
            id=match_id(tournament, pairing.block, pairing.seating),
            tournament=tournament,
            number=pairing.match,
            attempt=attempt,
            move_ms=terms.move_ms,
            bank_ms=terms.bank_ms,
            max_faults=terms.max_faults,
            policy=terms.policy,
            attempts=terms.attempts,
        ),
    )


def result_of(view: GameView, pairing: Pairing, *, harness_slow: bool = False) -> MatchResult:
    """The result of a match, from its log. The game must be over.

    `harness_slow`: the harness was too slow for it, but it counts, since it had been void before.
    """
    outcome = view.game.outcome
    match = view.meta.match
    assert outcome is not None and match is not None, "a result is made of a match that is over"
    return MatchResult(
        match=pairing.match,
        block=pairing.block,
        seating=pairing.seating,
        attempt=match.attempt,
        status="finished" if outcome.places is not None else "cancelled",
        seats=pairing.seats,
        points=tuple(outcome.points),
        places=outcome.places,
        ended=outcome.ended,
        faults=tuple(dict(ledger.faults) for ledger in view.ledgers),
        forfeits=tuple(sorted(view.game.resigned)),
        not_started=not_started(view),
        versions=view.versions,
        answers=tuple(ledger.answers for ledger in view.ledgers),
        answer_ms=tuple(ledger.answer_ms for ledger in view.ledgers),
        harness_slow=harness_slow,
        game=view.id,
    )


def not_started(view: GameView) -> tuple[int, ...]:
    """Seats whose bot did not come up before the match. They forfeited without a fault; every other forfeit is for
    faults. (A bot that gives up by itself resigns, which is not a forfeit.)"""
    forfeited = [
        seat
        for event in view.history
        if event.type == "resigned" and event.data["reason"] == "forfeit"
        for seat in event.data["seats"]
    ]
    return tuple(seat for seat in sorted(forfeited) if not view.ledgers[seat].faults)


def void_of(view: GameView, pairing: Pairing) -> MatchResult:
    """The result of a void attempt. If the game is not over, it has the points of now: the game is aborted next."""
    if view.game.outcome is None:
        view = replace(view, game=view.game.abort().game)
    return replace(result_of(view, pairing), status="void")


def cancelled(pairing: Pairing, attempt: int, game: str = "") -> MatchResult:
    """The result of a match that will not be played, or not to its end."""
    return MatchResult(
        match=pairing.match,
        block=pairing.block,
        seating=pairing.seating,
        attempt=attempt,
        status="cancelled",
        seats=pairing.seats,
        game=game,
    )


def cancel_block(ctx: Context, tournament: str, doc: TournamentDoc, block: int) -> None:
    """Ends a block that will not be played, or not to its end: running games are aborted, matches without a result get
    one of status `cancelled`. Raises Unavailable."""
    pairings = doc.schedule().block(block).pairings
    numbers = [pairing.match for pairing in pairings]
    known = ctx.tournaments.results(tournament, numbers)
    void = voids(ctx, tournament, numbers)
    for pairing in pairings:
        if pairing.match in known:
            continue
        attempt = int(pairing.match in void)
        game = game_id(tournament, pairing.block, pairing.seating, attempt)
        try:
            abort(ctx, game)
        except (NotFound, Unreadable):
            game = ""
        store_result(ctx, tournament, cancelled(pairing, attempt, game))
    ctx.blocks.finish(tournament, block, numbers)


def break_off_block(ctx: Context, tournament: str, doc: TournamentDoc, block: int) -> None:
    """Aborts the running games of a block whose tournament is over. No result is written: the last event is there.

    Raises Unavailable."""
    for pairing in doc.schedule().block(block).pairings:
        for attempt in ATTEMPTS:
            with contextlib.suppress(NotFound, Unreadable):
                game = game_id(tournament, pairing.block, pairing.seating, attempt)
                abort(ctx, game)
                ctx.games.compress(game)
    ctx.blocks.deactivate(tournament, block)


def store_result(ctx: Context, tournament: str, result: MatchResult) -> bool:
    """Writes a result, once: False when the match has one, or the tournament is over. From then on its game, if there
    is one, is only read, so its log is compressed. Raises Unavailable."""
    if result.game:
        ctx.games.compress(result.game)
    written = _written(ctx, tournament, result)
    return ctx.tournaments.put_result(tournament, result.match, *written, cancelled=result.status == "cancelled")


def store_void(ctx: Context, tournament: str, result: MatchResult) -> bool:
    """Writes the result of a void attempt, once: False when the match was void before, or the tournament is over.
    Raises Unavailable."""
    return ctx.tournaments.put_void(tournament, result.match, *_written(ctx, tournament, result))


def _written(ctx: Context, tournament: str, result: MatchResult) -> tuple[str, str]:
    """The result as it is stored, and its event."""
    event = event_text(
        ctx,
        f"match_{result.status}",
        match=match_id(tournament, result.block, result.seating),
        game=result.game or None,
        seats=list(result.seats),
        points=list(result.points),
        places=None if result.places is None else list(result.places),
    )
    return json.dumps(result.to_json(), separators=(",", ":"), ensure_ascii=False), event


def results(ctx: Context, tournament: str, matches: Collection[int] | None = None) -> dict[int, MatchResult]:
    """Stored results by match number; all, or of some matches. Raises Unavailable."""
    numbers = None if matches is None else sorted(matches)
    found = ctx.tournaments.results(tournament, numbers)
    return ctx.offload(lambda: _decoded(found))


def voids(ctx: Context, tournament: str, matches: Collection[int] | None = None) -> dict[int, MatchResult]:
    """Stored void attempts by match number; all, or of some matches. Raises Unavailable."""
    numbers = None if matches is None else sorted(matches)
    found = ctx.tournaments.voids(tournament, numbers)
    return ctx.offload(lambda: _decoded(found))


def _decoded(texts: Mapping[int, str]) -> dict[int, MatchResult]:
    return {number: MatchResult.from_json(json.loads(text)) for number, text in texts.items()}
