"""What a new player is told has happened, and which of it is explained."""

from __future__ import annotations

from service.web.explanations import MAX_TOLD, Happened, since_own_choice
from service.web.timeline import Timeline
from service.web.words import words_in
from tests.web.games import document, played

WORDS = words_in("en")


def told_before_each_choice(seat: int = 0) -> list[list[Happened]]:
    """What seat 0 is told whenever it is to choose, over a whole game."""
    found = []
    for view in played(document(3), chance=2):
        if any(decision.seat == seat for decision in view.game.decisions) and view.status == "running":
            timeline = Timeline(view)
            timeline.extend(view)
            found.append(since_own_choice(timeline.positions, seat, WORDS))
    return found


def test_nothing_is_told_before_the_first_own_choice() -> None:
    assert told_before_each_choice()[0] == []


def test_each_kind_of_event_is_explained_when_it_first_comes_and_not_again() -> None:
    by_step = {one.n: one for told in told_before_each_choice() for one in told}
    explained = [one for _, one in sorted(by_step.items()) if one.why]
    assert len(explained) >= 6
    assert len({one.why for one in explained}) == len(explained)
    first_walk = next(one for one in by_step.values() if "comes out of the tavern" in one.text)
    assert first_walk.n <= min(one.n for one in explained if "in the order of the tokens" in one.why) + 1


def test_only_what_came_after_the_own_choice_is_told() -> None:
    for told in told_before_each_choice():
        assert sum(not one.why for one in told) <= MAX_TOLD
        assert [one.n for one in told] == sorted(one.n for one in told)
        assert not any("lookahead has chosen" in one.text for one in told)
