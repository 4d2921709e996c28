"""What the tests of use cases share: a service over a real Redis, games with their seats, play that can be repeated."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from service.config import Settings
from service.engine.actions import action_to_json
from service.operations.access.rotation import GRACE_MS
from service.operations.access.tokens import ANONYMOUS, Caller, identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot, Registered
from service.operations.context import Context
from service.operations.games import create
from service.operations.games.act import Acted, Submission, act
from service.operations.games.change import load
from service.operations.games.create import NewGame
from service.operations.games.projection import GameView
from service.operations.games.records import record
from service.store.hub import Hub
from service.store.secrets import Secrets
from service.wiring import build

ORGANISER_KEY = "an organiser's key"
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
Choose = Callable[[str, list[dict[str, Any]]], int]
"""Which of the legal actions (JSON) of a decision (its id) to take."""


@contextmanager
def service(redis_url: str, **settings: Any) -> Iterator[Context]:
    """What one process of the service has; another call is another process."""
    given = {"organiser_key": ORGANISER_KEY, "bot_networks": LOOPBACK, **settings}
    ctx = build(Settings(redis_url=redis_url, **given))
    try:
        yield ctx
    finally:
        hub = ctx.hub
        assert isinstance(hub, Hub)
        hub.close()


def organiser(ctx: Context) -> Caller:
    return identify(ctx, ORGANISER_KEY)


@dataclass(frozen=True)
class Seated:
    """A game, and who holds which of its seats."""

    game: str
    creator: Caller
    seats: Mapping[int, Caller]


def begin(ctx: Context, players: int = 3, *, by: Caller = ANONYMOUS, **more: Any) -> Seated:
    """A new game; all seats that are the creator's are held by callers of their own."""
    made = create.create(ctx, by, NewGame(players=players, **more))
    seats = {seat: identify(ctx, token) for seat, token in made.tokens}
    return Seated(made.view.id, identify(ctx, made.creator_token), seats)


def register(ctx: Context, name: str, **more: Any) -> Registered:
    """A bot of the organiser's: a poll bot unless `kind` says otherwise."""
    return registry.register(ctx, organiser(ctx), NewBot(**{"name": name, "kind": "poll", "casual": True, **more}))


def at_random(seed: str) -> Choose:
    """The same action for the same question, whoever is asked when."""

    def choose(decision: str, legal: list[dict[str, Any]]) -> int:
        return random.Random(f"{seed} {decision}").randrange(len(legal))

    return choose


def legal_of(view: GameView, decision: str) -> list[dict[str, Any]]:
    return [action_to_json(action) for action in view.game.legal_actions(decision)]


def due(view: GameView) -> dict[int, str]:
    """Ids of the open decisions by seat."""
    return {decision.seat: decision.id for decision in view.game.decisions}


def answer(ctx: Context, seated: Seated, seat: int, index: int = 0) -> Acted:
    """The seat answers its open decision with the legal action of that index."""
    decision = due(load(ctx, seated.game))[seat]
    return act(ctx, seated.seats[seat], seated.game, Submission(decision, index=index))


def play(
    ctx: Context, seated: Seated, choose: Choose | None = None, until: Callable[[GameView], bool] = lambda view: False
) -> GameView:
    """Plays on, all seats in turn, until the game is over or `until` holds before a decision."""
    choose = choose or at_random("any")
    view = load(ctx, seated.game)
    while not view.over:
        for seat, decision in due(view).items():
            if until(view):
                return view
            index = choose(decision, legal_of(view, decision))
            act(ctx, seated.seats[seat], seated.game, Submission(decision, index=index))
            view = load(ctx, seated.game)
    return view


def in_phase(kind: str, least_round: int = 1) -> Callable[[GameView], bool]:
    """Holds when decisions of that type have just been opened, from that round on."""

    def holds(view: GameView) -> bool:
        opened = view.opening.game.decisions
        fresh = all(decision.id not in view.closed for decision in opened)
        return fresh and opened[0].type == kind and view.game.round >= least_round

    return holds


def finished_record(ctx: Context, seated: Seated, choose: Choose | None = None) -> dict[str, Any]:
    """The record of the game, played to its end."""
    play(ctx, seated, choose)
    return record(ctx, seated.game)


def a_day_later(secrets: Secrets) -> Secrets:
    """The same secrets, with the times until which they are valid a day nearer."""
    return tuple((secret, None if until_ms is None else until_ms - GRACE_MS) for secret, until_ms in secrets)
