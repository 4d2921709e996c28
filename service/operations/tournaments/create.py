"""Creating a tournament (PROTOCOL "Tournaments")."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from service.engine.setup import commitment
from service.errors import InvalidRequest, Unavailable
from service.operations.access.tokens import Caller, new_id, role_required
from service.operations.bots.registry import find
from service.operations.callbacks import check_callback, of_tournament
from service.operations.context import Context
from service.operations.games.create import NewGame, check_deal, check_seed
from service.operations.names import check_name
from service.operations.tournaments.document import Entrant, Terms, TournamentDoc
from service.operations.tournaments.events import event_text, started_members
from service.operations.tournaments.read import details
from service.protocol import MAX_ATTEMPTS
from service.store.idempotency import Claim, Receipt
from service.store.tournaments import EntrantDeleted, TournamentRow
from service.tournament import formats
from service.tournament.plan import PlanError

MAX_MS = 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTerms:
    """What the bodies of `POST /v1/tournaments` and `POST /v1/ladders` say of every match, and of callbacks."""

    variants: dict[str, Any] = field(default_factory=dict)
    components: dict[str, Any] | None = None
    move_ms: int = 1000
    bank_ms: int = 5000
    warmup_ms: int = 30_000
    max_faults: int = 5
    policy: str = "lenient"
    attempts: int = 1
    callback: str | None = None


@dataclass(frozen=True, slots=True)
class NewTournament(NewTerms):
    """The body of `POST /v1/tournaments`."""

    name: str
    format: str
    bots: Sequence[str]
    challengers: Sequence[str] = ()
    players: int = 4
    deals: int = 1
    sets: int | None = None
    seatings: str = "rotations"
    rounds: int | None = None
    advance: int | None = None
    max_deals: int | None = None
    groups: int | None = None
    seed: str | None = None
    require_ready: bool = False


def create_tournament(ctx: Context, caller: Caller, new: NewTournament, claim: Claim | None = None) -> dict[str, Any]:
    """Creates a tournament. It starts at once, or with `require_ready` when all entrants are ready. `callback_secret`
    is shown this once.

    claim  of a call with an Idempotency-Key

    Raises Unauthorized, Forbidden, InvalidRequest (naming the field), Unavailable.
    """
    role_required(ctx, caller)
    tournament = new_id(ctx)
    doc = _document(ctx, new, check_callback(ctx, caller, new.callback))
    plan = formats.with_defaults(doc.plan())
    doc = replace(doc, rounds=plan.rounds, advance=plan.advance, max_deals=plan.max_deals, groups=plan.groups)
    try:
        formats.check(plan)
    except PlanError as error:
        raise InvalidRequest(error.path, error.reason) from None
    members = started_members(doc)
    status, kind = ("waiting", "waiting") if doc.require_ready else ("running", "started")
    callback = of_tournament(doc, tournament, "tournament.started", doc.created_ms) if kind == "started" else None
    event = event_text(ctx, kind, **members)
    started = json.loads(event)["at"] if kind == "started" else None
    row = TournamentRow(doc.dump(), status, None, 0, 0, 0, (), 1)
    # A schedule of many entrants takes a second to draw.
    made = ctx.offload(lambda: details(tournament, row, doc, started, None))
    if doc.callback_secret is not None:
        made["callback_secret"] = doc.callback_secret
    bots = [entrant.bot for entrant in doc.entrants]
    receipt = Receipt.of(claim, made)
    try:
        written = ctx.tournaments.create(
            tournament,
            doc.dump(),
            bots,
            event,
            status=status,
            callback=callback,
            receipt=receipt,
        )
    except EntrantDeleted as gone:
        raise InvalidRequest(("bots",), f"The bot {doc.name_of(gone.bot)} was deleted just now.") from None
    if not written:
        raise Unavailable("No id could be had for the tournament; try again.")
    # It is created. That its entrants are called is a service to the organiser, and done again while it waits for them.
    with contextlib.suppress(Unavailable):
        ctx.queue.enqueue_probe(tournament)
    return made


def _document(ctx: Context, new: NewTournament, secret: str | None) -> TournamentDoc:
    game = NewGame(players=new.players, variants=new.variants, components=new.components)
    deal = check_deal(game)
    nonce = ctx.random_bytes(16)
    seed = check_seed(new.seed)
    drawn = seed if seed is not None else ctx.random_bytes(16).hex()
    challengers = find_entrants(ctx, "challengers", new.challengers)
    entrants = find_entrants(ctx, "bots", new.bots)
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
        terms=terms_of(new),
        require_ready=new.require_ready,
        callback=new.callback,
        callback_secret=secret,
        rounds=new.rounds,
        advance=new.advance,
        max_deals=new.max_deals,
        groups=new.groups,
    )


def _within(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise InvalidRequest((name,), f"From {least} to {most}.")
    return value


def terms_of(new: NewTerms) -> Terms:
    """The terms of every match. Raises InvalidRequest for one that is not allowed."""
    if new.policy not in ("lenient", "strict"):
        raise InvalidRequest(("policy",), "One of: lenient, strict.")
    return Terms(
        move_ms=_within("move_ms", new.move_ms, 10, MAX_MS),
        bank_ms=_within("bank_ms", new.bank_ms, 0, MAX_MS),
        warmup_ms=_within("warmup_ms", new.warmup_ms, 10, MAX_MS),
        max_faults=_within("max_faults", new.max_faults, 0, 1_000_000),
        policy=new.policy,
        attempts=_within("attempts", new.attempts, 1, MAX_ATTEMPTS),
    )


def find_entrants(ctx: Context, member: str, references: Sequence[str]) -> tuple[Entrant, ...]:
    """The bots of these names or ids, in their order. `member`: where they stand in the request. Raises InvalidRequest
    for one that does not exist or is listed twice."""
    entrants: dict[str, Entrant] = {}
    for number, reference in enumerate(references):
        bot = find(ctx, reference)
        if bot is None:
            raise InvalidRequest((member, number), f"There is no bot {reference[:40]!r}.")
        if bot.id in entrants:
            raise InvalidRequest((member, number), f"{bot.name} is listed twice.")
        entrants[bot.id] = Entrant(bot.id, bot.name)
    return tuple(entrants.values())
