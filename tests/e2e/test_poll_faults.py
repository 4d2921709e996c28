"""What goes wrong over poll, in a tournament: each fault has the name that it has over push."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import requests

from bots.program import ProgramBot
from bots.random_bot import RandomBot
from tests.e2e.running_service import Entrant, OrganiserClient, polling

Wrong = Callable[[dict[str, Any]], bytes | None]
MAX_FAULTS = 1
#: Two faults are too many, so the silent bot takes two budgets of each match; nobody else comes near them.
TERMS = {"players": 2, "move_ms": 2000, "bank_ms": 0, "warmup_ms": 20_000, "max_faults": MAX_FAULTS}


def text(value: Any) -> bytes:
    return json.dumps(value).encode()


#: What each sends to every ask, and the fault that it is.
CROOKED: dict[str, tuple[Wrong, str]] = {
    "silent": (lambda ask: None, "late"),
    "garbled": (lambda ask: b'{"decision":"%s","index":NaN}' % ask["decision"]["id"].encode(), "bad_body"),
    "loose": (lambda ask: text({"decision": ask["decision"]["id"], "index": "0"}), "bad_body"),
    "illegal": (lambda ask: text({"decision": ask["decision"]["id"], "index": 10_000}), "illegal"),
}


class Crooked:
    """A poll bot that answers as it is told, once to each ask."""

    def __init__(self, service: OrganiserClient, entrant: Entrant, wrong: Wrong) -> None:
        self.previous: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self._url = service.url
        self._headers = {"Authorization": f"Bearer {entrant.token}", "Content-Type": "application/json"}
        self._wrong = wrong
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Crooked:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        query: dict[str, str] = {"version": "9"}
        seen: set[tuple[str, str]] = set()
        with requests.Session() as session:
            session.headers.update(self._headers)
            while not self._stop.is_set():
                found = session.get(f"{self._url}/v1/bots/me/decisions", params=query, timeout=30).json()
                query |= {"after": found["cursor"], "wait": "1"}
                for ask in found["decisions"]:
                    if (name := (ask["game"], ask["decision"]["id"])) not in seen:
                        seen.add(name)
                        self._answer(session, ask)

    def _answer(self, session: requests.Session, ask: dict[str, Any]) -> None:
        if ask["previous"] is not None:
            self.previous.append(ask["previous"])
        body = self._wrong(ask)
        if body is not None:
            answer = session.post(f"{self._url}/v1/games/{ask['game']}/actions", data=body, timeout=30)
            self.statuses.append(answer.status_code)


@contextmanager
def crooked(service: OrganiserClient) -> Iterator[dict[str, tuple[Entrant, Crooked]]]:
    with ExitStack() as stack:
        found = {}
        for name, (wrong, _) in CROOKED.items():
            entrant = service.register(name)
            found[name] = (entrant, stack.enter_context(Crooked(service, entrant, wrong)))
        yield found


def test_each_fault_over_poll_has_its_name_and_nobody_else_suffers(service: OrganiserClient) -> None:
    with crooked(service) as bad, polling(service, {"honest": RandomBot("honest")}) as good:
        tournament = service.play(["honest"], format="gauntlet", challengers=list(bad), **TERMS)
    rows = service.standings(tournament)
    for name, (entrant, player) in bad.items():
        kind = CROOKED[name][1]
        ledger = service.faults(entrant)
        assert {fault["kind"] for fault in ledger} == {kind}
        assert rows[name]["faults"] == {**dict.fromkeys(rows[name]["faults"], 0), kind: len(ledger)}
        assert rows[name]["versions"] == ["9"]
        assert {previous["outcome"] for previous in player.previous} == {kind}
        assert all(fault["elapsed_ms"] >= (TERMS["move_ms"] if kind == "late" else 0) for fault in ledger)
        assert all(fault["received"] for fault in ledger) or kind == "late"
        assert set(player.statuses) <= {400, 422}
    assert service.faults(good["honest"]) == []
    assert rows["honest"]["rank"] == 1
    assert (rows["honest"]["forfeits"], sum(rows["honest"]["faults"].values())) == (0, 0)
    for match in service.matches(tournament):
        assert match["not_started"] == []
        by_name = dict(zip(match["seats"], match["faults"], strict=True))
        assert by_name.pop("honest") == {}
        assert [sum(faults.values()) for faults in by_name.values()] == [MAX_FAULTS + 1]


def test_a_program_that_crashes_costs_its_decision_at_once_and_its_owner_reads_why(service: OrganiserClient) -> None:
    crashing = ProgramBot([sys.executable, "-c", "raise SystemExit(7)"], name="crashing")
    terms = {**TERMS, "move_ms": 20_000}
    with polling(service, {"steady": RandomBot("steady"), "crashing": crashing}) as entrants:
        tournament = service.play(["steady", "crashing"], deals=1, **terms)
    ledger = service.faults(entrants["crashing"])
    assert ledger
    assert {fault["kind"] for fault in ledger} == {"bad_body"}
    assert all("exit status 7" in fault["received"] for fault in ledger)
    assert service.standings(tournament)["steady"]["forfeits"] == 0
