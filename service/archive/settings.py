"""The settings of a tournament in its file, read back: plan, rules and terms, each checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.archive.file import DamagedArchive, having
from service.archive.season import read_season
from service.archive.stages import read_stages
from service.engine.components import (
    ComponentSet,
    components_to_json,
    parse_components,
    parse_players,
    standard_components,
)
from service.engine.errors import InvalidInput, Path
from service.engine.json_checks import MAX_INTEGER, below, between, one_of, sequence, string
from service.engine.setup import Variants, parse_seed, parse_variants
from service.protocol import MAX_ATTEMPTS
from service.tournament import formats
from service.tournament.ladder import Season
from service.tournament.plan import Plan, PlanError
from service.tournament.stages import BlockSource, Stage

_COUNTS = ("rounds", "advance", "max_deals", "groups")
_MS = ("move_ms", "bank_ms", "warmup_ms")
_REQUIRED = (
    "name",
    "format",
    "bots",
    "challengers",
    "players",
    "deals",
    "sets",
    "seatings",
    *_COUNTS,
    "variants",
    "components",
    *_MS,
    "max_faults",
    "policy",
    "attempts",
    "seed",
)


@dataclass(frozen=True, slots=True)
class ArchivedTerms:
    """What a tournament was to be."""

    plan: Plan
    stages: tuple[Stage, ...]
    season: Season | None
    schedule: BlockSource
    names: tuple[str, ...]
    players: int
    variants: Variants
    components: ComponentSet
    policy: str
    max_faults: int
    attempts: int
    deal: str
    """What its records say of their deal: `seeded` where the organiser gave the seed, else `drawn`."""

    def fixed(self) -> dict[str, Any]:
        """The members that are the same in the record of every match."""
        return {
            "players": self.players,
            "variants": self.variants.to_json(),
            "components": components_to_json(self.components),
            "deal": self.deal,
        }


def read_settings(archive: Mapping[str, Any]) -> ArchivedTerms:
    """The settings of a file whose `seed` is a string, with the stages that were drawn, or the log of a season.

    Raises DamagedArchive.
    """
    seed = archive["seed"]
    try:
        plan = _plan(archive["settings"], seed)
    except InvalidInput as error:
        raise DamagedArchive(("settings", *error.path), error.reason) from error
    stages = read_stages(archive["stages"], plan)
    season = read_season(archive["log"], plan.format, plan.players)
    try:
        return _terms(archive["settings"], plan, stages, season)
    except InvalidInput as error:
        raise DamagedArchive(("settings", *error.path), error.reason) from error
    except PlanError as error:
        path: Path = ("seed",) if error.path == ("seed",) else ("settings", *error.path)
        raise DamagedArchive(path, error.reason) from error


def _plan(value: object, seed: str) -> Plan:
    found = having(value, (), _REQUIRED)
    string(found["name"], ("name",))
    for name in (*_MS, "max_faults"):
        between(found[name], (name,), 0, MAX_INTEGER)
    if found["seed"] is not None and parse_seed(found["seed"], ("seed",)) != seed:
        raise InvalidInput(("seed",), "is not the seed of the tournament")
    return Plan(
        format=string(found["format"], ("format",)),
        entrants=_names(found["bots"], "bots"),
        challengers=_names(found["challengers"], "challengers"),
        players=parse_players(found["players"]),
        deals=between(found["deals"], ("deals",), 1, MAX_INTEGER),
        sets=_count(found, "sets"),
        seatings=string(found["seatings"], ("seatings",)),
        seed=seed,
        **{name: _count(found, name) for name in _COUNTS},
    )


def _count(found: Mapping[str, Any], name: str) -> int | None:
    return None if found[name] is None else between(found[name], (name,), 1, MAX_INTEGER)


def _terms(found: Mapping[str, Any], plan: Plan, stages: tuple[Stage, ...], season: Season | None) -> ArchivedTerms:
    players = plan.players
    if season is not None and list(season.entrants) != list(plan.entrants):
        raise InvalidInput(("bots",), "are not those who entered by the log")
    return ArchivedTerms(
        plan=plan,
        stages=stages,
        season=season,
        schedule=formats.known_blocks(plan, stages) if season is None else season,
        names=plan.entrants,
        players=players,
        variants=below("variants", parse_variants, found["variants"]),
        components=standard_components(players)
        if found["components"] is None
        else below("components", parse_components, found["components"], players),
        policy=one_of(found["policy"], ("policy",), ("lenient", "strict")),
        max_faults=between(found["max_faults"], ("max_faults",), 0, MAX_INTEGER),
        attempts=between(found["attempts"], ("attempts",), 1, MAX_ATTEMPTS),
        deal="drawn" if found["seed"] is None else "seeded",
    )


def _names(value: object, member: str) -> tuple[str, ...]:
    return tuple(string(item, (member, i)) for i, item in enumerate(sequence(value, (member,))))
