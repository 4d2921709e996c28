"""Nothing that anybody can get hold of differs with another seat's cards before the reveal.

Two games with the same ids, tokens, deal and times are played, in which one seat chooses differently; everything that
everybody else can ask for must be the same, to the byte.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api.app import create_app
from service.operations.context import Context
from service.operations.games.projection import ProjectionCache
from tests.api.game_setup import ApiGame, Json, bearer, new_game

NOW_MS = 1_790_000_000_000
OFTEN_CHANGING = ("X-Request-ID", "RateLimit", "Date")


def twin(context: Context) -> Flask:
    """An application in which time stands still and chance repeats itself."""
    numbers = itertools.count(1)

    def repeated(length: int) -> bytes:
        return next(numbers).to_bytes(8, "big").rjust(length, b"\x55")

    still = replace(context, wall_ms=lambda: NOW_MS, random_bytes=repeated, projections=ProjectionCache())
    return create_app(still)


def played(context: Context, choice: Json, others: int = 0) -> ApiGame:
    """A game of four in which seat 2 has chosen, and so many others."""
    game = new_game(twin(context).test_client(), 4, seed="hidden")
    game.act(2, {"decision": "1.play.2.0", "action": choice})
    for seat in (0, 1)[:others]:
        game.play_cards(seat)
    return game


def visible(response: TestResponse) -> Any:
    """All of an answer that another could learn from."""
    headers = {name: value for name, value in response.headers if name not in OFTEN_CHANGING}
    return response.status_code, headers, response.data


def everything(game: ApiGame) -> Iterator[Any]:
    """What everybody but seat 2 can ask for."""
    for seat in (None, 0, 1, 3):
        token = bearer(None if seat is None else game.tokens[seat])
        for path in ("", "/decision", "/legal-actions", "/events", "/events?after=5", "/record"):
            yield visible(game.client.get(f"{game.path}{path}", headers=token))
        tag = game.client.get(game.path, headers=token).headers["ETag"]
        yield visible(game.client.get(game.path, headers={**token, "If-None-Match": tag}))
        yield visible(game.client.head(game.path, headers=token))
        yield visible(
            game.client.post(f"{game.path}/actions", json={"decision": "1.play.2.0", "index": 3}, headers=token)
        )
    yield visible(game.client.get(f"{game.path}/decision", headers=bearer(game.creator)))
    yield visible(game.client.delete(game.path, headers=bearer(game.tokens[3])))
    yield visible(game.client.get("/v1/games"))


@pytest.mark.parametrize("others", [0, 2])
def test_no_answer_differs_with_anothers_choice(context: Context, redis_url: str, others: int) -> None:
    seen = []
    for big, little in ((1, 1), (5, 3)):
        game = played(context, {"type": "play", "big": big, "little": little}, others)
        seen.append(list(everything(game)))
        # The twin takes the same id.
        context.games.remove(game.id)
    assert seen[0] == seen[1]


def test_metrics_tell_nothing_of_a_choice(context: Context, redis_url: str) -> None:
    game = played(context, {"type": "play", "big": 4, "little": 2})
    text = game.client.get("/metrics").text
    assert game.id not in text
    assert '"play"' not in text


def test_what_was_chosen_is_told_at_the_reveal(client: FlaskClient) -> None:
    game = new_game(client, 2)
    game.play_cards(0, 4, 2)
    assert '"big":4' not in json.dumps(client.get(f"{game.path}/events").json, separators=(",", ":"))
    game.play_cards(1, 1, 1)
    events = (client.get(f"{game.path}/events").json or {})["events"]
    revealed = next(event for event in events if event["type"] == "revealed")
    assert revealed["cards"][0] == {"seat": 0, "big": 4, "little": 2}
