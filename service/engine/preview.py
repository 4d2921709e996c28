"""What would follow, as far as it is certain: for people who think before they act, and for whoever shows them a game.

Nothing here depends on what is hidden.
"""

from collections.abc import Sequence

from service.engine.core.layout import CARD, DIGIT, JACK, PLACE, POINTS, TAVERN
from service.engine.core.move import move_in_turn
from service.engine.game import Game
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


def landing(game: Game, seat: int, worker: str, card: int) -> int | None:
    """The stop on which a worker of the seat ("big", "little", or the "jack" that it hired) would end with a card, if
    it moved before all others; None for its tavern (RULES "Step 3: moving")."""
    number = JACK if worker == "jack" else game.config.number(seat, worker)
    core = list(game.core)
    core[CARD + number] = card
    move_in_turn(core, game.config.tables, [number], None)
    return None if core[PLACE + number] == TAVERN else core[PLACE + number]
