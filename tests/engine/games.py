"""Random games played to their end, with their records."""

import random
from typing import Any

from service.engine.components import ComponentSet, standard_components
from service.engine.playthrough import Playthrough
from service.engine.record import build_record
from service.engine.setup import (
    LAST_PLACES,
    TALLIES,
    Reshuffles,
    Variants,
    block_seed,
    commitment,
    draw_setup,
    match_seed,
)
from service.protocol import FAULTS, REFUSED_AS

NONCE = bytes(range(16))
Record = dict[str, Any]


def any_variants(draw: random.Random) -> Variants:
    return Variants(draw.choice(TALLIES), draw.choice(LAST_PLACES), draw.randrange(4))


def started(
    players: int, seed: str, variants: Variants | None = None, components: ComponentSet | None = None
) -> Playthrough:
    components = components or standard_components(players)
    setup = draw_setup(components, players, seed)
    return Playthrough.start(players, variants or Variants(), components, setup, Reshuffles(seed))


def settle_any(play: Playthrough, draw: random.Random, faults: float = 0.0) -> None:
    """Settles one open decision at random, now and then after refused answers, or by default for a fault; defaults of
    seats that have resigned first."""
    if play.game.open_defaults:
        owed = play.game.open_defaults[0].id
        play.settle(owed, play.game.default_action(owed), "default")
        return
    decision = draw.choice(play.game.decisions).id
    while draw.random() < faults:
        play.refuse(decision, draw.choice(REFUSED_AS), "It was wrong.")
    if draw.random() < faults:
        play.settle(decision, play.game.default_action(decision), "default", draw.choice(FAULTS))
    else:
        play.settle(decision, draw.choice(play.game.legal_actions(decision)), "player")


def finish(play: Playthrough, draw: random.Random, faults: float = 0.0) -> Playthrough:
    while play.game.outcome is None:
        settle_any(play, draw, faults)
    return play


def record_of(play: Playthrough, dealt_by: str, deal: str = "drawn", **members: Any) -> Record:
    """The record as a service would write it, dealt by a seed. `members` change what `build_record` is given."""
    given: dict[str, Any] = {
        "game": "g1",
        "deal": deal,
        "commitment": commitment(NONCE, dealt_by),
        "seed": dealt_by,
        "nonce": NONCE.hex(),
        "block_seed": None,
        "seats": [{"name": f"bot-{seat}", "version": None} for seat in range(play.game.players)],
    }
    return build_record(play, **{**given, **members})


def match_record(players: int = 3) -> Record:
    """A tournament's match, its seeds opened."""
    block = block_seed("tournament", 2)
    seed = match_seed(block, 0, 1)
    components = standard_components(players)
    setup = draw_setup(components, players, seed, block)
    play = Playthrough.start(players, Variants(), components, setup, Reshuffles(seed))
    finish(play, random.Random(1))
    return record_of(play, seed, block_seed=block, commitment=commitment(NONCE, "tournament"))
