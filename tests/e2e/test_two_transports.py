"""One message, two transports: what is asked and what comes of it is the same over push and over poll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from montego_bot import Ask, Bot, Choice, End, Start
from tests.e2e.running_service import OrganiserClient, polling, pushing

NAMES = ("ada", "bob", "cyd")
#: No answer may be late, however busy the machine is.
SLOW = {"move_ms": 20_000, "warmup_ms": 20_000}
BUDGETS = ("budget_ms", "bank_ms", "deadline")


class Noting(Bot):
    """Plays as another bot does, and keeps all that it is sent."""

    def __init__(self, inner: Bot) -> None:
        self.inner = inner
        self.name, self.version = inner.name, "1"
        self.asks: list[dict[str, Any]] = []
        self.started: list[dict[str, Any]] = []
        self.ended: list[dict[str, Any]] = []

    def act(self, ask: Ask) -> Choice:
        self.asks.append(dict(ask.raw))
        return self.inner.act(ask)

    def on_start(self, start: Start) -> None:
        self.started.append(dict(start.raw))

    def on_end(self, end: End) -> None:
        self.ended.append(dict(end.raw))


def make(prefix: str) -> dict[str, Noting]:
    """The same three bots under other names: the names are no part of what they go by."""
    inner: dict[str, Bot] = {"ada": GreedyBot(seed="a"), "bob": RandomBot(seed="b"), "cyd": GreedyBot(seed="c")}
    return {f"{prefix}-{name}": Noting(bot) for name, bot in inner.items()}


@pytest.fixture(scope="module")
def played(service: OrganiserClient) -> dict[str, tuple[str, dict[str, Noting]]]:
    """The same tournament played over push and over poll: its id, and the bots with what they were sent."""
    found = {}
    for prefix, transport in (("push", pushing), ("poll", polling)):
        bots = make(prefix)
        with transport(service, bots):
            found[prefix] = (service.play([f"{prefix}-{name}" for name in NAMES], players=3, deals=1, **SLOW), bots)
    return found


def without_ids(value: Any) -> Any:
    """The same JSON without what two plays of one deal cannot share: ids, names, the commitment, and times."""
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    apart = {"game", "match", "tournament", "name", "commitment", "nonce", "digest", "elapsed_ms", "record", *BUDGETS}
    return {key: without_ids(item) for key, item in value.items() if key not in apart}


def test_the_records_are_identical(service: OrganiserClient, played: dict[str, tuple[str, dict[str, Noting]]]) -> None:
    pushed, polled = (service.records(played[prefix][0]) for prefix in ("push", "poll"))
    assert [record["game"] for record in pushed] != [record["game"] for record in polled]
    assert without_ids(pushed) == without_ids(polled)
    assert all(entry["by"] == "player" for record in pushed for entry in record["actions"])


def test_the_asks_are_identical_member_for_member(played: dict[str, tuple[str, dict[str, Noting]]]) -> None:
    for name in NAMES:
        pushed, polled = (played[prefix][1][f"{prefix}-{name}"].asks for prefix in ("push", "poll"))
        assert len(pushed) > 30
        assert {tuple(ask) for ask in pushed} == {tuple(ask) for ask in polled} == {tuple(pushed[0])}
        assert without_ids(pushed) == without_ids(polled)
        assert [without_ids(ask["observation"]) for ask in pushed] == [
            without_ids(ask["observation"]) for ask in polled
        ]


def test_start_and_end_are_told_over_both(played: dict[str, tuple[str, dict[str, Noting]]]) -> None:
    for name in NAMES:
        pushed, polled = (played[prefix][1][f"{prefix}-{name}"] for prefix in ("push", "poll"))
        assert len(pushed.started) == len(polled.started) == 3
        notices = [{key: value for key, value in start.items() if key != "type"} for start in polled.started]
        assert [{**start, "seats": None} for start in map(without_ids, pushed.started)] == [
            {**start, "seats": None} for start in map(without_ids, notices)
        ]
        assert [without_ids(end) for end in pushed.ended] == [
            {key: value for key, value in without_ids(end).items() if key != "type"} for end in polled.ended
        ]


def test_no_fault_is_noted_and_versions_are(
    service: OrganiserClient, played: dict[str, tuple[str, dict[str, Noting]]]
) -> None:
    for prefix, (tournament, _) in played.items():
        for name, row in service.standings(tournament).items():
            assert sum(row["faults"].values()) == 0
            assert row["versions"] == ["1"]
            assert name.startswith(prefix)


def test_bots_of_both_kinds_meet_in_one_tournament(service: OrganiserClient) -> None:
    pushed, polled = make("mixed-push"), make("mixed-poll")
    with (
        pushing(service, {"mixed-push-ada": pushed["mixed-push-ada"], "mixed-push-bob": pushed["mixed-push-bob"]}),
        polling(service, {"mixed-poll-ada": polled["mixed-poll-ada"], "mixed-poll-bob": polled["mixed-poll-bob"]}),
    ):
        names = ["mixed-push-ada", "mixed-push-bob", "mixed-poll-ada", "mixed-poll-bob"]
        tournament = service.play(names, players=4, deals=2, **SLOW)
    rows = service.standings(tournament)
    assert {name: sum(row["faults"].values()) for name, row in rows.items()} == dict.fromkeys(names, 0)
    assert {row["matches"] for row in rows.values()} == {8}
