from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournament.dispatch import SLOW_FACTOR, SLOW_MS, BotSpeeds, Slots, WaitingBlock, choose

Said = tuple[int, Iterable[str]]


def chosen_of(waiting: Iterable[Said], active: Sequence[Said], capacity: int, limits: Mapping[str, int]) -> list[int]:
    """The choice where all bots are known and none is slow."""
    blocks = (WaitingBlock(key, frozenset(bots)) for key, bots in waiting)
    return choose(blocks, [WaitingBlock(key, frozenset(bots)) for key, bots in active], Slots(capacity), limits)


def timed(times: BotSpeeds, waiting: Iterable[Said]) -> list[WaitingBlock[int]]:
    return [times.block(key, list(bots)) for key, bots in waiting]


def test_free_slots_are_filled_in_order() -> None:
    waiting = [(1, {"a", "b"}), (2, {"c", "d"}), (3, {"e", "f"})]

    assert chosen_of(waiting, [], 2, {}) == [1, 2]


def test_no_slot_no_block() -> None:
    assert chosen_of([(1, {"a"})], [(0, {"b"})], 1, {}) == []


def test_a_bot_at_its_limit_lets_the_next_block_go_first() -> None:
    waiting = [(1, {"a", "b"}), (2, {"c", "d"})]

    assert chosen_of(waiting, [(0, {"a", "e"})], 4, {"a": 1}) == [2]


def test_max_games_counts_what_is_chosen_too() -> None:
    waiting = [(1, {"a", "b"}), (2, {"a", "c"}), (3, {"d", "e"})]

    assert chosen_of(waiting, [], 4, {"a": 1}) == [1, 3]


def test_a_bot_with_max_games_of_nothing_never_plays() -> None:
    assert chosen_of([(1, {"a", "b"})], [], 4, {"a": 0}) == []


def test_while_blocks_without_it_wait_a_bot_holds_half_of_the_slots() -> None:
    waiting = [(key, {"slow", f"x{key}"}) for key in range(6)] + [(10, {"a", "b"}), (11, {"c", "d"}), (12, {"e", "f"})]

    assert chosen_of(waiting, [], 4, {}) == [0, 1, 10, 11]


@pytest.mark.parametrize(("capacity", "share"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_half_is_rounded_up(capacity: int, share: int) -> None:
    waiting = [(key, {"slow", f"x{key}"}) for key in range(9)] + [(key, {f"y{key}", f"z{key}"}) for key in range(9, 18)]

    assert sum(key < 9 for key in chosen_of(waiting, [], capacity, {})) == share


def test_a_slot_is_kept_for_blocks_without_the_bot_that_must_wait_for_others() -> None:
    # "fast" is busy, so its next block cannot start yet; the slow bot does not get that slot meanwhile.
    active = [(0, {"fast"}), (1, {"slow"}), (2, {"slow"})]

    assert chosen_of([(3, {"slow"}), (4, {"fast"})], active, 4, {"fast": 1}) == []


def test_who_is_in_all_that_wait_may_have_all_slots() -> None:
    waiting = [(key, {"a", "b", "c", "d"}) for key in range(6)]

    assert chosen_of(waiting, [], 4, {}) == [0, 1, 2, 3]


def test_the_last_block_without_a_bot_once_chosen_keeps_nobody_waiting() -> None:
    waiting = [(1, {"slow", "a"}), (2, {"slow", "b"}), (3, {"slow", "c"}), (4, {"d", "e"})]

    assert chosen_of(waiting, [], 4, {}) == [1, 2, 4, 3]


def test_a_bot_above_half_from_before_gets_no_more_but_loses_nothing() -> None:
    active = [(0, {"slow"}), (1, {"slow"}), (2, {"slow"})]

    assert chosen_of([(3, {"slow"}), (4, {"a"})], active, 4, {}) == [4]


def test_waiting_blocks_are_read_no_further_than_needed() -> None:
    def endless() -> Iterator[Said]:
        key = 0
        while True:
            yield key, {f"a{key}", f"b{key}"}
            key += 1

    assert chosen_of(endless(), [], 3, {}) == [0, 1, 2]


@pytest.mark.parametrize("active", [[], [(1, {"b"})]], ids=["waiting twice", "waiting and active"])
def test_a_block_listed_twice_is_an_error(active: list[tuple[int, set[str]]]) -> None:
    with pytest.raises(ValueError, match="block 1 is listed twice"):
        chosen_of([(1, {"a"}), (1, {"c"})], active, 4, {})


QUICK_AND_SLOW = BotSpeeds.of({"a": 20, "b": 20, "c": 20, "d": 20, "slow": 990})


def test_a_bot_is_slow_against_the_middle_of_its_tournament() -> None:
    assert QUICK_AND_SLOW.slow == {"slow"}
    assert BotSpeeds.of({"a": 900, "b": 990, "c": 950}).slow == set(), "all of them take their time"
    assert BotSpeeds.of({"a": 20, "b": 20, "c": 990, "d": 990}).slow == {"c", "d"}
    assert BotSpeeds.of({"a": 900, "b": 1000, "c": 1000 * SLOW_FACTOR}).slow == {"c"}
    assert BotSpeeds.of({"a": 1, "b": 1, "c": SLOW_MS - 1}).slow == set(), "what nobody notices"
    assert BotSpeeds.of({}) == BotSpeeds(frozenset(), frozenset())


def test_while_others_wait_blocks_of_slow_bots_get_the_spare_slots_alone() -> None:
    waiting = timed(QUICK_AND_SLOW, [(key, ("slow", "abc"[key % 3])) for key in range(6)])
    others = timed(QUICK_AND_SLOW, [(10 + key, ("ab", "bc", "ac")[key % 3]) for key in range(9)])

    assert choose([*waiting, *others], [], Slots(6, 2), {}) == [0, 1, 10, 11, 12, 13], "half of six for each of a, b, c"


def test_a_block_that_turns_out_to_be_slow_leaves_its_common_slot_to_another() -> None:
    active = [(0, {"slow", "a"}), (1, {"b", "c"})]
    waiting = [(2, {"a", "d"}), (3, {"slow", "c"})]

    assert choose(timed(QUICK_AND_SLOW, waiting), timed(QUICK_AND_SLOW, active), Slots(2, 1), {}) == [2]


def test_blocks_of_slow_bots_beyond_the_spare_slots_take_common_ones() -> None:
    active = timed(QUICK_AND_SLOW, [(0, {"slow", "a"}), (1, {"slow", "b"}), (2, {"slow", "c"})])
    waiting = timed(QUICK_AND_SLOW, [(10, {"a", "b"}), (11, {"b", "c"}), (12, {"a", "c"})])

    assert choose(waiting, active, Slots(3, 1), {}) == [10]


def test_without_spare_slots_a_slow_bot_gets_a_common_one() -> None:
    waiting = timed(QUICK_AND_SLOW, [(0, {"slow", "a"}), (1, {"slow", "b"}), (2, {"a", "b"}), (3, {"b", "c"})])

    assert choose(waiting, [], Slots(3), {}) == [0, 2, 3]
    assert choose(waiting, [], Slots(1), {}) == [0], "its turn comes where there is one slot for all"


def test_when_only_blocks_of_slow_bots_are_left_they_get_all_slots() -> None:
    waiting = timed(QUICK_AND_SLOW, [(key, {"slow", "abc"[key % 3]}) for key in range(9)])

    assert choose(waiting, [], Slots(4, 2), {}) == [0, 1, 2, 3, 4, 5]


def test_the_limit_of_a_slow_bot_holds_in_spare_slots_too() -> None:
    waiting = timed(QUICK_AND_SLOW, [(key, {"slow", "abc"[key % 3]}) for key in range(9)])

    assert choose(waiting, [], Slots(4, 2), {"slow": 1}) == [0]


def test_while_others_wait_a_bot_gets_one_slot_until_its_response_time_is_known() -> None:
    nobody = BotSpeeds.of({})
    waiting = [(0, "ab"), (1, "ax"), (2, "cd"), (3, "bd"), (4, "ef")]

    assert choose(timed(nobody, waiting), [], Slots(8), {}) == [0, 2, 4]
    known = BotSpeeds.of(dict.fromkeys("abcdef", 20.0))
    assert choose(timed(known, waiting), [], Slots(8), {}) == [0, 1, 2, 3, 4]


def test_a_bot_of_unknown_response_time_that_is_in_all_that_wait_holds_nobody_up() -> None:
    waiting = timed(BotSpeeds.of({}), [(key, "ab") for key in range(4)])

    assert choose(waiting, [], Slots(3), {}) == [0, 1, 2]


BOTS = st.frozensets(st.sampled_from("abcdef"), min_size=2, max_size=4)


@given(st.lists(BOTS, max_size=12), st.integers(1, 6), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 4)))
@settings(max_examples=300, deadline=None)
def test_whatever_waits_limits_and_shares_hold_and_nothing_startable_is_left(
    blocks: list[frozenset[str]], capacity: int, limits: dict[str, int]
) -> None:
    waiting = list(enumerate(blocks))
    chosen = chosen_of(waiting, [], capacity, limits)

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


@given(
    st.lists(BOTS, max_size=12),
    st.lists(BOTS, max_size=4),
    st.integers(1, 6),
    st.integers(0, 2),
    st.frozensets(st.sampled_from("abcdef"), max_size=3),
)
@settings(max_examples=300, deadline=None)
def test_whatever_is_played_slow_bots_leave_the_others_their_slots(
    blocks: list[frozenset[str]], before: list[frozenset[str]], common: int, spare: int, slow: frozenset[str]
) -> None:
    times = BotSpeeds(frozenset("abcdef"), slow)
    waiting = timed(times, list(enumerate(blocks)))
    active = timed(times, [(100 + key, bots) for key, bots in enumerate(before)])
    chosen = choose(waiting, active, Slots(common, spare), {})

    taken = [block for block in waiting if block.key in chosen]
    left = [block for block in waiting if block.key not in chosen]
    assert len(taken) <= max(0, common + spare - len(active))
    if taken and any(block.slow for block in taken) and any(not block.slow for block in left):
        assert sum(block.slow for block in (*active, *taken)) <= max(1, spare)
    quick = sum(not block.slow for block in (*active, *taken))
    if any(not block.slow for block in taken):
        assert quick <= common
