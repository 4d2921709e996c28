"""`POST /v1/bots/{id}/check` with workers behind it."""

from __future__ import annotations

import threading

import pytest
import requests

from bots.faulty import start
from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from service.processes.supervisor import wait_until
from tests.e2e.running_service import Entrant, OrganiserClient, polling, pushing
from tests.e2e.test_poll_faults import CROOKED, Crooked


def findings(report: dict[str, list[dict[str, str]]]) -> dict[str, dict[str, str]]:
    return {finding["check"]: finding for finding in report["findings"]}


def test_a_push_bot_of_the_kit_is_ready(service: OrganiserClient) -> None:
    with pushing(service, {"pusher": GreedyBot()}) as entered:
        checked = service.post(f"/v1/bots/{entered['pusher'].id}/check", {})
    assert checked["status"] == "finished"
    assert checked["report"]["grade"] == "ready", checked
    assert findings(checked["report"])["a wrong signature"]["grade"] == "ok"
    again = service.get(f"/v1/bots/{entered['pusher'].id}/checks/{checked['check']}")
    assert again == checked
    assert service.faults(entered["pusher"]) == []
    shown = service.get("/v1/bots/pusher")
    assert (shown["status"], shown["version"]) == ("online", checked["report"]["version"])


def test_a_poll_bot_of_the_kit_is_ready(service: OrganiserClient) -> None:
    with polling(service, {"poller": RandomBot()}) as entered:
        checked = service.post(f"/v1/bots/{entered['poller'].id}/check", {})
    assert checked["report"]["grade"] == "ready", checked
    assert checked["report"]["version"] == "1"
    assert checked["report"]["asks"] > 10


@pytest.mark.parametrize("name", ["garbled", "illegal"])
def test_a_crooked_poll_bot_is_faulty(service: OrganiserClient, name: str) -> None:
    wrong, kind = CROOKED[name]
    entrant = service.register(name)
    with Crooked(service, entrant, wrong):
        checked = service.post(f"/v1/bots/{entrant.id}/check", {})
    assert checked["report"]["grade"] == "faulty"
    assert kind in findings(checked["report"])["a game"]["detail"]
    assert {fault["kind"] for fault in service.faults(entrant)} == {kind}


def test_a_poll_bot_that_does_not_poll_is_told_so(service: OrganiserClient) -> None:
    entrant = service.register("absent")
    checked = service.post(f"/v1/bots/{entrant.id}/check", {})
    assert findings(checked["report"]) == {"polling": findings(checked["report"])["polling"]}
    assert checked["report"]["grade"] == "faulty"


def test_a_check_that_runs_is_joined_and_delays_nobody(service: OrganiserClient) -> None:
    with start("hanging") as bad, pushing(service, {"quick": RandomBot()}) as entered:
        slow = service.register("hanging", bad.url)
        replies: list[requests.Response] = []

        def check() -> None:
            headers = {"Authorization": f"Bearer {slow.token}"}
            replies.append(requests.post(f"{service.url}/v1/bots/{slow.id}/check", headers=headers, timeout=60))

        threads = [threading.Thread(target=check) for _ in range(2)]
        for thread in threads:
            thread.start()
        assert wait_until(lambda: bad.asks > 0, 10)
        quick = service.post(f"/v1/bots/{entered['quick'].id}/check", {})
        assert quick["report"]["grade"] == "ready"
        assert replies == [], "the slow one is still being checked"
        for thread in threads:
            thread.join(60)
    assert [reply.status_code for reply in replies] == [200, 200]
    first, second = (reply.json() for reply in replies)
    assert first == second
    assert first["report"]["grade"] == "faulty"


def call(service: OrganiserClient, entrant: Entrant, token: str | None) -> requests.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return requests.post(f"{service.url}/v1/bots/{entrant.id}/check", headers=headers, timeout=60)


def test_only_owner_and_organiser_may_have_a_bot_checked(service: OrganiserClient) -> None:
    mine, other = service.register("mine"), service.register("other")
    assert call(service, mine, None).status_code == 401
    assert call(service, mine, other.token).status_code == 403
    assert (
        requests.get(
            f"{service.url}/v1/bots/{mine.id}/checks/nothing",
            headers={"Authorization": f"Bearer {mine.token}"},
            timeout=30,
        ).status_code
        == 404
    )
