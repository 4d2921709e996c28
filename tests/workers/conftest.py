"""A service over the Redis that the tests of this process share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.operations.context import Context
from tests.operations.game_setup import service


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    with service(redis_url) as ctx:
        yield ctx


@pytest.fixture
def other(redis_url: str) -> Iterator[Context]:
    """Another process of the same service."""
    with service(redis_url) as other:
        yield other
