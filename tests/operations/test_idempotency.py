"""Creating calls that are sent again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service.errors import InvalidRequest, Unavailable, WrongState
from service.operations.access.idempotency import Claim, CreatingCall, create_once
from service.operations.access.tokens import ANONYMOUS
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.context import Context
from service.operations.games import create
from service.operations.games.create import NewGame
from tests.operations.game_setup import organiser

CALL = CreatingCall("address:127.0.0.1", "a key of sixteen or more", b'{"players":2}')


def new_game(ctx: Context, claim: Claim) -> dict[str, Any]:
    return create.create(ctx, ANONYMOUS, NewGame(players=2, public=True), claim).answer


def count(ctx: Context) -> int:
    return len(ctx.game_lists.public(None, 10, None).ids)


def test_a_call_that_is_sent_again_gets_the_same_answer(ctx: Context, other: Context) -> None:
    first = create_once(ctx, CALL, lambda claim: new_game(ctx, claim))
    again = create_once(other, CALL, lambda claim: new_game(other, claim))
    assert (first.replayed, again.replayed) == (False, True)
    assert again.body == first.body
    assert count(ctx) == 1


@pytest.mark.parametrize(
    "another",
    [replace(CALL, key="another key of sixteen"), replace(CALL, scope="address:127.0.0.2")],
    ids=["key", "caller"],
)
def test_another_key_or_caller_gets_an_answer_of_its_own(ctx: Context, another: CreatingCall) -> None:
    first = create_once(ctx, CALL, lambda claim: new_game(ctx, claim))
    second = create_once(ctx, another, lambda claim: new_game(ctx, claim))
    assert not second.replayed
    assert second.body["game"] != first.body["game"]


def test_a_key_that_came_with_another_request_is_refused(ctx: Context) -> None:
    create_once(ctx, CALL, lambda claim: new_game(ctx, claim))
    with pytest.raises(InvalidRequest, match="another request"):
        create_once(ctx, replace(CALL, request=b"another"), lambda claim: new_game(ctx, claim))


def test_while_a_call_is_at_work_a_repeated_one_is_told_to_come_back(ctx: Context, other: Context) -> None:
    def slowly(claim: Claim) -> dict[str, Any]:
        with pytest.raises(WrongState, match="still at work"):
            create_once(other, CALL, lambda claim: new_game(other, claim))
        return new_game(ctx, claim)

    assert not create_once(ctx, CALL, slowly).replayed
    assert count(ctx) == 1


@pytest.mark.parametrize("error", [InvalidRequest(("players",), "2, 3 or 4"), Unavailable("x"), KeyboardInterrupt()])
def test_a_call_that_failed_leaves_the_key_free(ctx: Context, error: BaseException) -> None:
    def fail(_: Claim) -> dict[str, Any]:
        raise error

    with pytest.raises(type(error)):
        create_once(ctx, CALL, fail)
    assert not create_once(ctx, replace(CALL, request=b"another"), lambda claim: new_game(ctx, claim)).replayed


def test_a_call_that_failed_after_it_had_created_has_left_the_answer(ctx: Context) -> None:
    def create_and_fail(claim: Claim) -> dict[str, Any]:
        new_game(ctx, claim)
        raise Unavailable("Redis does not answer")

    with pytest.raises(Unavailable):
        create_once(ctx, CALL, create_and_fail)
    assert create_once(ctx, CALL, lambda claim: new_game(ctx, claim)).replayed
    assert count(ctx) == 1


def test_a_call_that_was_overtaken_creates_nothing(ctx: Context, other: Context) -> None:
    def overtaken(claim: Claim) -> dict[str, Any]:
        ctx.idempotency.release(claim)
        create_once(other, CALL, lambda claim: new_game(other, claim))
        return new_game(ctx, claim)

    with pytest.raises(Unavailable, match="too long"):
        create_once(ctx, CALL, overtaken)
    assert count(ctx) == 1


def test_a_bot_whose_call_was_overtaken_does_not_keep_its_name(ctx: Context) -> None:
    """Name, bot and answer are written in one step: no name is held for a bot that never came to be."""

    def overtaken(claim: Claim) -> dict[str, Any]:
        ctx.idempotency.release(claim)
        return registry.register(ctx, organiser(ctx), NewBot("ada", "poll"), claim).answer

    with pytest.raises(Unavailable):
        create_once(ctx, CALL, overtaken)
    assert registry.register(ctx, organiser(ctx), NewBot("ada", "poll")).bot.name == "ada"
