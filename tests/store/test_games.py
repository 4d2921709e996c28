"""The log of a game: what is written, what is read, who comes first."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.errors import InvalidRequest, NotFound, Unavailable
from service.store import chain, clients
from service.store.clients import RedisClient
from service.store.game_lists import GameLists
from service.store.games import Append, Appended, Effects, GameStore, VersionMoved
from service.store.leases import Lease, LeaseLost, Leases
from tests.outage import Outage
from tests.store.samples import FINISHED, RUNNING, begin, past


def test_a_game_is_read_as_it_was_written(games: GameStore) -> None:
    assert games.create(
        "g",
        meta='{"players":2}',
        tokens={"creator": "c" * 64, "0": "0" * 64},
        entries=['{"e":"joined"}', '{"e":"started"}'],
        effects=Effects("running", deadline_in_ms=5000),
        kind="public",
    )
    row = games.read("g")
    assert row is not None
    assert (row.meta, row.version, row.entries) == ('{"players":2}', 2, ('{"e":"joined"}', '{"e":"started"}'))
    assert row.tokens == {"creator": "c" * 64, "0": "0" * 64}
    assert (row.asked, row.deadline_ms, row.clock_ms) == ({}, 5000, 0)
    assert abs(row.time_ms - time.time() * 1000) < 60_000


def test_a_game_may_begin_with_an_empty_log_and_no_tokens(games: GameStore) -> None:
    begin(games, "g", effects=Effects("open"), entries=())
    row = games.read("g")
    assert row is not None
    assert (row.version, row.entries, row.tokens, row.deadline_ms) == (0, (), {}, None)


def test_an_id_in_use_is_refused_and_the_game_stays_as_it_is(games: GameStore, lists: GameLists) -> None:
    begin(games, "g", entries=["1"])
    assert not games.create("g", meta="other", tokens={"0": "x"}, entries=["2", "3"], effects=FINISHED, kind="public")
    row = games.read("g")
    assert row is not None
    assert (row.meta, row.entries, row.tokens) == ("{}", ("1",), {})
    assert lists.public(None, 10, None).ids == ()


def test_a_game_that_is_not_there_reads_as_none(games: GameStore) -> None:
    assert games.read("nowhere") is None


def test_a_read_gives_only_the_entries_after_the_version_asked_for(games: GameStore) -> None:
    begin(games, "g", entries=["1", "2", "3"])
    rows = [games.read("g", since) for since in range(5)]
    assert [row.entries for row in rows if row] == [("1", "2", "3"), ("2", "3"), ("3",), (), ()]
    assert {row.version for row in rows if row} == {3}


def test_an_append_returns_the_version_that_it_made(games: GameStore) -> None:
    begin(games, "g", entries=["1"])
    assert games.append("g", past(games, "g", 1), ["2", "3"], effects=RUNNING).version == 3
    row = games.read("g")
    assert row is not None
    assert row.entries == ("1", "2", "3")


def test_an_append_after_an_earlier_version_is_refused_and_changes_nothing(games: GameStore, lists: GameLists) -> None:
    begin(games, "g", entries=["1", "2"])
    for version in (0, 1):
        with pytest.raises(VersionMoved):
            games.append("g", past(games, "g", version), ["x"], effects=FINISHED, tokens={"0": "x"})
    row = games.read("g")
    assert row is not None
    assert (row.entries, row.tokens) == (("1", "2"), {})
    assert lists.expired(-1, 10) == []


@pytest.mark.parametrize("known", [["1", "other"], ["1", "2", "lost"], ["other", "2"]], ids=" ".join)
def test_an_append_to_another_past_than_the_log_has_is_refused_and_changes_nothing(
    games: GameStore, known: list[str]
) -> None:
    begin(games, "g", entries=["1", "2"])
    with pytest.raises(VersionMoved) as refused:
        games.append("g", chain.extend(chain.begin("{}"), known), ["3"], effects=FINISHED)
    assert (refused.value.row.version, refused.value.row.tip) == (2, chain.tip(past(games, "g", 2)))
    row = games.read("g")
    assert row is not None and row.entries == ("1", "2")


def test_of_several_appends_each_is_done_or_refused_by_itself(games: GameStore) -> None:
    for game in ("a", "b", "c"):
        begin(games, game, entries=["1"])
    log = past(games, "a", 1)
    games.append("b", log, ["first"], effects=RUNNING)
    games.remove("c")
    done, moved, gone = games.append_all([Append(game, log, ["2", "3"], RUNNING) for game in ("a", "b", "c")])
    assert isinstance(done, Appended) and done.version == 3
    assert isinstance(moved, VersionMoved) and moved.row.entries == ("first",)
    assert isinstance(gone, NotFound)
    assert games.append_all([]) == []


@pytest.mark.parametrize("failure", [Outage.kill, Outage.fill, Outage.refuse_writes])
def test_several_appends_are_unavailable_while_redis_is(
    games: GameStore, outage: Outage, failure: Callable[[Outage], None]
) -> None:
    for game in ("a", "b"):
        begin(games, game, entries=["1"])
    wanted = [Append(game, past(games, game, 1), ["2"], RUNNING) for game in ("a", "b")]
    failure(outage)
    assert [type(outcome) for outcome in games.append_all(wanted)] == [Unavailable, Unavailable]


def test_several_appends_are_done_by_a_redis_that_has_forgotten_its_scripts(
    games: GameStore, client: RedisClient
) -> None:
    begin(games, "a", entries=["1"])
    wanted = Append("a", past(games, "a", 1), ["2"], RUNNING)
    client.script_flush()
    (done,) = games.append_all([wanted])
    assert isinstance(done, Appended)


def test_a_refused_append_tells_how_the_game_stands(games: GameStore) -> None:
    begin(games, "g", entries=["1", "2", "3"])
    games.append("g", past(games, "g", 3), ["4"], effects=RUNNING, tokens={"0": "x"})
    with pytest.raises(VersionMoved) as refused:
        games.append("g", past(games, "g", 2), ["x"], effects=RUNNING)
    row = refused.value.row
    assert (row.version, row.entries, row.tokens) == (4, ("3", "4"), {"0": "x"})


def test_a_game_that_is_over_takes_nothing_in(games: GameStore) -> None:
    begin(games, "g", entries=["1"])
    games.append("g", past(games, "g", 1), ["2"], effects=FINISHED)
    with pytest.raises(VersionMoved):
        games.append("g", past(games, "g", 2), ["3"], effects=RUNNING)
    row = games.read("g")
    assert row is not None
    assert row.entries == ("1", "2")


def test_an_append_to_a_game_that_is_gone_says_so(games: GameStore, client: RedisClient) -> None:
    begin(games, "g")
    games.remove("g")
    with pytest.raises(NotFound):
        games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert games.read("g") is None


def test_exactly_one_of_twenty_racing_writers_gets_in(games: GameStore) -> None:
    begin(games, "g")

    def write(writer: int) -> int | None:
        try:
            return games.append("g", past(games, "g", 1), [str(writer)], effects=RUNNING).version
        except VersionMoved:
            return None

    with ThreadPoolExecutor(20) as pool:
        versions = list(pool.map(write, range(20)))
    assert sorted(version for version in versions if version) == [2]
    row = games.read("g", 1)
    assert row is not None
    assert row.entries == (str(versions.index(2)),)


def test_tokens_of_later_seats_are_added_and_a_later_one_counts(games: GameStore) -> None:
    begin(games, "g", tokens={"creator": "c"})
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING, tokens={"1": "one"})
    games.append("g", past(games, "g", 2), ["3"], effects=RUNNING, tokens={"1": "uno", "2": "two"})
    row = games.read("g", 3)
    assert row is not None
    assert row.tokens == {"creator": "c", "1": "uno", "2": "two"}


@pytest.mark.parametrize("entry", ["", '{"a":\n1}'])
def test_an_entry_that_is_no_line_is_refused(games: GameStore, entry: str) -> None:
    begin(games, "g")
    with pytest.raises(ValueError, match="one line of JSON"):
        games.append("g", past(games, "g", 1), ["2", entry], effects=RUNNING)
    with pytest.raises(ValueError, match="one line of JSON"):
        begin(games, "other", entries=[entry])
    assert games.read("other") is None


def test_an_append_of_nothing_is_refused(games: GameStore) -> None:
    begin(games, "g")
    with pytest.raises(ValueError, match="needs an entry"):
        games.append("g", past(games, "g", 1), [], effects=RUNNING)


def test_entries_in_any_alphabet_come_back_as_they_were(games: GameStore) -> None:
    entry = '{"name":"몬테고 베이 – Bahía \u2028"}'
    begin(games, "g", entries=[entry, entry])
    row = games.read("g")
    assert row is not None
    assert row.entries == (entry, entry)


# --- leases ------------------------------------------------------------------------------------------------------


def test_an_append_under_the_live_lease_is_accepted(games: GameStore, leases: Leases) -> None:
    begin(games, "g", match=True)
    lease = leases.acquire("block:t:0", 60_000)
    assert games.append("g", past(games, "g", 1), ["2"], effects=RUNNING, lease=lease).version == 2


def test_a_lease_that_was_taken_over_appends_no_more(games: GameStore, leases: Leases) -> None:
    begin(games, "g", match=True)
    old = leases.acquire("block:t:0", 60_000)
    assert old is not None
    leases.release(old)
    assert leases.acquire("block:t:0", 60_000) is not None
    with pytest.raises(LeaseLost, match="block:t:0"):
        games.append("g", past(games, "g", 1), ["2"], effects=RUNNING, lease=old)
    row = games.read("g")
    assert row is not None
    assert row.version == 1


def test_a_lease_that_ran_out_appends_no_more_though_nobody_came_later(games: GameStore, leases: Leases) -> None:
    begin(games, "g", match=True)
    old = leases.acquire("block:t:0", 60_000)
    assert old is not None
    leases.release(old)
    with pytest.raises(LeaseLost):
        games.append("g", past(games, "g", 1), ["2"], effects=RUNNING, lease=old)
    new = leases.acquire("block:t:0", 60_000)
    assert new is not None
    assert games.append("g", past(games, "g", 1), ["2"], effects=RUNNING, lease=new).version == 2


def test_a_holder_with_another_name_and_the_same_epoch_is_refused(games: GameStore, leases: Leases) -> None:
    begin(games, "g", match=True)
    lease = leases.acquire("block:t:0", 60_000)
    assert lease is not None
    with pytest.raises(LeaseLost):
        games.append("g", past(games, "g", 1), ["2"], effects=RUNNING, lease=Lease(lease.name, "stranger", lease.epoch))


# --- asks --------------------------------------------------------------------------------------------------------


def test_an_ask_is_read_with_the_game_until_it_is_withdrawn(games: GameStore) -> None:
    begin(games, "g", match=True)
    asked = games.publish_ask("g", "1.play.0.0", "xpolly", 6000, 5000)
    row = games.read("g")
    assert row is not None
    assert row.asked == {"1.play.0.0": asked}
    assert (asked.budget_ms, asked.bank_ms) == (6000, 5000)
    assert row.time_ms - 60_000 < asked.at_ms <= row.time_ms
    games.withdraw_ask("g", "1.play.0.0", "xpolly")
    row = games.read("g")
    assert row is not None
    assert row.asked == {}


def test_an_ask_of_a_game_that_is_gone_says_so(games: GameStore, client: RedisClient) -> None:
    with pytest.raises(NotFound):
        games.publish_ask("g", "1.play.0.0", "xpolly", 6000, 5000)
    assert client.keys("*{g:*") == []


# --- lists -------------------------------------------------------------------------------------------------------


def test_public_games_are_listed_newest_first_by_page(games: GameStore, lists: GameLists) -> None:
    for number in range(7):
        begin(games, f"g{number}", public=number != 3)
    first = lists.public(None, 4, None)
    assert first.ids == ("g6", "g5", "g4", "g2")
    # A list that grows meanwhile shifts nothing.
    begin(games, "newest", public=True)
    second = lists.public(None, 4, first.next)
    assert (second.ids, second.next) == (("g1", "g0"), None)


def test_a_page_that_ends_with_the_list_has_no_next(games: GameStore, lists: GameLists) -> None:
    for number in range(4):
        begin(games, f"g{number}", public=True)
    assert lists.public(None, 4, None).next is None


def test_public_games_are_listed_by_status(games: GameStore, lists: GameLists) -> None:
    begin(games, "open", effects=Effects("open"), public=True)
    begin(games, "moving", effects=Effects("open"), public=True)
    begin(games, "imported", effects=FINISHED, public=True)
    games.append("moving", past(games, "moving", 1), ["2"], effects=RUNNING)
    assert lists.public("open", 10, None).ids == ("open",)
    assert lists.public("running", 10, None).ids == ("moving",)
    games.append("moving", past(games, "moving", 2), ["3"], effects=FINISHED)
    assert lists.public("running", 10, None).ids == ()
    assert lists.public("finished", 10, None).ids == ("imported", "moving")
    assert lists.public(None, 10, None).ids == ("imported", "moving", "open")


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "+inf", "(1", "٣", "9" * 40])
def test_a_cursor_that_is_none_is_refused_by_name(games: GameStore, lists: GameLists, cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="cursor"):
        lists.public(None, 10, cursor)


# --- outages -----------------------------------------------------------------------------------------------------


def test_an_append_whose_answer_was_lost_is_not_done_twice(redis_url: str, games: GameStore, outage: Outage) -> None:
    begin(games, "g")
    impatient = GameStore(clients.commands(f"{redis_url}?socket_timeout=0.2"))
    known = past(impatient, "g", 1)
    outage.stall()
    with pytest.raises(Unavailable):
        impatient.append("g", known, ["2"], effects=RUNNING)
    outage.go_on()
    with pytest.raises(VersionMoved):
        games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    row = games.read("g")
    assert row is not None
    assert row.entries == ('{"n":1}', "2")


def test_nothing_that_was_acknowledged_is_lost_when_redis_is_killed(games: GameStore, outage: Outage) -> None:
    begin(games, "g", entries=["1"])
    for version in range(1, 40):
        games.append("g", past(games, "g", version), [str(version + 1)], effects=RUNNING)
    outage.restart()
    row = games.read("g")
    assert row is not None
    assert row.entries == tuple(str(n) for n in range(1, 41))


def test_scripts_that_redis_forgot_are_told_again(games: GameStore, client: RedisClient) -> None:
    begin(games, "g")
    client.script_flush()
    assert games.append("g", past(games, "g", 1), ["2"], effects=RUNNING).version == 2
    client.script_flush()
    row = games.read("g")
    assert row is not None
    assert row.version == 2


@pytest.mark.parametrize("failure", [Outage.fill, Outage.refuse_writes])
def test_a_redis_that_refuses_writes_changes_nothing_and_serves_reads(
    games: GameStore, lists: GameLists, outage: Outage, failure: Callable[[Outage], None]
) -> None:
    begin(games, "g", public=True)
    failure(outage)
    with pytest.raises(Unavailable):
        games.append("g", past(games, "g", 1), ["2"], effects=FINISHED)
    with pytest.raises(Unavailable):
        begin(games, "other", public=True)
    row = games.read("g")
    assert row is not None
    assert row.version == 1
    assert lists.public("running", 10, None).ids == ("g",)
    assert games.read("other") is None


def test_a_full_redis_can_be_relieved_by_removing_games(games: GameStore, client: RedisClient, outage: Outage) -> None:
    begin(games, "g", public=True)
    outage.fill()
    games.remove("g")
    assert games.read("g") is None
    assert client.keys("*g:g*") == []
