"""Tournaments: creating them, what can be read of them, and how their state changes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from service.archive.verify import verify
from service.engine.setup import commitment
from service.errors import Forbidden, InvalidRequest, NotFound, Unauthorized, WrongState
from service.operations.access.tokens import ANONYMOUS, identify
from service.operations.context import Context
from service.operations.tournaments.create import NewTournament, create_tournament
from service.operations.tournaments.events import events, wait_for_events
from service.operations.tournaments.lifecycle import begin, cancel, finish, pause, resume, withdraw
from service.operations.tournaments.read import crosstable, listing, matches, schedule, show, standings
from tests.archive.tampering import exported
from tests.operations.game_setup import organiser, register
from tests.operations.tournament_setup import NAMES, begin_match, begin_tournament, play_all, play_number

GOOD: dict[str, Any] = {"name": "t", "format": "round_robin", "bots": ["ann", "ben", "cid"], "players": 2}
GAUNTLET: dict[str, Any] = {**GOOD, "format": "gauntlet", "challengers": ["ann"], "bots": ["ben", "cid"]}


@pytest.mark.parametrize(
    ("new", "field"),
    [
        ({"bots": ["ann"]}, ("bots",)),
        ({"bots": []}, ("bots",)),
        ({"bots": ["ann", "ben", "ann"]}, ("bots", "2")),
        ({"bots": ["ann", "nobody"]}, ("bots", "1")),
        ({"players": 4}, ("bots",)),
        ({"players": 5}, ("players",)),
        ({"players": 1}, ("players",)),
        ({"format": "ladder"}, ("format",)),
        ({"challengers": ["ann"]}, ("challengers",)),
        ({"deals": 0}, ("deals",)),
        ({"deals": 10**6}, ("deals",)),
        ({"sets": 0}, ("sets",)),
        ({"sets": 99}, ("sets",)),
        ({"sets": 1}, ("sets",)),
        ({"seatings": "some"}, ("seatings",)),
        ({"seed": ""}, ("seed",)),
        ({"seed": "x" * 129}, ("seed",)),
        ({"name": ""}, ("name",)),
        ({"variants": {"tally": "no"}}, ("variants", "tally")),
        ({"components": {"ships": [], "warehouses": []}}, ("components",)),
        ({"move_ms": 9}, ("move_ms",)),
        ({"move_ms": 0}, ("move_ms",)),
        ({"move_ms": 3_600_001}, ("move_ms",)),
        ({"bank_ms": -1}, ("bank_ms",)),
        ({"warmup_ms": 0}, ("warmup_ms",)),
        ({"max_faults": -1}, ("max_faults",)),
        ({"policy": "harsh"}, ("policy",)),
        ({**GAUNTLET, "challengers": []}, ("challengers",)),
        ({**GAUNTLET, "challengers": ["nobody"]}, ("challengers", "0")),
        ({**GAUNTLET, "challengers": ["ann", "ann"]}, ("challengers", "1")),
        ({**GAUNTLET, "bots": ["ben", "ben"]}, ("bots", "1")),
        ({**GAUNTLET, "bots": []}, ("bots",)),
    ],
    ids=str,
)
def test_a_tournament_that_cannot_be_is_refused_with_the_field(
    ctx: Context, new: dict[str, Any], field: tuple[str, ...]
) -> None:
    for name in NAMES:
        register(ctx, name)
    with pytest.raises(InvalidRequest) as refused:
        create_tournament(ctx, organiser(ctx), NewTournament(**{**GOOD, **new}))
    errors = refused.value.extra["errors"]
    for part in field:
        assert part in errors, refused.value.extra
        errors = errors[part]
    assert errors
    assert ctx.tournaments.running() == []


def test_the_same_bot_by_name_and_by_id_is_listed_twice(ctx: Context) -> None:
    bot = register(ctx, "ann").bot
    with pytest.raises(InvalidRequest) as refused:
        create_tournament(ctx, organiser(ctx), NewTournament("t", "round_robin", ["ann", bot.id], players=2))
    assert list(refused.value.extra["errors"]["bots"]) == ["1"]


def test_a_tournament_runs_at_once_and_hides_its_seed(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, seed="hush-hush")
    shown = show(ctx, tournament)
    assert (shown["status"], shown["matches"]) == ("running", {"total": 6, "drawn": 6, "finished": 0, "cancelled": 0})
    assert "hush-hush" not in str(shown)
    assert "hush-hush" not in str(events(ctx, tournament, 0).events)
    assert shown["settings"]["move_ms"] == 1000
    assert ctx.tournaments.running() == [tournament]


def test_the_seed_is_opened_when_it_is_over_and_fits_the_commitment(ctx: Context) -> None:
    for end in (
        lambda which: finish(ctx, which, "finished"),
        lambda which: cancel(ctx, organiser(ctx), which),
        lambda which: finish(ctx, which, "failed", "a defect"),
    ):
        tournament = begin_tournament(ctx, 2, seed="opened")
        promised = show(ctx, tournament)["commitment"]
        end(tournament)
        shown = show(ctx, tournament)
        assert shown["seed"] == "opened"
        assert commitment(bytes.fromhex(shown["nonce"]), "opened") == promised
        last = events(ctx, tournament, 0).events[-1]
        assert (last["type"], last["seed"], last["nonce"]) == (shown["status"], "opened", shown["nonce"])


def test_a_tournament_says_when_it_began_and_ended(ctx: Context) -> None:
    waiting = begin_tournament(ctx, 2, require_ready=True)
    assert (show(ctx, waiting)["started"], show(ctx, waiting)["ended"]) == (None, None)
    withdraw(ctx, organiser(ctx), waiting, NAMES[0])
    begin(ctx, waiting)
    told = [event["at"] for event in events(ctx, waiting, 0).events]
    assert (show(ctx, waiting)["started"], show(ctx, waiting)["ended"]) == (told[2], None)
    cancel(ctx, organiser(ctx), waiting)
    ended = events(ctx, waiting, 0).events[-1]["at"]
    assert (show(ctx, waiting)["started"], show(ctx, waiting)["ended"]) == (told[2], ended)


def test_a_tournament_that_is_cancelled_while_it_waits_has_ended_and_never_begun(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2, require_ready=True)
    for name in NAMES[:2]:
        withdraw(ctx, organiser(ctx), tournament, name)
    cancel(ctx, organiser(ctx), tournament)
    found = show(ctx, tournament)
    assert found["started"] is None
    assert found["ended"] == events(ctx, tournament, 0).events[-1]["at"]
    assert verify(exported(ctx, tournament)).tournament == tournament


def test_a_gauntlets_challengers_meet_the_field_only(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 4, format="gauntlet", challengers=["ann", "ben"], bots=["cid", "dot"])
    listed = schedule(ctx, tournament, 100, None)["items"]
    assert len(listed) == 8
    assert all(len({"ann", "ben"} & set(item["seats"])) == 1 for item in listed)


def test_pausing_and_resuming_can_be_repeated_and_ending_cannot_be_undone(ctx: Context) -> None:
    me = organiser(ctx)
    tournament = begin_tournament(ctx)
    for _ in range(2):
        assert pause(ctx, me, tournament)["status"] == "paused"
    assert ctx.tournaments.running() == []
    for _ in range(2):
        assert resume(ctx, me, tournament)["status"] == "running"
    assert [event["type"] for event in events(ctx, tournament, 0).events] == ["started", "paused", "resumed"]
    pause(ctx, me, tournament)
    for _ in range(2):
        assert cancel(ctx, me, tournament)["status"] == "cancelled"
    for change in (pause, resume):
        with pytest.raises(WrongState, match="cancelled"):
            change(ctx, me, tournament)
    with pytest.raises(WrongState):
        withdraw(ctx, me, tournament, "ann")
    assert not finish(ctx, tournament, "finished")
    assert [event["type"] for event in events(ctx, tournament, 0).events].count("cancelled") == 1


@pytest.mark.parametrize("change", [pause, resume, cancel])
def test_only_an_organiser_may_change_a_tournament(ctx: Context, change: Any) -> None:
    tournament = begin_tournament(ctx)
    with pytest.raises(Unauthorized):
        change(ctx, ANONYMOUS, tournament)
    with pytest.raises(Forbidden):
        change(ctx, identify(ctx, register(ctx, "stranger").token), tournament)
    with pytest.raises(NotFound):
        change(ctx, organiser(ctx), "nosuchtournament")


def test_a_bot_may_withdraw_itself_and_nobody_else(ctx: Context) -> None:
    made = register(ctx, "ann")
    tournament = begin_tournament(ctx, 3)
    me = identify(ctx, made.token)
    with pytest.raises(Forbidden):
        withdraw(ctx, me, tournament, "ben")
    for _ in range(2):
        assert withdraw(ctx, me, tournament, "ann")["withdrawn"] == ["ann"]
    assert [event["type"] for event in events(ctx, tournament, 0).events] == ["started", "withdrawn"]
    with pytest.raises(InvalidRequest):
        withdraw(ctx, organiser(ctx), tournament, "nobody")
    assert set(withdraw(ctx, organiser(ctx), tournament, "cid")["withdrawn"]) == {"ann", "cid"}


def test_standings_and_crosstable_count_every_match_once(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3)
    empty = standings(ctx, tournament)
    assert [row["matches"] for row in empty["standings"]] == [0, 0, 0]
    found = play_all(ctx, tournament)
    view = standings(ctx, tournament)
    assert (view["status"], view["matches"]) == ("finished", {"total": 6, "drawn": 6, "finished": 6, "cancelled": 0})
    rows = {row["name"]: row for row in view["standings"]}
    assert {row["matches"] for row in rows.values()} == {4}
    assert sum(row["score"] for row in rows.values()) == len(found)
    for name, row in rows.items():
        seats = [(result, result.seats.index(name)) for result in found if name in result.seats]
        points = [result.points[seat] for result, seat in seats]
        assert row["points"] == round(sum(points) / 4, 4)
        assert row["wins"] == sum(
            result.places is not None and result.places[seat] == 1 and result.places.count(1) == 1
            for result, seat in seats
        )
        assert row["faults"] == {"late": 0, "unreachable": 0, "bad_status": 0, "bad_body": 0, "illegal": 0}
        bot = ctx.bots.find(name)
        assert bot is not None and row["bot"] == bot.id
    cross = crosstable(ctx, tournament)
    assert [sum(filter(None, line)) for line in cross["score"]] == [rows[name]["score"] for name in cross["names"]]


def test_matches_and_schedule_are_paged_in_the_same_order(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 4, players=3, deals=2)
    whole = [item["match"] for item in schedule(ctx, tournament, 100, None)["items"]]
    assert len(whole) == 24 and len(set(whole)) == 24
    for read in (schedule, matches):
        found: list[str] = []
        cursor = None
        while True:
            page = read(ctx, tournament, 7, cursor)
            found += [item["match"] for item in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert found == whole
        for wrong in ("", "x", "-1", "24", "1" * 99, "٣"):
            with pytest.raises(InvalidRequest):
                read(ctx, tournament, 7, wrong)


def test_a_match_is_listed_as_what_it_is(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3)
    done = play_number(ctx, tournament, 0)
    ctx.blocks.activate(tournament, 0)
    _, view = begin_match(ctx, tournament, 1)
    items = matches(ctx, tournament, 100, None)["items"]
    assert [item["status"] for item in items] == ["finished", "running", *["scheduled"] * 4]
    assert items[0]["points"] == list(done.points)
    assert done.places is not None and items[0]["places"] == list(done.places)
    assert (items[1]["game"], items[1]["points"]) == (view.id, None)
    assert items[2]["game"] is None
    cancel(ctx, organiser(ctx), tournament)
    assert matches(ctx, tournament, 100, None)["items"][5]["status"] == "cancelled"


def test_whoever_waits_for_a_tournaments_events_is_woken_by_the_next(ctx: Context, other: Context) -> None:
    tournament = begin_tournament(ctx)
    seen = events(ctx, tournament, 0).last
    assert seen == 1
    timer = threading.Timer(0.1, pause, (other, organiser(other), tournament))
    timer.start()
    news = wait_for_events(ctx, tournament, seen, 20)
    timer.join()
    assert [(event["n"], event["type"]) for event in news.events] == [(2, "paused")]
    assert not news.over
    cancel(ctx, organiser(ctx), tournament)
    assert wait_for_events(ctx, tournament, 3, 20).over


def test_tournaments_are_listed_newest_first(ctx: Context) -> None:
    made = [begin_tournament(ctx, 2) for _ in range(3)]
    first = listing(ctx, 2, None)
    rest = listing(ctx, 2, first["next"])
    assert [item["tournament"] for item in first["items"] + rest["items"]] == made[::-1]
    assert rest["next"] is None


def test_what_does_not_exist_is_not_found(ctx: Context) -> None:
    for read in (
        lambda: show(ctx, "nosuch"),
        lambda: standings(ctx, "nosuch"),
        lambda: crosstable(ctx, "nosuch"),
        lambda: matches(ctx, "nosuch", 10, None),
        lambda: schedule(ctx, "nosuch", 10, None),
        lambda: events(ctx, "nosuch", 0),
    ):
        with pytest.raises(NotFound):
            read()
