from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from service.tournament.matchmaking import NEWCOMER_BLOCKS, LadderState, next_block
from tests.tournament.simulated_ladder import SimulatedLadder, drawn_strengths

SEED = "a season"


def state_of(*names: str, players: int = 2, references: tuple[str, ...] = ()) -> LadderState:
    state = LadderState(players)
    for name in (*names, *references):
        state = state.enter(name, reference=name in references)
    return state


def test_the_same_history_and_seed_give_the_same_block_and_another_seed_another_one() -> None:
    state = state_of(*"abcdefgh", players=4)
    assert next_block(state, SEED) == next_block(state, SEED)
    assert len({next_block(state, f"seed {number}") for number in range(10)}) > 1


def test_a_block_seats_only_entrants_that_take_part_do_not_play_and_are_not_busy() -> None:
    state = state_of(*"abcdef").start(("a", "b")).leave("c")
    block = next_block(state, SEED, busy={"d"})
    assert block is not None and set(block) == {"e", "f"}


def test_there_is_no_block_where_too_few_are_free() -> None:
    assert next_block(state_of("a"), SEED) is None
    assert next_block(state_of("a", "b", "c").start(("a", "b")), SEED) is None
    assert next_block(state_of("a", "b"), SEED, busy={"a"}) is None


def test_a_ladder_of_reference_entrants_alone_rests() -> None:
    resting = state_of(references=("r", "s", "t"))
    assert next_block(resting, SEED) is None
    block = next_block(resting.enter("a"), SEED)
    assert block is not None and "a" in block


def test_an_entrant_that_has_never_played_leads_the_next_block() -> None:
    state = state_of(*"abcdef")
    for members in (("a", "b"), ("c", "d"), ("e", "f")) * 5:
        number = state.started
        state = state.start(members).finish(number, {members[0]: 4, members[1]: 0})
    for number in range(20):
        block = next_block(state.enter("new"), f"seed {number}")
        assert block is not None and "new" in block


def test_who_comes_back_has_not_waited_while_it_was_away() -> None:
    state = state_of(*"abc").start(("a", "b")).finish(0, None).leave("a")
    for number in range(1, 30):
        state = state.start(("b", "c")).finish(number, None)
    assert state.enter("a").entrants["a"].last == 30


@pytest.mark.parametrize(
    "step",
    [
        lambda state: state.enter("a"),
        lambda state: state.leave("x"),
        lambda state: state.start(("a", "b")).start(("a", "c")),
        lambda state: state.start(("a", "a")),
        lambda state: state.start(("a", "b", "c")),
        lambda state: state.start(("a", "x")),
        lambda state: state.leave("a").start(("a", "b")),
        lambda state: state.finish(0, None),
        lambda state: state.start(("a", "b")).finish(0, None).finish(0, None),
    ],
)
def test_a_step_that_cannot_have_happened_is_refused(step: Callable[[LadderState], LadderState]) -> None:
    with pytest.raises(ValueError, match=r"takes? part|cannot play|different entrants|not open"):
        step(state_of("a", "b", "c"))


def test_the_pairing_rating_rises_with_pairs_won_and_what_one_gains_among_equals_the_other_loses() -> None:
    state = state_of("a", "b").start(("a", "b")).finish(0, {"a": 4, "b": 0})
    won, lost = state.entrants["a"], state.entrants["b"]
    assert won.rating - 1500 == 1500 - lost.rating > 0
    assert won.finished == lost.finished == 1


def test_a_block_that_does_not_count_frees_its_members_and_changes_no_rating() -> None:
    state = state_of("a", "b").start(("a", "b")).finish(0, None)
    assert not state.open
    assert all(known.rating == 1500 and known.finished == 0 and not known.playing for known in state.entrants.values())


def test_pairing_ratings_come_close_to_the_strengths() -> None:
    strengths = drawn_strengths(20, 250)
    ladder = SimulatedLadder(strengths, slots=4)
    ladder.enter(*strengths)
    for _ in ladder.play(500):
        pass
    mean = sum(strengths.values()) / len(strengths)
    level = sum(known.rating for known in ladder.state.entrants.values()) / len(strengths)
    for name, strength in strengths.items():
        assert abs((ladder.state.entrants[name].rating - level) - (strength - mean)) < 100


def test_nobody_waits_longer_than_a_minute_where_the_slots_allow_it_and_newcomers_wait_less() -> None:
    strengths = drawn_strengths(60, 300)
    ladder = SimulatedLadder(strengths)
    newcomers, known = list(strengths)[:5], list(strengths)[5:]
    ladder.enter(*strengths)
    ladder.settle(*known)
    for _ in ladder.play(400):
        pass
    early = [wait for name in newcomers for wait in ladder.waits[name][1 : NEWCOMER_BLOCKS - 1]]
    late = [wait for name in known for wait in ladder.waits[name][1:]]
    assert max(early) <= 60 and max(late) <= 60
    assert sum(early) / len(early) < sum(late) / len(late) / 2


def test_where_there_are_too_few_slots_nobody_waits_much_longer_than_twice_the_mean() -> None:
    strengths = drawn_strengths(60, 300)
    ladder = SimulatedLadder(strengths, slots=2)
    ladder.enter(*strengths)
    ladder.settle(*strengths)
    for _ in ladder.play(900):
        pass
    counts = [known.finished - NEWCOMER_BLOCKS for known in ladder.state.entrants.values()]
    assert max(counts) <= 2 * min(counts)
    waits = [wait for listed in ladder.waits.values() for wait in listed[1:]]
    assert max(waits) <= 2.2 * sum(waits) / len(waits)


def test_opponents_are_never_only_the_nearest_so_that_rock_paper_scissors_evens_out() -> None:
    """Each meets many of the others, and none of them in more than a small share of its blocks."""
    strengths = drawn_strengths(40, 300)
    ladder = SimulatedLadder(strengths, slots=4)
    ladder.enter(*strengths)
    ladder.settle(*strengths)
    for _ in ladder.play(400):
        pass
    for name, met in ladder.meetings.items():
        blocks = len(ladder.waits[name])
        assert len(met) >= 19
        assert met.most_common(1)[0][1] <= 0.35 * blocks
        # The half of the field that is nearest has 20, of whom 5 are the very nearest.
        nearest = sorted(
            (other for other in strengths if other != name), key=lambda one: abs(strengths[one] - strengths[name])
        )
        assert sum(met[other] for other in nearest[:5]) <= 0.5 * sum(met.values())


def test_entrants_that_come_free_together_wait_for_others_instead_of_playing_each_other_again() -> None:
    state = state_of(*"abcd").start(("a", "b")).start(("c", "d")).finish(0, {"a": 4, "b": 0})
    assert next_block(state, SEED) is None
    mixed = next_block(state.finish(1, {"c": 4, "d": 0}), SEED)
    assert mixed is not None and set(mixed) not in ({"a", "b"}, {"c", "d"})
    alone = state_of("a", "b").start(("a", "b")).finish(0, None)
    assert next_block(alone, SEED) is not None


def test_on_a_small_ladder_with_many_slots_everybody_meets_everybody() -> None:
    strengths = drawn_strengths(12, 300)
    ladder = SimulatedLadder(strengths, slots=8)
    ladder.enter(*strengths)
    for _ in ladder.play(200):
        pass
    assert all(len(met) == 11 for met in ladder.meetings.values())


def test_every_neighbour_order_comes_about_equally_often() -> None:
    orders = Counter(next_block(state_of(*"abc", players=3), f"seed {number}") for number in range(600))
    assert len(orders) == 6
    assert min(orders.values()) > 60


def test_the_first_blocks_are_the_ones_that_were_written_down() -> None:
    """Another implementation can check itself by these; a change of the rule makes old seasons false."""
    state = state_of(*"abcdefghij", players=4, references=("r", "s"))
    blocks = []
    for number in range(6):
        members = next_block(state, SEED)
        assert members is not None
        blocks.append("".join(members))
        state = state.start(members)
        if number % 2:
            halves = {name: 2 * rank * 4 for rank, name in enumerate(sorted(members))}
            state = state.finish(number, halves).finish(number - 1, None)
    assert blocks == ["eadj", "cgib", "rhfs", "idab", "sejg", "hrca"]
