"""The life of a ladder: opening it, its seasons one after another, and what is written to a season's log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.engine.components import components_to_json, parse_components
from service.engine.setup import commitment, parse_variants
from service.errors import InvalidRequest, NotFound, Unavailable, WrongState
from service.operations.access.tokens import Caller, new_id, role_required
from service.operations.bots.registry import status_of
from service.operations.callbacks import check_callback
from service.operations.context import Context
from service.operations.games.create import NewGame, check_deal
from service.operations.ladders.document import ENTRY, LadderDoc, RunningSeason, load_ladder, load_season, season_of
from service.operations.names import check_name
from service.operations.tournaments.create import NewTerms, find_entrants, terms_of
from service.operations.tournaments.document import TournamentDoc
from service.operations.tournaments.events import event_text, started_members
from service.operations.tournaments.lifecycle import finish
from service.store.bots import Bot
from service.store.tournaments import EntrantDeleted
from service.tournament.ladder import OFFLINE, SeasonEntrant

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewLadder(NewTerms):
    """The body of `POST /v1/ladders`."""

    name: str
    references: Sequence[str]
    players: int = 4
    entry: str = "all"
    ends: str | None = None


def open_ladder(ctx: Context, caller: Caller, new: NewLadder) -> tuple[str, LadderDoc]:
    """Opens a ladder, and its first season begins; its id and its document.

    Raises Unauthorized, Forbidden, InvalidRequest (naming the field), Unavailable.
    """
    role_required(ctx, caller)
    deal = check_deal(NewGame(players=new.players, variants=new.variants, components=new.components))
    references = find_entrants(ctx, "references", new.references)
    if len(references) < new.players - 1:
        raise InvalidRequest(
            ("references",),
            f"A match of {new.players} needs at least {new.players - 1} of them, for one bot to play.",
        )
    if new.entry not in ENTRY:
        raise InvalidRequest(("entry",), f"One of: {', '.join(ENTRY)}.")
    ladder = new_id(ctx)
    doc = LadderDoc(
        name=check_name(new.name) or "",
        players=new.players,
        references=tuple(one.bot for one in references),
        entry=new.entry,
        owner=caller.id,
        variants=deal.variants.to_json(),
        components=None if deal.components is None else components_to_json(deal.components),
        terms=terms_of(new),
        created_ms=ctx.wall_ms(),
        ends_ms=check_end(ctx, new.ends),
        callback=new.callback,
        callback_secret=check_callback(ctx, caller, new.callback),
    )
    if not ctx.ladders.create(ladder, doc.dump()):
        raise Unavailable("No id could be had for the ladder; try again.")
    begin_season(ctx, ladder)
    return ladder, doc


def check_end(ctx: Context, text: str | None) -> int | None:
    """When a season is to end, in wall milliseconds. Raises InvalidRequest for what is no time, or over already."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidRequest(("ends",), "A time as 2027-01-31T18:00:00Z has it.") from None
    if moment.tzinfo is None:
        raise InvalidRequest(("ends",), "The time needs its offset: Z, or as +01:00.")
    ends_ms = round(moment.timestamp() * 1000)
    if ends_ms <= ctx.wall_ms():
        raise InvalidRequest(("ends",), "This time is over.")
    return ends_ms


def begin_season(ctx: Context, ladder: str, ends_ms: int | None = None) -> None:
    """Begins the next season of an open ladder whose last one is over, or goes on with its beginning where that was
    broken off; nothing happens while a season runs.

    The references take part from the start, and so do the entrants of the season before that had not left. `ends_ms`:
    when it ends; the first one ends when the ladder's document says so.

    Raises NotFound, Unavailable.
    """
    row, doc = load_ladder(ctx, ladder)
    tournament = row.seasons[-1] if row.seasons else None
    found = None if tournament is None else ctx.tournaments.read(tournament)
    if tournament is None or (found is not None and found.is_over):
        tournament = new_id(ctx)
        if row.status != "open" or not ctx.ladders.add_season(ladder, tournament, after=len(row.seasons)):
            return
        row, found = load_ladder(ctx, ladder)[0], None
    number = len(row.seasons)
    if found is None:
        made = _season_doc(ctx, ladder, doc, number, doc.ends_ms if number == 1 else ends_ms)
        event = event_text(ctx, "started", **started_members(made))
        ctx.tournaments.create(tournament, made.dump(), [], event)
    season = load_season(ctx, ladder)
    if season.season.entries == 0 and not season.row.is_over:
        _enter_first(ctx, season, doc)


def _season_doc(ctx: Context, ladder: str, doc: LadderDoc, number: int, ends_ms: int | None) -> TournamentDoc:
    nonce, seed = ctx.random_bytes(16), ctx.random_bytes(16).hex()
    return TournamentDoc(
        name=f"{doc.name}, season {number}",
        format="ladder",
        entrants=(),
        challengers=(),
        players=doc.players,
        deals=1,
        sets=None,
        seatings="rotations",
        seed=seed,
        seed_given=False,
        nonce=nonce.hex(),
        commitment=commitment(nonce, seed),
        created_ms=ctx.wall_ms(),
        variants=parse_variants(doc.variants),
        components=None if doc.components is None else parse_components(doc.components, doc.players),
        terms=doc.terms,
        callback=doc.callback,
        callback_secret=doc.callback_secret,
        ladder=ladder,
        ends_ms=ends_ms,
    )


def _enter_first(ctx: Context, season: RunningSeason, doc: LadderDoc) -> None:
    """Enters the references, and those who took part in the season before."""
    bots = list(doc.references)
    if season.number > 1:
        before = load_season(ctx, season.ladder, season.number - 1)
        bots += [one.bot for one in before.season.entrants.values() if one.away in (None, OFFLINE)]
    entries: list[Entry] = []
    found = [bot for bot in ctx.bots.many(list(dict.fromkeys(bots))) if bot is not None]
    for bot in found:
        entries += entering(ctx, bot, bot.name, reference=bot.id in doc.references)
    append(ctx, season, entries, "season_begun", entering=[bot.id for bot in found])
    ctx.queue.enqueue_probe(season.tournament)


def entering(ctx: Context, bot: Bot, name: str, *, reference: bool = False) -> list[Entry]:
    """The entries by which a version of a bot enters. Where the bot is not known to be online, it is away until it
    is."""
    at = ctx.wall_ms()
    entry = {
        "type": "entered",
        "at": at,
        "entrant": name,
        "bot": bot.id,
        "version": bot.version,
        "reference": reference,
    }
    if status_of(bot) == "online":
        return [entry]
    return [entry, {"type": "away", "at": at, "entrant": name, "reason": OFFLINE}]


def append(
    ctx: Context,
    season: RunningSeason,
    entries: Sequence[Entry],
    kind: str,
    *,
    entering: Sequence[str] = (),
    released: Sequence[str] = (),
    **members: Any,
) -> bool:
    """Appends to the log of a season, as it was read, with an event of that kind. False, and nothing changes, if it has
    grown meanwhile or the season is over. Raises SeasonError for an entry that cannot follow, NotFound for a bot that
    was deleted meanwhile, Unavailable."""
    season.season.followed_by(entries).check()
    texts = [json.dumps(entry, separators=(",", ":"), ensure_ascii=False) for entry in entries]
    event = event_text(ctx, kind, **members)
    after = season.season.entries
    try:
        return ctx.ladders.append(season.tournament, texts, event, after=after, entering=entering, released=released)
    except EntrantDeleted:
        raise NotFound("The bot was deleted just now.") from None


def end_season(ctx: Context, caller: Caller, ladder: str, ends: str | None = None) -> RunningSeason:
    """Ends the running season; the next one, which begins at once, ends at `ends`, or by hand. An organiser may.

    Raises NotFound, Unauthorized, Forbidden, InvalidRequest, WrongState, Unavailable.
    """
    role_required(ctx, caller)
    row, _ = load_ladder(ctx, ladder)
    if row.status != "open":
        raise WrongState("The ladder is closed.")
    ends_ms = check_end(ctx, ends)
    season = season_of(ctx, ladder, row)
    finish(ctx, season.tournament, "finished")
    begin_season(ctx, ladder, ends_ms)
    return load_season(ctx, ladder)


def close(ctx: Context, caller: Caller, ladder: str) -> None:
    """Closes a ladder: its season ends, and no other follows. An organiser may.

    Raises NotFound, Unauthorized, Forbidden, Unavailable.
    """
    role_required(ctx, caller)
    row, _ = load_ladder(ctx, ladder)
    ctx.ladders.close(ladder)
    if row.seasons:
        finish(ctx, row.seasons[-1], "finished")


def entrant_of(season: RunningSeason, bot: str) -> SeasonEntrant | None:
    """The entrant of a bot (id) that is the one to play: the one that takes part, else the one that entered last."""
    own = [one for one in season.season.entrants.values() if one.bot == bot]
    return next((one for one in own if one.away is None), own[-1] if own else None)
