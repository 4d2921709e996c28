"""A platform with the whole service behind it: it hears of its game and its tournament, and polls nothing."""

from __future__ import annotations

from typing import Any

import requests
from standardwebhooks import Webhook

from bots.random_bot import RandomBot
from service.processes.supervisor import wait_until
from tests.e2e.running_service import OrganiserClient, pushing
from tests.workers.raw_bots import RawBot, http, says


def messages(platform: RawBot, secret: str) -> list[dict[str, Any]]:
    """What the platform has heard so far; all of it is signed."""
    return [Webhook(secret).verify(request.body, request.headers) for request in list(platform.received)]


def play_when_told(service: OrganiserClient, platform: RawBot, made: dict[str, Any]) -> None:
    """Each turn is played when a callback tells of it: seats that owe an answer get the first legal one."""
    game = f"{service.url}/v1/games/{made['game']}"
    tokens = {given["seat"]: {"Authorization": f"Bearer {given['token']}"} for given in made["tokens"]}
    version, secret = 0, made["callback_secret"]

    def news() -> list[dict[str, Any]]:
        return [told for told in messages(platform, secret) if told["data"]["version"] > version]

    while wait_until(lambda: bool(news()), 20):
        newest = max(news(), key=lambda told: int(told["data"]["version"]))
        version = newest["data"]["version"]
        if newest["type"] == "game.ended":
            return
        for seat in newest["data"]["due"]:
            ask = requests.get(f"{game}/decision", headers=tokens[seat], timeout=20)
            if ask.status_code != 200:
                continue
            body = {"decision": ask.json()["decision"]["id"], "index": 0}
            requests.post(f"{game}/actions", json=body, headers=tokens[seat], timeout=20).raise_for_status()
    raise AssertionError(f"nothing was heard after version {version}")


def test_a_game_is_played_to_its_end_by_what_callbacks_tell(service: OrganiserClient) -> None:
    with RawBot(says(http(b"", "204 No Content"))) as platform:
        made = service.post("/v1/games", {"players": 2, "callback": f"{platform.url}/games", "seed": "kill-1"})
        play_when_told(service, platform, made)
        heard = messages(platform, made["callback_secret"])
    types = [told["type"] for told in heard]
    assert (types.count("game.started"), types.count("game.ended")) == (1, 1)
    assert len({request.headers["webhook-id"] for request in platform.received}) == len(heard)
    final = service.get(f"/v1/games/{made['game']}")
    ended = next(told for told in heard if told["type"] == "game.ended")
    assert final["status"] == "finished"
    assert ended["data"] == {"game": made["game"], "version": final["version"], "due": []}


def test_start_and_end_of_a_tournament_are_heard(service: OrganiserClient) -> None:
    with (
        RawBot(says(http(b"", "204 No Content"))) as platform,
        pushing(service, {"ann": RandomBot("ann"), "ben": RandomBot("ben")}),
    ):
        body = {"name": "cup", "bots": ["ann", "ben"], "players": 2, "callback": platform.url}
        made = service.post("/v1/tournaments", body)
        assert wait_until(lambda: len(platform.received) == 2, 60)
        heard = messages(platform, made["callback_secret"])
    assert [told["type"] for told in heard] == ["tournament.started", "tournament.ended"]
    assert {told["data"]["tournament"] for told in heard} == {made["tournament"]}
    assert service.get(f"/v1/tournaments/{made['tournament']}")["status"] == "finished"
