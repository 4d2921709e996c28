from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournament.dispatch import choose


def test_free_places_are_filled_in_order() -> None:
    waiting = [(1, {"a", "b"}), (2, {"c", "d"}), (3, {"e", "f"})]

    assert choose(waiting, [], 2, {}) == [1, 2]


def test_no_place_no_block() -> None:
    assert choose([(1, {"a"})], [(0, {"b"})], 1, {}) == []


def test_a_bot_at_its_limit_lets_the_next_block_go_first() -> None:
    waiting = [(1, {"a", "b"}), (2, {"c", "d"})]

    assert choose(waiting, [(0, {"a", "e"})], 4, {"a": 1}) == [2]


def test_max_games_counts_what_is_chosen_too() -> None:
    waiting = [(1, {"a", "b"}), (2, {"a", "c"}), (3, {"d", "e"})]

    assert choose(waiting, [], 4, {"a": 1}) == [1, 3]


def test_a_bot_with_max_games_of_nothing_never_plays() -> None:
    assert choose([(1, {"a", "b"})], [], 4, {"a": 0}) == []


def test_while_blocks_without_it_wait_a_bot_holds_half_of_the_places() -> None:
    waiting = [(key, {"slow", f"x{key}"}) for key in range(6)] + [(10, {"a", "b"}), (11, {"c", "d"}), (12, {"e", "f"})]

    assert choose(waiting, [], 4, {}) == [0, 1, 10, 11]


@pytest.mark.parametrize(("capacity", "share"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_half_is_rounded_up(capacity: int, share: int) -> None:
    waiting = [(key, {"slow", f"x{key}"}) for key in range(9)] + [(key, {f"y{key}", f"z{key}"}) for key in range(9, 18)]

    assert sum(key < 9 for key in choose(waiting, [], capacity, {})) == share


def test_a_place_is_kept_for_blocks_without_the_bot_that_must_wait_for_others() -> None:
    # "fast" is busy, so its next block cannot start yet; the slow bot does not get that place meanwhile.
    active = [(0, {"fast"}), (1, {"slow"}), (2, {"slow"})]

    assert choose([(3, {"slow"}), (4, {"fast"})], active, 4, {"fast": 1}) == []


def test_who_is_in_all_that_wait_may_have_all_places() -> None:
    waiting = [(key, {"a", "b", "c", "d"}) for key in range(6)]

    assert choose(waiting, [], 4, {}) == [0, 1, 2, 3]


def test_the_last_block_without_a_bot_once_chosen_keeps_nobody_waiting() -> None:
    waiting = [(1, {"slow", "a"}), (2, {"slow", "b"}), (3, {"slow", "c"}), (4, {"d", "e"})]

    assert choose(waiting, [], 4, {}) == [1, 2, 4, 3]


def test_a_bot_above_half_from_before_gets_no_more_but_loses_nothing() -> None:
    active = [(0, {"slow"}), (1, {"slow"}), (2, {"slow"})]

    assert choose([(3, {"slow"}), (4, {"a"})], active, 4, {}) == [4]


def test_waiting_blocks_are_read_no_further_than_needed() -> None:
    def endless() -> object:
        key = 0
        while True:
            yield key, {f"a{key}", f"b{key}"}
            key += 1

    assert choose(endless(), [], 3, {}) == [0, 1, 2]  # type: ignore[arg-type]


@pytest.mark.parametrize("active", [[], [(1, {"b"})]], ids=["waiting twice", "waiting and active"])
def test_a_block_listed_twice_is_an_error(active: list[tuple[int, set[str]]]) -> None:
    with pytest.raises(ValueError, match="block 1 is listed twice"):
        choose([(1, {"a"}), (1, {"c"})], active, 4, {})


BOTS = st.frozensets(st.sampled_from("abcdef"), min_size=2, max_size=4)


@given(st.lists(BOTS, max_size=12), st.integers(1, 6), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 4)))
@settings(max_examples=300, deadline=None)
def test_whatever_waits_limits_and_shares_hold_and_nothing_startable_is_left(
    blocks: list[frozenset[str]], capacity: int, limits: dict[str, int]
) -> None:
    waiting = list(enumerate(blocks))
    chosen = choose(waiting, [], capacity, limits)

    held = Counter(bot for key in chosen for bot in blocks[key])
    left = [bots for key, bots in waiting if key not in chosen]
    half = -(-capacity // 2)
    assert len(chosen) == len(set(chosen)) <= capacity
    for bot, games in held.items():
        assert games <= limits.get(bot, capacity)
        assert games <= half or all(bot in bots for bot_set in [left] for bots in bot_set)
    if len(chosen) < capacity:
        for bots in left:
            stuck = any(
                held[bot] >= limits.get(bot, capacity)
                or (held[bot] >= half and any(bot not in other for other in left))
                for bot in bots
            )
            assert stuck
