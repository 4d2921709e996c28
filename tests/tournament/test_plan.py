from __future__ import annotations

from dataclasses import replace

import pytest

from service.tournament.plan import MAX_MATCHES, Plan, PlanError, check

NAMES = ("ada", "bob", "cyd", "dot", "eve", "fay")
ROUND_ROBIN = Plan("round_robin", NAMES, (), 4, 3, None, "rotations", "seed")
GAUNTLET = Plan("gauntlet", NAMES, ("eve", "fay"), 4, 3, None, "rotations", "seed")


def refused(plan: Plan) -> PlanError:
    with pytest.raises(PlanError) as caught:
        check(plan)
    return caught.value


@pytest.mark.parametrize("plan", [ROUND_ROBIN, GAUNTLET], ids=["round_robin", "gauntlet"])
def test_a_possible_plan_is_accepted(plan: Plan) -> None:
    check(plan)


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"format": "league"}, ("format",), "round_robin, gauntlet, swiss, knockout, divisions, not 'league'"),
        ({"seatings": "some"}, ("seatings",), "rotations, all"),
        ({"players": 5}, ("players",), "2, 3 or 4, not 5"),
        ({"players": 1}, ("players",), "2, 3 or 4, not 1"),
        ({"deals": 0}, ("deals",), "at least 1, not 0"),
        ({"seed": ""}, ("seed",), "1 to 128 printable"),
        ({"seed": "a\nb"}, ("seed",), "printable"),
        ({"entrants": ("ada",)}, ("bots",), "at least 4 bots, not 1"),
        ({"entrants": (*NAMES, "cyd")}, ("bots", 6), "'cyd' is listed twice"),
        ({"challengers": ("ada",)}, ("challengers",), "only a gauntlet"),
        ({"sets": 0}, ("sets",), "at least 1, not 0"),
        ({"sets": 16}, ("sets",), "only 15 different sets"),
        ({"sets": 1}, ("sets",), "some bots would never play; at least 2"),
    ],
)
def test_a_bad_round_robin_is_refused_by_the_member_at_fault(
    change: dict[str, object], path: tuple[str | int, ...], words: str
) -> None:
    error = refused(replace(ROUND_ROBIN, **change))  # type: ignore[arg-type]

    assert error.path == path
    assert words in error.reason


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"challengers": ()}, ("challengers",), "at least one challenger"),
        ({"challengers": ("eve", "eve")}, ("challengers", 1), "'eve' is listed twice"),
        ({"challengers": ("eve", "gil")}, ("challengers", 1), "'gil' is not one of the bots"),
        ({"challengers": NAMES[:4]}, ("bots",), "only 2 are not challengers"),
        ({"sets": 1}, ("sets",), "at least 2 are needed"),
        ({"sets": 9}, ("sets",), "only 8 different sets"),
    ],
)
def test_a_bad_gauntlet_is_refused_by_the_member_at_fault(
    change: dict[str, object], path: tuple[str | int, ...], words: str
) -> None:
    error = refused(replace(GAUNTLET, **change))  # type: ignore[arg-type]

    assert error.path == path
    assert words in error.reason


def test_the_limit_of_matches_is_a_stated_number() -> None:
    largest = replace(ROUND_ROBIN, entrants=NAMES[:4], deals=MAX_MATCHES // 4)
    check(largest)

    assert (
        "1000004 matches are too many, at most 1000000" in refused(replace(largest, deals=MAX_MATCHES // 4 + 1)).reason
    )


def test_too_many_bots_are_refused_before_anything_is_counted() -> None:
    crowd = tuple(f"bot{index}" for index in range(1001))

    assert refused(replace(ROUND_ROBIN, entrants=crowd, players=2)).path == ("bots",)
