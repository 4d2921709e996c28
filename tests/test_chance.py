"""Draws by hash from a seed: deals, schedules and resamples all come from them."""

from __future__ import annotations

import pytest

from service.chance import Draws, draw_hash, shuffled


def test_the_published_example_of_a_shuffle_comes_out() -> None:
    board = shuffled("kill-1", "warehouses", ["w1", "w2", "w3", "w4", "w5", "w6", "w7"])

    assert board == ["w4", "w7", "w2", "w5", "w3", "w6", "w1"]


def test_one_label_says_nothing_about_another() -> None:
    assert shuffled("seed", "one", range(20)) != shuffled("seed", "two", range(20))


def test_a_draw_is_below_its_bound_and_every_value_comes() -> None:
    draws = Draws("seed", "label")

    assert {draws.below(6) for _ in range(200)} == set(range(6))


@pytest.mark.parametrize("bound", [-1, 0, (1 << 64) + 1])
def test_a_bound_that_no_draw_can_keep_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        Draws("seed", "label").below(bound)


def test_a_draw_is_the_first_8_bytes_of_the_next_hash() -> None:
    draws = Draws("seed", "label")
    first, second = (int.from_bytes(draw_hash("seed", "label", c)[:8], "big") for c in (0, 1))
    assert [draws.below(1000), draws.below(7)] == [first % 1000, second % 7]


def test_a_draw_that_would_favour_low_numbers_is_skipped() -> None:
    # Just above half of what 8 bytes can hold, so that nearly every second draw is skipped.
    m = (1 << 63) + 1
    draws = Draws("seed", "label")
    values = [int.from_bytes(draw_hash("seed", "label", c)[:8], "big") for c in range(20)]
    kept = [value for value in values if value < m]
    assert 0 < len(kept) < 20
    assert [draws.below(m) for _ in kept] == kept


def test_every_order_of_three_is_drawn_about_equally_often() -> None:
    counts: dict[str, int] = {}
    for number in range(3000):
        drawn = "".join(shuffled(str(number), "order", "abc"))
        counts[drawn] = counts.get(drawn, 0) + 1
    assert len(counts) == 6
    assert all(400 < count < 600 for count in counts.values())
