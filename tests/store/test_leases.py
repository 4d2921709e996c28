"""Leases: one holder at a time, epochs that grow, an end that comes by itself."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from service.store.leases import Leases
from tests.outage import Outage

LONG_MS = 60_000


def test_a_lease_is_one_holders_until_it_is_given_back(leases: Leases) -> None:
    first = leases.acquire("steward", LONG_MS)
    assert first is not None
    assert first.name == "steward"
    assert leases.acquire("steward", LONG_MS) is None
    leases.release(first)
    assert leases.acquire("steward", LONG_MS) is not None


def test_of_twenty_who_want_it_exactly_one_gets_it(leases: Leases) -> None:
    with ThreadPoolExecutor(20) as pool:
        given = list(pool.map(lambda _: leases.acquire("steward", LONG_MS), range(20)))
    assert len([lease for lease in given if lease]) == 1


def test_a_later_holder_has_a_larger_epoch(leases: Leases) -> None:
    epochs = []
    for _ in range(3):
        lease = leases.acquire("block:t:1", LONG_MS)
        assert lease is not None
        epochs.append(lease.epoch)
        leases.release(lease)
    assert epochs == sorted(set(epochs))


def test_epochs_grow_also_over_a_restart(leases: Leases, outage: Outage) -> None:
    before = leases.acquire("steward", LONG_MS)
    outage.restart()
    assert before is not None
    assert leases.renew(before, LONG_MS)
    leases.release(before)
    after = leases.acquire("steward", LONG_MS)
    assert after is not None
    assert after.epoch > before.epoch


def test_a_lease_that_nobody_renews_ends_by_itself(leases: Leases) -> None:
    old = leases.acquire("steward", 20)
    assert old is not None
    ends = time.monotonic() + 10
    while leases.live(["steward"]) and time.monotonic() < ends:
        time.sleep(0.005)
    new = leases.acquire("steward", LONG_MS)
    assert new is not None
    assert not leases.renew(old, LONG_MS)
    leases.release(old)
    assert leases.renew(new, LONG_MS)


def test_a_lease_that_ended_is_lost_even_if_nobody_else_has_it(leases: Leases) -> None:
    lease = leases.acquire("steward", LONG_MS)
    assert lease is not None
    leases.release(lease)
    assert not leases.renew(lease, LONG_MS)
    leases.release(lease)
    assert leases.live(["steward"]) == set()


def test_renewing_sets_the_time_anew(leases: Leases) -> None:
    lease = leases.acquire("steward", 300)
    assert lease is not None
    assert leases.renew(lease, LONG_MS)
    time.sleep(0.4)
    assert leases.live(["steward"]) == {"steward"}


def test_those_that_are_held_by_anybody_are_live(leases: Leases) -> None:
    for block in (1, 3):
        assert leases.acquire(f"block:t:{block}", LONG_MS)
    assert leases.live([f"block:t:{block}" for block in range(5)]) == {"block:t:1", "block:t:3"}
    assert leases.live([]) == set()
