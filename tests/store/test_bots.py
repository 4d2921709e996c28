"""Registered bots and the ledger of their faults."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from service.errors import InvalidRequest
from service.store import keys
from service.store.bots import Bot, BotStore
from service.store.clients import RedisClient
from service.store.games import GameStore
from service.store.hub import Hub
from tests.outage import Outage
from tests.store.samples import bot


def test_a_bot_is_read_as_it_was_written(bots: BotStore) -> None:
    greedy = bot("greedy", kind="push")
    assert bots.create(greedy)
    assert bots.read("xgreedy") == greedy
    assert bots.find("greedy") == greedy
    assert bots.create(bot("polly"))
    assert bots.read("xpolly") == bot("polly")


def test_a_bot_is_read_with_the_time_by_the_clock_of_redis(bots: BotStore, client: RedisClient) -> None:
    bots.create(bot("a"))
    before, _ = client.time()
    found = bots.read("xa")
    after, _ = client.time()
    assert found is not None
    assert before * 1000 <= found.read_ms < (after + 1) * 1000


def test_bots_that_are_not_there_read_as_none(bots: BotStore) -> None:
    bots.create(bot("a"))
    assert bots.read("a") is None
    assert bots.find("xa") is None
    assert bots.many(["xb", "xa"]) == [None, bot("a")]
    assert bots.many([]) == []


def test_a_name_is_one_bots(bots: BotStore) -> None:
    assert bots.create(bot("a"))
    assert not bots.create(replace(bot("a"), id="other"))
    assert bots.read("other") is None
    assert bots.page(10, None).ids == ("xa",)


def test_of_twenty_who_want_a_name_exactly_one_gets_it(bots: BotStore) -> None:
    wanted = [replace(bot("a"), id=f"x{number}") for number in range(20)]
    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(bots.create, wanted)).count(True) == 1


def test_all_can_be_changed_but_id_name_and_time_of_creation(bots: BotStore) -> None:
    bots.create(bot("a"))
    changed = replace(
        bot("a", kind="push"), casual=False, max_games=9, token_hashes=(("t", 5),), secrets=(("s", None),)
    )
    assert bots.change("xa", lambda _: replace(changed, name="b", created_ms=1, version="2")) is not None
    assert bots.read("xa") == changed
    assert bots.find("b") is None


def test_changes_at_the_same_time_do_not_undo_each_other(bots: BotStore) -> None:
    bots.create(bot("a"))

    def counted(found: Bot) -> Bot:
        return replace(found, max_games=found.max_games + 1)

    def renewed(number: int) -> Bot | None:
        return bots.change("xa", lambda found: replace(found, secrets=((f"s{number}", None), *found.secrets)))

    with ThreadPoolExecutor(16) as pool:
        done = [pool.submit(bots.change, "xa", counted) for _ in range(50)]
        done += [pool.submit(renewed, number) for number in range(50)]
        assert None not in [future.result() for future in done]
    found = bots.read("xa")
    assert found is not None
    assert found.max_games == bot("a").max_games + 50
    assert len(found.secrets) == len(bot("a").secrets) + 50


def test_a_change_does_not_undo_a_poll_that_came_meanwhile(bots: BotStore) -> None:
    bots.create(bot("a"))

    def edit(found: Bot) -> Bot:
        bots.polled("xa", "2.0", 0)
        return replace(found, max_games=1)

    bots.change("xa", edit)
    after = bots.read("xa")
    assert after is not None
    assert (after.max_games, after.version) == (1, "2.0")
    assert after.seen_ms is not None


def test_changes_and_polls_of_a_bot_that_is_gone_bring_nothing_back(bots: BotStore, client: RedisClient) -> None:
    assert bots.change("xa", lambda found: found) is None
    bots.polled("xa", "1", 0)
    bots.add_fault("xa", "{}")
    assert not bots.delete("xa")
    assert client.keys("*b:xa*") == []


def test_a_poll_is_noted_and_keeps_the_version_when_it_names_none(bots: BotStore) -> None:
    bots.create(bot("a"))
    bots.polled("xa", "1.0", 0)
    bots.polled("xa", None, 0)
    found = bots.read("xa")
    assert found is not None
    assert found.version == "1.0"
    assert found.seen_ms is not None
    assert 0 <= found.read_ms - found.seen_ms < 60_000


def test_whether_a_push_bot_answers_is_noted_with_its_version_and_nothing_else(
    bots: BotStore, client: RedisClient
) -> None:
    bots.create(bot("a", kind="push"))
    bots.note_call("xa", up=True, version="1.0")
    first = bots.read("xa")
    assert first is not None and first.seen_ms is not None
    assert first == replace(bot("a", kind="push"), version="1.0", up=True, seen_ms=first.seen_ms)
    assert 0 <= first.read_ms - first.seen_ms < 60_000
    bots.note_call("xa", up=False)
    assert bots.read("xa") == replace(first, up=False), "the version is the last that it named"
    bots.note_call("xa", up=True)
    again = bots.read("xa")
    assert again is not None
    assert (again.up, again.version) == (True, None)
    bots.note_call("xb", up=True, version="1.0")
    assert client.keys("*b:xb*") == []


def test_a_deleted_bot_frees_its_name_and_leaves_nothing(
    bots: BotStore, games: GameStore, client: RedisClient, hub: Hub
) -> None:
    bots.create(bot("a"))
    bots.polled("xa", "1.0", 0)
    bots.add_fault("xa", "{}")
    assert bots.delete("xa")
    assert not bots.delete("xa")
    assert client.keys("*b:xa*") == []
    assert bots.page(10, None).ids == ()
    assert bots.create(replace(bot("a"), id="other"))
    assert hub.version("bot:xa") == 0


def test_bots_are_listed_newest_first_by_page(bots: BotStore) -> None:
    for name in "abcde":
        bots.create(bot(name))
    first = bots.page(2, None)
    assert first.ids == ("xe", "xd")
    bots.delete("xd")
    second = bots.page(2, first.next)
    assert second.ids == ("xc", "xb")
    assert bots.page(2, second.next).ids == ("xa",)
    with pytest.raises(InvalidRequest, match="cursor"):
        bots.page(2, "e")


def test_faults_are_read_newest_first_by_page(bots: BotStore) -> None:
    bots.create(bot("a"))
    for number in range(5):
        bots.add_fault("xa", f'{{"n":{number}}}')
    first, cursor = bots.faults("xa", 2, None)
    assert first == ['{"n":4}', '{"n":3}']
    bots.add_fault("xa", '{"n":5}')
    second, cursor = bots.faults("xa", 2, cursor)
    assert second == ['{"n":2}', '{"n":1}']
    assert bots.faults("xa", 2, cursor) == (['{"n":0}'], None)


def test_a_fault_that_is_written_again_is_one_fault(bots: BotStore) -> None:
    bots.create(bot("a"))
    bots.add_fault("xa", '{"decision":"1.play.0.0"}')
    bots.add_fault("xa", '{"decision":"1.play.0.0"}')
    assert bots.faults("xa", 10, None)[0] == ['{"decision":"1.play.0.0"}']


def test_the_newest_thousand_faults_are_kept(bots: BotStore) -> None:
    bots.create(bot("a"))
    for number in range(1003):
        bots.add_fault("xa", str(number))
    kept, cursor = bots.faults("xa", 2000, None)
    assert (len(kept), kept[0], kept[-1], cursor) == (1000, "1002", "3", None)


def test_what_is_registered_after_a_loss_comes_after_what_was_lost(
    bots: BotStore, client: RedisClient, outage: Outage
) -> None:
    bots.create(bot("kept"))
    remembered = outage.remember()
    bots.create(bot("lost"))
    lost = stamp_of(client, "xlost")
    outage.rewind(remembered)
    bots.create(bot("new"))
    assert stamp_of(client, "xnew") > lost, "a cursor that was given before leads past it"
    assert bots.page(10, None).ids == ("xnew", "xkept")


def stamp_of(client: RedisClient, bot: str) -> float:
    stamp: Any = client.zscore(keys.BOTS, bot)
    return float(stamp)
