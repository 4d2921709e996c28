"""The one way in which a game moves on: read, fold the new entries, append them if nobody appended first, else again.

A client, a referee and the steward all settle decisions here, so that what follows from a decision is appended with it
in the same step: the defaults of seats that have resigned, and the end.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from service.engine.actions import Action
from service.engine.decisions import Decision
from service.engine.errors import EngineError, NotOpen
from service.errors import NotFound, OperationError, Unavailable, Unreadable
from service.operations.callbacks import of_game
from service.operations.context import Context
from service.operations.games.log_entries import Aborted, Entry, Finished, Resigned, Settled, encode
from service.operations.games.projection import GameProjection, GameView, read_on, read_whole
from service.store.games import Append, Appended, Effects, GameRow, VersionMoved
from service.store.idempotency import Receipt
from service.store.leases import Lease

BOT_BUDGET_MS = 10_000
"""What a bot's seat gets for a decision of a casual game without `turn_seconds` (PROTOCOL "In a casual game")."""
_ATTEMPTS = 64

log = logging.getLogger("montego.games")

Step = Callable[[GameView, int], GameProjection | None]
"""What is to happen in a game: given its newest view, and the time for new entries (milliseconds since the game was
created), the projection that has taken them in. None: there is nothing to do. Raises what forbids the change."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change did: the game after it, and the entries that it appended; none where there was nothing to do."""

    view: GameView
    entries: tuple[Entry, ...] = ()


def load(ctx: Context, game: str) -> GameView:
    """The game as it stands. One round trip, and one more where the store has lost what this process knows. Raises
    NotFound, Unreadable, Unavailable."""
    known = ctx.projections.latest(game)
    with _set_aside_if_unreadable(ctx, game):
        row = ctx.games.read(game, known.version if known else 0)
        view = None if row is None or known is None else read_on(known, row)
        if view is None:
            row = ctx.games.read(game, 0) if known else row
            if row is None:
                ctx.projections.drop(game)
                raise NotFound("There is no game of this id.")
            # A whole log takes milliseconds, and the tables of an unusual set of components a tenth of a second.
            view = ctx.offload(partial(read_whole, game, row))
    ctx.projections.keep(view, known)
    return view


def _newest(ctx: Context, known: GameView, row: GameRow) -> GameView:
    """The game as a row says that was read from the version of the view that was known."""
    with _set_aside_if_unreadable(ctx, known.id):
        view = read_on(known, row)
    if view is None:
        return load(ctx, known.id)
    ctx.projections.keep(view, known)
    return view


@contextmanager
def _set_aside_if_unreadable(ctx: Context, game: str) -> Iterator[None]:
    """Turns a failure to read a log into Unreadable. The game is logged once and leaves the lists of games to handle,
    so that it stops no loop over many games."""
    try:
        yield
    except OperationError:
        raise
    except Exception as error:
        if ctx.unreadable.note("game", game):
            log.exception("game %s cannot be read, and is set aside", game)
        raise Unreadable(f"The game {game} cannot be read; the log of the service says why.") from error


def wait_for_change(ctx: Context, view: GameView, timeout_s: float) -> GameView:
    """The game as soon as it is another than this view, or when the time is up.

    Also where the store has lost this version, and the game is at an earlier one again, or at another one with the same
    number. Raises NotFound, Unavailable.
    """
    until = time.monotonic() + timeout_s
    while True:
        left = until - time.monotonic()
        version = ctx.hub.wait(f"game:{view.id}", view.version, left)
        newest = load(ctx, view.id) if version < view.version else _load_version(ctx, view.id, version)
        if newest.chain != view.chain or left <= 0:
            return newest


def _load_version(ctx: Context, game: str, version: int) -> GameView:
    """The game at this version or a newer one. Of all that have waited for it in this process, one reads."""
    known = ctx.projections.latest(game)
    if known is None or known.version < version:
        with ctx.projections.turn(game):
            known = ctx.projections.latest(game)
            if known is None or known.version < version:
                known = load(ctx, game)
    return known


def change(
    ctx: Context,
    game: str,
    step: Step,
    *,
    lease: Lease | None = None,
    known: GameView | None = None,
    tokens: Mapping[str, str] | None = None,
    receipt: Receipt | None = None,
) -> Changed:
    """Reads, takes the step, appends; again when somebody else was first.

    known   the game as this process last saw it: it saves a read where nobody has written since. Only an append
            confirms it: where by this view there is nothing to do, or a refusal, the newest one decides
    lease   the append is refused when it is lost
    tokens  hashes by holder, of seats that are taken by this change
    receipt the answer of a call with an Idempotency-Key

    Raises what `step` raises, NotFound, LeaseLost, Unavailable.
    """
    view, newest = (known, False) if known is not None else (load(ctx, game), True)
    for _ in range(_ATTEMPTS):
        try:
            projection = step(view, max(0, ctx.wall_ms() - view.meta.created_ms))
        except (OperationError, EngineError):
            if newest:
                raise
            projection = None
        if projection is None:
            if newest:
                return Changed(view)
            view, newest = load(ctx, game), True
            continue
        after, entries = projection.view(), tuple(projection.entries)
        wanted = _append_of(view, after, entries)
        try:
            done = ctx.games.append(
                game,
                wanted.past,
                wanted.entries,
                effects=wanted.effects,
                tokens=tokens,
                lease=lease,
                receipt=receipt,
            )
        except VersionMoved as moved:
            view, newest = _newest(ctx, view, moved.row), True
            continue
        return Changed(_keep(ctx, view, after, wanted.effects, done, tokens), entries)
    raise Unavailable("Too many others write to this game at once; try again.")


def queue_turns(ctx: Context, game: str, effects: Effects) -> None:
    """Has the push bots called that an append has made due. If the queue does not answer, the steward does it later:
    what was appended stands, and its client is answered."""
    with contextlib.suppress(Unavailable):
        for seat in effects.push_seats:
            ctx.queue.enqueue_turn(game, seat)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that is to be appended: the view that it starts from, the one that it leads to, and its entries."""

    before: GameView
    after: GameView
    entries: tuple[Entry, ...]


def append_all(ctx: Context, proposals: Sequence[Proposal]) -> list[Changed | OperationError]:
    """Appends to several games in one round trip, with one sync to disk; each append is done or refused by itself.

    Returns, in order, the game after its change; without entries, as it stands, where somebody else was first; or
    NotFound, Unavailable, Unreadable.
    """
    wanted = [_append_of(proposal.before, proposal.after, proposal.entries) for proposal in proposals]
    outcomes = ctx.games.append_all(wanted)
    found: list[Changed | OperationError] = []
    for proposal, append, done in zip(proposals, wanted, outcomes, strict=True):
        try:
            if isinstance(done, Appended):
                view = _keep(ctx, proposal.before, proposal.after, append.effects, done)
                found.append(Changed(view, proposal.entries))
            elif isinstance(done, VersionMoved):
                found.append(Changed(_newest(ctx, proposal.before, done.row)))
            else:
                found.append(done)
        except OperationError as error:
            found.append(error)
    return found


def _append_of(before: GameView, after: GameView, entries: Sequence[Entry]) -> Append:
    """The append that leads from one view to another."""
    effects = effects_of(before, after, entries[-1].at_ms)
    return Append(before.id, before.chain, [encode(entry) for entry in entries], effects)


def _keep(
    ctx: Context,
    before: GameView,
    after: GameView,
    effects: Effects,
    done: Appended,
    tokens: Mapping[str, str] | None = None,
) -> GameView:
    """The view after an append that was done: this process' newest. Has push bots called that are to act."""
    view = replace(
        after,
        chain=done.chain,
        tokens={**before.tokens, **(tokens or {})},
        deadline_ms=done.deadline_ms,
        clock_ms=done.clock_ms,
        time_ms=done.time_ms,
    )
    ctx.projections.keep(view, before)
    queue_turns(ctx, view.id, effects)
    return view


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a decision is to be settled. `action` None: the default action, by default."""

    decision: str
    action: Action | None
    fault: str | None = None
    elapsed_ms: int | None = None
    comment: str | None = None


def settle(
    ctx: Context, game: str, wanted: Settlement, *, lease: Lease | None = None, known: GameView | None = None
) -> Changed:
    """Settles a decision if it is still open; does nothing if somebody else has settled it. `known`: see `change`.

    Raises service.engine.actions.NotLegal, NotFound, LeaseLost, Unavailable.
    """
    return change(ctx, game, partial(settled, wanted), lease=lease, known=known)


def settled(wanted: Settlement, view: GameView, at_ms: int) -> GameProjection | None:
    """The step that settles a decision; None when it is not open."""
    if view.status != "running":
        return None
    by = "player" if wanted.action is not None else "default"
    projection = GameProjection(view)
    try:
        action = wanted.action or view.game.default_action(wanted.decision)
        projection.add(Settled(at_ms, wanted.decision, action, by, wanted.fault, wanted.elapsed_ms, wanted.comment))
    except NotOpen:
        return None
    add_what_follows(projection, at_ms)
    return projection


def add_what_follows(projection: GameProjection, at_ms: int) -> None:
    """Takes in what follows without anybody's doing: defaults of resigned seats, then the end."""
    while projection.game.outcome is None and projection.game.open_defaults:
        decision = projection.game.open_defaults[0]
        action = projection.game.default_action(decision.id)
        projection.add(Settled(at_ms, decision.id, action, "default", None, None))
    if projection.game.outcome is not None:
        projection.add(Finished(at_ms))


def resign(
    ctx: Context,
    game: str,
    seats: Sequence[int],
    reason: str,
    *,
    lease: Lease | None = None,
    known: GameView | None = None,
) -> GameView:
    """Lets seats resign, forfeit or be withdrawn, all at once; those that have are left out. Nothing happens when the
    game is not running. `known`: see `change`. Raises NotFound, LeaseLost, Unavailable."""
    return change(ctx, game, partial(_resigned, seats, reason), lease=lease, known=known).view


def _resigned(seats: Sequence[int], reason: str, view: GameView, at_ms: int) -> GameProjection | None:
    fresh = tuple(seat for seat in sorted(set(seats)) if seat not in view.game.resigned)
    if view.status != "running" or not fresh:
        return None
    projection = GameProjection(view)
    projection.add(Resigned(at_ms, fresh, reason))
    add_what_follows(projection, at_ms)
    return projection


def abort(ctx: Context, game: str, *, lease: Lease | None = None) -> GameView:
    """Breaks a game off; does nothing when it is over. Raises NotFound, LeaseLost, Unavailable."""
    return change(ctx, game, _aborted, lease=lease).view


def _aborted(view: GameView, at_ms: int) -> GameProjection | None:
    if view.over:
        return None
    projection = GameProjection(view)
    projection.add(Aborted(at_ms))
    return projection


def effects_of(before: GameView, after: GameView, at_ms: int) -> Effects:
    """What an append that leads from one view to another changes besides the log. `at_ms`: the time of its last
    entry."""
    decisions = after.game.decisions if after.status == "running" else ()
    known = {decision.id for decision in before.game.decisions} if before.status == "running" else set()
    fresh = any(decision.id not in known for decision in decisions)
    casual = after.meta.match is None
    plans = list(enumerate(after.meta.seats))
    deadline_ms = casual_deadline_ms(after, decisions)
    return Effects(
        status=after.status,
        deadline_in_ms=deadline_ms,
        # Without a limit for the open decisions, an old deadline must go: it would be overdue for ever.
        keep_deadline=deadline_ms is not None and not fresh,
        poll_bots={plan.bot: seat in after.due for seat, plan in plans if plan.kind == "poll" and plan.bot and casual},
        push_seats=tuple(
            seat for seat, plan in plans if plan.kind == "push" and casual and (after.over or seat in after.due)
        ),
        bots=tuple(plan.bot for _, plan in plans if plan.bot),
        callbacks=of_game(
            after.meta, after.id, before=before.status, status=after.status, due=set(after.due), at_ms=at_ms
        ),
    )


def casual_deadline_ms(view: GameView, decisions: Sequence[Decision]) -> int | None:
    """How long the seats with open decisions of a casual game may take; None: as long as they like.

    Without `turn_seconds` only poll bots are limited here: a push bot's time is kept by the worker that asks it.
    """
    if view.meta.match is not None or not decisions:
        return None
    if view.meta.turn_seconds is not None:
        return view.meta.turn_seconds * 1000
    if any(view.meta.seats[decision.seat].kind == "poll" for decision in decisions):
        return BOT_BUDGET_MS
    return None
