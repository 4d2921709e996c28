"""Tables laid for a test: a board of empty rooms but for those named, and plain ships."""

from collections.abc import Callable
from typing import Any

from .chance import Token, tokens
from .components import room
from .rules import LiteralGame


def board(players: int, rooms: dict[int, dict[str, int]]) -> list[dict[str, Any]]:
    """Warehouses whose room in front of each named stop is the one given, and all others are empty."""
    w = 8 if players == 4 else 7
    return [
        {"id": f"w{i + 1}", "upper": rooms.get(i, room()), "lower": rooms.get(2 * w - 1 - i, room())} for i in range(w)
    ]


def fleet(*capacities: int) -> list[dict[str, Any]]:
    """Ships a, b, c, … of these capacities, each paying 3/2/1."""
    names = "abcdefghijklmnopqrstuvwxyz"
    return [{"id": names[i], "capacity": size, "points": [3, 2, 1]} for i, size in enumerate(capacities)]


def lay(
    players: int = 2,
    rooms: dict[int, dict[str, int]] | None = None,
    ships: list[dict[str, Any]] | None = None,
    order: list[Token] | None = None,
    variants: dict[str, Any] | None = None,
    reshuffle: Callable[[int], list[Token]] | None = None,
) -> LiteralGame:
    """A game on such a board; by default 15 ships of capacity 5, tokens by seat, and reshuffles that give the same."""
    return LiteralGame(
        players,
        variants or {},
        fleet(*[5] * 15) if ships is None else ships,
        board(players, rooms or {}),
        order or tokens(players),
        reshuffle or (lambda round_number: tokens(players)),
    )


def play(game: LiteralGame, *cards: tuple[int, int]) -> None:
    """Every seat plays its (big, little) of this round."""
    for seat, (big, little) in enumerate(cards):
        game.act(seat, {"type": "play", "big": big, "little": little})


def load(game: LiteralGame, seat: int, **ships: int) -> None:
    """The seat puts so many barrels on these ships."""
    game.act(seat, {"type": "load", "ships": ships})


def stops(game: LiteralGame) -> dict[str, int | None]:
    """Where everybody stands: `{"0 big": 5, …, "1 jack": null}`."""
    return {f"{worker['seat']} {worker['worker']}": worker["stop"] for worker in game.public_state()["workers"]}


def of_each_seat(game: LiteralGame, member: str) -> list[int]:
    """`points`, `coins`, `supply` or `aboard` of each seat."""
    return [seat[member] for seat in game.public_state()["seats"]]


def docked(game: LiteralGame) -> dict[str, list[int]]:
    """The docked ships, front first, each with its barrels by seat."""
    return {ship["ship"]: ship["barrels"] for ship in game.public_state()["docks"]}


def asked(game: LiteralGame) -> list[str]:
    """The ids of the open decisions."""
    return [decision["id"] for decision in game.open_decisions()]
