"""Whole games for the tests, played by chance without a service."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from service.engine.setup import Variants, commitment
from service.operations.games.document import GameMeta, SeatPlan
from service.operations.games.log_entries import Aborted, Entry, Finished, Joined, Resigned, Settled, Started
from service.operations.games.projection import GameProjection, GameView
from service.store import chain

NAMES = ("lookahead", "Ines", "Bo", "greedy-2")
Chooser = Callable[[int], int]


def document(players: int = 4, seed: str = "mock-1", **members: Any) -> GameMeta:
    """A casual game's document."""
    return GameMeta(
        players=players,
        variants=members.pop("variants", Variants()),
        deal="seeded",
        seed=seed,
        nonce="00" * 16,
        block_seed=None,
        commitment=commitment(bytes(16), seed),
        seats=(SeatPlan("creator"),) * players,
        created_ms=1_790_000_000_000,
        **members,
    )


def played(
    meta: GameMeta, *, chance: int = 1, resigning: float = 0.0, late: float = 0.0, names: tuple[str, ...] = NAMES
) -> Iterator[GameView]:
    """The game after each entry of a log, played by chance to its end.

    `resigning`, `late`: how likely it is before each decision that its seat gives up, or that its time runs out.
    """
    draw = random.Random(chance)
    view = replace(GameView.new("abcdefghijklmnop", meta), chain=chain.begin(meta.dump()))
    projection = GameProjection(view)
    at = 0

    def fold(entry: Entry) -> GameView:
        projection.add(entry)
        return projection.view()

    for seat in range(meta.players):
        yield fold(Joined(at, seat, names[seat]))
    yield fold(Started(at))
    while (game := projection.game).outcome is None:
        at += draw.randrange(50, 4000)
        decision = draw.choice(game.decisions)
        legal = game.legal_actions(decision.id)
        if decision.seat in game.resigned:
            yield fold(Settled(at, decision.id, legal[0], "default", None, None))
        elif draw.random() < resigning:
            yield fold(Resigned(at, (decision.seat,), "resigned"))
        elif draw.random() < late:
            yield fold(Settled(at, decision.id, legal[0], "default", "late", 1000))
        else:
            yield fold(Settled(at, decision.id, draw.choice(legal), "player", None, 20))
    yield fold(Finished(at))


def finished(meta: GameMeta, **how: Any) -> GameView:
    """The end of such a game."""
    return list(played(meta, **how))[-1]


def aborted(meta: GameMeta, entries: int) -> GameView:
    """A game that is broken off after so many entries."""
    for view in played(meta):
        if view.version == entries:
            projection = GameProjection(view)
            projection.add(Aborted(10_000_000))
            return projection.view()
    raise AssertionError("the game was over before")
