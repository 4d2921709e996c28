"""Keys of the API: organisers', authors' and creators'."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from service.store import keys, paging
from service.store.clients import RedisClient, script
from service.store.idempotency import Receipt, receipt_keys, receipt_values, was_created
from service.store.paging import Page


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the API. `role`: organiser, author or creator."""

    id: str
    role: str
    name: str
    token_hash: str
    created_ms: int


class KeyStore:
    """Keys by id."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._create = script(client, "stamp", "idempotency", "key_create")
        self._revoke = script(client, "key_revoke")

    def create(self, key: Key, receipt: Receipt | None = None) -> None:
        """Raises ClaimLost."""
        names = [keys.access_key(key.id), keys.ACCESS_KEYS, keys.STAMP, *receipt_keys(receipt)]
        was_created(self._create(names, [key.id, json.dumps(asdict(key)), *receipt_values(receipt)]))

    def read(self, key: str) -> Key | None:
        """None: there is no such key."""
        document: Any = self._client.get(keys.access_key(key))
        return None if document is None else Key(**json.loads(document))

    def revoke(self, key: str) -> bool:
        """Removes a key. False: there is no such key."""
        return bool(self._revoke([keys.access_key(key), keys.owner_games(key), keys.ACCESS_KEYS], [key]))

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for an invalid cursor."""
        return paging.page(self._client, keys.ACCESS_KEYS, limit, cursor)
