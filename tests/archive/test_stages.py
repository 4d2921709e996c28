"""The stages in a tournament's file: each is drawn again, and one that was altered is named."""

from __future__ import annotations

import pytest

from service.archive.file import DamagedArchive
from service.archive.verify import verify
from tests.archive.tampering import Archive, Change, changed, put


def refusal(archive: Archive, change: Change) -> str:
    """Why a file with this change and new digests is refused."""
    with pytest.raises(DamagedArchive) as refused:
        verify(changed(archive, change, resealed=True))
    return str(refused.value)


@pytest.fixture
def swiss(archives: dict[str, Archive]) -> Archive:
    return archives["swiss"]


def test_the_withdrawn_bot_is_in_no_later_stage_and_nobody_sits_out_twice(swiss: Archive) -> None:
    (leaver,) = swiss["withdrawn"]
    assert [stage["withdrawn"] for stage in swiss["stages"]] == [[], [], [leaver]]
    assert all(leaver not in pool for pool in swiss["stages"][2]["pools"])
    byes = [name for stage in swiss["stages"] for name in stage["byes"]]
    assert len(set(byes)) == len(byes) == 2


def test_the_standings_are_those_of_the_format(swiss: Archive) -> None:
    ratings = [row["rating"] for row in swiss["standings"]]
    assert ratings == sorted(ratings, reverse=True)


def test_there_are_no_intervals_where_pairings_follow_results(swiss: Archive) -> None:
    assert {row["interval_missing"] for row in swiss["standings"]} == {"who met whom depends on results"}
    assert all(row["rating"] is not None and row["interval"] is None for row in swiss["standings"])


def test_an_altered_pairing_is_named(swiss: Archive) -> None:
    def exchange(archive: Archive) -> None:
        one, other = archive["stages"][0]["pools"]
        one[0], other[0] = other[0], one[0]

    assert refusal(swiss, exchange).startswith("schedule[0].seats[0]: is ")
    assert "but by the settings, seed and stages it is" in refusal(swiss, exchange)


def test_an_altered_pairing_is_named_though_schedule_and_games_agree_with_it(archives: dict[str, Archive]) -> None:
    """The second stage was not the one to draw, and then all was played as it says."""
    misdrawn = archives["misdrawn"]
    with pytest.raises(DamagedArchive) as refused:
        verify(misdrawn)
    assert str(refused.value).startswith("stages[1].pools[0][")
    assert "but by the results before it it is" in str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put(("stages", 0, "byes"), []), "stages[0].byes: has 0 elements, but by the results before it 1"),
        (put(("stages", 1, "round"), 3), "stages[1].round: is 3, but by the results before it it is 2"),
        (put(("stages", 1, "advance"), [1]), "stages[1].advance: has 1 elements"),
        (put(("stages", 2, "withdrawn"), []), "stages[2].byes: has 0 elements, but by the results before it 1"),
        (put(("stages", 0, "pools", 0, 0), "nobody"), "stages[0].pools[0][0]: 'nobody' is not one of the entrants"),
        (put(("stages", 0, "pools", 0), []), "stages[0].pools[0]: has 0 entrants, but a match has 2"),
        (put(("stages",), []), "schedule: has 12 matches, but settings and stages give 0"),
        (put(("settings", "rounds"), 4), "stages: has 3 elements, but another stage follows from the results"),
        (put(("settings", "rounds"), 2), "stages[2]: follows the last stage that there can be"),
        (put(("settings", "rounds"), None), "settings.rounds: is missing: swiss needs it"),
        (put(("withdrawn",), []), "matches["),
    ],
)
def test_a_stage_that_does_not_follow_is_refused(swiss: Archive, change: Change, words: str) -> None:
    assert refusal(swiss, change).startswith(words)


def test_a_round_robin_has_no_stages(small: Archive, swiss: Archive) -> None:
    assert small["stages"] == []
    assert refusal(small, put(("stages",), swiss["stages"])) == "stages: must be empty: a round_robin has none"


def test_a_knockout_and_divisions_are_ranked_by_how_far_a_bot_came(archives: dict[str, Archive]) -> None:
    for name in ("knockout", "divisions"):
        archive = archives[name]
        (last,) = archive["stages"][-1]["pools"]
        assert {row["name"] for row in archive["standings"][: len(last)]} == set(last)


def test_a_bot_that_was_beaten_cannot_go_on(archives: dict[str, Archive]) -> None:
    archive = archives["knockout"]
    final = archive["stages"][-1]["pools"][0]
    beaten = next(name for name in archive["settings"]["bots"] if name not in final)
    change = put(("stages", len(archive["stages"]) - 1, "pools", 0, 1), beaten)
    assert refusal(archive, change).startswith("schedule[")
