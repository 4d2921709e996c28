"""Games by HTTP, for the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient

Json = dict[str, Any]
Chooser = Callable[[list[Json]], Json]


def bearer(token: str | None) -> dict[str, str]:
    """The header with a token."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


@dataclass(frozen=True, slots=True)
class ApiGame:
    """A game that this test has created, with its tokens."""

    client: FlaskClient
    id: str
    creator: str
    tokens: dict[int, str]

    @property
    def path(self) -> str:
        return f"/v1/games/{self.id}"

    def view(self, seat: int | None = None) -> Json:
        """The game as a seat, or a spectator, sees it."""
        response = self.client.get(self.path, headers=bearer(None if seat is None else self.tokens[seat]))
        assert response.status_code == 200
        return response.json or {}

    def ask(self, seat: int) -> Json | None:
        """What the seat is asked; None: nothing, or the game is over."""
        response = self.client.get(f"{self.path}/decision", headers=bearer(self.tokens[seat]))
        return response.json if response.status_code == 200 else None

    def act(self, seat: int, answer: Json, expected: int = 200) -> Json:
        """Answers for a seat."""
        response = self.client.post(f"{self.path}/actions", json=answer, headers=bearer(self.tokens[seat]))
        assert response.status_code == expected, response.text
        return response.json or {}

    def play_cards(self, seat: int, big: int = 1, little: int = 2, round_number: int = 1) -> Json:
        """Chooses cards for a seat."""
        action = {"type": "play", "big": big, "little": little}
        return self.act(seat, {"decision": f"{round_number}.play.{seat}.0", "action": action})

    def play_out(self, choose: Chooser = lambda legal: legal[0]) -> Json:
        """Plays to the end; the spectator's last view."""
        while (view := self.view())["status"] == "running":
            for seat in view["due"]:
                ask = self.ask(seat)
                assert ask is not None
                self.act(seat, {"decision": ask["decision"]["id"], "action": choose(ask["legal_actions"])})
        return view


def new_game(client: FlaskClient, players: int = 2, token: str | None = None, **members: Any) -> ApiGame:
    """Creates a game."""
    response = client.post("/v1/games", json={"players": players, **members}, headers=bearer(token))
    assert response.status_code == 201, response.text
    made = response.json or {}
    tokens = {given["seat"]: given["token"] for given in made["tokens"]}
    return ApiGame(client, made["game"], made["creator_token"], tokens)


def problem(response: Any, status: int, code: str) -> Json:
    """The problem that was answered, of this status and code."""
    assert response.status_code == status, response.text
    assert response.mimetype == "application/problem+json"
    found: Json = response.json
    assert found["code"] == code
    assert found["status"] == status
    return found
