"""Who the client is where proxies stand before the API (`MONTEGO_TRUSTED_PROXIES`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

import pytest
import requests
from flask.testing import FlaskClient

from service.api.app import create_app
from service.config import Settings
from service.operations.context import Context
from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json
from tests.api.serving import serve

KEY = "0123456789abcdef-first"
ADA, BOB = "198.51.100.7", "2001:db8::7"


@pytest.fixture
def behind(context: Context, redis_url: str) -> Callable[[int], FlaskClient]:
    """A client of a service behind so many proxies."""

    def connect(proxies: int) -> FlaskClient:
        settings = Settings(redis_url=redis_url, trusted_proxies=proxies)
        return create_app(replace(context, settings=settings)).test_client()

    return connect


def left(response: Any) -> int:
    """How many more the caller may make."""
    found = re.search(r"r=(\d+)", response.headers["RateLimit"])
    assert found is not None
    return int(found[1])


def create(client: FlaskClient, forwarded_for: str, key: str | None = None) -> Any:
    headers = {"X-Forwarded-For": forwarded_for, **({"Idempotency-Key": key} if key else {})}
    response = client.post("/v1/games", json={"players": 2}, headers=headers)
    assert response.status_code == 201
    return response


def test_without_a_proxy_an_address_that_a_client_claims_counts_for_nothing(
    behind: Callable[[int], FlaskClient],
) -> None:
    client = behind(0)
    first = left(create(client, ADA))
    assert [left(create(client, BOB)), left(create(client, ADA))] == [first - 1, first - 2]


def test_behind_a_proxy_each_client_has_limits_of_its_own(behind: Callable[[int], FlaskClient]) -> None:
    client = behind(1)
    first = left(create(client, ADA))
    assert left(create(client, BOB)) == first
    assert left(create(client, ADA)) == first - 1


def test_what_a_client_claims_before_the_proxys_word_counts_for_nothing(behind: Callable[[int], FlaskClient]) -> None:
    client = behind(1)
    first = left(create(client, ADA))
    assert left(create(client, f"{BOB}, {ADA}")) == first - 1


def test_behind_two_proxies_the_last_but_one_address_is_the_clients(behind: Callable[[int], FlaskClient]) -> None:
    client = behind(2)
    first = left(create(client, f"{ADA}, 10.0.0.1"))
    assert left(create(client, f"{BOB}, 10.0.0.1")) == first
    assert left(create(client, f"{BOB}, {ADA}, 10.0.0.2")) == first - 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("198.51.100.7", "198.51.100.7:51234"),
        ("198.51.100.7:1", "198.51.100.7:2"),
        ("198.51.100.7", "::ffff:198.51.100.7"),
        ("2001:db8::7", "[2001:db8::7]:443"),
        ("2001:db8::7", "[2001:db8::7]"),
        ("2001:db8::7", "2001:db8:0:0:ffff:ffff:ffff:ffff"),
        ("fe80::1", "fe80::1%eth0"),
        ("unknown", "_hidden"),
        ("unknown", "198.51.100.7.9"),
        ("unknown", "999.51.100.7:80"),
        ("unknown", "127.0.0.1"),
    ],
)
def test_these_are_one_client(behind: Callable[[int], FlaskClient], first: str, second: str) -> None:
    """Text that is no address counts as the proxy's own, which is 127.0.0.1 here."""
    client = behind(1)
    before = left(create(client, first))
    assert left(create(client, second)) == before - 1


@pytest.mark.parametrize(
    ("first", "second"),
    [("198.51.100.7", "198.51.100.8"), ("2001:db8::7", "2001:db8:0:1::7"), ("2001:db8::7", "unknown")],
)
def test_these_are_two_clients(behind: Callable[[int], FlaskClient], first: str, second: str) -> None:
    client = behind(1)
    assert left(create(client, first)) == left(create(client, second))


def test_behind_a_proxy_an_idempotency_key_is_its_clients_own(behind: Callable[[int], FlaskClient]) -> None:
    client = behind(1)
    adas, bobs, again = (create(client, address, KEY).json["game"] for address in (ADA, BOB, ADA))
    assert adas == again
    assert adas != bobs


@pytest.mark.parametrize("proxies", [0, 1], ids=["none", "one"])
def test_a_redirect_leads_to_where_the_client_knows_the_service(
    behind: Callable[[int], FlaskClient], proxies: int
) -> None:
    claims = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "play.example"}
    location = behind(proxies).get("/docs", headers=claims).headers["Location"]
    assert urljoin("https://play.example/docs", location) == "https://play.example/docs/"


@pytest.mark.parametrize(("proxies", "apart"), [("0", False), ("1", True)], ids=["none", "one"])
def test_the_server_as_it_is_shipped_goes_by_the_setting(redis_url: str, proxies: str, apart: bool) -> None:
    body: Json = {"players": 2}
    with serve(redis_url, ORGANISER, MONTEGO_TRUSTED_PROXIES=proxies) as served:
        first, second = (
            left(requests.post(f"{served.url}/v1/games", json=body, headers={"X-Forwarded-For": address}, timeout=10))
            for address in (f"192.0.2.{proxies}", f"203.0.113.{proxies}")
        )
    assert (first == second) is apart
