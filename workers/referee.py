"""Plays one match. Owns the fault policy. Knows nothing of how a bot is reached.

Everything that the referee needs to know stands in the game's log, so that it can stop at any point, or be killed, and
another one goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from operator import attrgetter
from time import monotonic
from typing import Protocol

from service.engine.decisions import Decision
from service.operations.context import Context
from service.operations.games.change import resign
from service.operations.games.projection import GameView, SeatLedger
from service.store.leases import Lease


class Player(Protocol):
    """Whoever acts for a seat, however it is reached."""

    def settle(self, view: GameView, decision: str, lease: Lease | None) -> GameView:
        """Sees to it that the decision, which is open in `view`, is settled before its deadline: by the bot's
        answer, or by default with its fault. Returns the game as it stands after that. Raises LeaseLost, NotFound,
        Unavailable."""


class MatchObserver(Protocol):
    """Whoever looks on while a match is played."""

    def asked(self, view: GameView, decisions: Sequence[Decision], since: float) -> None:
        """`decisions` were asked at the moment `since` (seconds of `time.monotonic`), and are settled in `view`."""


class Stopped(Exception):
    """The referee was told to stop between two decisions; the match is as its log says."""


def forfeits(ledger: SeatLedger, *, max_faults: int, policy: str) -> bool:
    """Whether a seat has forfeited: more than `max_faults` faults; under `strict` also the first illegal answer."""
    if policy == "strict" and ledger.faults.get("illegal", 0):
        return True
    return sum(ledger.faults.values()) > max_faults


def at_boundary(view: GameView) -> bool:
    """Whether none of the decisions that were opened together is settled yet; those of seats that have resigned are
    settled as soon as they are opened and don't count.

    Forfeits are judged here alone, for all seats at once, so that it does not matter who answered first.
    """
    opened = (decision for decision in view.opening.game.decisions if decision.seat not in view.game.resigned)
    return all(decision.id not in view.closed for decision in opened)


def judge_forfeits(ctx: Context, view: GameView, lease: Lease) -> GameView:
    """Lets those seats forfeit that have. Raises LeaseLost, Unavailable."""
    terms = view.meta.match
    assert terms is not None, "only a match has a fault policy"
    if view.over or not at_boundary(view):
        return view
    seats = [
        seat
        for seat, ledger in enumerate(view.ledgers)
        if seat not in view.game.resigned and forfeits(ledger, max_faults=terms.max_faults, policy=terms.policy)
    ]
    return resign(ctx, view.id, seats, "forfeit", lease=lease, first=view) if seats else view


def play_match(
    ctx: Context,
    view: GameView,
    players: Mapping[int, Player],
    lease: Lease,
    stop: Callable[[], bool],
    witnesses: Sequence[MatchObserver] = (),
) -> GameView:
    """Plays a match from where its log stands to its end; returns the view at the end.

    All seats that owe a decision are asked at once, and nothing is resolved before each has answered or run out of
    time. Raises Stopped when `stop` says so between decisions, LeaseLost, NotFound, Unavailable.
    """
    with ThreadPoolExecutor(len(players), thread_name_prefix="seat") as pool:
        while True:
            view = judge_forfeits(ctx, view, lease)
            if view.over:
                return view
            if stop():
                raise Stopped
            open_now = view.game.decisions
            since = monotonic()
            if len(open_now) == 1:
                view = players[open_now[0].seat].settle(view, open_now[0].id, lease)
            else:
                asked = [pool.submit(players[decision.seat].settle, view, decision.id, lease) for decision in open_now]
                wait(asked)
                # Whoever came last has seen what all others did.
                view = max((future.result() for future in asked), key=attrgetter("version"))
            for witness in witnesses:
                witness.asked(view, open_now, since)
