"""`POST /v1/games`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from limits import RateLimitItemPerMinute

from service.api import limits
from service.api.app import create_app
from service.config import Settings
from service.engine.components import components_to_json, standard_components
from service.operations.context import Context
from tests.api.conftest import ORGANISER
from tests.api.game_setup import bearer, new_game, problem


def test_a_game_whose_seats_are_all_the_creators_starts_at_once(client: FlaskClient) -> None:
    response = client.post("/v1/games", json={"players": 3})
    made = response.json
    assert made is not None
    assert response.status_code == 201
    assert response.headers["Location"] == f"/v1/games/{made['game']}"
    assert response.headers["Cache-Control"] == "no-store"
    assert made["status"] == "running"
    assert [given["seat"] for given in made["tokens"]] == [0, 1, 2]
    assert made["observation"]["seat"] is None
    assert client.get(response.headers["Location"]).json == made["observation"]


def test_open_seats_get_no_token_and_the_game_waits(client: FlaskClient) -> None:
    game = new_game(client, 3, seats=["open", "creator", "open"])
    assert list(game.tokens) == [1]
    view = game.view()
    assert view["status"] == "open"
    assert view["decisions"] == []
    assert [seat["name"] is None for seat in view["seats"]] == [True, False, True]


def test_a_seed_deals_the_game_that_the_protocol_gives_as_example(client: FlaskClient) -> None:
    view = new_game(client, 2, seed="kill-1").view()
    assert [tile["warehouse"] for tile in view["board"]] == "w4 w7 w2 w5 w3 w6 w1".split()
    assert [dock["ship"] for dock in view["docks"]] == ["pilot", "s02", "s14", "s03"]
    assert view["deal"] == "seeded"


def test_a_setup_deals_exactly_that_game(client: FlaskClient) -> None:
    game = new_game(client, 2, seed="setup")
    game.play_out()
    record = client.get(f"{game.path}/record").json
    assert record is not None
    again = new_game(client, 2, setup=record["setup"], orders=record["orders"])
    assert again.view()["deal"] == "given"
    again.play_out()
    copied = client.get(f"{again.path}/record").json
    assert copied is not None
    assert copied["actions"] == record["actions"]
    assert copied["result"] == record["result"]


def test_variants_are_shown_with_their_defaults(client: FlaskClient) -> None:
    view = new_game(client, 2, variants={"starting_coins": 2}).view()
    assert view["variants"] == {"tally": "warehouses", "last_place": "paid", "starting_coins": 2}
    assert [seat["coins"] for seat in view["seats"]] == [2, 2]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ["players"]),
        ({"players": 5}, ["players"]),
        ({"players": 1}, ["players"]),
        ({"players": "2"}, ["players"]),
        ({"players": True}, ["players"]),
        ({"players": 2.5}, ["players"]),
        ({"players": None}, ["players"]),
        ({"players": 2, "colour": "red"}, ["colour"]),
        ({"players": 2, "seed": ""}, ["seed"]),
        ({"players": 2, "seed": "x" * 129}, ["seed"]),
        ({"players": 2, "seed": "a\u0007b"}, ["seed"]),
        ({"players": 2, "seed": 7}, ["seed"]),
        ({"players": 2, "name": "tab\there"}, ["name"]),
        ({"players": 2, "public": "yes"}, ["public"]),
        ({"players": 2, "turn_seconds": 0}, ["turn_seconds"]),
        ({"players": 2, "turn_seconds": 604801}, ["turn_seconds"]),
        ({"players": 2, "variants": []}, ["variants"]),
        ({"players": 2, "variants": {"tally": "square"}}, ["variants", "tally"]),
        ({"players": 2, "variants": {"starting_coins": 4}}, ["variants", "starting_coins"]),
        ({"players": 2, "variants": {"colour": "red"}}, ["variants", "colour"]),
        ({"players": 2, "seats": ["creator"]}, ["seats"]),
        ({"players": 2, "seats": ["creator", "closed"]}, ["seats", "1"]),
        ({"players": 2, "seats": ["creator", {"bot": "nobody"}]}, ["seats", "1", "bot"]),
        ({"players": 2, "seats": ["creator", {"robot": "x"}]}, ["seats", "1"]),
        ({"players": 2, "seats": "open"}, ["seats"]),
        ({"players": 2, "setup": {"warehouses": []}}, ["setup"]),
        ({"players": 2, "orders": {"0": []}}, ["orders"]),
        ({"players": 2, "orders": [[{"seat": 0, "worker": "big"}]]}, ["orders", "0"]),
        ({"players": 2, "components": {"ships": []}}, ["components"]),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_field(
    client: FlaskClient, body: dict[str, Any], field: list[str]
) -> None:
    errors: Any = problem(client.post("/v1/games", json=body), 422, "invalid_request")["errors"]
    for name in field:
        assert name in errors
        errors = errors[name]


def test_a_ship_of_capacity_2_is_refused_with_its_tile_and_field(client: FlaskClient) -> None:
    components: Any = components_to_json(standard_components(2))
    components["ships"][3]["capacity"] = 2
    found = problem(client.post("/v1/games", json={"players": 2, "components": components}), 422, "invalid_request")
    assert "s04" in str(found["errors"]["components"]["ships"]["3"]["capacity"])


def test_a_custom_component_set_is_played_with(client: FlaskClient) -> None:
    components: Any = components_to_json(standard_components(2))
    for ship in components["ships"]:
        ship["capacity"] = 16
    view = new_game(client, 2, components=components).view()
    assert {ship["capacity"] for ship in view["unseen"]} == {16}


def test_an_organisers_key_may_create_too(client: FlaskClient) -> None:
    assert new_game(client, 2, ORGANISER).view()["status"] == "running"


def test_an_unknown_token_is_refused_even_where_none_is_needed(client: FlaskClient) -> None:
    response = client.post("/v1/games", json={"players": 2}, headers=bearer("mbk_nobody.secret"))
    problem(response, 401, "unauthorized")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_service_may_ask_for_a_key(context: Context, redis_url: str) -> None:
    settings = Settings(redis_url=redis_url, organiser_key=ORGANISER, anonymous_games=False)
    client = create_app(replace(context, settings=settings)).test_client()
    problem(client.post("/v1/games", json={"players": 2}), 401, "unauthorized")
    keys = {}
    for role in ("author", "creator"):
        made = client.post("/v1/keys", json={"role": role, "name": role}, headers=bearer(ORGANISER))
        keys[role] = (made.json or {})["key"]
    problem(client.post("/v1/games", json={"players": 2}, headers=bearer(keys["author"])), 403, "forbidden")
    for token in (keys["creator"], ORGANISER):
        assert client.post("/v1/games", json={"players": 2}, headers=bearer(token)).status_code == 201


LONG = 60
WAREHOUSE = {"good": 1, "broken": 0, "coin": 0}


def test_an_anonymous_game_takes_a_few_kilobytes_at_most(client: FlaskClient, redis_url: str) -> None:
    """The longest values that a new game can have."""
    ships = [{"id": f"ship-{number:011}", "capacity": 16, "points": [20, 20, 20]} for number in range(LONG)]
    warehouses = [{"id": f"warehouse-{n:06}", "upper": WAREHOUSE, "lower": WAREHOUSE} for n in range(8)]
    order = [{"seat": seat, "worker": worker} for seat in range(4) for worker in ("little", "big")]
    setup = {
        "ships": [ship["id"] for ship in ships],
        "warehouses": [tile["id"] for tile in warehouses],
        "order": order,
        "seed": "\U0001f600" * 128,
    }
    body = {
        "players": 4,
        "components": {"ships": ships, "warehouses": warehouses},
        "setup": setup,
        "orders": [order] * LONG,
        "name": "\U0001f600" * 60,
        "public": True,
    }
    made = client.post("/v1/games", json=body)
    assert made.status_code == 201, made.text
    game = (made.json or {})["game"]
    with redis.Redis.from_url(redis_url) as store:
        assert sum(store.memory_usage(name, samples=0) or 0 for name in store.scan_iter(f"*{game}*")) < 16 * 1024
    problem(client.post("/v1/games", json={**body, "orders": [order] * (LONG + 1)}), 422, "invalid_request")
    standard = {"players": 4, "orders": [order] * 16}
    assert list(problem(client.post("/v1/games", json=standard), 422, "invalid_request")["errors"]) == ["orders"]


def test_many_games_are_created_in_one_call(client: FlaskClient) -> None:
    made = client.post("/v1/games", json={"players": 2, "seed": "many", "count": 5}).json or {}
    games = [made, *made["others"]]
    assert len({game["game"] for game in games}) == 5
    boards = [game["observation"]["board"] for game in games]
    assert boards == boards[:1] * 5
    for game in games:
        for given in game["tokens"]:
            sent = {"decision": f"1.play.{given['seat']}.0", "index": 0}
            played = client.post(f"/v1/games/{game['game']}/actions", json=sent, headers=bearer(given["token"]))
            assert played.status_code == 200


def test_a_single_game_has_no_others(client: FlaskClient) -> None:
    assert "others" not in (client.post("/v1/games", json={"players": 2, "count": 1}).json or {})


@pytest.mark.parametrize("count", [0, 257, "2", None])
def test_a_call_creates_1_to_256_games(client: FlaskClient, count: Any) -> None:
    response = client.post("/v1/games", json={"players": 2, "count": count})
    assert "count" in problem(response, 422, "invalid_request")["errors"]


def test_each_of_many_games_counts_against_the_limit(
    context: Context, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ANONYMOUS_LIMIT", RateLimitItemPerMinute(12))
    client = create_app(context).test_client()
    made = client.post("/v1/games", json={"players": 2, "count": 10})
    assert made.headers["RateLimit"].startswith('"creating";r=2;')
    refused = client.post("/v1/games", json={"players": 2, "count": 3, "public": True})
    problem(refused, 429, "too_many_requests")
    assert int(refused.headers["Retry-After"]) >= 1
    assert (client.get("/v1/games").json or {})["items"] == []


def test_many_games_are_created_once_for_an_idempotency_key(client: FlaskClient) -> None:
    body, key = {"players": 2, "public": True, "count": 3}, {"Idempotency-Key": "sixteen-or-more-characters"}
    first, second = (client.post("/v1/games", json=body, headers=key) for _ in range(2))
    assert second.json == first.json
    assert len((client.get("/v1/games").json or {})["items"]) == 3
