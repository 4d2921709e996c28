"""The document of a tournament: what is fixed when it is created, and the stages that have been drawn since."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from service.engine.components import ComponentSet, components_to_json, parse_components, standard_components
from service.engine.setup import Variants, parse_variants
from service.errors import NotFound
from service.operations.context import Context
from service.store.tournaments import TournamentRow
from service.tournament import formats
from service.tournament.ladder import Season
from service.tournament.plan import Plan
from service.tournament.stages import BlockSource, Stage


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament."""

    bot: str
    name: str


@dataclass(frozen=True, slots=True)
class Terms:
    """The clock and the policy of every match (PROTOCOL "The clock"; PROTOCOL "Faults")."""

    move_ms: int
    bank_ms: int
    warmup_ms: int
    max_faults: int
    policy: str
    attempts: int


@dataclass(frozen=True, slots=True)
class TournamentDoc:
    """The document. `challengers`: names. `nonce`: 32 hex digits. `ladder`: of a season of a ladder, its id; `ends_ms`:
    when that season is to end. `stages` and `season` are not in the text that `dump` writes."""

    name: str
    format: str
    entrants: tuple[Entrant, ...]
    challengers: tuple[str, ...]
    players: int
    deals: int
    sets: int | None
    seatings: str
    seed: str
    seed_given: bool
    nonce: str
    commitment: str
    created_ms: int
    variants: Variants
    components: ComponentSet | None
    terms: Terms
    require_ready: bool = False
    callback: str | None = None
    callback_secret: str | None = None
    rounds: int | None = None
    advance: int | None = None
    max_deals: int | None = None
    groups: int | None = None
    ladder: str | None = None
    ends_ms: int | None = None
    stages: tuple[Stage, ...] = ()
    season: Season | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entrants, in the order given."""
        return tuple(entrant.name for entrant in self.entrants)

    def plan(self) -> Plan:
        """The plan that the schedule is made from."""
        return Plan(
            format=self.format,
            entrants=self.names,
            challengers=self.challengers,
            players=self.players,
            deals=self.deals,
            sets=self.sets,
            seatings=self.seatings,
            seed=self.seed,
            rounds=self.rounds,
            advance=self.advance,
            max_deals=self.max_deals,
            groups=self.groups,
        )

    def schedule(self) -> BlockSource:
        """Who meets whom, as far as it is known. Raises PlanError if that is impossible."""
        return self.season if self.season is not None else _schedule(self.plan(), self.stages)

    def expected_matches(self) -> int:
        """How many matches the tournament will have; an expectation where more stages are to be drawn."""
        return self.season.matches if self.season is not None else formats.expected_matches(self.plan(), self.stages)

    def bot_of(self, name: str) -> str:
        """The id of the entrant of this name."""
        return next(entrant.bot for entrant in self.entrants if entrant.name == name)

    def name_of(self, bot: str) -> str | None:
        """The name of the entrant of this id."""
        return next((entrant.name for entrant in self.entrants if entrant.bot == bot), None)

    def component_set(self) -> ComponentSet:
        """The set that every match is played with."""
        return self.components or standard_components(self.players)

    def settings(self) -> dict[str, Any]:
        """The body of `POST /v1/tournaments` with the defaults filled in, without the seed and the callback. Nobody but
        the organiser sees its URL before the end."""
        return {
            "name": self.name,
            "format": self.format,
            "bots": list(self.names),
            "challengers": list(self.challengers),
            "players": self.players,
            "deals": self.deals,
            "sets": self.sets,
            "seatings": self.seatings,
            "rounds": self.rounds,
            "advance": self.advance,
            "max_deals": self.max_deals,
            "groups": self.groups,
            "variants": self.variants.to_json(),
            "components": None if self.components is None else components_to_json(self.components),
            **asdict(self.terms),
            "require_ready": self.require_ready,
        }

    def dump(self) -> str:
        """The document as JSON text."""
        doc = {
            **self.settings(),
            "bots": [[entrant.bot, entrant.name] for entrant in self.entrants],
            "seed": self.seed,
            "seed_given": self.seed_given,
            "nonce": self.nonce,
            "commitment": self.commitment,
            "created": self.created_ms,
            "callback": self.callback,
            "callback_secret": self.callback_secret,
            "ladder": self.ladder,
            "ends": self.ends_ms,
        }
        return json.dumps(doc, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def load(cls, text: str, stages: tuple[str, ...] = ()) -> TournamentDoc:
        """Reads what `dump` wrote, and the JSON documents of its stages."""
        return _load(text, stages)


def load_tournament(ctx: Context, tournament: str) -> tuple[TournamentRow, TournamentDoc]:
    """A tournament as it stands, and its document. Raises NotFound, Unavailable."""
    row = ctx.tournaments.read(tournament)
    if row is None:
        raise NotFound("There is no tournament of this id.")
    return row, document_of(ctx, tournament, row)


def document_of(ctx: Context, tournament: str, row: TournamentRow) -> TournamentDoc:
    """The document of a tournament that was read: of a ladder's season with its log, from which its entrants and its
    schedule come. Raises Unavailable."""
    doc = TournamentDoc.load(row.doc, row.stages)
    if doc.ladder is None:
        return doc
    season = ctx.seasons.get(tournament, doc.players, lambda after: ctx.ladders.log(tournament, after))
    entrants = tuple(Entrant(one.bot, one.name) for one in season.entrants.values())
    return replace(doc, entrants=entrants, season=season)


@lru_cache(maxsize=64)
def _schedule(plan: Plan, stages: tuple[Stage, ...]) -> BlockSource:
    return formats.known_blocks(plan, stages)


@lru_cache(maxsize=64)
def _load(text: str, stages: tuple[str, ...]) -> TournamentDoc:
    doc = json.loads(text)
    components = doc["components"]
    return TournamentDoc(
        name=doc["name"],
        format=doc["format"],
        entrants=tuple(Entrant(bot, name) for bot, name in doc["bots"]),
        challengers=tuple(doc["challengers"]),
        players=doc["players"],
        deals=doc["deals"],
        sets=doc["sets"],
        seatings=doc["seatings"],
        seed=doc["seed"],
        seed_given=doc["seed_given"],
        nonce=doc["nonce"],
        commitment=doc["commitment"],
        created_ms=doc["created"],
        variants=parse_variants(doc["variants"]),
        components=None if components is None else parse_components(components, doc["players"]),
        terms=Terms(
            doc["move_ms"], doc["bank_ms"], doc["warmup_ms"], doc["max_faults"], doc["policy"], doc["attempts"]
        ),
        require_ready=doc["require_ready"],
        callback=doc.get("callback"),
        callback_secret=doc.get("callback_secret"),
        rounds=doc["rounds"],
        advance=doc["advance"],
        max_deals=doc["max_deals"],
        groups=doc["groups"],
        ladder=doc["ladder"],
        ends_ms=doc["ends"],
        stages=tuple(Stage.from_json(json.loads(stage)) for stage in stages),
    )
