"""Callbacks wait in the store until they are told: nothing is lost, and of a game's turns only the newest is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store import keys
from service.store.callbacks import Callback, CallbackStore, written
from service.store.clients import RedisClient
from service.store.clock import ServiceClock
from service.store.games import Effects, GameStore
from service.store.secrets import Secrets
from service.store.tournaments import TournamentStore
from tests.store.samples import begin, past

URL = "https://example.org/hook"
HELD_MS = 1000
TURN = "game.turn:g"


@pytest.fixture
def callbacks(client: RedisClient) -> CallbackStore:
    return CallbackStore(client)


def callback(kind: str = "game.turn", *due: int, url: str = URL) -> Callback:
    return Callback(kind, "g", url, "whsec_x", 1_700_000_000_000, due)


def effects(*told: Callback, status: str = "running") -> Effects:
    return Effects(status, callbacks=told)


def taken(callbacks: CallbackStore) -> list[str]:
    return [slot for slot, _ in callbacks.take(100, HELD_MS)]


def test_what_a_change_tells_of_is_due_at_once_with_the_version_that_the_change_made(
    games: GameStore, callbacks: CallbackStore, clock: ServiceClock
) -> None:
    assert not callbacks.is_due()
    clock.advance(5000)
    begin(games, "g", effects=effects(callback("game.started", 0, 1), callback("game.turn", 0, 1)))
    assert callbacks.is_due()
    assert sorted(callbacks.take(100, HELD_MS)) == [("game.started:g", URL), (TURN, URL)]
    pending = callbacks.hold("game.started:g", HELD_MS)
    assert pending is not None
    assert (pending.callback, pending.version, pending.failures) == (callback("game.started", 0, 1), 1, 0)
    games.append("g", past(games, "g", 1), ["2", "3"], effects=effects(callback("game.turn", 1)))
    pending = callbacks.hold(TURN, HELD_MS)
    assert pending is not None
    assert (pending.callback.due, pending.version) == ((1,), 3)


def test_a_refused_append_tells_nothing(games: GameStore, callbacks: CallbackStore) -> None:
    begin(games, "g")
    with pytest.raises(Exception, match="followed by somebody else"):
        games.append("g", past(games, "g", 0), ["2"], effects=effects(callback()))
    assert not callbacks.is_due()


def test_one_that_was_taken_is_nobody_elses_until_its_time_is_up(
    games: GameStore, callbacks: CallbackStore, clock: ServiceClock
) -> None:
    begin(games, "g", effects=effects(callback()))
    assert taken(callbacks) == [TURN]
    assert taken(callbacks) == []
    clock.advance(HELD_MS - 1)
    assert not callbacks.is_due()
    clock.advance(1)
    assert taken(callbacks) == [TURN], "whoever took it has died"


def test_one_that_is_held_stays_so_from_then_on(
    games: GameStore, callbacks: CallbackStore, clock: ServiceClock
) -> None:
    begin(games, "g", effects=effects(callback()))
    assert taken(callbacks) == [TURN]
    clock.advance(HELD_MS - 1)
    assert callbacks.hold(TURN, HELD_MS) is not None
    clock.advance(HELD_MS - 1)
    assert not callbacks.is_due()


def test_one_that_was_told_is_gone_whole(games: GameStore, callbacks: CallbackStore, client: RedisClient) -> None:
    begin(games, "g", effects=effects(callback()))
    assert taken(callbacks) == [TURN]
    callbacks.delivered(TURN, 1)
    assert callbacks.hold(TURN, HELD_MS) is None
    assert list(client.scan_iter("mb1:callbacks*")) == []


def test_what_came_while_one_was_sent_is_due_when_that_was_told(games: GameStore, callbacks: CallbackStore) -> None:
    begin(games, "g", effects=effects(callback()))
    assert taken(callbacks) == [TURN]
    games.append("g", past(games, "g", 1), ["2"], effects=effects(callback("game.turn", 1)))
    assert not callbacks.is_due(), "two at a time would overtake each other"
    callbacks.delivered(TURN, 1)
    assert taken(callbacks) == [TURN]
    pending = callbacks.hold(TURN, HELD_MS)
    assert pending is not None
    assert (pending.version, pending.callback.due) == (2, (1,))


def test_a_failed_one_pauses_whatever_comes_meanwhile_and_goes_on_with_the_newest(
    games: GameStore, callbacks: CallbackStore, clock: ServiceClock
) -> None:
    begin(games, "g", effects=effects(callback()))
    assert taken(callbacks) == [TURN]
    callbacks.failed(TURN, 30_000)
    games.append("g", past(games, "g", 1), ["2"], effects=effects(callback("game.turn", 1)))
    clock.advance(29_999)
    assert not callbacks.is_due()
    clock.advance(1)
    assert taken(callbacks) == [TURN]
    pending = callbacks.hold(TURN, HELD_MS)
    assert pending is not None
    assert (pending.version, pending.failures) == (2, 1)


def test_failures_count_anew_once_something_was_told(games: GameStore, callbacks: CallbackStore) -> None:
    begin(games, "g", effects=effects(callback()))
    callbacks.failed(TURN, 0)
    callbacks.failed(TURN, 0)
    pending = callbacks.hold(TURN, HELD_MS)
    assert pending is not None
    assert pending.failures == 2
    games.append("g", past(games, "g", 1), ["2"], effects=effects(callback()))
    callbacks.delivered(TURN, 1)
    pending = callbacks.hold(TURN, HELD_MS)
    assert pending is not None
    assert (pending.version, pending.failures) == (2, 0)


def test_the_end_of_a_game_outdates_its_turns_and_nothing_else(games: GameStore, callbacks: CallbackStore) -> None:
    begin(games, "g", effects=effects(callback("game.started"), callback("game.turn", 0)))
    begin(games, "h", effects=Effects("running", callbacks=(Callback("game.turn", "h", URL, "whsec_x", 1, (0,)),)))
    games.append("g", past(games, "g", 1), ["2"], effects=effects(callback("game.ended"), status="finished"))
    assert sorted(taken(callbacks)) == ["game.ended:g", "game.started:g", "game.turn:h"]
    callbacks.failed(TURN, 1)
    callbacks.delivered(TURN, 1)
    assert callbacks.hold(TURN, HELD_MS) is None


def test_a_game_that_is_removed_still_has_its_end_told(games: GameStore, callbacks: CallbackStore) -> None:
    begin(games, "g", effects=effects(callback("game.ended"), status="aborted"))
    games.remove("g")
    assert taken(callbacks) == ["game.ended:g"]
    assert callbacks.hold("game.ended:g", HELD_MS) is not None


def test_the_longest_overdue_come_first_and_no_more_than_asked_for(
    games: GameStore, callbacks: CallbackStore, clock: ServiceClock
) -> None:
    for name in "cab":
        clock.advance(1)
        told = Callback("game.turn", name, URL, "whsec_x", 1, (0,))
        begin(games, name, effects=Effects("running", callbacks=(told,)))
    assert callbacks.take(2, HELD_MS) == [("game.turn:c", URL), ("game.turn:a", URL)]
    assert callbacks.take(2, HELD_MS) == [("game.turn:b", URL)]


def test_start_and_end_of_a_tournament_carry_the_number_of_its_events(
    tournaments: TournamentStore, callbacks: CallbackStore
) -> None:
    def told(kind: str) -> Callback:
        return Callback(kind, "t", URL, "whsec_x", 7)

    tournaments.create("t", "{}", [], "started", callback=told("tournament.started"))
    tournaments.put_result("t", 0, "{}", "event")
    assert tournaments.move("t", ["running"], "finished", event="end", callback=told("tournament.ended"))
    again = tournaments.move("t", ["running"], "cancelled", event="end", callback=told("tournament.ended"))
    assert not again
    found = [callbacks.hold(f"tournament.{word}:t", HELD_MS) for word in ("started", "ended")]
    assert [(pending.version, pending.callback.due) for pending in found if pending] == [(1, ()), (3, ())]


def test_a_slot_that_has_lost_what_it_is_to_tell_is_forgotten(callbacks: CallbackStore, client: RedisClient) -> None:
    client.zadd(keys.CALLBACKS, {TURN: 0})
    assert callbacks.take(1, 0) == [(TURN, "")]
    assert callbacks.hold(TURN, 0) is None
    assert not callbacks.is_due()


@pytest.mark.parametrize("url", ["", "https://example.org/a b", "https://example.org/\n"])
def test_a_url_that_could_not_be_read_back_is_not_written(url: str) -> None:
    with pytest.raises(ValueError, match="white space"):
        written([callback(url=url)])


def test_secrets_that_are_replaced_at_the_same_time_are_all_kept(callbacks: CallbackStore) -> None:
    def replace(number: int) -> Secrets:
        return callbacks.change_secrets("g", lambda secrets, _: ((f"whsec_{number}", None), *secrets))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(replace, range(50)))
    kept = callbacks.change_secrets("g", lambda secrets, _: secrets)
    assert {secret for secret, _ in kept} == {f"whsec_{number}" for number in range(50)}
