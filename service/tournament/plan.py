"""The plan of a tournament, and whether it is possible."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial

MAX_MATCHES = 1_000_000
"""Most matches of one tournament."""

MAX_ENTRANTS = 1_000
"""Most entrants of one tournament."""

MAX_CHOSEN_SETS = 20_000
"""Most sets that a balanced choice is searched for; a plan that plays every set is bound by MAX_MATCHES alone."""

MAX_ROUNDS = 100
"""Most rounds of a Swiss tournament."""

FORMATS = ("round_robin", "gauntlet", "swiss", "knockout", "divisions")
SEATINGS = ("rotations", "all")


class PlanError(ValueError):
    """A plan that cannot be played. `path` is the member (and index) at fault, `reason` says why in plain words."""

    def __init__(self, path: tuple[str | int, ...], reason: str) -> None:
        super().__init__(f"{'.'.join(str(part) for part in path)}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a schedule depends on.

    entrants    names in the order given, challengers among them
    challengers names; only for a gauntlet, each also an entrant
    players     seats of a match, 2 to 4
    deals       visible deals that each set of entrants plays, 1 or more
    sets        how many sets of entrants are played on each deal; None: every set there is
    seatings    "rotations": as many matches a block as there are seats; "all": every permutation
    seed        the tournament's seed
    rounds      how many rounds a Swiss tournament has
    advance     how many of a table go on in a knockout, and how many of each group to the finals of divisions
    max_deals   how many deals a table of a knockout plays at most, while those that advance are not known
    groups      how many groups divisions begin with

    In a Swiss tournament, a knockout and divisions, who meets whom depends on results, too: see stages.py.
    """

    format: str
    entrants: tuple[str, ...]
    challengers: tuple[str, ...]
    players: int
    deals: int
    sets: int | None
    seatings: str
    seed: str
    rounds: int | None = None
    advance: int | None = None
    max_deals: int | None = None
    groups: int | None = None

    @property
    def is_staged(self) -> bool:
        """Whether its blocks follow from results, stage by stage."""
        return self.format in ("swiss", "knockout", "divisions")

    @property
    def field(self) -> tuple[str, ...]:
        """The entrants that are no challengers, in the order given."""
        return tuple(name for name in self.entrants if name not in set(self.challengers))

    @property
    def possible_sets(self) -> int:
        """How many different sets of entrants the format knows.

        Round robin: every choice of `players` entrants. Gauntlet: one challenger with every choice of the rest from
        the field, so that challengers never meet each other.
        """
        if self.format == "gauntlet":
            return len(self.challengers) * comb(len(self.field), self.players - 1)
        return comb(len(self.entrants), self.players)

    @property
    def seatings_per_block(self) -> int:
        return factorial(self.players) if self.seatings == "all" else self.players

    @property
    def blocks(self) -> int:
        return self.deals * (self.possible_sets if self.sets is None else self.sets)

    @property
    def matches(self) -> int:
        return self.blocks * self.seatings_per_block


def check(plan: Plan) -> None:
    """Raises PlanError, naming the member at fault, if the plan cannot be played."""
    _check_words(plan)
    _check_entrants(plan)
    _check_challengers(plan)
    _check_members(plan)
    if plan.is_staged:
        return
    _check_sets(plan)
    if plan.matches > MAX_MATCHES:
        raise PlanError(
            ("sets",) if plan.sets is not None else ("deals",),
            f"{plan.matches} matches are too many, at most {MAX_MATCHES} can be played: fewer deals, sets or bots",
        )


def _check_members(plan: Plan) -> None:
    """That the members which belong to one format are given there, and nowhere else."""
    owners = {
        "rounds": ("swiss",),
        "advance": ("knockout", "divisions"),
        "max_deals": ("knockout",),
        "groups": ("divisions",),
    }
    for member, formats in owners.items():
        given = getattr(plan, member) is not None
        if given and plan.format not in formats:
            raise PlanError((member,), f"belongs to {' and '.join(formats)}, not to {plan.format}")
        if not given and plan.format in formats:
            raise PlanError((member,), f"is missing: {plan.format} needs it")
    if plan.sets is not None and plan.format in ("swiss", "knockout"):
        raise PlanError(("sets",), f"does not belong to {plan.format}: each table is one set")


def _check_words(plan: Plan) -> None:
    if plan.format not in FORMATS:
        raise PlanError(("format",), f"must be one of {', '.join(FORMATS)}, not {plan.format!r}")
    if plan.seatings not in SEATINGS:
        raise PlanError(("seatings",), f"must be one of {', '.join(SEATINGS)}, not {plan.seatings!r}")
    if not 2 <= plan.players <= 4:
        raise PlanError(("players",), f"must be 2, 3 or 4, not {plan.players}")
    if plan.deals < 1:
        raise PlanError(("deals",), f"must be at least 1, not {plan.deals}")
    if not 1 <= len(plan.seed) <= 128 or not plan.seed.isprintable():
        raise PlanError(("seed",), "must be 1 to 128 printable characters")


def _check_unique(member: str, names: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            raise PlanError((member, index), f"{name!r} is listed twice")
        seen.add(name)


def _check_entrants(plan: Plan) -> None:
    _check_unique("bots", plan.entrants)
    if len(plan.entrants) < plan.players:
        raise PlanError(
            ("bots",), f"a match of {plan.players} players needs at least {plan.players} bots, not {len(plan.entrants)}"
        )
    if len(plan.entrants) > MAX_ENTRANTS:
        raise PlanError(("bots",), f"at most {MAX_ENTRANTS} bots can be entered, not {len(plan.entrants)}")


def _check_challengers(plan: Plan) -> None:
    if plan.format != "gauntlet":
        if plan.challengers:
            raise PlanError(("challengers",), "only a gauntlet has challengers")
        return
    if not plan.challengers:
        raise PlanError(("challengers",), "a gauntlet needs at least one challenger")
    _check_unique("challengers", plan.challengers)
    entered = set(plan.entrants)
    for index, name in enumerate(plan.challengers):
        if name not in entered:
            raise PlanError(("challengers", index), f"{name!r} is not one of the bots")
    if len(plan.field) < plan.players - 1:
        raise PlanError(
            ("bots",),
            f"a challenger meets {plan.players - 1} others in a match, but only {len(plan.field)} are not challengers",
        )


def _check_sets(plan: Plan) -> None:
    if plan.sets is None:
        return
    if plan.sets < 1:
        raise PlanError(("sets",), f"must be at least 1, not {plan.sets}")
    if plan.sets > plan.possible_sets:
        raise PlanError(
            ("sets",), f"there are only {plan.possible_sets} different sets; to play more, raise `deals` instead"
        )
    if plan.sets > MAX_CHOSEN_SETS and plan.sets != plan.possible_sets:
        raise PlanError(("sets",), f"at most {MAX_CHOSEN_SETS} sets can be chosen, not {plan.sets}")
    least = _least_sets(plan)
    if plan.sets < least:
        raise PlanError(("sets",), f"with {plan.sets} some bots would never play; at least {least} are needed")


def _least_sets(plan: Plan) -> int:
    if plan.format == "gauntlet":
        return max(len(plan.challengers), -(-len(plan.field) // (plan.players - 1)))
    return -(-len(plan.entrants) // plan.players)
