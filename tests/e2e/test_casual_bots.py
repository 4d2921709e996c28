"""Bots in casual games: a bad one hurts nobody but itself, and reads what it did wrong."""

from __future__ import annotations

from typing import Any

import pytest

from bots.faulty import start
from bots.random_bot import RandomBot
from service.processes.supervisor import wait_until
from tests.e2e.running_service import OrganiserClient, pushing


def seated(service: OrganiserClient, bot: str, **more: Any) -> str:
    """A game of two in which the bot has seat 1, and nobody plays seat 0."""
    body = {"players": 2, "seed": "casual", "seats": ["creator", {"bot": bot}], **more}
    return str(service.post("/v1/games", body)["game"])


def has_chosen(service: OrganiserClient, game: str) -> bool:
    return bool(service.get(f"/v1/games/{game}")["seats"][1]["chosen"])


def test_a_bot_that_hangs_holds_up_no_other_game(service: OrganiserClient) -> None:
    with start("hanging") as bad, pushing(service, {"quick": RandomBot()}) as entered:
        slow = service.register("hanging", bad.url)
        stuck = [seated(service, slow.name) for _ in range(3)]
        assert wait_until(lambda: bad.asks >= 3, 10)
        game = seated(service, entered["quick"].name)
        assert wait_until(lambda: has_chosen(service, game), 8)
        assert not any(has_chosen(service, other) for other in stuck), "10 s have not passed yet"


@pytest.mark.parametrize("kind", ["push", "poll"])
def test_who_does_not_answer_in_time_has_it_in_its_ledger_once(service: OrganiserClient, kind: str) -> None:
    with start("hanging") as bad:
        late = service.register(f"late-{kind}", bad.url if kind == "push" else None)
        game = seated(service, late.name, turn_seconds=1)
        assert wait_until(lambda: len(service.faults(late)) > 1, 20)
    mine = [fault for fault in service.faults(late) if fault["decision"] == "1.play.1.0"]
    assert [(fault["kind"], fault["game"], fault["match"]) for fault in mine] == [("late", game, None)]
    assert mine[0]["elapsed_ms"] > 500
