"""What is fixed about a game when it is created: its document in the store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from service.engine.components import ComponentSet, components_to_json, parse_components, standard_components
from service.engine.setup import (
    Reshuffles,
    Setup,
    Token,
    Variants,
    draw_setup,
    parse_setup,
    parse_variants,
    setup_to_json,
)


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """Who gets a seat: `creator`, perhaps with a name; `open`, for the first who joins; or `bot`, with its id, kind and
    name."""

    holder: str
    bot: str | None = None
    kind: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """The terms of the tournament that a game is a match of. `tournament` is empty where a poll bot is checked."""

    id: str
    tournament: str
    number: int
    attempt: int
    move_ms: int
    bank_ms: int
    max_faults: int
    policy: str
    attempts: int
    """Answers that a bot may give to one decision. (`attempt` is that of the match.)"""


@dataclass(frozen=True, slots=True)
class GameMeta:
    """The document. `components`, `setup` and `orders` are None where they follow from the rest.

    `reveal`: whether the record opens the commitment itself; a match's does not (PROTOCOL "Commitment").
    """

    players: int
    variants: Variants
    deal: str
    seed: str
    nonce: str | None
    block_seed: str | None
    commitment: str
    seats: tuple[SeatPlan, ...]
    created_ms: int
    name: str | None = None
    public: bool = False
    turn_seconds: int | None = None
    components: ComponentSet | None = None
    setup: Setup | None = None
    orders: tuple[tuple[Token, ...], ...] = ()
    match: MatchTerms | None = None
    callback: str | None = None
    callback_secret: str | None = None

    def component_set(self) -> ComponentSet:
        """The set the game is played with."""
        return self.components or standard_components(self.players)

    def dealt(self) -> Setup:
        """The setup, drawn anew from the seed where it was not given."""
        if self.setup is not None:
            return self.setup
        return draw_setup(self.component_set(), self.players, self.seed, self.block_seed)

    def reshuffles(self) -> Reshuffles:
        """Where the movement order of a reshuffle comes from."""
        return Reshuffles(self.seed, self.orders)

    def dump(self) -> str:
        """The document as JSON text, members that are None left out."""
        doc: dict[str, Any] = {
            "players": self.players,
            "variants": self.variants.to_json(),
            "deal": self.deal,
            "seed": self.seed,
            "nonce": self.nonce,
            "block_seed": self.block_seed,
            "commitment": self.commitment,
            "seats": [[seat.holder, seat.bot, seat.kind, seat.name] for seat in self.seats],
            "created": self.created_ms,
            "name": self.name,
            "public": self.public or None,
            "turn_seconds": self.turn_seconds,
            "components": None if self.components is None else components_to_json(self.components),
            "setup": None if self.setup is None else setup_to_json(self.setup),
            "orders": self.orders or None,
            "match": None if self.match is None else _match_row(self.match),
            "callback": self.callback,
            "callback_secret": self.callback_secret,
        }
        kept = {name: value for name, value in doc.items() if value is not None}
        return json.dumps(kept, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def load(cls, text: str) -> GameMeta:
        """Reads what `dump` wrote."""
        doc = json.loads(text)
        players = doc["players"]
        components = parse_components(doc["components"], players) if "components" in doc else None
        setup = None
        if "setup" in doc:
            setup = parse_setup(doc["setup"], components or standard_components(players), players)
        return cls(
            players=players,
            variants=parse_variants(doc["variants"]),
            deal=doc["deal"],
            seed=doc["seed"],
            nonce=doc.get("nonce"),
            block_seed=doc.get("block_seed"),
            commitment=doc["commitment"],
            seats=tuple(SeatPlan(*row) for row in doc["seats"]),
            created_ms=doc["created"],
            name=doc.get("name"),
            public=doc.get("public", False),
            turn_seconds=doc.get("turn_seconds"),
            components=components,
            setup=setup,
            orders=tuple(tuple((seat, worker) for seat, worker in order) for order in doc.get("orders", ())),
            match=MatchTerms(*doc["match"]) if "match" in doc else None,
            callback=doc.get("callback"),
            callback_secret=doc.get("callback_secret"),
        )


def _match_row(match: MatchTerms) -> list[Any]:
    return [
        match.id,
        match.tournament,
        match.number,
        match.attempt,
        match.move_ms,
        match.bank_ms,
        match.max_faults,
        match.policy,
        match.attempts,
    ]
