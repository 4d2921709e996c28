"""Which variants of the rules a game is played with (RULES "Variants")."""

from dataclasses import dataclass

from service.engine.shapes import between, members, one_of

TALLIES = ("warehouses", "circuit")
LAST_PLACES = ("paid", "unpaid")
MOST_STARTING_COINS = 3


@dataclass(frozen=True, slots=True)
class Variants:
    """The defaults are the rules as they stand. Coins a player starts with: 0..3."""

    tally: str = "warehouses"
    last_place: str = "paid"
    starting_coins: int = 0

    def to_json(self) -> dict[str, object]:
        return {"tally": self.tally, "last_place": self.last_place, "starting_coins": self.starting_coins}


def parse_variants(value: object) -> Variants:
    """Variants from JSON, defaults filled in. Raises InvalidInput."""
    found = members(value, (), (), ("tally", "last_place", "starting_coins"))
    return Variants(
        one_of(found.get("tally", "warehouses"), ("tally",), TALLIES),
        one_of(found.get("last_place", "paid"), ("last_place",), LAST_PLACES),
        between(found.get("starting_coins", 0), ("starting_coins",), 0, MOST_STARTING_COINS),
    )
