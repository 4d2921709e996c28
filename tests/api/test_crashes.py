"""The process that serves a creating call with an `Idempotency-Key` is killed: the call is sent again."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Any

import pytest
import requests
from flask.testing import FlaskClient

from service.api.app import create_app
from service.errors import Unavailable
from service.operations.context import Context
from service.processes.supervisor import wait_until
from service.store import clients
from service.store.queues import JobQueue
from tests.api.conftest import ORGANISER
from tests.api.game_setup import ApiGame, Json, bearer, new_game, problem

KEY = "0123456789abcdef-first"
PUSH = {"name": "pusher", "kind": "push", "url": "http://bot.example:9000", "casual": True}
HOOK = "https://example.org/hook"
GAME = {"players": 3, "seats": ["creator", "open", "creator"], "public": True}
CUP = {"name": "cup", "bots": ["anne", "bert"], "players": 2, "callback": HOOK}


class Failing(JobQueue):
    """The Redis of the queues is gone."""

    def enqueue_turn(self, game: str, seat: int) -> None:
        raise Unavailable("Redis does not answer")


@dataclass(frozen=True)
class Sent:
    """A creating call."""

    path: str
    body: Json
    token: str | None = ORGANISER

    @property
    def headers(self) -> dict[str, str]:
        return {"Idempotency-Key": KEY, **bearer(self.token)}


def send(client: FlaskClient, call: Sent) -> Any:
    return client.post(call.path, json=call.body, headers=call.headers)


def again(client: FlaskClient, call: Sent) -> Json:
    """The answer to the call that is sent again: the one that nobody has had, and it stays the same."""
    response, repeated = send(client, call), send(client, call)
    assert response.status_code in (201, 202), response.text
    assert response.headers["Idempotency-Replayed"] == "true"
    assert (repeated.status_code, repeated.json) == (response.status_code, response.json)
    found: Json = response.json
    return found


def crash(redis_url: str, call: Sent, step: str = "answering") -> None:
    """Sends the call to a server that is killed at that step."""
    program = [sys.executable, "-m", "tests.api.programs.dying", redis_url, ORGANISER, step]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{int(process.stdout.readline())}{call.path}"
        with pytest.raises(requests.ConnectionError):
            requests.post(url, json=call.body, headers=call.headers, timeout=20)
        assert process.wait(20) == -signal.SIGKILL


def listed(client: FlaskClient, path: str) -> list[Json]:
    found: Json = client.get(path, headers=bearer(ORGANISER)).json or {}
    items: list[Json] = found["items"]
    return items


def create(client: FlaskClient, path: str, body: Json) -> Json:
    response = client.post(path, json=body, headers=bearer(ORGANISER))
    assert response.status_code in (201, 202), response.text
    made: Json = response.json or {}
    return made


def entrants(client: FlaskClient) -> list[str]:
    """The bots of CUP."""
    return [create(client, "/v1/bots", {"name": name, "kind": "poll"})["bot"] for name in ("anne", "bert")]


def game_of(client: FlaskClient, made: Json) -> ApiGame:
    tokens = {given["seat"]: given["token"] for given in made["tokens"]}
    return ApiGame(client, made["game"], made["creator_token"], tokens)


def test_a_game_is_there_once_and_its_tokens_are_good(client: FlaskClient, redis_url: str) -> None:
    call = Sent("/v1/games", GAME, None)
    crash(redis_url, call)
    (there,) = listed(client, "/v1/games")
    game = game_of(client, again(client, call))
    assert game.id == there["game"]
    assert len(listed(client, "/v1/games")) == 1
    assert game.view(0)["seat"] == 0
    assert game.view(2)["seat"] == 2
    assert client.delete(game.path, headers=bearer(game.creator)).status_code == 204


def test_a_game_that_others_have_joined_meanwhile_can_be_played_with_its_tokens(
    client: FlaskClient, redis_url: str
) -> None:
    call = Sent("/v1/games", GAME, None)
    crash(redis_url, call)
    (there,) = listed(client, "/v1/games")
    joined = create(client, f"/v1/games/{there['game']}/seats/1", {"name": "Ada"})
    made = again(client, call)
    assert (made["game"], made["status"]) == (there["game"], "open"), "as it was when it was created"
    game = game_of(client, made)
    game.tokens[1] = joined["token"]
    assert game.play_out()["status"] == "finished"


@pytest.mark.parametrize("step", ["queueing", "answering"])
def test_a_game_with_a_bot_and_a_callback_is_there_once(
    client: FlaskClient, context: Context, redis_url: str, step: str
) -> None:
    bot = create(client, "/v1/bots", PUSH)
    call = Sent("/v1/games", {"players": 2, "seats": ["creator", {"bot": "pusher"}], "callback": HOOK, "public": True})
    crash(redis_url, call, step)
    (there,) = listed(client, "/v1/games")
    # What is to be seated has gone meanwhile, and the call would be refused if it were a new one.
    client.delete(f"/v1/bots/{bot['bot']}", headers=bearer(ORGANISER))
    made = again(client, call)
    assert made["game"] == there["game"]
    (told, *_) = [context.callbacks.hold(slot, 1) for slot, _ in context.callbacks.take(10, 1)]
    assert told is not None
    assert told.callback.secret == made["callback_secret"]
    assert len(listed(client, "/v1/games")) == 1


def test_what_was_killed_before_it_created_is_created_by_the_next_call(client: FlaskClient, redis_url: str) -> None:
    call = Sent("/v1/games", GAME, None)
    crash(redis_url, call, "creating")
    assert listed(client, "/v1/games") == []
    problem(send(client, call), 409, "wrong_state")
    assert wait_until(lambda: send(client, call).status_code != 409, 10), "the claim of the dead expires"
    game = game_of(client, again(client, call))
    assert [there["game"] for there in listed(client, "/v1/games")] == [game.id]
    assert game.view(0)["seat"] == 0


def test_a_call_is_answered_also_when_its_bots_turn_cannot_be_queued(client: FlaskClient, context: Context) -> None:
    create(client, "/v1/bots", PUSH)
    call = Sent("/v1/games", {"players": 2, "seats": ["creator", {"bot": "pusher"}], "public": True})
    broken = create_app(replace(context, queue=Failing(clients.queue_commands(context.settings.redis_url))))
    made = send(broken.test_client(), call)
    assert made.status_code == 201, made.text
    (there,) = listed(client, "/v1/games")
    assert made.json["game"] == there["game"]
    context.clock.advance(1)
    assert context.game_lists.unplayed_turns(0, 10) == [(there["game"], 1)], "the steward queues it later"


def test_a_seat_is_taken_once_and_its_token_is_good(client: FlaskClient, redis_url: str) -> None:
    game = new_game(client, 3, seats=["creator", "open", "open"])
    call = Sent(f"{game.path}/seats/1", {"name": "Ada"}, None)
    crash(redis_url, call)
    version = game.view()["version"]
    token = again(client, call)["token"]
    assert game.view()["version"] == version
    assert (client.get(game.path, headers=bearer(token)).json or {})["seat"] == 1


def test_a_bot_is_registered_once_and_its_token_and_secret_are_good(
    client: FlaskClient, context: Context, redis_url: str
) -> None:
    call = Sent("/v1/bots", PUSH)
    crash(redis_url, call)
    (there,) = listed(client, "/v1/bots")
    client.patch(f"/v1/bots/{there['bot']}", json={"max_games": 9}, headers=bearer(ORGANISER))
    made = again(client, call)
    assert (made["bot"], made["created"], made["max_games"]) == (there["bot"], there["created"], 4), "as it was"
    assert len(listed(client, "/v1/bots")) == 1
    changed = client.patch(f"/v1/bots/{made['bot']}", json={"casual": False}, headers=bearer(made["token"]))
    assert changed.status_code == 200
    kept = context.bots.read(made["bot"])
    assert kept is not None
    assert kept.secrets == ((made["secret"], None),)


def test_a_key_is_made_once_and_is_good(client: FlaskClient, redis_url: str) -> None:
    call = Sent("/v1/keys", {"role": "author", "name": "Ada"})
    crash(redis_url, call)
    (there,) = listed(client, "/v1/keys")
    made = again(client, call)
    assert {name: made[name] for name in there} == there
    assert len(listed(client, "/v1/keys")) == 1
    assert client.post("/v1/bots", json=PUSH, headers=bearer(made["key"])).status_code == 201


def test_a_tournament_is_created_once(client: FlaskClient, context: Context, redis_url: str) -> None:
    entrants(client)
    call = Sent("/v1/tournaments", CUP)
    crash(redis_url, call)
    (there,) = listed(client, "/v1/tournaments")
    made = again(client, call)
    assert {name: made[name] for name in there} == there
    assert len(listed(client, "/v1/tournaments")) == 1
    (told,) = [context.callbacks.hold(slot, 1) for slot, _ in context.callbacks.take(10, 1)]
    assert told is not None
    assert told.callback.secret == made["callback_secret"]


def test_a_tournament_that_is_over_and_whose_bots_are_gone_is_still_the_one(
    client: FlaskClient, redis_url: str
) -> None:
    bots = entrants(client)
    call = Sent("/v1/tournaments", CUP)
    crash(redis_url, call)
    (there,) = listed(client, "/v1/tournaments")
    cancelled = client.post(f"/v1/tournaments/{there['tournament']}/cancellation", headers=bearer(ORGANISER))
    assert cancelled.status_code == 200
    for bot in bots:
        assert client.delete(f"/v1/bots/{bot}", headers=bearer(ORGANISER)).status_code == 204
    made = again(client, call)
    assert (made["tournament"], made["status"]) == (there["tournament"], "running"), "as it was when it was created"


def test_a_record_is_imported_once(client: FlaskClient, context: Context, redis_url: str) -> None:
    game = new_game(client, 2, seed="imported")
    game.play_out(random.Random(1).choice)
    record: Json = client.get(f"{game.path}/record").json or {}
    context.games.remove(game.id)
    call = Sent("/v1/records", record)
    crash(redis_url, call)
    made = again(client, call)
    assert (made["game"], made["digest"]) == (game.id, record["digest"])
    refused = client.post(call.path, json=record, headers=bearer(ORGANISER))
    assert refused.status_code == 409, "another call finds the id in use"
