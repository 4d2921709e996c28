"""Casual games from creation to record."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from service.engine.errors import DamagedRecord
from service.engine.record import verify
from service.errors import GameNotOver, InvalidRequest, NotFound, SeatTaken, WrongState
from service.operations.access.tokens import ANONYMOUS, identify
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.create import NewGame, create
from service.operations.games.read import observe, public_games, wait_for_events, wait_for_observation
from service.operations.games.records import record
from service.operations.games.seats import join
from tests.operations.game_setup import Seated, answer, at_random, begin, finished_record, organiser, play, register

A_SHIP = {"id": "x1", "capacity": 4, "points": [4, 2, 1]}
A_ROOM = {"good": 1, "broken": 0, "coin": 1}


def a_set(**changes: Any) -> dict[str, Any]:
    """A custom component set of two players' size, good unless changed."""
    good = {
        "ships": [{**A_SHIP, "id": f"x{number}"} for number in range(1, 9)],
        "warehouses": [{"id": f"h{number}", "upper": A_ROOM, "lower": A_ROOM} for number in range(1, 8)],
    }
    return {**good, **changes}


def test_a_game_whose_seats_are_all_the_creators_starts_at_once(ctx: Context) -> None:
    made = create(ctx, ANONYMOUS, NewGame(players=3, name="a game"))
    assert [seat for seat, _ in made.tokens] == [0, 1, 2]
    assert made.view.status == "running"
    assert made.view.version == 4, "three joined, one started"
    assert len({token for _, token in made.tokens} | {made.creator_token}) == 4


def test_a_game_with_an_open_seat_starts_when_it_is_taken(ctx: Context) -> None:
    seated = begin(ctx, 2, seats=["creator", "open"])
    assert load(ctx, seated.game).status == "open"
    with pytest.raises(WrongState):
        answer(ctx, seated, 0)
    given = join(ctx, seated.game, 1, "Ana")
    assert (given.seat, given.view.status, given.view.names[1]) == (1, "running", "Ana")
    seats = {**seated.seats, 1: identify(ctx, given.token)}
    assert play(ctx, Seated(seated.game, seated.creator, seats)).status == "finished"


def test_a_seat_that_is_taken_or_was_never_there_cannot_be_taken(ctx: Context) -> None:
    game = begin(ctx, 3, seats=["creator", "open", "open"]).game
    join(ctx, game, 1, None)
    for seat in (0, 1):
        with pytest.raises(SeatTaken):
            join(ctx, game, seat, None)
    with pytest.raises(NotFound, match="no seat 3"):
        join(ctx, game, 3, None)
    with pytest.raises(NotFound):
        join(ctx, "nosuchgame", 0, None)
    assert load(ctx, game).status == "open"


def test_of_many_who_want_one_seat_exactly_one_gets_it(ctx: Context) -> None:
    game = begin(ctx, 2, seats=["creator", "open"]).game
    won: list[str] = []
    lost: list[SeatTaken] = []
    ready = threading.Barrier(8)

    def want(name: str) -> None:
        ready.wait()
        try:
            join(ctx, game, 1, name)
            won.append(name)
        except SeatTaken as error:
            lost.append(error)

    threads = [threading.Thread(target=want, args=(f"guest {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 7)
    assert load(ctx, game).names[1] == won[0]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(
    "variants",
    [{}, {"tally": "circuit", "last_place": "unpaid", "starting_coins": 3}],
    ids=["the rules", "all variants"],
)
def test_verify_accepts_the_record_of_every_game(ctx: Context, players: int, variants: dict[str, Any]) -> None:
    for seed in ("one", "two"):
        found = finished_record(ctx, begin(ctx, players, seed=seed, variants=variants), at_random(seed))
        assert verify(found).game.outcome is not None
        assert found["result"]["ended"] == "played"
        assert found["deal"] == "seeded"
        assert found["setup"]["seed"] == seed, "a casual game opens its commitment itself"


def test_a_game_without_a_seed_draws_one_and_opens_it_at_the_end(ctx: Context) -> None:
    seated = begin(ctx, 2)
    promised = load(ctx, seated.game).meta.commitment
    found = finished_record(ctx, seated)
    assert (found["deal"], found["commitment"]) == ("drawn", promised)
    verify(found)
    with pytest.raises(DamagedRecord):
        verify({**found, "setup": {**found["setup"], "seed": "another"}})


def test_a_deal_can_be_given_again_from_a_record(ctx: Context) -> None:
    first = finished_record(ctx, begin(ctx, 4, seed="again"), at_random("again"))
    given = begin(ctx, 4, setup=first["setup"], orders=first["orders"])
    again = finished_record(ctx, given, at_random("again"))
    verify(again)
    assert again["deal"] == "given"
    for member in ("actions", "orders", "result", "components"):
        assert again[member] == first[member], member


def test_a_custom_component_set_is_played_with(ctx: Context) -> None:
    found = finished_record(ctx, begin(ctx, 2, components=a_set()))
    verify(found)
    assert {ship["id"] for ship in found["components"]["ships"]} == {f"x{number}" for number in range(1, 9)}


def test_a_game_that_is_not_over_has_no_record(ctx: Context) -> None:
    with pytest.raises(GameNotOver):
        record(ctx, begin(ctx).game)
    with pytest.raises(NotFound):
        record(ctx, "nosuchgame")


@pytest.mark.parametrize(
    ("new", "field"),
    [
        ({"players": 5}, ("players",)),
        ({"players": 1}, ("players",)),
        ({"seed": ""}, ("seed",)),
        ({"seed": "x" * 129}, ("seed",)),
        ({"seed": "a\nb"}, ("seed",)),
        ({"variants": {"tally": "sideways"}}, ("variants", "tally")),
        ({"variants": {"starting_coins": 4}}, ("variants", "starting_coins")),
        ({"variants": {"speed": 1}}, ("variants", "speed")),
        ({"seats": ["creator"]}, ("seats",)),
        ({"seats": ["creator", "nobody"]}, ("seats", "1")),
        ({"seats": ["creator", {"bot": "unheard-of"}]}, ("seats", "1", "bot")),
        ({"seats": [{"bot": "twin"}, {"bot": "twin"}]}, ("seats", "1", "bot")),
        ({"turn_seconds": 0}, ("turn_seconds",)),
        ({"turn_seconds": 8 * 24 * 3600}, ("turn_seconds",)),
        ({"name": ""}, ("name",)),
        ({"name": "x" * 61}, ("name",)),
        ({"name": "\x1b[31mred"}, ("name",)),
        ({"components": a_set(ships=[{**A_SHIP, "capacity": 2}] * 4)}, ("components", "ships", "0", "capacity")),
        ({"components": a_set(warehouses=[])}, ("components", "warehouses")),
        ({"setup": {"warehouses": []}}, ("setup",)),
        ({"orders": [[{"seat": 0, "worker": "big"}]]}, ("orders", "0")),
    ],
    ids=str,
)
def test_a_game_that_cannot_be_is_refused_with_the_field(
    ctx: Context, new: dict[str, Any], field: tuple[str, ...]
) -> None:
    register(ctx, "twin")
    with pytest.raises(InvalidRequest) as refused:
        create(ctx, organiser(ctx), NewGame(**{"players": 2, **new}))
    errors = refused.value.extra["errors"]
    for part in field:
        assert part in errors, refused.value.extra
        errors = errors[part]
    assert ctx.game_lists.idle(-1, 10) == [], "nothing was written"


def test_only_public_games_are_listed_newest_first_and_by_status(ctx: Context) -> None:
    begin(ctx, 2)
    made = [begin(ctx, 2, public=True, name=f"game {number}").game for number in range(4)]
    waits = begin(ctx, 2, public=True, seats=["creator", "open"]).game
    done = begin(ctx, 2, public=True)
    play(ctx, done)

    def listed(status: str | None) -> list[str]:
        return [item["game"] for item in public_games(ctx, status, 100, None)["items"]]

    assert listed("running") == made[::-1]
    assert listed("finished") == [done.game]
    assert listed("open") == [waits]
    assert public_games(ctx, "open", 1, None)["items"][0]["open_seats"] == [1]
    first = public_games(ctx, None, 4, None)
    rest = public_games(ctx, None, 4, first["next"])
    assert [item["game"] for item in first["items"] + rest["items"]] == [done.game, waits, *made[::-1]]
    assert rest["next"] is None
    ctx.games.remove(made[0])
    assert made[0] not in listed(None)
    with pytest.raises(InvalidRequest):
        public_games(ctx, None, 4, "no cursor")


def test_a_viewer_that_waits_is_woken_by_the_next_entry(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 2)
    seen = observe(ctx, ANONYMOUS, seated.game)
    timer = threading.Timer(0.1, answer, (other, seated, 0))
    timer.start()
    assert wait_for_observation(ctx, ANONYMOUS, seen, 20).view.version == seen.view.version + 1
    last = wait_for_events(ctx, ANONYMOUS, seated.game, 0, 0).last
    timer = threading.Timer(0.1, answer, (other, seated, 1))
    timer.start()
    news = wait_for_events(ctx, ANONYMOUS, seated.game, last, 20)
    timer.join()
    assert [event["n"] for event in news.events] == list(range(last + 1, news.last + 1))
    assert news.events[0]["type"] == "chosen"
    assert not news.over
