"""Games over HTTP whose players have names, for the tests."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import requests

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seated:
    """A running game on a server, and the tokens of its seats."""

    url: str
    id: str
    tokens: tuple[str, ...]

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"{self.url}/games/{self.id}"

    def view(self) -> Json:
        """What a spectator sees."""
        found: Json = requests.get(f"{self.url}/v1/games/{self.id}", timeout=10).json()
        return found

    def act(self, draw: random.Random) -> int | None:
        """One action by chance, of a seat that is to act; the seat, or None when the game is over."""
        view = self.view()
        if view["status"] != "running":
            return None
        seat: int = view["due"][0]
        headers = {"Authorization": f"Bearer {self.tokens[seat]}"}
        ask = requests.get(f"{self.url}/v1/games/{self.id}/decision", headers=headers, timeout=10).json()
        index = draw.randrange(len(ask["legal_actions"]))
        answer = {"decision": ask["decision"]["id"], "index": index}
        sent = requests.post(f"{self.url}/v1/games/{self.id}/actions", headers=headers, json=answer, timeout=10)
        assert sent.status_code == 200, sent.text
        return seat

    def play(self, actions: int | None = None, chance: int = 1) -> None:
        """So many actions by chance; None: to the end."""
        draw = random.Random(chance)
        while actions is None or actions > 0:
            if self.act(draw) is None:
                return
            actions = None if actions is None else actions - 1


def seat(url: str, names: Sequence[str] = ("Ada", "Bo"), **members: Any) -> Seated:
    """Creates a game, and seats a player of each name."""
    body = {"players": len(names), "seats": ["open"] * len(names), "seed": "pages", **members}
    made = requests.post(f"{url}/v1/games", json=body, timeout=10)
    assert made.status_code == 201, made.text
    game = made.json()["game"]
    tokens = []
    for number, name in enumerate(names):
        joined = requests.post(f"{url}/v1/games/{game}/seats/{number}", json={"name": name}, timeout=10)
        assert joined.status_code == 201, joined.text
        tokens.append(joined.json()["token"])
    return Seated(url, game, tuple(tokens))
