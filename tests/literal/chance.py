"""Chance, as the protocol page words it: shuffles from a seed, seeds of a tournament, and the commitment."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Token = tuple[int, str]
Item = TypeVar("Item")


def digest(seed: str, label: str, count: int) -> bytes:
    """“H(seed, label, c) = SHA-256(seed, byte 0, label, byte 0, c as 8 bytes big-endian), strings in UTF-8.”"""
    message = seed.encode("utf-8") + b"\x00" + label.encode("utf-8") + b"\x00" + count.to_bytes(8, "big")
    return hashlib.sha256(message).digest()


class Draws:
    """The draws of one label: “one sequence a label”."""

    def __init__(self, seed: str, label: str) -> None:
        self.seed = seed
        self.label = label
        self.next_count = 0

    def below(self, bound: int) -> int:
        """An integer from 0 to bound - 1.

        “A draw below m takes the next c (from 0 …), reads the first 8 bytes of H as a big-endian integer x, skips it
        if x >= floor(2^64/m)*m, and gives x mod m.”
        """
        if bound < 1:
            raise ValueError(f"a draw needs a bound of at least 1, not {bound}")
        while True:
            number = int.from_bytes(digest(self.seed, self.label, self.next_count)[:8], "big")
            self.next_count += 1
            if number < (2**64 // bound) * bound:
                return number % bound


def shuffled(items: list[Item], seed: str, label: str) -> list[Item]:
    """“A shuffle is Fisher-Yates: for i from the last index down to 1, swap i with a draw below i+1.”"""
    draws = Draws(seed, label)
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = draws.below(i + 1)
        result[i], result[j] = result[j], result[i]
    return result


def tokens(players: int) -> list[Token]:
    """The list a shuffle of the order starts from: “tokens by seat, big before little”."""
    return [(seat, worker) for seat in range(players) for worker in ("big", "little")]


@dataclass
class Deal:
    """A setup: ids of the board from left to right, ids of the ships in drawing order (the first three are docked)."""

    warehouses: list[str]
    ships: list[str]
    order: list[Token]
    reshuffle: Callable[[int], list[Token]]


def deal(players: int, warehouses: list[str], ships: list[str], seed: str, block_seed: str | None = None) -> Deal:
    """The setup of a game.

    Of a match, `seed` is the match's and `block_seed` the block's: “`warehouses`, `ships` and `order` use the block's
    seed, `stack` and `order.<round>` the match's”. Any other game has a single seed.
    """
    visible = seed if block_seed is None else block_seed
    # “(as the component set lists them; the first three ships are docked)”
    mixed = shuffled(ships, visible, "ships")
    # “`stack` (the other ships, as `ships` left them, shuffled again)”
    stack = shuffled(mixed[3:], seed, "stack")
    return Deal(
        warehouses=shuffled(warehouses, visible, "warehouses"),
        ships=mixed[:3] + stack,
        order=shuffled(tokens(players), visible, "order"),
        # “`order.<round>` for a reshuffle before that round”
        reshuffle=lambda round_number: shuffled(tokens(players), seed, f"order.{round_number}"),
    )


def block_seed(tournament_seed: str, block: int) -> str:
    """“Block b (from 0) has the seed hex H(tournament seed, `block`, b)”"""
    return digest(tournament_seed, "block", block).hex()


def match_seed(seed_of_block: str, seating: int, attempt: int) -> str:
    """“its match of seating k (from 0), played for the a-th time (from 0 …), hex H(block seed, `match.a`, k)”"""
    return digest(seed_of_block, f"match.{attempt}", seating).hex()


def commitment(nonce: bytes, seed: str) -> str:
    """“Commitment = hex SHA-256 of the nonce's 16 random bytes, then the seed in UTF-8”"""
    if len(nonce) != 16:
        raise ValueError(f"a nonce has 16 bytes, not {len(nonce)}")
    return hashlib.sha256(nonce + seed.encode("utf-8")).hexdigest()
