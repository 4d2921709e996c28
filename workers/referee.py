"""Plays one match, and judges its faults. Does not know how a bot is reached.

Everything that the referee needs to know is in the game's log. It can stop at any point, or be killed, and another
referee goes on from there.
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


class MatchPlayer(Protocol):
    """Acts for a seat."""

    def settle(self, view: GameView, decision: str, lease: Lease | None) -> GameView:
        """Settles a decision that is open in `view` by its deadline: by the bot's answer, or by default with the
        bot's fault. Returns the game as it is after that.

        Raises LeaseLost, NotFound, Unavailable.
        """


class MatchObserver(Protocol):
    """Is notified of each step of a match."""

    def settled(self, view: GameView, decisions: Sequence[Decision], since: float) -> None:
        """`decisions` were asked at the moment `since` (seconds of `time.monotonic`), and are settled in `view`."""


class Stopped(Exception):
    """The match was stopped between two decisions; its log says how far it has got. `reason` is the caller's."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def forfeits(ledger: SeatLedger, *, max_faults: int, policy: str) -> bool:
    """Whether a seat has forfeited: by more than `max_faults` faults, under `strict` also by its first illegal answer
    (PROTOCOL "Faults")."""
    if policy == "strict" and ledger.faults.get("illegal", 0):
        return True
    return sum(ledger.faults.values()) > max_faults


def at_boundary(view: GameView) -> bool:
    """Whether none of the decisions that were opened together is settled yet. Decisions of seats that have resigned are
    settled as soon as they are opened, and don't count.

    Forfeits are judged here only, for all seats at once, so that it does not matter who answered first.
    """
    opened = (decision for decision in view.opening.game.decisions if decision.seat not in view.game.resigned)
    return all(decision.id not in view.closed for decision in opened)


def judge_forfeits(ctx: Context, view: GameView, lease: Lease) -> GameView:
    """Lets seats forfeit that have too many faults. Raises LeaseLost, NotFound, Unavailable."""
    terms = view.meta.match
    assert terms is not None, "only a match has a fault policy"
    if view.over or not at_boundary(view):
        return view
    seats = [
        seat
        for seat, ledger in enumerate(view.ledgers)
        if seat not in view.game.resigned and forfeits(ledger, max_faults=terms.max_faults, policy=terms.policy)
    ]
    return resign(ctx, view.id, seats, "forfeit", lease=lease, known=view) if seats else view


def play_match(
    ctx: Context,
    view: GameView,
    players: Mapping[int, MatchPlayer],
    lease: Lease,
    stop: Callable[[], str | None],
    observers: Sequence[MatchObserver] = (),
) -> GameView:
    """Plays a match from where its log stands to its end. Returns the game at its end.

    All seats with an open decision are asked at the same time, and the game goes on when each of them has answered or
    run out of time. `stop` is asked between decisions; Stopped is raised with the reason that it returns. Raises
    LeaseLost, NotFound, Unavailable too.
    """
    with ThreadPoolExecutor(len(players), thread_name_prefix="seat") as pool:
        while True:
            view = judge_forfeits(ctx, view, lease)
            if view.over:
                return view
            if (reason := stop()) is not None:
                raise Stopped(reason)
            open_now = view.game.decisions
            since = monotonic()
            if len(open_now) == 1:
                view = players[open_now[0].seat].settle(view, open_now[0].id, lease)
            else:
                asked = [pool.submit(players[decision.seat].settle, view, decision.id, lease) for decision in open_now]
                wait(asked)
                # The newest view has the decisions of all seats.
                view = max((future.result() for future in asked), key=attrgetter("version"))
            for observer in observers:
                observer.settled(view, open_now, since)
