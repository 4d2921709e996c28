"""Service time: it runs as far as somebody moves it, and never back."""

from __future__ import annotations

import pytest

from service.store.clock import ServiceClock
from tests.outage import Outage


def test_service_time_begins_at_nothing_and_runs_as_far_as_it_is_moved(clock: ServiceClock) -> None:
    assert clock.now_ms() == 0
    assert clock.advance(1500) == 1500
    assert clock.advance(0) == 1500
    assert clock.now_ms() == 1500


def test_service_time_stands_still_while_redis_is_down(clock: ServiceClock, outage: Outage) -> None:
    clock.advance(1500)
    outage.restart()
    assert clock.now_ms() == 1500


def test_service_time_never_goes_back(clock: ServiceClock) -> None:
    clock.advance(10)
    with pytest.raises(ValueError, match="never goes back"):
        clock.advance(-1)
    assert clock.now_ms() == 10
