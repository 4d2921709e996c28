"""A whole service that runs, as an organiser uses it, and bots of this process that play there over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import requests

from montego_bot import Bot, Poller, push_app, running
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.pollers import running_pollers

KEY = "the-organisers-key-of-these-tests"
REFERENCE_BOTS = {"greedy", "greedy-2", "random", "random-2"}
OVER = ("finished", "cancelled", "failed")


@dataclass(frozen=True, slots=True)
class Entrant:
    """A registered bot. `secret` is None for a poll bot."""

    id: str
    name: str
    token: str
    secret: str | None


class OrganiserClient:
    """Calls one service as an organiser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {KEY}"

    def get(self, path: str, **query: Any) -> Any:
        """The JSON answer to a GET, which must be 200."""
        answer = self._session.get(self.url + path, params=query, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON answer to a POST, which must succeed."""
        answer = self._session.post(self.url + path, json=body, timeout=60)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def items(self, path: str) -> Iterator[dict[str, Any]]:
        """All items of a list."""
        cursor: str | None = None
        while True:
            page = self.get(path, limit=100, **({"cursor": cursor} if cursor else {}))
            yield from page["items"]
            cursor = page["next"]
            if cursor is None:
                return

    def clear(self) -> None:
        """Ends all tournaments but the ladder's season, and deletes all bots but the reference bots."""
        seasons = {season for ladder in self.items("/v1/ladders") for season in ladder["seasons"]}
        for tournament in self.items("/v1/tournaments"):
            if tournament["status"] not in OVER and tournament["tournament"] not in seasons:
                self.post(f"/v1/tournaments/{tournament['tournament']}/cancellation", {})
        for bot in list(self.items("/v1/bots")):
            if bot["name"] not in REFERENCE_BOTS:
                answer = self._session.delete(f"{self.url}/v1/bots/{bot['bot']}", timeout=60)
                assert answer.status_code == 204, answer.text

    def register(self, name: str, url: str | None = None, **more: Any) -> Entrant:
        """Registers a push bot, or without a URL a poll bot."""
        kind = {"kind": "poll"} if url is None else {"kind": "push", "url": url}
        made = self.post("/v1/bots", {"name": name, **kind, **more})
        return Entrant(made["bot"], made["name"], made["token"], made["secret"])

    def begin(self, names: list[str], **more: Any) -> str:
        """Starts a round robin; its id."""
        body = {"name": "a cup", "format": "round_robin", "bots": names, "seed": "cup", **more}
        return str(self.post("/v1/tournaments", body)["tournament"])

    def play(self, names: list[str], *, within: float = 120, **more: Any) -> str:
        """Plays a round robin to its end; its id."""
        tournament = self.begin(names, **more)
        path = f"/v1/tournaments/{tournament}"
        assert wait_until(lambda: self.get(path)["status"] in OVER, within, pause=0.1), self.get(path)
        assert self.get(path)["status"] == "finished", self.get(path)
        return tournament

    def matches(self, tournament: str) -> list[dict[str, Any]]:
        """All matches, in the order of the schedule."""
        return list(self.items(f"/v1/tournaments/{tournament}/matches"))

    def records(self, tournament: str) -> list[dict[str, Any]]:
        """The records of all matches, in the order of the schedule."""
        return [self.get(f"/v1/games/{match['game']}/record") for match in self.matches(tournament)]

    def standings(self, tournament: str) -> dict[str, dict[str, Any]]:
        """The rows of the standings by name."""
        found = self.get(f"/v1/tournaments/{tournament}/standings")
        return {row["name"]: row for row in found["standings"]}

    def faults(self, entrant: Entrant) -> list[dict[str, Any]]:
        """A bot's ledger, newest first."""
        return list(self.items(f"/v1/bots/{entrant.id}/faults"))


@contextmanager
def pushing(service: OrganiserClient, bots: Mapping[str, Bot]) -> Iterator[dict[str, Entrant]]:
    """Registers and serves push bots that answer only what is signed."""
    entered: dict[str, Entrant] = {}
    with ExitStack() as stack:
        for name, bot in bots.items():
            port = free_port()
            entrant = entered[name] = service.register(name, f"http://127.0.0.1:{port}")
            stack.enter_context(running(push_app(bot, secrets=[entrant.secret or ""]), port=port))
        yield entered


@contextmanager
def polling(service: OrganiserClient, bots: Mapping[str, Bot]) -> Iterator[dict[str, Entrant]]:
    """Registers and runs poll bots."""
    entered = {name: service.register(name) for name in bots}
    pollers = [Poller(bot, service.url, entered[name].token, wait=1) for name, bot in bots.items()]
    with running_pollers(pollers):
        yield entered
