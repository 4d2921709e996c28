"""What an append changes besides the log: deadlines, retention, who is to be called or woken; and that a game that is
removed leaves nothing of it behind."""

from __future__ import annotations

import pytest

from service.store import keys
from service.store.bots import BotStore
from service.store.clients import RedisClient
from service.store.clock import ServiceClock
from service.store.game_lists import GameLists
from service.store.games import Effects, GameStore, VersionMoved
from service.store.hub import Hub
from tests.store.samples import FINISHED, RUNNING, begin, bot, past

# --- deadlines ---------------------------------------------------------------------------------------------------


def test_a_game_is_overdue_when_service_time_has_reached_its_deadline(
    games: GameStore, lists: GameLists, clock: ServiceClock
) -> None:
    clock.advance(1000)
    begin(games, "g", effects=Effects("running", deadline_in_ms=50))
    clock.advance(49)
    assert lists.overdue(10) == []
    clock.advance(1)
    assert lists.overdue(10) == ["g"]


def test_an_append_sets_keeps_or_lifts_the_deadline(games: GameStore, clock: ServiceClock) -> None:
    begin(games, "g", effects=Effects("running", deadline_in_ms=100))
    clock.advance(60)
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("running", deadline_in_ms=7, keep_deadline=True))
    assert _deadline(games) == 100
    games.append("g", past(games, "g", 2), ["3"], effects=Effects("running", deadline_in_ms=100))
    assert _deadline(games) == 160
    games.append("g", past(games, "g", 3), ["4"], effects=RUNNING)
    assert _deadline(games) is None


def test_a_game_that_is_over_has_no_deadline(games: GameStore, clock: ServiceClock) -> None:
    begin(games, "g", effects=Effects("running", deadline_in_ms=100))
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("finished", keep_deadline=True))
    assert _deadline(games) is None


def test_overdue_games_come_earliest_first_and_no_more_than_asked_for(
    games: GameStore, lists: GameLists, clock: ServiceClock
) -> None:
    for number in (3, 1, 2):
        begin(games, f"g{number}", effects=Effects("running", deadline_in_ms=number))
    clock.advance(10)
    assert lists.overdue(2) == ["g1", "g2"]


# --- retention ---------------------------------------------------------------------------------------------------


def test_a_game_that_nobody_touches_is_idle(games: GameStore, lists: GameLists, clock: ServiceClock) -> None:
    begin(games, "g", effects=Effects("open"))
    clock.advance(100)
    assert lists.idle(100, 10) == []
    clock.advance(1)
    assert lists.idle(100, 10) == ["g"]
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert lists.idle(100, 10) == []


def test_a_game_that_is_over_is_never_idle_and_expires_by_the_time_of_its_end(
    games: GameStore, lists: GameLists, clock: ServiceClock
) -> None:
    begin(games, "g")
    clock.advance(1000)
    games.append("g", past(games, "g", 1), ["2"], effects=FINISHED)
    clock.advance(50)
    with pytest.raises(VersionMoved):
        games.append("g", past(games, "g", 2), ["3"], effects=Effects("aborted"))
    clock.advance(51)
    assert lists.idle(0, 10) == []
    assert lists.expired(101, 10) == []
    assert lists.expired(100, 10) == ["g"]


def test_a_match_has_no_deadline_idleness_or_retention_of_its_own(
    games: GameStore, lists: GameLists, clock: ServiceClock
) -> None:
    effects = Effects("running", deadline_in_ms=1, push_seats=(0,))
    begin(games, "g", effects=effects, match=True)
    games.append("g", past(games, "g", 1), ["2"], effects=effects)
    clock.advance(10_000)
    assert (lists.overdue(10), lists.idle(0, 10), lists.unplayed_turns(0, 10)) == ([], [], [])
    games.append("g", past(games, "g", 2), ["3"], effects=FINISHED)
    clock.advance(10_000)
    assert lists.expired(0, 10) == []


# --- push bots ---------------------------------------------------------------------------------------------------


def test_seats_of_push_bots_are_remembered_until_another_append_replaces_them(
    games: GameStore, lists: GameLists, clock: ServiceClock
) -> None:
    begin(games, "g", effects=Effects("running", push_seats=(0, 2)))
    clock.advance(10)
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("running", push_seats=(2, 3)))
    clock.advance(10)
    assert lists.unplayed_turns(9, 10) == [("g", 2), ("g", 3)]
    assert lists.unplayed_turns(10, 10) == []
    games.append("g", past(games, "g", 2), ["3"], effects=RUNNING)
    assert lists.unplayed_turns(-1, 10) == []


def test_a_seat_that_is_to_hear_of_the_end_is_remembered_too(games: GameStore, lists: GameLists) -> None:
    begin(games, "g", effects=Effects("running", push_seats=(0,)))
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("finished", push_seats=(1,)))
    assert lists.unplayed_turns(-1, 10) == [("g", 1)]


def test_a_turn_that_was_dropped_comes_back_with_the_next_append_that_names_it(
    games: GameStore, lists: GameLists
) -> None:
    begin(games, "g", effects=Effects("running", push_seats=(0, 1)))
    lists.drop_turn("g", 0)
    assert lists.unplayed_turns(-1, 10) == [("g", 1)]
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("running", push_seats=(0, 1)))
    assert lists.unplayed_turns(-1, 10) == [("g", 0), ("g", 1)]


# --- poll bots ---------------------------------------------------------------------------------------------------


def test_an_append_tells_a_poll_bot_that_a_game_waits_for_it(
    games: GameStore, lists: GameLists, bots: BotStore, hub: Hub
) -> None:
    bots.create(bot("polly"))
    begin(games, "g", effects=Effects("running", poll_bots={"xpolly": True}, bots=("xpolly",)))
    assert list(lists.offered("xpolly").since_ms) == ["g"]
    changes = hub.version("bot:xpolly")
    games.append(
        "g", past(games, "g", 1), ["2"], effects=Effects("running", poll_bots={"xpolly": False}, bots=("xpolly",))
    )
    assert list(lists.offered("xpolly").since_ms) == []
    assert hub.version("bot:xpolly") == changes + 1


def test_an_append_that_changes_nothing_for_a_poll_bot_does_not_wake_it(
    games: GameStore, bots: BotStore, hub: Hub
) -> None:
    bots.create(bot("polly"))
    effects = Effects("running", poll_bots={"xpolly": False}, bots=("xpolly",))
    begin(games, "g", effects=effects)
    changes = hub.version("bot:xpolly")
    games.append("g", past(games, "g", 1), ["2"], effects=effects)
    assert hub.version("bot:xpolly") == changes


def test_an_ask_and_its_withdrawal_change_what_waits_for_the_bot(
    games: GameStore, lists: GameLists, bots: BotStore, hub: Hub
) -> None:
    bots.create(bot("polly"))
    begin(games, "g", match=True, effects=Effects("running", bots=("xpolly",)))
    changes = hub.version("bot:xpolly")
    games.publish_ask("g", "1.play.0.0", "xpolly", 6000, 5000)
    assert (lists.asked_in_matches("xpolly"), hub.version("bot:xpolly")) == (["g"], changes + 1)
    games.withdraw_ask("g", "1.play.0.0", "xpolly")
    assert (lists.asked_in_matches("xpolly"), hub.version("bot:xpolly")) == ([], changes + 2)
    games.withdraw_ask("g", "1.play.0.0", "xpolly")
    assert hub.version("bot:xpolly") == changes + 2


def test_a_late_withdrawal_leaves_the_next_ask_of_the_game(games: GameStore, lists: GameLists, bots: BotStore) -> None:
    bots.create(bot("polly"))
    begin(games, "g", match=True)
    games.publish_ask("g", "1.load.0.0", "xpolly", 6000, 5000)
    following = games.publish_ask("g", "1.load.0.1", "xpolly", 6000, 5000)
    games.withdraw_ask("g", "1.load.0.0", "xpolly")
    assert lists.asked_in_matches("xpolly") == ["g"]
    row = games.read("g")
    assert row is not None
    assert row.asked == {"1.load.0.1": following}


# --- seats -------------------------------------------------------------------------------------------------------


def test_a_game_is_in_the_list_of_each_bot_with_a_seat_until_it_is_over(
    games: GameStore, lists: GameLists, bots: BotStore
) -> None:
    for name in ("a", "b"):
        bots.create(bot(name))
    begin(games, "g", effects=Effects("open", bots=("xa",)))
    assert (lists.games_of("xa"), lists.games_of("xb")) == (["g"], [])
    both = ("xa", "xb")
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("running", bots=both, poll_bots={"xb": True}))
    assert (lists.games_of("xa"), lists.games_of("xb")) == (["g"], ["g"])
    assert lists.ended_of("xa", 600_000) == []
    games.append("g", past(games, "g", 2), ["3"], effects=Effects("aborted", bots=both))
    for bot_id in both:
        assert lists.games_of(bot_id) == []
        assert lists.ended_of(bot_id, 600_000) == ["g"]
        assert lists.ended_of(bot_id, -1) == []
    assert list(lists.offered("xb").since_ms) == []


def test_a_bot_that_has_its_seat_no_more_has_the_game_no_more(
    games: GameStore, lists: GameLists, bots: BotStore
) -> None:
    bots.create(bot("a"))
    begin(games, "g", effects=Effects("open", bots=("xa",), poll_bots={"xa": True}))
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("open"))
    assert (lists.games_of("xa"), list(lists.offered("xa").since_ms)) == ([], [])


def test_ended_games_are_forgotten_after_ten_minutes(
    games: GameStore, lists: GameLists, bots: BotStore, client: RedisClient
) -> None:
    bots.create(bot("a"))
    seconds, _ = client.time()
    client.zadd(keys.bot_ended("xa"), {"old": (seconds - 601) * 1000, "young": (seconds - 500) * 1000})
    begin(games, "g", effects=Effects("finished", bots=("xa",)))
    assert lists.ended_of("xa", 10**9) == ["g", "young"]


def test_a_bot_learns_that_a_game_has_begun_and_that_it_is_over(games: GameStore, bots: BotStore, hub: Hub) -> None:
    bots.create(bot("a"))
    begin(games, "g", effects=Effects("running", bots=("xa",)))
    assert hub.version("bot:xa") == 1
    games.append("g", past(games, "g", 1), ["2"], effects=Effects("running", bots=("xa",)))
    assert hub.version("bot:xa") == 1
    games.append("g", past(games, "g", 2), ["3"], effects=Effects("finished", bots=("xa",)))
    assert hub.version("bot:xa") == 2


def test_games_leave_no_keys_of_a_bot_that_was_deleted(games: GameStore, bots: BotStore, client: RedisClient) -> None:
    bots.create(bot("a"))
    effects = Effects("running", bots=("xa",), poll_bots={"xa": True})
    begin(games, "g", effects=effects)
    assert bots.delete("xa")
    games.append("g", past(games, "g", 1), ["2"], effects=effects)
    games.publish_ask("g", "1.play.0.0", "xa", 1, 1)
    games.append("g", past(games, "g", 2), ["3"], effects=Effects("finished", bots=("xa",)))
    assert client.keys("*{b:xa}*") == []


# --- removal -----------------------------------------------------------------------------------------------------


def test_a_removed_game_leaves_no_key_and_no_hint_behind(
    redis_url: str, games: GameStore, bots: BotStore, client: RedisClient
) -> None:
    for name in ("a", "b"):
        bots.create(bot(name))
    before = _everything(client)
    casual = Effects(
        "running", deadline_in_ms=5, push_seats=(0, 1, 2, 3), bots=("xa", "xb"), poll_bots={"xa": True, "xb": True}
    )
    begin(games, "running", effects=casual, public=True, tokens={"creator": "c"})
    begin(games, "over", effects=Effects("finished", bots=("xa",), push_seats=(0,)), public=True)
    begin(games, "match", effects=Effects("running"), match=True)
    games.publish_ask("match", "1.play.0.0", "xa", 1, 1)
    assert _everything(client) != before
    for game in ("running", "over", "match"):
        games.remove(game)
    assert _everything(client) == before


def test_removing_wakes_whoever_waits_for_the_game(games: GameStore, hub: Hub) -> None:
    begin(games, "g")
    games.remove("g")
    assert hub.wait("game:g", 1, 5) == 0


def test_removing_twice_is_no_error(games: GameStore) -> None:
    begin(games, "g")
    games.remove("g")
    games.remove("g")
    games.remove("never there")


def _deadline(games: GameStore) -> int | None:
    row = games.read("g")
    assert row is not None
    return row.deadline_ms


def _everything(client: RedisClient) -> dict[str, object]:
    """All that stands in Redis but counters, RQ's keys and what only counts news."""
    counters = {keys.STAMP}
    found: dict[str, object] = {}
    for key in client.scan_iter("*"):
        kind = client.type(key)
        if key.startswith("rq:") or key in counters:
            continue
        if kind == "hash":
            found[key] = {name: value for name, value in client.hgetall(key).items() if name != "changes"}
        elif kind == "zset":
            found[key] = client.zrange(key, 0, -1)
        elif kind == "set":
            found[key] = client.smembers(key)
        elif kind == "list":
            found[key] = client.lrange(key, 0, -1)
        else:
            found[key] = client.get(key)
    return found
