"""Registered bots, and keys."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from service.errors import InvalidRequest, NameTaken, NotFound, Unauthorized, WrongState
from service.operations.access import keys
from service.operations.access.tokens import identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.read import observe
from service.operations.games.records import record
from service.operations.tournaments import lifecycle
from service.operations.tournaments.create import NewTournament, create_tournament
from service.timestamps import timestamp
from tests.operations.game_setup import a_day_later, begin, organiser, play, register

URL = "http://127.0.0.1:9/bot"


@pytest.mark.parametrize(
    ("new", "field"),
    [
        ({"name": "Big"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "-x"}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"name": "x\n"}, "name"),
        ({"kind": "pull"}, "kind"),
        ({"kind": "push", "url": None}, "url"),
        ({"kind": "poll", "url": URL}, "url"),
        ({"url": "ftp://example.org"}, "url"),
        ({"url": "example.org"}, "url"),
        ({"url": "http://user:pw@example.org"}, "url"),
        ({"url": "http://example.org/?a=1"}, "url"),
        ({"url": "http://example.org/a b"}, "url"),
        ({"max_games": 0}, "max_games"),
        ({"max_games": 257}, "max_games"),
    ],
    ids=str,
)
def test_a_bot_that_cannot_be_is_refused_with_the_field(ctx: Context, new: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        registry.register(ctx, organiser(ctx), NewBot(**{"name": "good", "kind": "push", "url": URL, **new}))
    assert list(refused.value.extra["errors"]) == [field]
    assert registry.listing(ctx, organiser(ctx), 10, None)["items"] == []


def test_a_name_belongs_to_one_bot_however_many_want_it(ctx: Context) -> None:
    won: list[str] = []
    lost: list[NameTaken] = []

    def want() -> None:
        try:
            won.append(register(ctx, "wanted").bot.id)
        except NameTaken as error:
            lost.append(error)

    threads = [threading.Thread(target=want) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 5)
    assert registry.find(ctx, "wanted") == registry.read(ctx, won[0])


def test_a_bot_named_like_anothers_id_does_not_take_its_place(ctx: Context) -> None:
    first = register(ctx, "first").bot
    register(ctx, first.id)
    assert registry.find(ctx, first.id) == first


def test_strangers_see_name_and_status_of_a_bot_and_its_owner_the_url(ctx: Context) -> None:
    author = identify(ctx, keys.create(ctx, organiser(ctx), "author", "a").token)
    made = registry.register(ctx, author, NewBot("pushy", "push", URL))
    register(ctx, "polly")
    stranger = identify(ctx, keys.create(ctx, organiser(ctx), "author", "b").token)
    assert registry.show(ctx, author, made.bot.id)["url"] == URL
    assert "url" not in registry.show(ctx, stranger, made.bot.id)
    shown = registry.listing(ctx, stranger, 10, None)["items"]
    assert [(item["name"], item["status"]) for item in shown] == [("polly", "offline"), ("pushy", "unknown")]
    for secret in (made.secret, made.token, made.bot.token_hashes[0][0]):
        assert secret is not None
        assert secret not in str(shown)


@pytest.mark.parametrize(("wait_ms", "online_ms"), [(0, 30_000), (30_000, 60_000)])
def test_a_poll_bot_is_online_while_it_may_wait_and_half_a_minute_more(
    ctx: Context, wait_ms: int, online_ms: int
) -> None:
    made = register(ctx, "polly").bot
    ctx.bots.polled(made.id, "3.1", wait_ms)
    shown = registry.show(ctx, organiser(ctx), made.id)
    assert (shown["status"], shown["version"]) == ("online", "3.1")
    bot = registry.read(ctx, made.id)
    assert bot.seen_ms is not None
    just, late = (replace(bot, read_ms=bot.seen_ms + online_ms + more) for more in (0, 1))
    assert [registry.public_view(at, owner=False)["status"] for at in (just, late)] == ["online", "offline"]


def test_a_push_bots_status_and_version_are_those_of_its_last_call(ctx: Context) -> None:
    made = register(ctx, "pushy", kind="push", url=URL).bot

    def shown() -> tuple[str, str | None, bool]:
        bot = registry.show(ctx, organiser(ctx), "pushy")
        return bot["status"], bot["version"], bot["last_seen"] is not None

    assert shown() == ("unknown", None, False)
    ctx.bots.note_call(made.id, up=True, version="2.1")
    assert shown() == ("online", "2.1", True)
    ctx.bots.note_call(made.id, up=False)
    assert shown() == ("offline", "2.1", True)


@pytest.mark.parametrize("ahead_ms", [-3_600_000, 31_000, 3_600_000])
def test_whether_a_poll_bot_is_online_does_not_depend_on_the_clock_of_who_asks(ctx: Context, ahead_ms: int) -> None:
    bot = register(ctx, "polly").bot
    ctx.bots.polled(bot.id, None, 0)
    elsewhere = replace(ctx, wall_ms=lambda: ctx.wall_ms() + ahead_ms)
    assert registry.show(elsewhere, organiser(ctx), bot.id)["status"] == "online"


def secrets_of(ctx: Context, bot: str) -> list[str]:
    return registry.valid_secrets(registry.read(ctx, bot))


def test_every_secret_stays_valid_as_long_as_was_promised(ctx: Context) -> None:
    made = register(ctx, "pushy", kind="push", url=URL)
    me = identify(ctx, made.token)
    assert secrets_of(ctx, made.bot.id) == [made.secret]
    second = registry.rotate_secret(ctx, me, made.bot.id)
    third = registry.rotate_secret(ctx, me, made.bot.id)
    assert secrets_of(ctx, made.bot.id) == [third["secret"], second["secret"], made.secret]
    assert second["old_secret_valid_until"] <= third["old_secret_valid_until"]
    kept = registry.read(ctx, made.bot.id).secrets
    assert [None if until_ms is None else timestamp(until_ms) for _, until_ms in kept] == [
        None,
        third["old_secret_valid_until"],
        second["old_secret_valid_until"],
    ], "the second rotation leaves the promise of the first as it was"
    ctx.bots.change(made.bot.id, lambda bot: replace(bot, secrets=a_day_later(bot.secrets)))
    assert secrets_of(ctx, made.bot.id) == [third["secret"]]


def test_a_poll_bot_has_no_secret_to_rotate(ctx: Context) -> None:
    with pytest.raises(WrongState, match="poll bot"):
        registry.rotate_secret(ctx, organiser(ctx), register(ctx, "polly").bot.id)


def test_at_most_five_secrets_are_valid_and_the_error_says_when_there_is_room(ctx: Context) -> None:
    made = register(ctx, "pushy", kind="push", url=URL)
    me = identify(ctx, made.token)
    rotations = [registry.rotate_secret(ctx, me, made.bot.id) for _ in range(4)]
    with pytest.raises(WrongState, match=re.escape(rotations[0]["old_secret_valid_until"])):
        registry.rotate_secret(ctx, me, made.bot.id)
    assert len(secrets_of(ctx, made.bot.id)) == 5
    ctx.bots.change(made.bot.id, lambda bot: replace(bot, secrets=a_day_later(bot.secrets)))
    registry.rotate_secret(ctx, me, made.bot.id)
    assert len(secrets_of(ctx, made.bot.id)) == 2


def test_after_a_leak_a_new_secret_replaces_all_at_once(ctx: Context) -> None:
    made = register(ctx, "pushy", kind="push", url=URL)
    me = identify(ctx, made.token)
    for _ in range(4):
        registry.rotate_secret(ctx, me, made.bot.id)
    new = registry.rotate_secret(ctx, me, made.bot.id, at_once=True)
    assert new["old_secret_valid_until"] is None
    assert secrets_of(ctx, made.bot.id) == [new["secret"]]


def test_a_replaced_token_is_valid_for_a_day_more(ctx: Context) -> None:
    made = register(ctx, "polly")
    new = registry.rotate_token(ctx, identify(ctx, made.token), made.bot.id)
    assert new["old_token_valid_until"] is not None
    assert {identify(ctx, token).id for token in (made.token, new["token"])} == {made.bot.id}
    ctx.bots.change(made.bot.id, lambda bot: replace(bot, token_hashes=a_day_later(bot.token_hashes)))
    assert identify(ctx, new["token"]).id == made.bot.id
    with pytest.raises(Unauthorized):
        identify(ctx, made.token)


def test_after_a_leak_a_new_token_ends_the_old_one_at_once(ctx: Context) -> None:
    made = register(ctx, "polly")
    new = registry.rotate_token(ctx, identify(ctx, made.token), made.bot.id, at_once=True)
    assert new["old_token_valid_until"] is None
    assert identify(ctx, new["token"]).id == made.bot.id
    with pytest.raises(Unauthorized):
        identify(ctx, made.token)


def test_rotations_and_changes_at_the_same_time_all_take_effect(ctx: Context) -> None:
    made = register(ctx, "pushy", kind="push", url=URL)
    me = identify(ctx, made.token)
    calls: list[Callable[[], dict[str, Any]]] = [lambda: registry.rotate_secret(ctx, me, made.bot.id)] * 4
    calls += [lambda: registry.edit(ctx, me, made.bot.id, {"max_games": 7})] * 8
    calls += [lambda: registry.edit(ctx, me, made.bot.id, {"casual": False})] * 8
    with ThreadPoolExecutor(len(calls)) as pool:
        given = [future.result() for future in [pool.submit(call) for call in calls]]
    secrets = {answer["secret"] for answer in given if "secret" in answer}
    assert set(secrets_of(ctx, made.bot.id)) == {*secrets, made.secret}
    shown = registry.show(ctx, me, made.bot.id)
    assert (shown["max_games"], shown["casual"]) == (7, False)


def test_what_may_be_changed_of_a_bot(ctx: Context) -> None:
    made = register(ctx, "pushy", kind="push", url=URL, casual=False)
    changed = registry.edit(ctx, organiser(ctx), made.bot.id, {"url": URL + "/2", "casual": True, "max_games": 9})
    assert (changed["url"], changed["casual"], changed["max_games"]) == (URL + "/2", True, 9)
    assert registry.read(ctx, made.bot.id).secrets == made.bot.secrets
    for wrong in ({"url": "nonsense"}, {"max_games": 0}):
        with pytest.raises(InvalidRequest):
            registry.edit(ctx, organiser(ctx), made.bot.id, wrong)
    assert registry.show(ctx, organiser(ctx), made.bot.id)["max_games"] == 9
    with pytest.raises(InvalidRequest):
        registry.edit(ctx, organiser(ctx), register(ctx, "polly").bot.id, {"url": URL})


def test_deleting_a_bot_frees_its_name_and_withdraws_it_from_its_games(ctx: Context) -> None:
    made = register(ctx, "polly")
    seated = begin(ctx, 3, seats=["creator", {"bot": "polly"}, "creator"])
    registry.delete(ctx, organiser(ctx), made.bot.id)
    assert load(ctx, seated.game).game.resigned == {1}
    play(ctx, seated)
    assert record(ctx, seated.game)["resignations"][0]["reason"] == "withdrawn"
    with pytest.raises(NotFound):
        registry.read(ctx, made.bot.id)
    with pytest.raises(Unauthorized):
        identify(ctx, made.token)
    assert register(ctx, "polly").bot.id != made.bot.id
    assert observe(ctx, seated.seats[0], seated.game).observation["seats"][1]["name"] == "polly"


def test_a_bot_that_plays_in_a_tournament_cannot_be_deleted_until_it_is_over(ctx: Context) -> None:
    made = register(ctx, "polly")
    register(ctx, "molly")
    new = NewTournament("t", "round_robin", ["polly", "molly"], players=2)
    tournament = create_tournament(ctx, organiser(ctx), new)["tournament"]
    with pytest.raises(WrongState, match=tournament):
        registry.delete(ctx, organiser(ctx), made.bot.id)
    lifecycle.pause(ctx, organiser(ctx), tournament)
    with pytest.raises(WrongState):
        registry.delete(ctx, organiser(ctx), made.bot.id)
    lifecycle.cancel(ctx, organiser(ctx), tournament)
    registry.delete(ctx, organiser(ctx), made.bot.id)


def test_a_bot_holds_one_seat_by_its_token(ctx: Context) -> None:
    made = register(ctx, "polly")
    seated = begin(ctx, 2, seats=["creator", {"bot": made.bot.id}])
    me = identify(ctx, made.token)
    assert observe(ctx, me, seated.game).observation["seat"] == 1
    assert play(ctx, replace(seated, seats={**seated.seats, 1: me})).status == "finished"


def test_lists_are_paged_newest_first(ctx: Context) -> None:
    made = [register(ctx, f"bot{number}").bot.id for number in range(5)]
    found: list[str] = []
    cursor = None
    for size in (2, 2, 1):
        page = registry.listing(ctx, organiser(ctx), 2, cursor)
        assert len(page["items"]) == size
        found += [item["bot"] for item in page["items"]]
        cursor = page["next"]
    assert found == made[::-1]
    assert cursor is None
    with pytest.raises(InvalidRequest):
        registry.listing(ctx, organiser(ctx), 2, "no cursor")


@pytest.mark.parametrize(("role", "name", "field"), [("king", "x", "role"), ("author", "", "name")])
def test_a_key_that_cannot_be_is_refused_with_the_field(ctx: Context, role: str, name: str, field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        keys.create(ctx, organiser(ctx), role, name)
    assert list(refused.value.extra["errors"]) == [field]


def test_a_key_that_is_not_there_cannot_be_revoked(ctx: Context) -> None:
    with pytest.raises(NotFound):
        keys.revoke(ctx, organiser(ctx), "nosuchkey")
