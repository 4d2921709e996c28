"""Keys of the API."""

from __future__ import annotations

import pytest

from service.errors import InvalidRequest
from service.store import keys
from service.store.api_keys import Key, KeyStore
from service.store.clients import RedisClient


@pytest.fixture
def access(client: RedisClient) -> KeyStore:
    return KeyStore(client)


def key(name: str) -> Key:
    return Key(id=name, role="author", name=f"{name}'s", token_hash="h" * 64, created_ms=1)


def test_a_key_is_read_as_it_was_written_until_it_is_revoked(access: KeyStore, client: RedisClient) -> None:
    access.create(key("a"))
    assert access.read("a") == key("a")
    assert access.revoke("a")
    assert access.read("a") is None
    assert not access.revoke("a")
    assert client.exists(keys.access_key("a"), keys.ACCESS_KEYS) == 0


def test_keys_are_listed_newest_first_by_page(access: KeyStore) -> None:
    for name in "abc":
        access.create(key(name))
    first = access.page(2, None)
    assert first.ids == ("c", "b")
    assert access.page(2, first.next).ids == ("a",)
    with pytest.raises(InvalidRequest, match="cursor"):
        access.page(2, "a")
