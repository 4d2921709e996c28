"""Tournaments: status, results written once, events, entrants."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store import keys
from service.store.blocks import BlockStore
from service.store.bots import BotStore
from service.store.clients import RedisClient
from service.store.hub import Hub
from service.store.tournaments import EntrantDeleted, TournamentRow, TournamentStore
from tests.outage import Outage
from tests.store.samples import bot


def test_a_tournament_begins_running_with_one_event(tournaments: TournamentStore) -> None:
    assert tournaments.create("t", '{"name":"cup"}', [], "began")
    assert tournaments.read("t") == TournamentRow(
        doc='{"name":"cup"}',
        status="running",
        reason=None,
        results=0,
        cancelled=0,
        blocks_done=0,
        withdrawn=(),
        version=1,
    )
    assert tournaments.events("t", 0, 10) == [(1, "began")]
    assert tournaments.read("u") is None


def test_an_id_is_one_tournaments(tournaments: TournamentStore) -> None:
    assert tournaments.create("t", "{}", [], "began")
    assert not tournaments.create("t", "other", [], "began")
    assert tournaments.page(10, None).ids == ("t",)
    assert tournaments.events("t", 0, 10) == [(1, "began")]


def test_a_status_changes_only_from_those_named(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    assert not tournaments.move("t", ["paused"], "running", event="resumed")
    assert tournaments.move("t", ["running"], "paused", event="paused")
    assert tournaments.move("t", ["running", "paused"], "failed", event="failed", reason="a defect of ours")
    row = tournaments.read("t")
    assert row is not None
    assert (row.status, row.reason, row.version) == ("failed", "a defect of ours", 3)
    assert tournaments.events("t", 0, 10) == [(1, "began"), (2, "paused"), (3, "failed")]
    assert not tournaments.move("u", ["running"], "paused", event="paused")
    assert tournaments.events("u", 0, 10) == []


def test_of_twenty_who_end_it_exactly_one_does(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    with ThreadPoolExecutor(20) as pool:
        moved = list(pool.map(lambda _: tournaments.move("t", ["running"], "finished", event="end"), range(20)))
    assert moved.count(True) == 1
    assert tournaments.events("t", 0, 10) == [(1, "began"), (2, "end")]


def test_running_tournaments_are_listed_oldest_first(tournaments: TournamentStore) -> None:
    for name in "cab":
        tournaments.create(name, "{}", [], "began")
    tournaments.move("c", ["running"], "paused", event="paused")
    tournaments.move("b", ["running"], "finished", event="end")
    assert tournaments.running() == ["a"]
    tournaments.move("c", ["paused"], "running", event="resumed")
    assert tournaments.running() == ["c", "a"]


def test_tournaments_are_listed_newest_first_by_page(tournaments: TournamentStore) -> None:
    for name in "abc":
        tournaments.create(name, "{}", [], "began")
    first = tournaments.page(2, None)
    assert first.ids == ("c", "b")
    assert tournaments.page(2, first.next).ids == ("a",)


def test_a_result_is_written_once(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    with ThreadPoolExecutor(20) as pool:
        written = list(pool.map(lambda n: tournaments.put_result("t", 7, str(n), f"result {n}"), range(20)))
    assert written.count(True) == 1
    winner = written.index(True)
    assert tournaments.results("t") == {7: str(winner)}
    assert tournaments.events("t", 1, 10) == [(2, f"result {winner}")]
    row = tournaments.read("t")
    assert row is not None
    assert (row.results, row.version) == (1, 2)


def test_matches_that_were_cancelled_are_counted_once_like_their_results(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    tournaments.put_result("t", 0, "played", "e")
    for _ in range(2):
        tournaments.put_result("t", 1, "broken off", "e", cancelled=True)
    tournaments.put_result("t", 0, "broken off", "e", cancelled=True)
    tournaments.put_void("t", 2, "void", "e")
    row = tournaments.read("t")
    assert row is not None
    assert (row.results, row.cancelled) == (2, 1)


def test_nothing_is_written_after_the_last_event(tournaments: TournamentStore) -> None:
    for status in ("finished", "cancelled", "failed"):
        tournaments.create(status, "{}", [], "began")
        tournaments.move(status, ["running"], "paused", event="paused")
        assert tournaments.put_result(status, 0, "the result", "result"), "matches under way are played on"
        tournaments.move(status, ["paused"], status, event="end")
        assert not tournaments.put_result(status, 1, "the result", "result")
        assert not tournaments.put_void(status, 2, "the result", "void")
        assert (tournaments.results(status), tournaments.voids(status)) == ({0: "the result"}, {})
        assert [text for _, text in tournaments.events(status, 0, 10)] == ["began", "paused", "result", "end"]


def test_of_a_result_and_an_end_at_once_the_result_comes_first_or_not_at_all(tournaments: TournamentStore) -> None:
    for round_ in range(20):
        name = f"t{round_}"
        tournaments.create(name, "{}", [], "began")
        with ThreadPoolExecutor(8) as pool:
            put = [pool.submit(tournaments.put_result, name, match, "r", "result") for match in range(4)]
            pool.submit(tournaments.move, name, ["running"], "cancelled", event="end")
            put += [pool.submit(tournaments.put_result, name, match, "r", "result") for match in range(4, 8)]
        told = [text for _, text in tournaments.events(name, 0, 100)]
        written = [match for match, future in enumerate(put) if future.result()]
        assert told == ["began", *["result"] * len(written), "end"]
        assert sorted(tournaments.results(name)) == written


def test_results_of_some_matches_are_read_by_number(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    for match in (10, 2, 1):
        tournaments.put_result("t", match, f"r{match}", "event")
    assert list(tournaments.results("t").items()) == [(1, "r1"), (2, "r2"), (10, "r10")]
    assert tournaments.results("t", [10, 3, 1]) == {1: "r1", 10: "r10"}
    assert tournaments.results("t", []) == {}


def test_thousands_of_results_are_read_whole(tournaments: TournamentStore, client: RedisClient) -> None:
    tournaments.create("t", "{}", [], "began")
    for match in range(2345):
        tournaments.put_result("t", match, str(match), "event")
    assert tournaments.results("t") == {match: str(match) for match in range(2345)}


def test_nothing_is_written_for_a_tournament_that_is_not_there(
    tournaments: TournamentStore, client: RedisClient
) -> None:
    assert not tournaments.put_result("t", 1, "r", "event")
    assert not tournaments.withdraw("t", "xa", "event")
    assert client.keys("*t:t*") == []


def test_a_bot_is_withdrawn_once(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    assert tournaments.withdraw("t", "xb", "b withdrawn")
    assert tournaments.withdraw("t", "xa", "a withdrawn")
    assert not tournaments.withdraw("t", "xb", "b withdrawn")
    row = tournaments.read("t")
    assert row is not None
    assert (row.withdrawn, row.version) == (("xa", "xb"), 3)


def test_events_are_numbered_without_a_gap_and_read_from_any(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "e1")
    for number in range(2, 6):
        tournaments.put_result("t", number, "r", f"e{number}")
    assert tournaments.events("t", 2, 2) == [(3, "e3"), (4, "e4")]
    assert tournaments.events("t", 5, 10) == []
    assert tournaments.events("t", 0, 0) == []


def test_a_bot_plays_in_those_that_run_or_are_paused(tournaments: TournamentStore, bots: BotStore) -> None:
    for name in "ab":
        bots.create(bot(name))
    tournaments.create("t", "{}", ["xa", "xb"], "began")
    tournaments.create("u", "{}", ["xa"], "began")
    assert tournaments.playing("xa") == ["t", "u"]
    tournaments.move("t", ["running"], "paused", event="paused")
    assert tournaments.playing("xb") == ["t"]
    tournaments.move("t", ["paused"], "cancelled", event="cancelled")
    assert (tournaments.playing("xa"), tournaments.playing("xb")) == (["u"], [])


def test_a_bot_is_deleted_only_when_its_tournaments_are_over_and_leaves_no_key(
    tournaments: TournamentStore, bots: BotStore, client: RedisClient
) -> None:
    bots.create(bot("a"))
    tournaments.create("t", "{}", ["xa"], "began")
    assert not bots.delete("xa")
    tournaments.move("t", ["running"], "paused", event="paused")
    assert not bots.delete("xa")
    tournaments.move("t", ["paused"], "cancelled", event="cancelled")
    assert bots.delete("xa")
    assert client.keys("*b:xa*") == []


def test_a_tournament_with_a_bot_that_was_deleted_is_not_written(
    tournaments: TournamentStore, bots: BotStore, client: RedisClient
) -> None:
    bots.create(bot("a"))
    with pytest.raises(EntrantDeleted, match="xb"):
        tournaments.create("t", "{}", ["xa", "xb"], "began")
    assert tournaments.read("t") is None
    assert tournaments.playing("xa") == []
    assert client.keys("*t:t*") == []


def test_of_a_tournament_and_the_deletion_of_its_bot_at_once_only_one_succeeds(
    tournaments: TournamentStore, bots: BotStore
) -> None:
    with ThreadPoolExecutor(2) as pool:
        for number in range(100):
            bots.create(bot(f"{number}"))
            made = pool.submit(tournaments.create, f"t{number}", "{}", [f"x{number}"], "began")
            deleted = pool.submit(bots.delete, f"x{number}")
            assert (made.exception() is None) != deleted.result()


def test_every_event_counts_up_the_topic(tournaments: TournamentStore, hub: Hub) -> None:
    tournaments.create("t", "{}", [], "began")
    tournaments.put_result("t", 0, "r", "event")
    tournaments.withdraw("t", "xa", "event")
    tournaments.move("t", ["running"], "finished", event="end")
    assert hub.version("tournament:t") == 4


def test_results_and_events_survive_a_kill_of_redis(
    tournaments: TournamentStore, blocks: BlockStore, outage: Outage
) -> None:
    tournaments.create("t", "{}", [], "began")
    for match in range(20):
        tournaments.put_result("t", match, "r", f"e{match}")
    blocks.finish("t", 3, [])
    outage.restart()
    row = tournaments.read("t")
    assert row is not None
    assert (row.results, row.version, row.blocks_done) == (20, 21, 1)


def test_a_match_is_void_once_and_its_result_is_kept_apart(tournaments: TournamentStore) -> None:
    tournaments.create("t", "{}", [], "began")
    assert tournaments.put_void("t", 7, "void 7", "told")
    assert not tournaments.put_void("t", 7, "again", "told")
    assert tournaments.put_void("t", 3, "void 3", "told")
    assert tournaments.voids("t") == {3: "void 3", 7: "void 7"}
    assert tournaments.voids("t", [1, 7]) == {7: "void 7"}
    assert tournaments.results("t") == {}
    assert tournaments.put_result("t", 7, "counts", "told")
    row = tournaments.read("t")
    assert row is not None
    assert (row.results, row.version) == (1, 4)
    assert not tournaments.put_void("u", 0, "void", "told")


def test_one_that_is_removed_is_gone_for_all_who_read(tournaments: TournamentStore) -> None:
    for name in "tu":
        tournaments.create(name, "{}", [], "began")
    assert not tournaments.mark_removed("t"), "it runs"
    tournaments.move("t", ["running"], "finished", event="end")
    assert tournaments.mark_removed("t")
    assert tournaments.read("t") is None
    assert tournaments.page(10, None).ids == ("u",)
    assert tournaments.removed() == [("t", "{}", ())]
    assert not tournaments.put_result("t", 0, "r", "result")
    assert not tournaments.mark_removed("t"), "there is none"
    assert not tournaments.mark_removed("v")


def test_one_that_is_forgotten_leaves_no_key(
    tournaments: TournamentStore, blocks: BlockStore, client: RedisClient
) -> None:
    known = set(client.scan_iter("*"))
    tournaments.create("t", "{}", [], "began")
    tournaments.put_result("t", 0, "r", "result")
    tournaments.put_void("t", 1, "r", "void")
    blocks.note_response_times("t", {"xa": (1, 1)})
    blocks.note_failure("t", 1)
    tournaments.withdraw("t", "xa", "left")
    blocks.finish("t", 0, [])
    tournaments.move("t", ["running"], "cancelled", event="end")
    tournaments.mark_removed("t")
    tournaments.forget("t")
    assert set(client.scan_iter("*")) - known <= {keys.STAMP}
    assert tournaments.removed() == []
