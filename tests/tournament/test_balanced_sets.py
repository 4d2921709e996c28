"""Plans with `sets`: chosen so that everybody meets everybody about equally often."""

from __future__ import annotations

from collections import Counter

import pytest

from service.tournament import balanced_sets
from service.tournament.plan import Plan, PlanError
from service.tournament.schedule import Schedule
from tests.tournament.simulated_field import pair_counts


def names(bots: int) -> tuple[str, ...]:
    return tuple(f"bot{index}" for index in range(bots))


def round_robin(bots: int, players: int, sets: int, seed: str = "seed") -> Schedule:
    return Schedule(Plan("round_robin", names(bots), (), players, 1, sets, "rotations", seed))


def apart(counts: list[int]) -> int:
    return max(counts) - min(counts)


SMALL = [(bots, players) for bots in range(4, 9) for players in (2, 3, 4) if players < bots]


@pytest.mark.parametrize(("bots", "players"), SMALL)
def test_pairs_meet_at_most_two_apart_whatever_the_number_of_sets(bots: int, players: int) -> None:
    possible = Plan("round_robin", names(bots), (), players, 1, None, "rotations", "seed").possible_sets
    for sets in range(-(-bots // players), possible):
        schedule = round_robin(bots, players, sets)

        members = [frozenset(block.entrants) for block in schedule]
        plays = Counter(name for entrants in members for name in entrants)
        assert len(set(members)) == sets
        assert apart(list(pair_counts(schedule).values())) <= 2
        assert apart([plays[name] for name in names(bots)]) <= 1


@pytest.mark.parametrize(("bots", "players", "sets"), [(20, 4, 100), (50, 4, 300), (30, 3, 100), (100, 2, 400)])
def test_larger_fields_are_balanced_too(bots: int, players: int, sets: int) -> None:
    assert apart(list(pair_counts(round_robin(bots, players, sets)).values())) <= 2


def test_where_all_pairs_can_meet_equally_often_they_do() -> None:
    # 8 bots in 14 sets of 4 (a Steiner system): every pair can meet 3 times.
    assert set(pair_counts(round_robin(8, 4, 14)).values()) == {3}


def test_all_sets_but_chosen_are_all_sets() -> None:
    assert set(pair_counts(round_robin(6, 4, 15)).values()) == {6}


@pytest.mark.parametrize(("challengers", "field", "players", "sets"), [(1, 6, 4, 7), (2, 6, 3, 11), (3, 7, 4, 14)])
def test_a_gauntlet_is_balanced_for_challengers_and_within_the_field(
    challengers: int, field: int, players: int, sets: int
) -> None:
    entrants = names(challengers + field)
    rivals = entrants[:challengers]
    schedule = Schedule(Plan("gauntlet", entrants, rivals, players, 1, sets, "rotations", "seed"))

    counts = pair_counts(schedule)
    assert apart([count for pair, count in counts.items() if pair[0] in rivals]) <= 2
    assert apart([count for pair, count in counts.items() if pair[0] not in rivals]) <= 2
    assert all(len(set(block.entrants) & set(rivals)) == 1 for block in schedule)


def test_the_choice_depends_on_the_seed_alone() -> None:
    assert list(round_robin(10, 4, 30)) == list(round_robin(10, 4, 30))
    assert list(round_robin(10, 4, 30)) != list(round_robin(10, 4, 30, seed="other"))


def test_sets_that_cannot_be_balanced_are_refused_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    # 5 sets of 4 among 6 bots: 30 meetings of 15 pairs, but no choice gives each pair 2. At best they are 2 apart.
    monkeypatch.setattr(balanced_sets, "MAX_SPREAD", 1)

    with pytest.raises(PlanError) as caught:
        round_robin(6, 4, 5)
    assert caught.value.path == ("sets",)
    assert "at best 2 apart, 1 are allowed" in caught.value.reason
