"""What would follow, as far as it is certain: for people who think before they act, and for whoever shows them a game.

Nothing here depends on what is hidden.
"""

from collections.abc import Sequence

from service.engine.core.layout import DIGIT, POINTS
from service.engine.game_config import GameConfig


def payment(config: GameConfig, ship: str, barrels: Sequence[int]) -> tuple[int, ...]:
    """Points by seat if the ship sailed with these barrels aboard, by seat, without the point for the last barrel
    (RULES "What a ship pays"). Raises ValueError for a ship that the game does not have."""
    shares = config.tables.pay[config.ships.index(ship)]
    row = sum(count << DIGIT * seat for seat, count in enumerate(barrels))
    paid = [0] * config.players
    for points, _, _, rank in config.tables.rankings[row]:
        paid[points - POINTS] = shares[rank]
    return tuple(paid)
