"""Who may do what: each use case, for each kind of caller."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from service.errors import Forbidden, OperationError, Unauthorized
from service.operations.access import keys
from service.operations.access.tokens import ANONYMOUS, Caller, identify
from service.operations.bots import registry
from service.operations.bots.registry import NewBot
from service.operations.context import Context
from service.operations.games import create
from service.operations.games.act import Submission, act
from service.operations.games.change import load
from service.operations.games.create import NewGame
from service.operations.games.read import decision, legal_actions, observe
from service.operations.games.seats import abort, resign
from service.operations.tournaments.create import NewTournament, create_tournament
from tests.operations.game_setup import Seated, begin, due, organiser, register, service

OK, NO, WHO = "ok", "forbidden", "unauthorized"


def callers(ctx: Context, seated: Seated, owner: Caller, bot: registry.Registered) -> dict[str, Caller]:
    """Everybody there is, seen from a game in which the caller `seat` has seat 0 and the bot seat 2."""
    elsewhere = begin(ctx, 2)
    return {
        "anonymous": ANONYMOUS,
        "seat": seated.seats[0],
        "another seat": seated.seats[1],
        "seat elsewhere": elsewhere.seats[0],
        "creator": seated.creator,
        "creator elsewhere": elsewhere.creator,
        "bot": identify(ctx, bot.token),
        "another bot": identify(ctx, register(ctx, "stranger").token),
        "owner": owner,
        "author": identify(ctx, keys.create(ctx, organiser(ctx), "author", "another").token),
        "creator key": identify(ctx, keys.create(ctx, organiser(ctx), "creator", "c").token),
        "organiser": organiser(ctx),
    }


def outcome(call: Callable[[], Any]) -> str:
    try:
        call()
    except OperationError as error:
        return error.code
    return OK


@pytest.fixture
def scene(ctx: Context) -> tuple[Seated, registry.Registered, dict[str, Caller]]:
    owner = identify(ctx, keys.create(ctx, organiser(ctx), "author", "owner").token)
    bot = registry.register(ctx, owner, NewBot("mine", "poll", casual=False))
    register(ctx, "third")
    seated = begin(ctx, 3, by=owner, seats=["creator", "creator", {"bot": "mine"}])
    return seated, bot, callers(ctx, seated, owner, bot)


KINDS = (
    *("anonymous", "seat", "another seat", "seat elsewhere", "creator", "creator elsewhere", "bot", "another bot"),
    *("owner", "author", "creator key", "organiser"),
)
#                                an. seat  2nd  else  cre  cre2  bot  bot2  own  auth  ckey  org
RIGHTS: dict[str, tuple[str, ...]] = {
    "watch the game":           (OK, OK,   OK,  NO,   OK,  NO,   OK,  OK,   OK,  OK,   OK,   OK),
    "see seat 0's decision":    (WHO, OK,  OK,  NO,   NO,  NO,   OK,  NO,   NO,  NO,   NO,   NO),
    "answer for seat 0":        (WHO, OK,  "not_your_decision", NO, NO, NO, "not_your_decision", NO, NO, NO, NO, NO),
    "resign":                   (WHO, OK,  OK,  NO,   NO,  NO,   OK,  NO,   NO,  NO,   NO,   NO),
    "break the game off":       (WHO, NO,  NO,  NO,   OK,  NO,   NO,  NO,   NO,  NO,   NO,   OK),
    "create a game":            (OK, OK,   OK,  OK,   OK,  OK,   OK,  OK,   OK,  OK,   OK,   OK),
    "seat the bot":             (WHO, NO,  NO,  NO,   NO,  NO,   OK,  NO,   OK,  NO,   NO,   OK),
    "register a bot":           (WHO, NO,  NO,  NO,   NO,  NO,   NO,  NO,   OK,  OK,   NO,   OK),
    "change the bot":           (WHO, NO,  NO,  NO,   NO,  NO,   OK,  NO,   OK,  NO,   NO,   OK),
    "read the bot's faults":    (WHO, NO,  NO,  NO,   NO,  NO,   OK,  NO,   OK,  NO,   NO,   OK),
    "rotate the bot's token":   (WHO, NO,  NO,  NO,   NO,  NO,   OK,  NO,   OK,  NO,   NO,   OK),
    "create a key":             (WHO, NO,  NO,  NO,   NO,  NO,   NO,  NO,   NO,  NO,   NO,   OK),
    "list the keys":            (WHO, NO,  NO,  NO,   NO,  NO,   NO,  NO,   NO,  NO,   NO,   OK),
    "create a tournament":      (WHO, NO,  NO,  NO,   NO,  NO,   NO,  NO,   NO,  NO,   NO,   OK),
    "delete the bot":           (WHO, NO,  NO,  NO,   NO,  NO,   OK,  NO,   OK,  NO,   NO,   OK),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_who_may_do_what(ctx: Context, scene: tuple[Seated, registry.Registered, dict[str, Caller]], kind: str) -> None:
    seated, bot, everybody = scene
    caller, game, bot_id = everybody[kind], seated.game, bot.bot.id
    calls: dict[str, Callable[[], Any]] = {
        "watch the game": lambda: observe(ctx, caller, game),
        "see seat 0's decision": lambda: (decision(ctx, caller, game, 0), legal_actions(ctx, caller, game)),
        "answer for seat 0": lambda: act(ctx, caller, game, Submission(due(load(ctx, game))[0], index=0)),
        "resign": lambda: resign(ctx, caller, game),
        "break the game off": lambda: abort(ctx, caller, game),
        "create a game": lambda: create.create(ctx, caller, NewGame(players=2)),
        "seat the bot": lambda: create.create(ctx, caller, NewGame(2, seats=["creator", {"bot": "mine"}])),
        "register a bot": lambda: registry.register(ctx, caller, NewBot("another", "poll")),
        "change the bot": lambda: registry.edit(ctx, caller, bot_id, {"casual": True}),
        "read the bot's faults": lambda: registry.faults(ctx, caller, bot_id, 10, None),
        "rotate the bot's token": lambda: registry.rotate_token(ctx, caller, bot_id),
        "create a key": lambda: keys.create(ctx, caller, "author", "a"),
        "list the keys": lambda: keys.listing(ctx, caller, 10, None),
        "create a tournament": lambda: create_tournament(
            ctx, caller, NewTournament("t", "round_robin", ["third", "stranger"], players=2)
        ),
        "delete the bot": lambda: registry.delete(ctx, caller, bot_id),
    }
    assert list(calls) == list(RIGHTS)
    found = {what: outcome(call) for what, call in calls.items()}
    assert found == {what: rights[KINDS.index(kind)] for what, rights in RIGHTS.items()}


@pytest.mark.parametrize(
    "token",
    [
        "",
        "nonsense",
        "mb_",
        "mb_{game}.0.wrong",
        "mb_{game}.creator.wrong",
        "mb_{game}.9.wrong",
        "mb_nosuchgame.0.wrong",
        "mbb_{bot}.wrong",
        "mbb_nosuchbot.wrong",
        "mbk_{key}.wrong",
        "mbk_nosuchkey.wrong",
        "mbk_environment.wrong",
        "x" * 5000,
    ],
)
def test_a_token_that_only_looks_like_one_is_unknown_everywhere(ctx: Context, token: str) -> None:
    seated = begin(ctx, 2)
    bot = register(ctx, "b").bot
    key = keys.create(ctx, organiser(ctx), "author", "k").key
    bearer = token.format(game=seated.game, bot=bot.id, key=key.id) if len(token) < 100 else token

    def calls() -> list[Callable[[], Any]]:
        caller = identify(ctx, bearer)
        return [
            partial(observe, ctx, caller, seated.game),
            partial(decision, ctx, caller, seated.game, 0),
            partial(resign, ctx, caller, seated.game),
            partial(abort, ctx, caller, seated.game),
            partial(keys.listing, ctx, caller, 10, None),
            partial(registry.register, ctx, caller, NewBot("another", "poll")),
        ]

    try:
        found = calls()
    except Unauthorized:
        return
    for call in found:
        with pytest.raises(Unauthorized):
            call()


def test_a_revoked_key_is_worth_nothing(ctx: Context) -> None:
    made = keys.create(ctx, organiser(ctx), "organiser", "for a while")
    caller = identify(ctx, made.token)
    assert [key["id"] for key in keys.listing(ctx, caller, 10, None)["items"]] == [made.key.id]
    assert made.token not in str(keys.listing(ctx, caller, 10, None))
    keys.revoke(ctx, organiser(ctx), made.key.id)
    with pytest.raises(Unauthorized):
        identify(ctx, made.token)


def test_games_need_a_key_where_the_service_asks_for_one(redis_url: str) -> None:
    with service(redis_url, anonymous_games=False) as ctx:
        with pytest.raises(Unauthorized):
            begin(ctx, 2)
        with pytest.raises(Forbidden):
            begin(ctx, 2, by=identify(ctx, keys.create(ctx, organiser(ctx), "author", "a").token))
        seated = begin(ctx, 2, by=identify(ctx, keys.create(ctx, organiser(ctx), "creator", "c").token))
        assert load(ctx, seated.game).status == "running"


def test_without_an_organiser_key_in_the_environment_nobody_is_one(redis_url: str) -> None:
    with service(redis_url, organiser_key="") as ctx, pytest.raises(Unauthorized):
        identify(ctx, "")
