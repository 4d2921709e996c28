from __future__ import annotations

import numpy as np

from service.tournament.rank_bands import rank_bands, shown_differences


def shown(size: int, *pairs: tuple[int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    flags = np.zeros((size, size), dtype=bool)
    for one, other in pairs:
        flags[one, other] = True
    return flags


def test_without_a_difference_all_share_one_band() -> None:
    assert rank_bands(shown(4)) == [(1, 1)] * 4


def test_who_differ_from_all_have_bands_of_their_own() -> None:
    assert rank_bands(shown(3, (0, 1), (0, 2), (1, 2))) == [(1, 1), (2, 2), (3, 3)]


def test_a_bot_between_two_that_differ_is_in_both_bands() -> None:
    assert rank_bands(shown(3, (0, 2))) == [(1, 1), (1, 2), (2, 2)]


def test_two_groups() -> None:
    assert rank_bands(shown(4, (0, 2), (0, 3), (1, 2), (1, 3))) == [(1, 1), (1, 1), (2, 2), (2, 2)]


def test_a_difference_inside_one_that_is_not_shown_does_not_part_a_band() -> None:
    # 0 and 3 may be equal, so what lies between them shares their band.
    assert rank_bands(shown(4, (0, 2))) == [(1, 1)] * 4


def test_two_that_share_no_band_differ_and_two_that_do_not_differ_share_one() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        flags = np.triu(rng.random((7, 7)) < 0.5, 1)
        bands = rank_bands(flags)
        for one in range(7):
            for other in range(one + 1, 7):
                share = bands[one][1] >= bands[other][0]
                assert share or flags[one, other]


def test_equal_bots_are_told_apart_in_at_most_one_tournament_of_twenty() -> None:
    rng = np.random.default_rng(8)
    false_claims = 0
    for _ in range(300):
        truth = rng.normal(0, 1, 10)
        false_claims += bool(shown_differences(truth + rng.normal(0, 1, (400, 10)), np.full(10, 500.0)).any())

    assert 0.02 <= false_claims / 300 <= 0.08


def test_differences_of_many_standard_errors_are_shown() -> None:
    rng = np.random.default_rng(8)
    flags = shown_differences(np.array([9.0, 0.0, 0.1]) + rng.normal(0, 1, (400, 3)), np.full(3, 50.0))

    assert flags.tolist() == [[False, True, True], [False, False, False], [False, False, False]]
