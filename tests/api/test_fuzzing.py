"""schemathesis over every operation of the document, with real games, bots and tokens: nothing breaks, and no answer is
one that the document does not have."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, new_game

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]

JUDGED_SINGLY = "/v1/actions"
"""A wrong answer among many is refused in its place, and the call as a whole is answered 200."""


@pytest.fixture
def ids(app: Flask) -> dict[str, str]:
    """Things that are there, by the name of their part of a path, and the tokens of those who play."""
    client = app.test_client()
    made: Json = {}
    for name in ("anne", "bert"):
        bot = {"name": name, "kind": "poll", "casual": True}
        made = client.post("/v1/bots", json=bot, headers=bearer(ORGANISER)).json or {}
    body = {"name": "x", "bots": ["anne", "bert"], "players": 2}
    tournament: Json = client.post("/v1/tournaments", json=body, headers=bearer(ORGANISER)).json or {}
    key: Json = client.post("/v1/keys", json={"role": "author", "name": "x"}, headers=bearer(ORGANISER)).json or {}
    game = new_game(client, 3, ORGANISER, public=True, seats=["creator", "creator", "open"])
    running = new_game(client, 2, ORGANISER)
    return {
        "game": running.id,
        "open": game.id,
        "bot": made["bot"],
        "tournament": tournament["tournament"],
        "key": key["id"],
        "seat_token": running.tokens[0],
        "bot_token": made["token"],
    }


def token_for(path: str, ids: dict[str, str]) -> str:
    """Of somebody who may call this."""
    if path == "/v1/bots/me/decisions":
        return ids["bot_token"]
    return ids["seat_token"] if path.startswith("/v1/games/{game}/") else ORGANISER


@pytest.mark.parametrize("examples", [1, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_operation_breaks_or_answers_what_is_not_documented(
    app: Flask, ids: dict[str, str], mode: GenerationMode, examples: int
) -> None:
    schema = schemathesis.openapi.from_wsgi("/openapi.json", app)
    operations = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) > 30
    for operation in operations:
        if mode is GenerationMode.POSITIVE or operation.body or operation.query:
            fuzz(operation, ids, mode, examples)


def fuzz(operation: Any, ids: dict[str, str], mode: GenerationMode, examples: int) -> None:
    """Sends requests that fit the operation's description, or in the negative mode do not."""

    checks = [check for check in CHECKS if operation.path != JUDGED_SINGLY or check is not negative_data_rejection]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def send(case: Any) -> None:
        for name in case.path_parameters or {}:
            if name in ids and "/check" not in operation.path:  # A check of a bot waits for workers: here for nobody.
                case.path_parameters[name] = ids["open" if "{seat}" in operation.path else name]
        # Waiting is tested elsewhere, and takes time.
        if isinstance((case.query or {}).get("wait"), int | float):
            case.query["wait"] = min(case.query["wait"], 0)
        case.headers = {**(case.headers or {}), **bearer(token_for(operation.path, ids))}
        case.call_and_validate(checks=checks)

    send()
