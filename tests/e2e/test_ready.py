"""A tournament that requires its bots to be ready, with API, steward and workers running."""

from __future__ import annotations

from bots.random_bot import RandomBot
from montego_bot import push_app, running
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.e2e.running_service import OrganiserClient, polling


def statuses(service: OrganiserClient, tournament: str) -> dict[str, str]:
    return {entrant["name"]: entrant["status"] for entrant in service.get(f"/v1/tournaments/{tournament}")["entrants"]}


def test_it_names_the_bot_that_is_down_and_begins_when_that_has_come_up(service: OrganiserClient) -> None:
    port = free_port()
    service.register("pusher", f"http://127.0.0.1:{port}")
    with polling(service, {"poller": RandomBot()}):
        assert wait_until(lambda: service.get("/v1/bots/poller")["status"] == "online", 20)
        tournament = service.begin(["pusher", "poller"], players=2, require_ready=True, warmup_ms=1000)
        path = f"/v1/tournaments/{tournament}"
        assert wait_until(lambda: statuses(service, tournament) == {"pusher": "offline", "poller": "online"}, 20), (
            statuses(service, tournament)
        )
        assert "unreachable" in service.get("/v1/bots/pusher")["failure"]
        assert service.get(path)["status"] == "waiting"
        with running(push_app(RandomBot("pusher")), port=port):
            assert wait_until(lambda: service.get(path)["status"] == "finished", 60), service.get(path)
    assert [row["not_started"] for row in service.standings(tournament).values()] == [0, 0]
