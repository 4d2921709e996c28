"""Known counts: for fixed positions, how many different lines of play there are to a depth, and a hash of their states.

`python -m tests.engine.known_counts` writes them anew into known_counts.json. A change there is a change of the rules.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from service.chance import Draws
from service.engine.core.layout import STACK
from service.engine.game import Game
from service.engine.observation import GameHeader, observe
from service.engine.setup import Variants, parse_variants
from tests.engine.games import started
from tests.engine.odd_sets import SETS

FILE = Path(__file__).with_name("known_counts.json")


class Position(NamedTuple):
    """A deal, and how many decisions have been settled in it, drawn from its seed."""

    name: str
    players: int
    components: str
    variants: Variants
    settled: int
    depth: int


POSITIONS = (
    Position("the first decisions of two", 2, "standard_components", Variants(), 0, 3),
    Position("the first cards of three", 3, "standard_components", Variants(tally="circuit"), 0, 2),
    Position("jack is offered at the start", 2, "standard_components", Variants(starting_coins=3), 0, 3),
    Position("in mid-game", 4, "standard_components", Variants(), 33, 2),
    Position("in mid-game by circuit", 3, "standard_components", Variants("circuit", "unpaid", 1), 31, 3),
    Position("late", 2, "standard_components", Variants(), 41, 4),
    Position("late, of four", 4, "standard_components", Variants(starting_coins=2), 66, 4),
    Position("the last loads of three", 3, "standard_components", Variants("circuit", "unpaid", 1), 53, 4),
    Position("small ships", 3, "four_barrels_and_small_ships", Variants(), 22, 3),
    Position("broken barrels", 2, "loads_above_broken_below", Variants(last_place="unpaid"), 60, 5),
    Position("four ships", 3, "four_ships", Variants(), 4, 4),
    Position("coins everywhere", 4, "coins_everywhere", Variants(), 21, 3),
)


class Hash(Protocol):
    """What a hash of the standard library can do."""

    def update(self, data: bytes, /) -> None: ...


def position(at: Position) -> Game:
    components = next(sets for sets in SETS if sets.__name__ == at.components)(at.players)
    game = started(at.players, at.name, at.variants, components).game
    draws = Draws(at.name, "settled")
    for _ in range(at.settled):
        decision = game.decisions[0].id
        actions = game.legal_actions(decision)
        game = game.apply(decision, actions[draws.below(len(actions))]).game
    return game


def count(game: Game, counts: list[int], hashed: Hash, depth: int = 1) -> None:
    """Goes through all lines, seats in their order. `counts` has an entry for each depth; the game may end before."""
    decision = game.decisions[0].id
    for action in game.legal_actions(decision):
        after = game.apply(decision, action).game
        counts[depth - 1] += 1
        if depth < len(counts) and after.decisions:
            count(after, counts, hashed, depth + 1)
            continue
        for deeper in range(depth, len(counts)):
            counts[deeper] += 1
        hashed.update(text_of(after).encode())


def text_of(game: Game) -> str:
    """All that is true of a state but later reshuffles."""
    view = observe(game, None, GameHeader("", 0, "running", (None,) * game.players, "", ""))
    stack = [game.config.ships[ship] for ship in reversed(game.core[STACK:])]
    return json.dumps([view, stack, [game.cards(seat) for seat in range(game.players)]], separators=(",", ":"))


def counted(at: Position) -> dict[str, Any]:
    """Lines for each depth, and the hash over the states at the last."""
    counts = [0] * at.depth
    hashed = sha256()
    count(position(at), counts, hashed)
    return {
        "name": at.name,
        "players": at.players,
        "components": at.components,
        "variants": at.variants.to_json(),
        "settled": at.settled,
        "lines": counts,
        "states": hashed.hexdigest(),
    }


def known() -> list[tuple[Position, dict[str, Any]]]:
    """What the file says."""
    found = []
    for entry in json.loads(FILE.read_text("utf-8")):
        variants = parse_variants(entry["variants"])
        at = Position(
            entry["name"], entry["players"], entry["components"], variants, entry["settled"], len(entry["lines"])
        )
        found.append((at, entry))
    return found


def main() -> None:
    entries = [counted(at) for at in POSITIONS]
    FILE.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")
    for entry in entries:
        sys.stdout.write(f"{entry['name']}: {entry['lines']}\n")


if __name__ == "__main__":
    main()
