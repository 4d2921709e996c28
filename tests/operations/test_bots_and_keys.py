"""Registered bots, and keys."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from service.errors import InvalidRequest, NameTaken, NotFound, Unauthorized, WrongState
from service.operations.access import keys
from service.operations.access.tokens import OLD_SECRET_MS, identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.read import observe
from service.operations.games.records import record
from service.operations.tournaments import lifecycle
from service.operations.tournaments.create import NewTournament, create_tournament
from tests.operations.game_setup import begin, organiser, play, register

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
    for secret in (made.secret, made.token, made.bot.token_hash):
        assert secret is not None
        assert secret not in str(shown)


def test_a_poll_bot_is_online_for_half_a_minute_after_its_last_poll(ctx: Context) -> None:
    bot = register(ctx, "polly").bot
    ctx.bots.polled(bot.id, "3.1")
    shown = registry.show(ctx, organiser(ctx), bot.id)
    assert (shown["status"], shown["version"]) == ("online", "3.1")
    later = replace(ctx, wall_ms=lambda: ctx.wall_ms() + registry.ONLINE_MS + 1000)
    assert registry.show(later, organiser(ctx), bot.id)["status"] == "offline"


def test_two_secrets_are_valid_after_a_rotation_and_the_old_one_for_a_day(ctx: Context) -> None:
    made = register(ctx, "pushy", kind="push", url=URL)
    me = identify(ctx, made.token)

    def valid(at: Context) -> list[str]:
        return registry.valid_secrets(at, registry.read(ctx, made.bot.id))

    assert valid(ctx) == [made.secret]
    second = registry.rotate_secret(ctx, me, made.bot.id)["secret"]
    assert valid(ctx) == [second, made.secret]
    third = registry.rotate_secret(ctx, me, made.bot.id)["secret"]
    assert valid(ctx) == [third, second], "at most two at a time"
    tomorrow = replace(ctx, wall_ms=lambda: ctx.wall_ms() + OLD_SECRET_MS + 1)
    assert valid(tomorrow) == [third]
    with pytest.raises(WrongState):
        registry.rotate_secret(ctx, organiser(ctx), register(ctx, "polly").bot.id)


def test_a_rotated_token_replaces_the_old_one(ctx: Context) -> None:
    made = register(ctx, "polly")
    new = registry.rotate_token(ctx, identify(ctx, made.token), made.bot.id)["token"]
    assert identify(ctx, new).id == made.bot.id
    with pytest.raises(Unauthorized):
        identify(ctx, made.token)


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
