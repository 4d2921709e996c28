"""Callbacks reach real web servers on loopback: signed, again and again until they are told, and in nobody's way."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import redis
from standardwebhooks import Webhook, WebhookVerificationError

from service.addresses import AddressPolicy
from service.errors import NotFound
from service.operations.access.tokens import identify
from service.operations.context import Context
from service.operations.games import create
from service.operations.games.change import load
from service.operations.games.create import NewGame
from service.operations.games.seats import rotate_callback_secret
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from service.store import keys
from tests.operations.game_setup import Seated, a_day_later, answer, begin, organiser
from tests.workers.outbound_setup import LOOPBACK
from tests.workers.processes import Workers, kill
from tests.workers.raw_bots import RawBot, Received, hangs, http, says
from tests.workers.test_steward import pass_time, stewarding
from tests.workers.tournament_setup import Scripted, served
from workers.callbacks import CALL_S, HELD_MS, RETRY_AFTER_S, enqueue_due, send
from workers.outbound import OutboundClient
from workers.per_host_queue import PerHostQueue
from workers.steward import HOUSEKEEPING_S

NO_CONTENT = http(b"", "204 No Content")
Answer = Callable[[RawBot, socket.socket, Received], bool]


@pytest.fixture
def outbound() -> Iterator[OutboundClient]:
    outbound = OutboundClient(LOOPBACK)
    yield outbound
    outbound.close()


def game_of(ctx: Context, url: str, players: int = 2) -> tuple[Seated, str]:
    """A new game with a callback, and its secret."""
    made = create.create(ctx, organiser(ctx), NewGame(players, callback=url))
    seats = {seat: identify(ctx, token) for seat, token in made.tokens}
    return Seated(made.view.id, identify(ctx, made.creator_token), seats), str(made.view.meta.callback_secret)


def send_due(ctx: Context, outbound: OutboundClient) -> list[bool]:
    """What a worker does with all that is due, one after another."""
    return [send(ctx, outbound, slot) for slot, _ in sorted(ctx.callbacks.take(1000, HELD_MS))]


def failing(*statuses: str) -> Answer:
    """A server that answers with these, then with 204."""
    left = list(statuses)

    def reply(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        connection.sendall(http(b"{}", left.pop(0)) if left else NO_CONTENT)
        return True

    return reply


def ids(bot: RawBot) -> list[str]:
    return [request.headers["webhook-id"] for request in bot.received]


def types(bot: RawBot) -> list[str]:
    return [json.loads(request.body)["type"] for request in bot.received]


def test_what_is_told_is_signed_with_the_games_own_secret(ctx: Context, outbound: OutboundClient) -> None:
    with RawBot(says(NO_CONTENT)) as bot:
        seated, secret = game_of(ctx, f"{bot.url}/hook")
        _, other = game_of(ctx, f"{bot.url}/hook")
        (started, turn) = [slot for slot, _ in sorted(ctx.callbacks.take(9, 0)) if slot.endswith(seated.game)]
        assert send(ctx, outbound, started)
        assert send(ctx, outbound, turn)
    version = load(ctx, seated.game).version
    assert ids(bot) == [f"{seated.game}_started_{version}", f"{seated.game}_turn_{version}"]
    for request in bot.received:
        assert request.line == "POST /hook HTTP/1.1"
        message = Webhook(secret).verify(request.body, request.headers)
        assert message["data"] == {"game": seated.game, "version": version, "due": [0, 1]}
        with pytest.raises(WebhookVerificationError):
            Webhook(other).verify(request.body, request.headers)


def signed_with(request: Received, *secrets: str) -> list[bool]:
    """Whether a request is signed with each of these."""
    found = []
    for secret in secrets:
        try:
            Webhook(secret).verify(request.body, request.headers)
        except WebhookVerificationError:
            found.append(False)
        else:
            found.append(True)
    return found


def test_a_callback_is_signed_with_every_secret_that_is_still_valid(ctx: Context, outbound: OutboundClient) -> None:
    with RawBot(says(NO_CONTENT)) as bot:
        seated, first = game_of(ctx, bot.url)
        second, third = (rotate_callback_secret(ctx, organiser(ctx), seated.game)["callback_secret"] for _ in range(2))
        assert send(ctx, outbound, f"game.started:{seated.game}"), "what was to be told before is signed with the new"
        ctx.callbacks.change_secrets(seated.game, lambda secrets, _: a_day_later(secrets))
        assert send(ctx, outbound, f"game.turn:{seated.game}")
    today, later = bot.received
    assert signed_with(today, first, second, third) == [True, True, True]
    assert signed_with(later, first, second, third) == [False, False, True]


def test_what_is_left_to_be_told_of_a_removed_game_is_signed_with_its_newest_secret(
    ctx: Context, outbound: OutboundClient, redis_url: str
) -> None:
    with RawBot(says(NO_CONTENT)) as bot, redis.Redis.from_url(redis_url) as client:
        seated, first = game_of(ctx, bot.url)
        second = rotate_callback_secret(ctx, organiser(ctx), seated.game)["callback_secret"]
        assert client.ttl(keys.callback_secrets(seated.game)) == -1
        ctx.games.remove(seated.game)
        assert 0 < client.ttl(keys.callback_secrets(seated.game)) <= keys.CALLBACK_SECRETS_KEPT_S
        assert send(ctx, outbound, f"game.started:{seated.game}")
    assert signed_with(bot.received[0], first, second) == [True, True]


@pytest.mark.parametrize("status", ["200 OK", "201 Created", "202 Accepted", "204 No Content"])
def test_any_status_of_success_will_do_whatever_the_body_is(
    ctx: Context, outbound: OutboundClient, status: str
) -> None:
    body = b"" if status.startswith("204") else b"\xff<html>" * 20_000
    with RawBot(says(http(body, status))) as bot:
        game_of(ctx, bot.url)
        assert send_due(ctx, outbound) == [True, True]
    ctx.clock.advance(HELD_MS)
    assert not ctx.callbacks.is_due()


def test_what_fails_is_sent_again_after_growing_pauses_as_the_same_to_the_byte(
    ctx: Context, outbound: OutboundClient
) -> None:
    with RawBot(failing("500 Oops", "503 Oops", "302 Found")) as bot:
        game_of(ctx, bot.url)
        slots = [slot for slot, _ in sorted(ctx.callbacks.take(9, HELD_MS))]
        turn = slots[1]
        for number, pause_s in enumerate(RETRY_AFTER_S[:3]):
            assert not send(ctx, outbound, turn)
            ctx.callbacks.delivered(slots[0], 3)
            ctx.clock.advance(pause_s * 1000 - 1)
            assert [slot for slot, _ in ctx.callbacks.take(9, HELD_MS)] == [], number
            ctx.clock.advance(1)
            assert [slot for slot, _ in ctx.callbacks.take(9, HELD_MS)] == [turn]
        assert send(ctx, outbound, turn)
    assert len({request.body for request in bot.received}) == 1
    assert len(set(ids(bot))) == 1
    assert len(bot.received) == 4
    ctx.clock.advance(10**9)
    assert not ctx.callbacks.is_due()
    assert list(RETRY_AFTER_S) == sorted(set(RETRY_AFTER_S))


def test_what_fails_too_often_is_given_up_and_the_next_is_told_all_the_same(
    ctx: Context, outbound: OutboundClient, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"http://127.0.0.1:{free_port()}/secret-path"
    seated, secret = game_of(ctx, url)
    for pause_s in (*RETRY_AFTER_S, 0):
        assert send_due(ctx, outbound) == [False, False]
        ctx.clock.advance(pause_s * 1000)
    ctx.clock.advance(10**9)
    assert not ctx.callbacks.is_due()
    assert f"game.turn:{seated.game} is given up" in caplog.text
    assert "secret-path" not in caplog.text
    assert secret not in caplog.text
    answer(ctx, seated, 0)
    assert [slot for slot, _ in ctx.callbacks.take(9, 0)] == [f"game.turn:{seated.game}"]


def test_one_who_says_that_he_is_gone_is_not_asked_again(ctx: Context, outbound: OutboundClient) -> None:
    with RawBot(says(http(b"", "410 Gone"))) as bot:
        game_of(ctx, bot.url)
        assert send_due(ctx, outbound) == [False, False]
    ctx.clock.advance(10**9)
    assert not ctx.callbacks.is_due()


def test_a_server_that_was_down_hears_the_newest_turn_and_not_the_old_ones(
    ctx: Context, outbound: OutboundClient
) -> None:
    with RawBot(failing("503 Down", "503 Down")) as bot:
        seated, _ = game_of(ctx, bot.url, players=3)
        assert send_due(ctx, outbound) == [False, False]
        answer(ctx, seated, 0)
        answer(ctx, seated, 2)
        assert send_due(ctx, outbound) == [], "it pauses, whatever happens"
        ctx.clock.advance(RETRY_AFTER_S[0] * 1000)
        assert send_due(ctx, outbound) == [True, True]
    assert types(bot) == ["game.started", "game.turn"] * 2
    newest = json.loads(bot.received[-1].body)
    assert newest["data"] == {"game": seated.game, "version": load(ctx, seated.game).version, "due": [1]}


@contextmanager
def redis_of(ctx: Context) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(ctx.settings.redis_url) as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
def test_special_addresses_are_not_called_unless_the_operator_lists_them(ctx: Context, host: str) -> None:
    outbound = OutboundClient(AddressPolicy())
    with RawBot(says(NO_CONTENT)) as bot:
        game_of(ctx, f"http://{host}:{bot.port}/")
        assert send_due(ctx, outbound) == [False, False]
        assert bot.connections == 0
    outbound.close()


def test_the_steward_has_sent_what_is_due_and_nudges_but_once(ctx: Context) -> None:
    steward, clock = stewarding(ctx)

    def nudges() -> int:
        with redis_of(ctx) as client:
            return int(client.llen("rq:queue:turns"))

    assert nudges() == 0
    game_of(ctx, "http://127.0.0.1:1/")
    for _ in range(3):
        assert steward.tick()
    assert nudges() == 1
    ctx.callbacks.take(9, HELD_MS)
    with redis_of(ctx) as client:
        client.delete("rq:queue:turns")
    assert steward.tick()
    assert nudges() == 0, "a worker has them"
    pass_time(steward, clock, HELD_MS / 1000)
    assert nudges() == 1, "the worker has died"


def test_a_game_that_is_closed_since_nobody_touches_it_has_its_end_told_though_it_is_gone(
    ctx: Context, outbound: OutboundClient
) -> None:
    with RawBot(says(NO_CONTENT)) as bot:
        seated, _ = game_of(ctx, bot.url)
        send_due(ctx, outbound)
        steward, clock = stewarding(ctx)
        ctx.clock.advance(ctx.settings.game_idle_s * 1000 + 1)
        pass_time(steward, clock, HOUSEKEEPING_S + 1)
        with pytest.raises(NotFound):
            load(ctx, seated.game)
        assert send_due(ctx, outbound) == [True]
    ended = json.loads(bot.received[-1].body)
    assert (ended["type"], ended["data"]["game"]) == ("game.ended", seated.game)


def test_fifty_games_of_a_dead_url_delay_no_other_callback(ctx: Context) -> None:
    outbound = OutboundClient(LOOPBACK)
    lines = PerHostQueue(lambda slot: send(ctx, outbound, slot), name="callback")
    with RawBot(hangs()) as dead, RawBot(says(NO_CONTENT)) as well:
        for _ in range(50):
            game_of(ctx, dead.url)
        game_of(ctx, well.url)
        enqueue_due(ctx, lines)
        assert wait_until(lambda: sorted(types(well)) == ["game.started", "game.turn"], CALL_S / 2)
        assert dead.connections <= 4
    outbound.close()


def test_what_finds_no_place_in_the_lines_is_due_again(ctx: Context) -> None:
    done = threading.Event()

    def call(slot: str) -> bool:
        return done.wait(10)

    lines = PerHostQueue(call, name="callback", max_items=1)
    game_of(ctx, "http://127.0.0.1:1/")
    enqueue_due(ctx, lines)
    assert not ctx.callbacks.is_due()
    ctx.clock.advance(HELD_MS)
    assert len(ctx.callbacks.take(9, 0)) == 2
    done.set()


def test_workers_tell_again_what_a_worker_died_with(ctx: Context, redis_url: str) -> None:
    first = threading.Event()

    def reply(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        if first.is_set():
            connection.sendall(NO_CONTENT)
            return True
        first.set()
        bot.ended.wait()
        return False

    with RawBot(reply) as bot, Workers(redis_url, 1) as workers:
        _, secret = game_of(ctx, bot.url)
        assert wait_until(first.is_set, 30)
        kill(workers.serving("turns"))
        lost = ids(bot)[0]
        # Rather than wait until it is nobody's any more.
        ctx.clock.advance(HELD_MS)
        assert wait_until(lambda: ids(bot).count(lost) == 2, 30)
        again = [request for request in bot.received if request.headers["webhook-id"] == lost]
        assert again[0].body == again[1].body
        Webhook(secret).verify(again[1].body, again[1].headers)
        assert wait_until(lambda: set(types(bot)) == {"game.started", "game.turn"}, 30)


def test_dead_urls_slow_no_bot_down(ctx: Context, redis_url: str) -> None:
    ann = Scripted()
    with RawBot(hangs()) as dead, served(ctx, {"ann": ann}), Workers(redis_url, 1):
        for _ in range(40):
            game_of(ctx, dead.url)
        assert wait_until(lambda: dead.connections > 0, 30), "the workers are at it"
        seated = begin(ctx, 2, seats=["creator", {"bot": "ann"}], by=organiser(ctx), callback=dead.url)
        assert wait_until(lambda: 1 not in load(ctx, seated.game).due, CALL_S / 2), "a turn is played at once"
        assert len(ann.asks) == 1
