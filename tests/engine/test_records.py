"""Records: what is written replays to the same game, and what was changed is refused."""

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import rfc8785

from service.engine.actions import Decline, NotLegal, Play
from service.engine.components import ComponentSet
from service.engine.errors import DamagedRecord, GameIsNotOver, InvalidInput, NotOpen
from service.engine.playthrough import Playthrough
from service.engine.record import canonical, digest, replay, verify
from service.engine.setup import SECRETS, Reshuffles, draw_setup
from service.engine.transcript import render
from tests.engine.games import Record, any_variants, finish, match_record, record_of, settle_any, started
from tests.engine.odd_sets import SETS, four_ships
from tests.engine.positions import COIN, good, lay

Path = tuple[str | int, ...]


def eventful(players: int, seed: str) -> tuple[Playthrough, Record]:
    """A game with variants, faults, and resignations at any moment; sometimes aborted."""
    draw = random.Random(seed)
    play = started(players, seed, any_variants(draw))
    giving_up = draw.choice([0, 0.005, 0.02, 0.06])
    while play.game.outcome is None:
        left = [seat for seat in range(players) if seat not in play.game.resigned]
        if draw.random() < giving_up / 8:
            play.abort()
        elif draw.random() < giving_up:
            play.resign(draw.sample(left, draw.choice([1, 1, 1, 2])), draw.choice(["resigned", "forfeit", "withdrawn"]))
        elif play.game.open_defaults and draw.random() < 0.5:
            # Others may settle theirs first.
            others = [decision for decision in play.game.decisions if decision.seat in left]
            if others:
                play.settle(others[0].id, draw.choice(play.game.legal_actions(others[0].id)), "player")
        else:
            settle_any(play, draw, faults=0.05)
    return play, record_of(play, seed)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_record_replays_to_the_same_game(players: int) -> None:
    endings = set()
    for number in range(60):
        play, record = eventful(players, f"{players}-{number}")
        again = verify(json.loads(json.dumps(record)))
        assert again.game.outcome == play.game.outcome
        assert (again.actions, again.orders, again.resignations) == (
            record["actions"],
            record["orders"],
            record["resignations"],
        )
        if play.game.outcome is not None and play.game.outcome.ended == "played":
            # Else cards may lie on the table that were never revealed; those are not in the record.
            assert again.game == play.game
        endings.add(record["result"]["ended"])
    assert endings == {"played", "resigned", "aborted"}


@pytest.mark.parametrize("components", SETS, ids=lambda components: components.__name__)
def test_games_of_other_components_have_records_too(components: Any) -> None:
    play = finish(started(3, "odd", components=components(3)), random.Random(1))
    assert verify(record_of(play, "odd", "seeded")).game == play.game


def test_a_match_is_dealt_by_its_blocks_seed_and_its_own() -> None:
    record = match_record()
    verify(record)
    record["setup"]["block_seed"] = "0" * 64
    with pytest.raises(DamagedRecord, match=r"setup\.warehouses: is not what the seed gives"):
        verify(record)


def test_a_record_whose_seeds_are_not_open_yet_is_checked_all_the_same() -> None:
    play = finish(started(3, "closed"), random.Random(1))
    record = record_of(play, "closed", seed=None, nonce=None)
    verify(record)
    record["orders"][1][0], record["orders"][1][1] = record["orders"][1][1], record["orders"][1][0]
    with pytest.raises(DamagedRecord, match=r"orders\[1\]"):
        verify(record)


def test_a_given_deal_is_not_derived_but_its_commitment_is_opened() -> None:
    setup = draw_setup(started(2, "x").game.components, 2, "another seed")
    play = Playthrough.start(2, any_variants(random.Random(1)), started(2, "x").game.components, setup, Reshuffles("s"))
    finish(play, random.Random(1))
    verify(record_of(play, "s", "given"))
    with pytest.raises(DamagedRecord, match=r"setup\.warehouses: is not what the seed gives"):
        verify(record_of(play, "s", "drawn"))
    with pytest.raises(DamagedRecord, match="commitment: is not opened"):
        verify({**record_of(play, "s", "given"), "commitment": "0" * 64})


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """The paths of everything in a record, containers included."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))


def changes(value: object) -> list[object]:
    """Other values for a member: of its kind, and of another."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, str(value), float(value), None]
    if isinstance(value, str):
        return [value + "x", value[1:], 0, None]
    if isinstance(value, list):
        return [value[1:], [*value, None], value[::-1] if value[::-1] != value else [0], {}] if value else [[0], None]
    if isinstance(value, dict):
        return [{**value, "extra": 1}, {}, None] if value else [{"extra": 1}, None]
    return [0, "x"]


def changed(record: Record, path: Path, value: object) -> Record:
    damaged = copy.deepcopy(record)
    holder: Any = damaged
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return damaged


def test_a_record_in_which_any_member_was_changed_is_refused() -> None:
    draw = random.Random(3)
    play = started(3, "damage")
    for _ in range(20):
        settle_any(play, draw, faults=0.2)
    play.resign([1], "forfeit")
    record = record_of(finish(play, draw), "damage")
    verify(record)
    paths = list(leaves(record))
    short = [path for path in paths if path[0] not in ("actions", "components", "orders")]
    some = draw.sample(paths, 150)
    accepted = []
    for path in dict.fromkeys(short + some):
        value: Any = record
        for step in path:
            value = value[step]
        for other in changes(value):
            try:
                verify(changed(record, path, other))
            except DamagedRecord:
                continue
            accepted.append((path, other))
    assert accepted == []


def test_a_record_that_lacks_any_member_is_refused() -> None:
    record = record_of(finish(started(2, "lack"), random.Random(1)), "lack")
    for path in leaves(record):
        if isinstance(path[-1], str) and len(path) < 3:
            damaged = copy.deepcopy(record)
            holder: Any = damaged
            for step in path[:-1]:
                holder = holder[step]
            del holder[path[-1]]
            with pytest.raises(DamagedRecord):
                verify(damaged)


def test_a_changed_action_is_named_even_if_the_digest_was_made_to_fit() -> None:
    record = record_of(finish(started(2, "action"), random.Random(1)), "action")
    i = next(i for i, entry in enumerate(record["actions"]) if entry["action"]["type"] == "load")
    for change, message in (
        ({"action": {"type": "load", "ships": {"s99": 1}}}, f"actions[{i}]: there is no ship s99"),
        ({"action": {"type": "load", "ships": {"s01": "1"}}}, f"actions[{i}].action.ships.s01: must be an integer"),
        ({"decision": "9.load.0.0"}, f"actions[{i}]: decision 9.load.0.0 is not open"),
        ({"by": "nobody"}, f"actions[{i}].by: must be one of player, default"),
        ({"by": "player", "fault": "late"}, f"actions[{i}]: fault: only a default action has a fault"),
        ({"seat": 7}, f"actions[{i}].seat: must be 0 to 1"),
    ):
        damaged = copy.deepcopy(record)
        damaged["actions"][i].update(change)
        damaged["digest"] = digest(damaged)
        with pytest.raises(DamagedRecord) as refused:
            verify(damaged)
        assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("round", 9, "is {"),
        ("seat", 1, "is {"),
        ("action", {"type": "play", "big": 1, "little": 1, "jack": 2}, "has not hired Jack"),
        ("action", {"type": "decline"}, "the decision is about play, not decline"),
    ],
)
def test_an_entry_that_does_not_fit_is_named(member: str, value: object, message: str) -> None:
    record = record_of(finish(started(2, "entry"), random.Random(1)), "entry")
    record["actions"][0][member] = value
    with pytest.raises(DamagedRecord) as refused:
        verify({**record, "digest": digest(record)})
    assert refused.value.path == ("actions", 0)
    assert message in refused.value.reason


def test_entries_that_are_missing_or_too_many_are_named() -> None:
    record = record_of(finish(started(2, "short"), random.Random(1)), "short")
    number = len(record["actions"])
    with pytest.raises(DamagedRecord, match=rf"actions\[{number - 1}\]: the record ends before the game"):
        replay({**record, "actions": record["actions"][:-1]})
    with pytest.raises(DamagedRecord, match=rf"actions\[{number}\]: the game is over"):
        replay({**record, "actions": [*record["actions"], record["actions"][-1]]})
    with pytest.raises(DamagedRecord, match=r"result.points: is \[0, 0\], but the game gave"):
        replay({**record, "result": {**record["result"], "points": [0, 0]}})
    with pytest.raises(DamagedRecord, match=r"resignations\[0\]"):
        replay({**record, "resignations": [{"seat": 0, "after": number, "reason": "resigned"}]})
    with pytest.raises(DamagedRecord, match=r"orders\[\d+\]"):
        replay({**record, "orders": [*record["orders"], record["orders"][0]]})


def test_an_unknown_member_is_allowed_and_is_covered_by_the_digest() -> None:
    record = {**record_of(finish(started(2, "more"), random.Random(1)), "more"), "note": [{"x": "ü"}]}
    with pytest.raises(DamagedRecord, match="digest"):
        verify(record)
    verify({**record, "digest": digest(record)})


@pytest.mark.parametrize("name", ["plain", 'quotes " and \\', "line\nfeed\ttab\x00\x1f\x7f", "häß 你 😀 \u2028"])
def test_the_digest_is_over_the_rfc_8785_form(name: str) -> None:
    play = finish(started(2, "form"), random.Random(1))
    record = record_of(play, "form", seats=[{"name": name, "version": None}, {"name": "b", "version": name}])
    kept = {key: value for key, value in copy.deepcopy(record).items() if key != "digest"}
    for secret in SECRETS:
        del kept["setup"][secret]
    assert canonical(record) == rfc8785.dumps(kept)
    verify(json.loads(json.dumps(record)))


def test_opening_the_seeds_does_not_change_the_digest() -> None:
    play = finish(started(2, "open"), random.Random(1))
    assert record_of(play, "open")["digest"] == record_of(play, "open", seed=None, nonce=None)["digest"]


def test_a_game_that_goes_on_has_no_record() -> None:
    with pytest.raises(GameIsNotOver):
        record_of(started(2, "on"), "on")


# --- what a playthrough writes down -----------------------------------------------------------------------------------


def test_a_rounds_cards_stand_in_seat_order_whatever_came_first() -> None:
    play = started(3, "order")
    play.settle("1.play.2.0", Play(1, 1), "player")
    play.settle("1.play.0.0", Play(2, 2), "player")
    assert play.actions == []
    play.settle("1.play.1.0", Play(3, 3), "player")
    assert [entry["seat"] for entry in play.actions] == [0, 1, 2]
    assert play.actions[2] == {
        "round": 1,
        "seat": 2,
        "decision": "1.play.2.0",
        "action": {"type": "play", "big": 1, "little": 1},
        "by": "player",
        "fault": None,
    }


def test_a_resignation_stands_before_the_rounds_cards_for_a_seat_that_owes_and_after_them_for_one_that_does_not() -> (
    None
):
    play = started(4, "both")
    play.settle("1.play.3.0", Play(2, 2), "player")
    play.resign([3], "resigned")
    play.resign([1], "forfeit")
    for seat in (0, 2):
        play.settle(f"1.play.{seat}.0", Play(seat + 1, 1), "player")
    play.settle("1.play.1.0", Play(1, 1), "default")
    assert play.resignations == [
        {"seat": 1, "after": 0, "reason": "forfeit"},
        {"seat": 3, "after": 4, "reason": "resigned"},
    ]
    record = record_of(finish(play, random.Random(1)), "both")
    assert verify(record).resignations == record["resignations"]


def test_if_the_game_ends_before_the_reveal_the_rounds_cards_are_left_out() -> None:
    play = started(3, "early")
    play.settle("1.play.0.0", Play(2, 2), "player")
    play.resign([0], "resigned")
    play.settle("1.play.1.0", Play(2, 2), "player")
    play.resign([2], "resigned")
    record = record_of(play, "early")
    assert record["actions"] == []
    assert record["resignations"] == [
        {"seat": 0, "after": 0, "reason": "resigned"},
        {"seat": 2, "after": 0, "reason": "resigned"},
    ]
    assert record["result"] == {"points": [0, 0, 0], "places": [2, 1, 2], "rounds": 1, "ended": "resigned"}
    verify(record)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_who_resigns_after_choosing_the_cards_that_end_the_game_has_resigned(order: tuple[int, ...]) -> None:
    # A set of four ships: one in the stack. With empty rooms nothing is ever asked but cards.
    components = ComponentSet(four_ships(3).ships, lay(3).components.warehouses)
    play = started(3, "last", components=components)
    while play.game.round < 3:
        for seat in range(3):
            play.settle(f"{play.game.round}.play.{seat}.0", Play(1, 2), "player")
    assert play.game.outcome is None
    first, second, third = order
    play.settle(f"3.play.{first}.0", Play(1, 2), "player")
    play.resign([first], "resigned")
    play.settle(f"3.play.{second}.0", Play(1, 2), "player")
    play.settle(f"3.play.{third}.0", Play(1, 2), "player")
    record = record_of(play, "last")
    assert record["result"]["ended"] == "played"
    assert record["result"]["places"][first] == 3
    assert record["resignations"] == [{"seat": first, "after": len(record["actions"]), "reason": "resigned"}]
    assert verify(record).game == play.game


def test_a_resigned_seat_acts_by_default_only() -> None:
    play = started(3, "resigned")
    play.resign([0], "resigned")
    with pytest.raises(InvalidInput, match="by: seat 0 has resigned"):
        play.settle("1.play.0.0", Play(1, 1), "player")
    with pytest.raises(InvalidInput, match="by: seat 0 has resigned"):
        play.settle("1.play.0.0", Play(1, 1), "default", "late")
    with pytest.raises(NotLegal, match="by default only the first legal action"):
        play.settle("1.play.0.0", Play(1, 2), "default")
    play.settle("1.play.0.0", Play(1, 1), "default")


def test_a_fault_is_of_a_known_kind_and_leads_to_a_default() -> None:
    play = started(3, "faults")
    with pytest.raises(InvalidInput, match="fault: must be one of late"):
        play.settle("1.play.0.0", Play(1, 1), "default", "lazy")
    with pytest.raises(InvalidInput, match="fault: only a default action has a fault"):
        play.settle("1.play.0.0", Play(1, 1), "player", "late")
    with pytest.raises(InvalidInput, match="by: must be one of player, default"):
        play.settle("1.play.0.0", Play(1, 1), "referee")
    with pytest.raises(NotLegal, match="about play, not decline"):
        play.settle("1.play.0.0", Decline(), "player")
    assert [decision.seat for decision in play.game.decisions] == [0, 1, 2]
    play.settle("1.play.0.0", Play(1, 1), "default", "late")


def test_orders_are_those_at_the_start_of_each_round() -> None:
    play = finish(started(2, "orders"), random.Random(1))
    assert play.game.outcome is not None
    assert len(play.orders) == play.game.outcome.rounds
    assert play.orders[0] == [{"seat": seat, "worker": worker} for seat, worker in play.setup.order]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_transcript_tells_every_round(players: int) -> None:
    for number in range(10):
        _, record = eventful(players, f"told-{players}-{number}")
        lines = list(render(record))
        rounds = [line for line in lines if line.startswith("Round ")]
        assert rounds == [f"Round {number + 1}" for number in range(record["result"]["rounds"])]
        if record["result"]["ended"] != "aborted":
            assert any(line.startswith("  1. bot-") for line in lines[-players:])


def test_a_transcript_says_what_was_played_by_default_and_why_a_seat_gave_up() -> None:
    reasons = set()
    for number in range(30):
        _, record = eventful(3, f"told-by-default-{number}")
        text = "\n".join(render(record))
        defaults = Counter(entry["fault"] for entry in record["actions"] if entry["by"] == "default")
        assert text.count("(by default: it had given up)") == defaults.pop(None, 0)
        for fault, count in defaults.items():
            assert text.count(f"(by default: {fault.replace('_', ' ')})") == count
        if record["result"]["places"]:
            for entry in record["resignations"]:
                seat, reason = entry["seat"], entry["reason"]
                points = record["result"]["points"][seat]
                assert f". bot-{seat}: {points} points ({reason})" in text
                reasons.add(reason)
    assert reasons == {"resigned", "forfeit", "withdrawn"}


def test_good_rooms_and_coins_are_told() -> None:
    game = lay(2, rooms={0: good(2, coin=1), 1: COIN})
    components = game.components
    play = finish(started(2, "told", components=components), random.Random(1))
    text = "\n".join(render(record_of(play, "told", "seeded")))
    assert "2 good, coin / empty" in text


@pytest.mark.parametrize(
    ("refusals", "reason"),
    [
        (
            [{"decision": "9.play.0.0", "fault": "illegal", "reason": ""}],
            "refusals[0].decision: is not one of the record",
        ),
        ([{"decision": "1.play.0.0", "fault": "late", "reason": ""}], "refusals[0].fault: "),
        ([{"decision": "1.play.0.0", "fault": "illegal"}], "refusals[0]"),
        (
            [{"decision": f"1.play.{seat}.0", "fault": "illegal", "reason": ""} for seat in (1, 0)],
            "refusals[1]: stands after an answer to a later decision",
        ),
        ("none", "refusals"),
    ],
)
def test_refused_answers_that_cannot_be_are_refused(refusals: object, reason: str) -> None:
    record = record_of(finish(started(2, "refusals"), random.Random(1)), "refusals")
    forged = {**record, "refusals": refusals}
    forged["digest"] = digest(forged)
    with pytest.raises(DamagedRecord) as error:
        verify(forged)
    assert str(error.value).startswith(reason)


def test_refused_answers_are_part_of_the_digest() -> None:
    play = started(2, "refusals")
    play.refuse("1.play.0.0", "illegal", "It was wrong.")
    record = record_of(finish(play, random.Random(1)), "refusals")
    assert verify(record).game.outcome == play.game.outcome
    record["refusals"][0]["reason"] = "It was right."
    with pytest.raises(DamagedRecord, match="digest"):
        verify(record)


def test_an_answer_is_refused_only_while_its_decision_is_open() -> None:
    play = started(2, "refusals")
    with pytest.raises(NotOpen):
        play.refuse("2.play.0.0", "illegal", "It was wrong.")
    with pytest.raises(InvalidInput):
        play.refuse("1.play.0.0", "late", "It came late.")
    assert play.refusals == []
