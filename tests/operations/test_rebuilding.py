"""Asks rebuilt from the record of a finished game are those that were asked."""

from __future__ import annotations

from typing import Any

import pytest

from service.operations.context import Context
from service.operations.games import read
from service.operations.games.act import Submission, act
from service.operations.games.change import load, resign
from service.operations.games.records import rebuild, record
from tests.operations.game_setup import Seated, at_random, begin, due, legal_of

NOW_MS = 1_800_000_000_000
BUDGETS = {"budget_ms": 777, "bank_ms": 0, "deadline": "2027-01-15T08:00:00.777Z"}


def played(ctx: Context, seated: Seated, resigning: dict[str, list[int]], reason: str) -> dict[str, dict[str, Any]]:
    """Plays to the end and gives all asks by decision. `resigning`: who gives up, before the first decision of which
    the id begins so; who forfeits does so together, and others one after another."""
    asks: dict[str, dict[str, Any]] = {}
    choose = at_random("rebuilt")
    view = load(ctx, seated.game)
    while not view.over:
        seat, decision = next(iter(due(view).items()))
        fresh = [seats for start, seats in resigning.items() if decision.startswith(start)]
        if fresh and set(fresh[0]) - view.game.resigned:
            for seats in [fresh[0]] if reason == "forfeit" else [[giving_up] for giving_up in fresh[0]]:
                view = resign(ctx, seated.game, seats, reason)
            continue
        # All that are open are asked before one is answered.
        for owing, waiting in due(view).items():
            ask = read.decision(ctx, seated.seats[owing], seated.game, 0)
            assert ask is not None
            asks.setdefault(waiting, ask)
        index = choose(decision, legal_of(view, decision))
        act(ctx, seated.seats[seat], seated.game, Submission(decision, index=index))
        view = load(ctx, seated.game)
    return asks


@pytest.mark.parametrize("reason", ["resigned", "withdrawn", "forfeit"])
@pytest.mark.parametrize(
    ("players", "resigning"),
    [
        (2, {}),
        (3, {}),
        (4, {}),
        (4, {"2.play": [1]}),
        (4, {"2.load": [0, 3]}),
        (3, {"1.play": [2]}),
        (4, {"2.play": [1], "3.load": [2]}),
        (4, {"2.play": [3, 1]}),
        (4, {"1.play": [0, 2]}),
    ],
)
def test_every_ask_of_a_game_is_rebuilt_as_it_was(
    ctx: Context, players: int, resigning: dict[str, list[int]], reason: str
) -> None:
    seated = begin(ctx, players, seed=f"rebuilt {players}")
    asks = played(ctx, seated, resigning, reason)
    found = record(ctx, seated.game)
    rebuilt = {}
    for round_ in range(1, found["result"]["rounds"] + 1):
        for seat in range(players):
            for asked in rebuild(found, round_=round_, seat=seat, budget_ms=777, time_ms=NOW_MS):
                rebuilt[asked.decision] = asked
    assert len(asks) > 20
    by_player = {entry["decision"] for entry in found["actions"] if entry["by"] == "player"}
    assert by_player <= asks.keys() & rebuilt.keys()
    for decision in by_player:
        assert rebuilt[decision].ask == {**asks[decision], **BUDGETS, "previous": None}


def test_what_was_answered_then_is_told(ctx: Context) -> None:
    seated = begin(ctx, 2, seed="told")
    played(ctx, seated, {"2.play": [1]}, "resigned")
    found = record(ctx, seated.game)
    first = rebuild(found, round_=1, seat=0, budget_ms=1, time_ms=0)[0]
    entry = next(entry for entry in found["actions"] if entry["decision"] == first.decision)
    assert (first.action, first.by, first.fault) == (entry["action"], "player", None)
    assert rebuild(found, round_=99, seat=0, budget_ms=1, time_ms=0) == []
