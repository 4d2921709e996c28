"""Steering a tournament: beginning, pausing, resuming, cancelling, ending and removing it, and withdrawing a bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.errors import InvalidRequest, WrongState
from service.operations.access.tokens import Caller, role_required
from service.operations.callbacks import of_tournament, rotate_secret
from service.operations.context import Context
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.events import event_text, started_members
from service.operations.tournaments.read import show
from service.store.tournaments import OVER


def _move(
    ctx: Context,
    tournament: str,
    doc: TournamentDoc,
    sources: Sequence[str],
    target: str,
    kind: str,
    *,
    reason: str | None = None,
) -> bool:
    """Changes the status if it is one of `sources`, with an event of that kind. The last event opens the commitment."""
    members: dict[str, Any] = {} if reason is None else {"reason": reason}
    callback = None
    if kind == "started":
        members = started_members(doc)
        callback = of_tournament(doc, tournament, "tournament.started", ctx.wall_ms())
    if target in OVER:
        members |= {"seed": doc.seed, "nonce": doc.nonce}
        callback = of_tournament(doc, tournament, "tournament.ended", ctx.wall_ms())
    event = event_text(ctx, kind, **members)
    return ctx.tournaments.move(tournament, sources, target, event=event, reason=reason, callback=callback)


def _steered(
    ctx: Context, caller: Caller, tournament: str, sources: Sequence[str], target: str, kind: str
) -> dict[str, Any]:
    """The tournament after an organiser has changed its status. Raises WrongState if it is none of `sources`."""
    role_required(ctx, caller)
    row, doc = load_tournament(ctx, tournament)
    if row.status != target and not _move(ctx, tournament, doc, sources, target, kind):
        raise WrongState(f"The tournament is {row.status}.")
    return show(ctx, tournament)


def pause(ctx: Context, caller: Caller, tournament: str) -> dict[str, Any]:
    """Pauses a tournament: no new match begins, those that run are finished. Raises WrongState when it is over."""
    return _steered(ctx, caller, tournament, ["running"], "paused", "paused")


def resume(ctx: Context, caller: Caller, tournament: str) -> dict[str, Any]:
    """Resumes a paused tournament. Raises WrongState when it is over."""
    return _steered(ctx, caller, tournament, ["paused"], "running", "resumed")


def cancel(ctx: Context, caller: Caller, tournament: str) -> dict[str, Any]:
    """Cancels a tournament: matches without a result are cancelled, running ones aborted. Raises WrongState when it is
    over."""
    return _steered(ctx, caller, tournament, ["waiting", "running", "paused"], "cancelled", "cancelled")


def rotate_callback_secret(ctx: Context, caller: Caller, tournament: str, *, at_once: bool = False) -> dict[str, Any]:
    """A new secret for the tournament's callback. An organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState where no callback was named, Unavailable.
    """
    role_required(ctx, caller)
    _, doc = load_tournament(ctx, tournament)
    return {"tournament": tournament, **rotate_secret(ctx, tournament, doc.callback_secret, at_once=at_once)}


def withdraw(ctx: Context, caller: Caller, tournament: str, reference: str) -> dict[str, Any]:
    """Withdraws a bot: its unfinished blocks are cancelled, its finished ones count. Again: nothing changes.

    An organiser may, and the bot itself. Raises NotFound, Unauthorized, Forbidden, InvalidRequest, WrongState.
    """
    row, doc = load_tournament(ctx, tournament)
    entrant = next((one for one in doc.entrants if reference in (one.name, one.bot)), None)
    if not (caller.kind == "bot" and entrant is not None and caller.id == entrant.bot):
        role_required(ctx, caller)
    if entrant is None:
        raise InvalidRequest(("bot",), f"There is no entrant {reference[:40]!r}.")
    if row.is_over:
        raise WrongState(f"The tournament is {row.status}.")
    ctx.tournaments.withdraw(tournament, entrant.bot, event_text(ctx, "withdrawn", bot=entrant.name))
    return show(ctx, tournament)


def remove(ctx: Context, caller: Caller, tournament: str) -> None:
    """Removes a tournament that is over, with its games and tables. Readers no longer find it; the steward deletes its
    keys and games bit by bit. An organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState while it is not over, Unavailable.
    """
    role_required(ctx, caller)
    row, doc = load_tournament(ctx, tournament)
    if doc.ladder is not None:
        raise WrongState("A season stays with its ladder, and cannot be removed.")
    if not row.is_over:
        raise WrongState(f"The tournament is {row.status}: cancel it first.")
    ctx.tournaments.mark_removed(tournament)


def begin(ctx: Context, tournament: str) -> bool:
    """Begins a tournament that waited for its entrants. False: it does not wait. Raises NotFound, Unavailable."""
    _, doc = load_tournament(ctx, tournament)
    return _move(ctx, tournament, doc, ["waiting"], "running", "started")


def finish(ctx: Context, tournament: str, target: str, reason: str | None = None) -> bool:
    """Ends a tournament: `finished`, or `failed` with a reason. False: it is over. Raises NotFound, Unavailable."""
    _, doc = load_tournament(ctx, tournament)
    return _move(ctx, tournament, doc, ["running", "paused"], target, target, reason=reason)
