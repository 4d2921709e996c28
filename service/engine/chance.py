"""Seeds of games, and the commitment to one (PROTOCOL "Chance"). What is drawn from a seed: `service.chance`."""

from hashlib import sha256

from service.chance import draw_hash
from service.engine.errors import InvalidInput, Path
from service.engine.shapes import shown, string

LONGEST_SEED = 128
NONCE_BYTES = 16


def parse_seed(value: object, path: Path = ("seed",)) -> str:
    """A seed: 1 to 128 printable characters. Raises InvalidInput."""
    seed = string(value, path)
    if not 1 <= len(seed) <= LONGEST_SEED:
        raise InvalidInput(path, f"must have 1 to {LONGEST_SEED} characters, not {len(seed)}")
    if not seed.isprintable():
        raise InvalidInput(path, f"must be printable, unlike {shown(seed)}")
    return seed


def commitment(nonce: bytes, seed: str) -> str:
    """Hex SHA-256 of the nonce's 16 bytes, then the seed in UTF-8."""
    if len(nonce) != NONCE_BYTES:
        raise InvalidInput(("nonce",), f"must be {NONCE_BYTES} bytes, not {len(nonce)}")
    return sha256(nonce + seed.encode()).hexdigest()


def block_seed(tournament_seed: str, block: int) -> str:
    """The seed of a tournament's block, counted from 0."""
    return draw_hash(tournament_seed, "block", block).hex()


def match_seed(block_seed: str, attempt: int, seating: int) -> str:
    """The seed of a block's match: of which seating, and for which time it is played, both from 0."""
    return draw_hash(block_seed, f"match.{attempt}", seating).hex()
