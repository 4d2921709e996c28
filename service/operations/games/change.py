"""The one way in which a game moves on: read, apply, append if nobody appended first, else again.

Whoever settles a decision (a client, a referee, the steward) comes through here, so that what follows from a settled
decision by itself is appended with it in the same step: the defaults of seats that have resigned, and the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from service.engine.actions import Action
from service.engine.decisions import Decision
from service.engine.errors import NotOpen
from service.engine.game import Game
from service.errors import NotFound, Unavailable
from service.operations.callbacks import of_game
from service.operations.context import Context
from service.operations.games.log_entries import Aborted, Entry, Finished, Resigned, Settled, encode
from service.operations.games.projection import GameView
from service.store.games import Effects, VersionMoved
from service.store.leases import Lease

BOT_BUDGET_MS = 10_000
"""What a bot's seat gets for a decision of a casual game without `turn_seconds` (PROTOCOL "In a casual game")."""
_ATTEMPTS = 64


def load(ctx: Context, game: str) -> GameView:
    """The game as it stands. One round trip. Raises NotFound, Unavailable."""
    since = ctx.projections.version(game)
    for version in (since, 0):
        row = ctx.games.read(game, version)
        if row is None:
            ctx.projections.drop(game)
            raise NotFound("There is no game of this id.")
        view = ctx.projections.take(game, row)
        if view is not None:
            return view
    raise Unavailable("The game is being written faster than it can be read; try again.")


def load_news(ctx: Context, game: str, version: int) -> GameView:
    """The game at a version that was in the news, or a newer one; 0: it may be gone.

    Of all in this process who have waited for it, one reads. Raises NotFound, Unavailable.
    """
    known = _known(ctx, game, version)
    if known is not None:
        return known
    with ctx.projections.turn(game):
        return _known(ctx, game, version) or load(ctx, game)


def _known(ctx: Context, game: str, version: int) -> GameView | None:
    known = ctx.projections.latest(game)
    return known if version > 0 and known is not None and known.version >= version else None


def at_ms(ctx: Context, view: GameView) -> int:
    """The time of an entry that is written now: milliseconds since the game was created."""
    return max(0, ctx.wall_ms() - view.meta.created_ms)


def following(at: int, game: Game) -> tuple[list[Entry], Game]:
    """What follows from a state without anybody's doing: defaults of resigned seats, then the end."""
    entries: list[Entry] = []
    while game.outcome is None and game.owed_defaults:
        decision = game.owed_defaults[0]
        action = game.default_action(decision.id)
        game = game.apply(decision.id, action).game
        entries.append(Settled(at, decision.id, action, "default", None, None))
    if game.outcome is not None:
        entries.append(Finished(at))
    return entries, game


def casual_deadline_ms(view: GameView, decisions: Sequence[Decision]) -> int | None:
    """How long the seats that owe a decision of a casual game may take; None: as long as they like.

    Without `turn_seconds` only poll bots are limited here: a push bot's time is kept by the worker that asks it.
    """
    if view.meta.match is not None or not decisions:
        return None
    if view.meta.turn_seconds is not None:
        return view.meta.turn_seconds * 1000
    if any(view.meta.seats[decision.seat].kind == "poll" for decision in decisions):
        return BOT_BUDGET_MS
    return None


def effects_of(view: GameView, game: Game, status: str, at: int) -> Effects:
    """What an append that leads to `game` changes besides the log. `at`: the time of its last entry."""
    decisions = game.decisions if status == "running" else ()
    known = {decision.id for decision in view.game.decisions} if view.status == "running" else set()
    fresh = any(decision.id not in known for decision in decisions)
    due = {decision.seat for decision in decisions}
    casual = view.meta.match is None
    over = status in ("finished", "aborted")
    plans = list(enumerate(view.meta.seats))
    deadline_ms = casual_deadline_ms(view, decisions)
    return Effects(
        status=status,
        deadline_in_ms=deadline_ms,
        # Without a limit for those who still owe, an old deadline must go: it would be overdue for ever.
        keep_deadline=deadline_ms is not None and not fresh,
        poll_bots={plan.bot: seat in due for seat, plan in plans if plan.kind == "poll" and plan.bot and casual},
        push_seats=tuple(seat for seat, plan in plans if plan.kind == "push" and casual and (over or seat in due)),
        bots=tuple(plan.bot for _, plan in plans if plan.bot),
        callbacks=of_game(view.meta, view.id, before=view.status, status=status, due=due, at_ms=at),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """Entries to append, and the state and status that they lead to."""

    entries: Sequence[Entry]
    game: Game
    status: str


def change(
    ctx: Context,
    game: str,
    decide: Callable[[GameView], Change | None],
    *,
    lease: Lease | None = None,
    first: GameView | None = None,
    tokens: dict[str, str] | None = None,
) -> GameView:
    """Reads, lets `decide` say what to append, appends; again when somebody else was first.

    `decide` is handed the newest view and raises what forbids the change; None: nothing is to be done. Returns the
    view after the change. Raises NotFound, LeaseLost, Unavailable.
    """
    view = first or load(ctx, game)
    for _ in range(_ATTEMPTS):
        wanted = decide(view)
        if wanted is None:
            return view
        effects = effects_of(view, wanted.game, wanted.status, wanted.entries[-1].at_ms)
        lines = [encode(entry) for entry in wanted.entries]
        try:
            version = ctx.games.append(game, view.version, lines, effects=effects, tokens=tokens, lease=lease)
        except VersionMoved as moved:
            view = ctx.projections.take(game, moved.row) or load(ctx, game)
            continue
        for seat in effects.push_seats:
            ctx.queue.enqueue_turn(game, seat)
        return ctx.projections.follow(view, version, wanted.entries, ctx.wall_ms()) or load(ctx, game)
    raise Unavailable("Too many others write to this game at once; try again.")


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a decision is to be settled. `action` None: the default action, by default."""

    decision: str
    action: Action | None
    fault: str | None = None
    elapsed_ms: int | None = None


def settle(ctx: Context, game: str, wanted: Settlement, *, lease: Lease | None = None) -> GameView:
    """Settles a decision if it is still open; does nothing if somebody else has settled it.

    For referees and the steward. Raises service.engine.errors.IllegalAction, NotFound, LeaseLost, Unavailable.
    """
    return settle_first(ctx, game, wanted, lease=lease)[0]


def settle_first(
    ctx: Context, game: str, wanted: Settlement, *, lease: Lease | None = None, first: GameView | None = None
) -> tuple[GameView, bool]:
    """The same, and whether it was this call that settled the decision. `first`: the game as it stood, where nobody
    else is likely to have written since; it saves a read."""
    found: Change | None = None

    def decide(view: GameView) -> Change | None:
        nonlocal found
        found = settled(ctx, view, wanted)
        return found

    return change(ctx, game, decide, lease=lease, first=first), found is not None


def settled(ctx: Context, view: GameView, wanted: Settlement) -> Change | None:
    """The change that settles a decision; None when it is not open."""
    if view.status != "running":
        return None
    try:
        action = wanted.action if wanted.action is not None else view.game.default_action(wanted.decision)
        game = view.game.apply(wanted.decision, action).game
    except NotOpen:
        return None
    at = at_ms(ctx, view)
    by = "player" if wanted.action is not None else "default"
    entry = Settled(at, wanted.decision, action, by, wanted.fault, wanted.elapsed_ms)
    more, game = following(at, game)
    return Change([entry, *more], game, "finished" if game.outcome else "running")


def resign(
    ctx: Context,
    game: str,
    seats: Sequence[int],
    reason: str,
    *,
    lease: Lease | None = None,
    first: GameView | None = None,
) -> GameView:
    """Lets seats resign, forfeit or be withdrawn, all at once; those that have are left out. Nothing happens when the
    game is not running. Raises NotFound, LeaseLost, Unavailable."""

    def decide(view: GameView) -> Change | None:
        fresh = tuple(seat for seat in sorted(set(seats)) if seat not in view.game.resigned)
        if view.status != "running" or not fresh:
            return None
        at = at_ms(ctx, view)
        more, after = following(at, view.game.resign(fresh, reason).game)
        return Change([Resigned(at, fresh, reason), *more], after, "finished" if after.outcome else "running")

    return change(ctx, game, decide, lease=lease, first=first)


def abort(ctx: Context, game: str, *, lease: Lease | None = None) -> GameView:
    """Breaks a game off; does nothing when it is over. Raises NotFound, LeaseLost, Unavailable."""

    def decide(view: GameView) -> Change | None:
        if view.over:
            return None
        return Change([Aborted(at_ms(ctx, view))], view.game.abort().game, "aborted")

    return change(ctx, game, decide, lease=lease)
