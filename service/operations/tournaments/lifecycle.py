"""Tournaments: creating, pausing, resuming, cancelling them, and withdrawing a bot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from service.engine.setup import commitment
from service.errors import InvalidRequest, NotFound, WrongState
from service.operations.access.tokens import Caller, new_id, role_required
from service.operations.bots.registry import find
from service.operations.callbacks import check_callback, of_tournament, rotate_secret
from service.operations.context import Context
from service.operations.games.create import NewGame, check_deal, check_name, check_seed
from service.operations.tournaments.document import Entrant, Terms, TournamentDoc
from service.store.tournaments import TournamentRow
from service.timestamps import timestamp
from service.tournament.plan import PlanError

MAX_MS = 3_600_000
OVER = ("finished", "cancelled", "failed")


@dataclass(frozen=True, slots=True)
class NewTournament:
    """The body of `POST /v1/tournaments`."""

    name: str
    format: str
    bots: Sequence[str]
    challengers: Sequence[str] = ()
    players: int = 4
    deals: int = 1
    sets: int | None = None
    seatings: str = "rotations"
    seed: str | None = None
    variants: dict[str, Any] = field(default_factory=dict)
    components: dict[str, Any] | None = None
    move_ms: int = 1000
    bank_ms: int = 5000
    warmup_ms: int = 30_000
    max_faults: int = 5
    policy: str = "lenient"
    callback: str | None = None


def _within(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise InvalidRequest((name,), f"From {least} to {most}.")
    return value


def _terms(new: NewTournament) -> Terms:
    if new.policy not in ("lenient", "strict"):
        raise InvalidRequest(("policy",), "One of: lenient, strict.")
    return Terms(
        move_ms=_within("move_ms", new.move_ms, 10, MAX_MS),
        bank_ms=_within("bank_ms", new.bank_ms, 0, MAX_MS),
        warmup_ms=_within("warmup_ms", new.warmup_ms, 10, MAX_MS),
        max_faults=_within("max_faults", new.max_faults, 0, 1_000_000),
        policy=new.policy,
    )


def _entrants(ctx: Context, member: str, references: Sequence[str]) -> tuple[Entrant, ...]:
    entrants: list[Entrant] = []
    for number, reference in enumerate(references):
        bot = find(ctx, reference)
        if bot is None:
            raise InvalidRequest((member, number), f"There is no bot {reference[:40]!r}.")
        if any(bot.id == entrant.bot for entrant in entrants):
            raise InvalidRequest((member, number), f"{bot.name} is listed twice.")
        entrants.append(Entrant(bot.id, bot.name))
    return tuple(entrants)


def create(ctx: Context, caller: Caller, new: NewTournament) -> dict[str, Any]:
    """Creates a tournament, which starts at once. `callback_secret` is shown this once.

    Raises Unauthorized, Forbidden, InvalidRequest (naming the field), Unavailable.
    """
    role_required(ctx, caller)
    tournament = new_id(ctx)
    if not ctx.again or ctx.tournaments.read(tournament) is None:
        _start(ctx, tournament, _document(ctx, new, check_callback(ctx, caller, new.callback)))
    row, doc = read(ctx, tournament)
    made = _summary(tournament, row, doc)
    return made if doc.callback_secret is None else {**made, "callback_secret": doc.callback_secret}


def _start(ctx: Context, tournament: str, doc: TournamentDoc) -> None:
    try:
        matches = doc.schedule().matches
    except PlanError as error:
        raise InvalidRequest(error.path, error.reason) from None
    event = _event(ctx, "started", name=doc.name, commitment=doc.commitment, matches=matches)
    told = of_tournament(doc, tournament, "tournament.started", doc.created_ms)
    ctx.tournaments.create(tournament, doc.dump(), [entrant.bot for entrant in doc.entrants], event, told)


def _document(ctx: Context, new: NewTournament, secret: str | None) -> TournamentDoc:
    game = NewGame(players=new.players, variants=new.variants, components=new.components)
    deal = check_deal(game)
    nonce = ctx.random_bytes(16)
    seed = check_seed(new.seed)
    drawn = seed if seed is not None else ctx.random_bytes(16).hex()
    challengers = _entrants(ctx, "challengers", new.challengers)
    entrants = _entrants(ctx, "bots", new.bots)
    listed = {entrant.bot for entrant in entrants}
    return TournamentDoc(
        name=check_name(new.name) or "",
        format=new.format,
        entrants=(*(one for one in challengers if one.bot not in listed), *entrants),
        challengers=tuple(one.name for one in challengers),
        players=new.players,
        deals=new.deals,
        sets=new.sets,
        seatings=new.seatings,
        seed=drawn,
        seed_given=seed is not None,
        nonce=nonce.hex(),
        commitment=commitment(nonce, drawn),
        created_ms=ctx.wall_ms(),
        variants=deal.variants,
        components=deal.components,
        terms=_terms(new),
        callback=new.callback,
        callback_secret=secret,
    )


def _event(ctx: Context, kind: str, **data: Any) -> str:
    return json.dumps({"type": kind, "at": timestamp(ctx.wall_ms()), **data}, separators=(",", ":"))


def read(ctx: Context, tournament: str) -> tuple[TournamentRow, TournamentDoc]:
    """Raises NotFound, Unavailable."""
    row = ctx.tournaments.read(tournament)
    if row is None:
        raise NotFound("There is no tournament of this id.")
    return row, TournamentDoc.load(row.doc)


def _summary(tournament: str, row: TournamentRow, doc: TournamentDoc) -> dict[str, Any]:
    names = [doc.name_of(bot) for bot in row.withdrawn]
    summary: dict[str, Any] = {
        "tournament": tournament,
        "name": doc.name,
        "status": row.status,
        "reason": row.reason,
        "commitment": doc.commitment,
        "created": timestamp(doc.created_ms),
        "matches": match_counts(row, doc),
        "settings": doc.settings(),
        "entrants": [{"bot": entrant.bot, "name": entrant.name} for entrant in doc.entrants],
        "withdrawn": [name for name in names if name is not None],
    }
    if row.status in OVER:
        summary |= {"seed": doc.seed, "nonce": doc.nonce}
    return summary


def match_counts(row: TournamentRow, doc: TournamentDoc) -> dict[str, int]:
    """How many matches there are, how many were played to their end, and how many will not be."""
    total, finished = doc.schedule().matches, row.results - row.cancelled
    return {
        "total": total,
        "finished": finished,
        "cancelled": total - finished if row.status in OVER else row.cancelled,
    }


def show(ctx: Context, tournament: str) -> dict[str, Any]:
    """One tournament; seed and nonce once it is over. Raises NotFound, Unavailable."""
    row, doc = read(ctx, tournament)
    return _summary(tournament, row, doc)


def listing(ctx: Context, limit: int, cursor: str | None) -> dict[str, Any]:
    """Newest first. Raises InvalidRequest for a cursor that is none."""
    page = ctx.tournaments.page(limit, cursor)
    rows = [(tournament, ctx.tournaments.read(tournament)) for tournament in page.ids]
    items = [_summary(tournament, row, TournamentDoc.load(row.doc)) for tournament, row in rows if row is not None]
    return {"items": items, "next": page.next}


def _moved(
    ctx: Context, caller: Caller, tournament: str, sources: Sequence[str], target: str, event: str
) -> dict[str, Any]:
    role_required(ctx, caller)
    row, doc = read(ctx, tournament)
    opening = {"seed": doc.seed, "nonce": doc.nonce} if target in OVER else {}
    told = of_tournament(doc, tournament, "tournament.ended", ctx.wall_ms()) if target in OVER else None
    if row.status != target and not ctx.tournaments.move(
        tournament, sources, target, event=_event(ctx, event, **opening), callback=told
    ):
        raise WrongState(f"The tournament is {row.status}.")
    return show(ctx, tournament)


def pause(ctx: Context, caller: Caller, tournament: str) -> dict[str, Any]:
    """No new match begins; those that run are played on. Raises WrongState when it is over."""
    return _moved(ctx, caller, tournament, ["running"], "paused", "paused")


def resume(ctx: Context, caller: Caller, tournament: str) -> dict[str, Any]:
    """Goes on. Raises WrongState when it is over."""
    return _moved(ctx, caller, tournament, ["paused"], "running", "resumed")


def cancel(ctx: Context, caller: Caller, tournament: str) -> dict[str, Any]:
    """Ends it; matches without a result are cancelled, running ones broken off. Raises WrongState when it is over."""
    return _moved(ctx, caller, tournament, ["running", "paused"], "cancelled", "cancelled")


def rotate_callback_secret(ctx: Context, caller: Caller, tournament: str) -> dict[str, Any]:
    """A new secret for the tournament's callback; the newest old one stays valid for a day. An organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState where no callback was named, Unavailable.
    """
    role_required(ctx, caller)
    _, doc = read(ctx, tournament)
    return {"tournament": tournament, **rotate_secret(ctx, tournament, doc.callback_secret)}


def withdraw(ctx: Context, caller: Caller, tournament: str, reference: str) -> dict[str, Any]:
    """Withdraws a bot: its unfinished blocks are cancelled, its finished ones count. Again: nothing changes.

    An organiser may, and the bot itself. Raises NotFound, Unauthorized, Forbidden, InvalidRequest, WrongState.
    """
    row, doc = read(ctx, tournament)
    entrant = next((one for one in doc.entrants if reference in (one.name, one.bot)), None)
    if not (caller.kind == "bot" and entrant is not None and caller.id == entrant.bot):
        role_required(ctx, caller)
    if entrant is None:
        raise InvalidRequest(("bot",), f"There is no entrant {reference[:40]!r}.")
    if row.status in OVER:
        raise WrongState(f"The tournament is {row.status}.")
    ctx.tournaments.withdraw(tournament, entrant.bot, _event(ctx, "withdrawn", bot=entrant.name))
    return show(ctx, tournament)


def remove(ctx: Context, caller: Caller, tournament: str) -> None:
    """Removes a tournament that is over, with its games and tables. It is gone at once; what is kept of it is taken
    away by the steward. An organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState while it is not over, Unavailable.
    """
    role_required(ctx, caller)
    row, _ = read(ctx, tournament)
    if row.status not in OVER:
        raise WrongState(f"The tournament is {row.status}: cancel it first.")
    ctx.tournaments.mark_removed(tournament)


def finish(ctx: Context, tournament: str, target: str, reason: str | None = None) -> bool:
    """Ends a tournament: `finished`, or `failed` with a reason. The last event opens the commitment."""
    _, doc = read(ctx, tournament)
    event = _event(ctx, target, seed=doc.seed, nonce=doc.nonce, **({"reason": reason} if reason else {}))
    told = of_tournament(doc, tournament, "tournament.ended", ctx.wall_ms())
    sources = ["running", "paused"]
    return ctx.tournaments.move(tournament, sources, target, event=event, reason=reason, callback=told)
