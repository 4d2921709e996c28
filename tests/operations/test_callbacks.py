"""Which callbacks a game or a tournament leaves to be told, and who may name one."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from service.errors import Forbidden, InvalidRequest, Unauthorized
from service.operations.access import keys
from service.operations.access.tokens import ANONYMOUS, Caller, identify
from service.operations.callbacks import body, webhook_id
from service.operations.context import Context
from service.operations.games import create
from service.operations.games.change import load
from service.operations.games.create import NewGame
from service.operations.games.read import events, observe
from service.operations.games.seats import abort, join
from service.operations.tournaments import lifecycle, read
from service.operations.tournaments.create import NewTournament, create_tournament
from service.operations.tournaments.export import export
from service.store.callbacks import Pending
from tests.operations.game_setup import Seated, answer, at_random, begin, due, organiser, play, register

URL = "https://example.org/hook"


def told(ctx: Context) -> list[dict[str, Any]]:
    """All that waits to be told, as it will be sent; then it counts as told."""
    found = []
    for slot, _ in sorted(ctx.callbacks.take(1000, 0)):
        pending = ctx.callbacks.hold(slot, 0)
        assert pending is not None
        found.append(json.loads(body(pending)))
        ctx.callbacks.delivered(slot, pending.version)
    return found


def types(messages: list[dict[str, Any]]) -> list[str]:
    return [message["type"] for message in messages]


def key(ctx: Context, role: str) -> Caller:
    return identify(ctx, keys.create(ctx, organiser(ctx), role, "somebody").token)


def called_back(ctx: Context, players: int = 3, **more: Any) -> Seated:
    return begin(ctx, players, by=organiser(ctx), callback=URL, **more)


@pytest.mark.parametrize("role", ["organiser", "author", "creator"])
def test_a_key_of_any_role_may_name_a_callback_and_gets_a_secret_to_check_it_by(ctx: Context, role: str) -> None:
    first = create.create(ctx, key(ctx, role), NewGame(2, callback=URL))
    second = create.create(ctx, key(ctx, role), NewGame(2, callback=URL))
    assert first.view.meta.callback_secret is not None
    assert len(base64.b64decode(first.view.meta.callback_secret.removeprefix("whsec_"), validate=True)) == 32
    assert first.view.meta.callback_secret != second.view.meta.callback_secret


def test_without_a_key_a_callback_is_refused_and_no_game_is_made(ctx: Context) -> None:
    with pytest.raises(Unauthorized):
        create.create(ctx, ANONYMOUS, NewGame(2, callback=URL, public=True))
    bot = identify(ctx, register(ctx, "polly").token)
    with pytest.raises(Forbidden):
        create.create(ctx, bot, NewGame(2, callback=URL, public=True))
    assert ctx.game_lists.public(None, 10, None).ids == ()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.org/", "http:// or https://"),
        ("https://user:word@example.org/", "user information"),
        ("https://example.org/?token=1", "query"),
        ("https://example.org/ hook", "white space"),
        ("hook", "http:// or https://"),
        ("", "http:// or https://"),
    ],
)
def test_a_callback_that_is_no_url_to_call_is_refused_by_its_field(ctx: Context, url: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why) as refused:
        create.create(ctx, organiser(ctx), NewGame(2, callback=url))
    assert set(refused.value.extra["errors"]) == {"callback"}


def test_a_game_without_a_callback_tells_nothing(ctx: Context) -> None:
    made = create.create(ctx, ANONYMOUS, NewGame(2))
    assert made.view.meta.callback_secret is None
    assert told(ctx) == []


def test_start_every_turn_and_the_end_are_told_with_what_a_spectator_sees(ctx: Context) -> None:
    seated = called_back(ctx, seed="a whole game")
    seen = []
    view = load(ctx, seated.game)
    assert types(told(ctx)) == ["game.started", "game.turn"]
    while not view.over:
        answer(ctx, seated, next(iter(due(view))))
        view = load(ctx, seated.game)
        spectator = observe(ctx, ANONYMOUS, seated.game).observation
        (message,) = told(ctx)
        data = {"game": seated.game, "version": spectator["version"], "due": spectator["due"]}
        assert message["data"] == data
        assert set(message) == {"type", "timestamp", "data"}
        seen.append(message["type"])
    assert set(seen[:-1]) == {"game.turn"}
    assert seen[-1] == "game.ended"


def test_the_timestamp_is_that_of_the_event(ctx: Context) -> None:
    seated = called_back(ctx)
    answer(ctx, seated, 0)
    happened = {event["type"]: event["at"] for event in events(ctx, seated.game, 0).events}
    messages = {message["type"]: message["timestamp"] for message in told(ctx)}
    assert messages == {"game.started": happened["started"], "game.turn": happened["chosen"]}
    assert abs(datetime.fromisoformat(messages["game.turn"]) - datetime.now(UTC)).total_seconds() < 60


def test_what_is_told_while_cards_are_chosen_is_the_same_whatever_was_chosen(ctx: Context) -> None:
    def lengths_and_members(cards: int) -> list[Any]:
        seated = called_back(ctx)
        answer(ctx, seated, 1, cards)
        found = told(ctx)
        return [(len(json.dumps(m)), m["type"], m["data"]["version"], m["data"]["due"]) for m in found]

    assert lengths_and_members(0) == lengths_and_members(7)


def test_of_turns_that_nobody_could_be_told_of_only_the_newest_is_kept(ctx: Context) -> None:
    seated = called_back(ctx)
    for seat in (2, 0):
        answer(ctx, seated, seat)
    started, turn = told(ctx)
    assert (started["data"]["due"], turn["data"]["due"]) == ([0, 1, 2], [1])
    assert turn["data"]["version"] == load(ctx, seated.game).version


def test_a_game_with_open_seats_tells_its_start_when_the_last_is_taken(ctx: Context) -> None:
    seated = called_back(ctx, 2, seats=["creator", "open"])
    assert told(ctx) == []
    join(ctx, seated.game, 1, None)
    assert types(told(ctx)) == ["game.started", "game.turn"]


def test_a_game_that_is_broken_off_ends_once_and_owes_nothing(ctx: Context) -> None:
    seated = called_back(ctx)
    told(ctx)
    abort(ctx, seated.creator, seated.game)
    abort(ctx, seated.creator, seated.game)
    (ended,) = told(ctx)
    assert (ended["type"], ended["data"]["due"]) == ("game.ended", [])


def test_what_is_told_again_is_the_same_to_the_byte(ctx: Context) -> None:
    seated = called_back(ctx)

    def waiting() -> list[Pending | None]:
        return [ctx.callbacks.hold(slot, 0) for slot, _ in sorted(ctx.callbacks.take(10, 0))]

    first = waiting()
    again = waiting()
    assert [body(one) for one in first if one] == [body(one) for one in again if one]
    version = load(ctx, seated.game).version
    ids = [f"{seated.game}_started_{version}", f"{seated.game}_turn_{version}"]
    assert [webhook_id(one) for one in first if one] == [webhook_id(one) for one in again if one] == ids


def test_neither_url_nor_secret_of_a_callback_is_ever_shown_again(ctx: Context) -> None:
    made = create.create(ctx, organiser(ctx), NewGame(2, callback=URL, public=True))
    game = made.view.id
    seated = Seated(game, identify(ctx, made.creator_token), {s: identify(ctx, token) for s, token in made.tokens})
    shown: list[Any] = [observe(ctx, seated.seats[0], game).observation]
    play(ctx, seated, at_random("any"))
    shown += [observe(ctx, organiser(ctx), game).observation, *events(ctx, game, 0).events]
    text = json.dumps(shown, default=dict)
    assert URL not in text
    assert str(made.view.meta.callback_secret) not in text


def cup(ctx: Context, callback: str | None = URL) -> dict[str, Any]:
    for name in ("ann", "ben"):
        register(ctx, name)
    new = NewTournament("cup", "round_robin", ("ann", "ben"), players=2, callback=callback)
    return create_tournament(ctx, organiser(ctx), new)


@pytest.mark.parametrize("ending", ["finished", "failed", "cancelled"])
def test_start_and_end_of_a_tournament_are_told_however_it_ends(ctx: Context, ending: str) -> None:
    tournament = cup(ctx)["tournament"]
    (started,) = told(ctx)
    assert started["type"] == "tournament.started"
    assert started["data"] == {"tournament": tournament, "version": 1, "due": []}
    lifecycle.pause(ctx, organiser(ctx), tournament)
    lifecycle.resume(ctx, organiser(ctx), tournament)
    assert told(ctx) == []
    if ending == "cancelled":
        lifecycle.cancel(ctx, organiser(ctx), tournament)
        lifecycle.cancel(ctx, organiser(ctx), tournament)
    else:
        lifecycle.finish(ctx, tournament, ending)
        lifecycle.finish(ctx, tournament, ending)
    (ended,) = told(ctx)
    assert ended["type"] == "tournament.ended"
    assert ended["data"] == {"tournament": tournament, "version": 4, "due": []}


def test_the_secret_of_a_tournaments_callback_is_shown_once_and_its_url_in_the_export(ctx: Context) -> None:
    made = cup(ctx)
    secret = made.pop("callback_secret")
    assert secret.startswith("whsec_")
    assert secret not in str(read.show(ctx, made["tournament"]))
    assert URL not in json.dumps(made)
    lifecycle.cancel(ctx, organiser(ctx), made["tournament"])
    text = "".join(export(ctx, made["tournament"]))
    assert json.loads(text)["settings"]["callback"] == URL
    assert secret not in text


def test_a_tournament_without_a_callback_has_no_secret_and_tells_nothing(ctx: Context) -> None:
    assert "callback_secret" not in cup(ctx, callback=None)
    assert told(ctx) == []


def test_a_tournament_with_a_callback_that_is_none_is_refused_by_its_field(ctx: Context) -> None:
    with pytest.raises(InvalidRequest) as refused:
        cup(ctx, callback="https://[::1/")
    assert set(refused.value.extra["errors"]) == {"callback"}


CHATS = {
    "https://discord.com/api/webhooks/1/abc": "content",
    "https://discordapp.com/api/webhooks/1/abc": "content",
    "https://hooks.slack.com/services/T/B/x": "text",
}


@pytest.mark.parametrize("url", CHATS)
def test_the_webhook_of_a_chat_gets_a_line_of_text_in_its_own_form(url: str, ctx: Context) -> None:
    seated = begin(ctx, 2, by=organiser(ctx), callback=url)
    started, turn = told(ctx)
    assert started == {CHATS[url]: f"Game {seated.game} has started."}
    assert turn == {CHATS[url]: f"Game {seated.game}: seats 0, 1 to act."}
    answer(ctx, seated, 0)
    assert told(ctx) == [{CHATS[url]: f"Game {seated.game}: seat 1 to act."}]


@pytest.mark.parametrize("url", ["https://discord.com/hook", "https://hooks.slack.com.example.org/x", URL])
def test_any_other_url_gets_the_news_as_json(url: str, ctx: Context) -> None:
    begin(ctx, 2, by=organiser(ctx), callback=url)
    assert types(told(ctx)) == ["game.started", "game.turn"]
