"""What chance of a creating call is made from, and how its attempts follow one another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.errors import InvalidRequest, Unavailable, WrongState
from service.operations.access import idempotency
from service.operations.access.idempotency import Begun, CreatingCall
from service.operations.access.tokens import ANONYMOUS
from service.operations.context import Context
from service.operations.games import create
from service.operations.games.create import Created, NewGame

ATTEMPT = CreatingCall("address:127.0.0.1", "a key of sixteen or more", b'{"players":2}')
SALT, OTHER_SALT = "00" * 32, "00" * 31 + "01"


def draws(attempt: CreatingCall, salt: str = SALT) -> list[bytes]:
    chance = attempt.chance(salt)
    return [chance(16), chance(16), chance(32)]


def test_the_same_attempt_with_the_same_salt_draws_the_same() -> None:
    assert draws(ATTEMPT) == draws(ATTEMPT)
    assert [len(drawn) for drawn in draws(ATTEMPT)] == [16, 16, 32]


def test_draws_are_no_beginnings_of_one_another() -> None:
    assert len({drawn[:16] for drawn in draws(ATTEMPT)}) == 3


@pytest.mark.parametrize(
    ("attempt", "salt"),
    [
        (ATTEMPT, OTHER_SALT),
        (replace(ATTEMPT, key="another key of sixteen"), SALT),
        (replace(ATTEMPT, scope="address:127.0.0.2"), SALT),
        (replace(ATTEMPT, request=b'{"players":3}'), SALT),
    ],
)
def test_another_salt_key_caller_or_request_draws_otherwise(attempt: CreatingCall, salt: str) -> None:
    assert not set(draws(attempt, salt)) & set(draws(ATTEMPT))


def begun(ctx: Context, attempt: CreatingCall = ATTEMPT) -> Begun:
    found = idempotency.begin(ctx, attempt)
    assert isinstance(found, Begun)
    return found


def created(ctx: Context) -> Created:
    return create.create(ctx, ANONYMOUS, NewGame(players=2, seats=["creator", "open"], public=True))


def test_the_first_attempt_looks_for_nothing_and_the_next_one_does(ctx: Context) -> None:
    first = begun(ctx)
    assert not first.ctx.again
    idempotency.give_up(ctx, ATTEMPT, first, Unavailable("Redis does not answer"))
    assert begun(ctx).ctx.again


def test_two_attempts_at_once_make_one_game(ctx: Context, other: Context) -> None:
    slow = begun(ctx)
    ctx.idempotency.let_go(ATTEMPT.name, slow.number)
    made = created(begun(other).ctx)
    late = created(slow.ctx)
    assert (late.view.id, late.creator_token, late.tokens) == (made.view.id, made.creator_token, made.tokens)
    assert len(ctx.game_lists.public(None, 10, None).ids) == 1


def test_what_was_refused_leaves_the_key_free(ctx: Context) -> None:
    idempotency.give_up(ctx, ATTEMPT, begun(ctx), InvalidRequest(("players",), "2, 3 or 4"))
    assert not begun(ctx, replace(ATTEMPT, request=b"another")).ctx.again


def test_a_refusal_after_a_failure_leaves_what_may_be_there_to_be_found(ctx: Context) -> None:
    lost = begun(ctx)
    idempotency.give_up(ctx, ATTEMPT, lost, Unavailable("Redis does not answer"))
    idempotency.give_up(ctx, ATTEMPT, begun(ctx), WrongState("not now"))
    assert created(begun(ctx).ctx).view.id == created(lost.ctx).view.id


def test_a_key_of_another_request_is_refused_also_after_a_failure(ctx: Context) -> None:
    idempotency.give_up(ctx, ATTEMPT, begun(ctx), Unavailable("Redis does not answer"))
    with pytest.raises(InvalidRequest, match="another request"):
        begun(ctx, replace(ATTEMPT, request=b"another"))


def test_who_knows_key_and_request_does_not_know_the_cards(ctx: Context) -> None:
    seeds = set()
    for _ in range(2):
        one = begun(ctx)
        seeds.add(created(one.ctx).view.meta.seed)
        ctx.idempotency.forget(ATTEMPT.name, one.number)
    assert len(seeds) == 2
