"""Paying a ship, and the places at the end."""

from .pieces import Player, Ship


def ranks_paid(ship: Ship, players: int) -> list[int]:
    """The points of rank 1, 2, … up to the last rank that is paid.

    “Rank 1 is paid `points[0]`, rank 2 `points[1]`, and, with 3 or 4 players, rank 3 `points[2]`; nothing beyond.”
    """
    return ship.points[:3] if players >= 3 else ship.points[:2]


def payments(ship: Ship, players: list[Player], last_place: str) -> dict[int, int]:
    """What each seat is paid for this ship; seats without a barrel aboard are not in it."""
    # “Players with barrels aboard are ranked by their number of barrels.”
    # “Players without a barrel aboard get nothing.”
    aboard = [player for player in players if ship.barrels_of(player) > 0]
    points = ranks_paid(ship, len(players))
    paid = {}
    for player in aboard:
        mine = ship.barrels_of(player)
        ahead = [other for other in aboard if ship.barrels_of(other) > mine]
        tied = [other for other in aboard if ship.barrels_of(other) == mine]
        # “Tied players share the ranks they cover: the sum of those ranks' points (0 for ranks that are not paid)
        # divided by the number of tied players, rounded up.”
        covered = range(len(ahead) + 1, len(ahead) + len(tied) + 1)
        total = sum(points[rank - 1] for rank in covered if rank <= len(points))
        share = total // len(tied)
        if share * len(tied) < total:
            share += 1
        # “`unpaid`: a player aboard is not paid if every other player of the game has strictly more barrels aboard”
        others = [other for other in players if other is not player]
        if last_place == "unpaid" and all(ship.barrels_of(other) > mine for other in others):
            share = 0
        paid[player.seat] = share
    return paid


def places(players: list[Player]) -> list[int]:
    """The place of each seat.

    “Most points. Equal points share the place: places are standard competition ranking (1, 2, 2, 4).” A seat that
    resigned “ranks behind all others, by points among its like”; “if none is left, all rank by points”.
    """

    def stands_before(one: Player, other: Player) -> bool:
        if one.resigned != other.resigned:
            return other.resigned
        return one.points > other.points

    return [1 + sum(stands_before(other, player) for other in players) for player in players]
