"""What a bot's answer is worth: an action, or which fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.engine.actions import Play
from service.engine.components import standard_components
from service.engine.game import Game
from service.engine.setup import Reshuffles, Variants, draw_setup
from service.operations.bots.faults import Fault
from workers.answers import comment_of, judge


@pytest.fixture(scope="module")
def cards() -> Game:
    """A game of two, at its first choice of cards."""
    components = standard_components(2)
    return Game.deal(2, Variants(), components, draw_setup(components, 2, "judge"), Reshuffles("judge")).game


def loading() -> tuple[Game, str]:
    """A game in which barrels have to be put on ships, and the decision's id."""
    components = standard_components(2)
    game = Game.deal(2, Variants(), components, draw_setup(components, 2, "load"), Reshuffles("load")).game
    while game.decisions[0].type != "load":
        decision = game.decisions[0]
        game = game.apply(decision.id, game.legal_actions(decision.id)[-1]).game
    return game, game.decisions[0].id


def said(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("body", "action"),
    [
        (b'{"index":0}', Play(1, 1)),
        (b'{"index":24}', Play(5, 5)),
        (b' {"index" : 7 }\n', Play(2, 3)),
        (b'{"index":-0}', Play(1, 1)),
        (b'{"action":{"type":"play","big":4,"little":2}}', Play(4, 2)),
        (b'{"action":{"little":2,"big":4,"type":"play"},"thoughts":["\\u001b[31m",null,1.5]}', Play(4, 2)),
        (b'{"index":0,"Index":1,"actions":[]}', Play(1, 1)),
    ],
)
def test_a_good_answer_is_the_action_that_it_names(cards: Game, body: bytes, action: Play) -> None:
    assert judge(body, cards, "1.play.0.0") == action


@pytest.mark.parametrize(
    ("body", "comment"),
    [
        (b'{"index":0,"comment":"The front ship."}', "The front ship."),
        (b'{"index":0}', None),
        (b'{"index":0,"comment":""}', None),
        (b'{"index":0,"comment":["no","text"]}', None),
        (b'{"index":0,"comment":"\\u001b[31m"}', "\ufffd[31m"),
    ],
)
def test_a_comment_is_a_text_and_anything_else_is_ignored(cards: Game, body: bytes, comment: str | None) -> None:
    assert judge(body, cards, "1.play.0.0") == Play(1, 1)
    assert comment_of(body) == comment


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"index 0",
        b"null",
        b"0",
        b"[0]",
        b'"index"',
        b"{}",
        b'{"idx":0}',
        b'{"index":0,"action":{"type":"play","big":1,"little":1}}',
        b'{"index":0,"action":null}',
        b'{"index":null}',
        b'{"index":"0"}',
        b'{"index":0.0}',
        b'{"index":1e0}',
        b'{"index":true}',
        b'{"index":[0]}',
        b'{"index":NaN}',
        b'{"index":0,"x":Infinity}',
        b'{"index":0,"index":0}',
        b'{"index":0}{"index":0}',
        b'{"index":' + b"9" * 5000 + b"}",
        b'{"index":0,"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        b'{"index":0,"x":"\xff"}',
        '{"index":0}'.encode("utf-16"),
        b'{"action":null}',
        b'{"action":[]}',
        b'{"action":"decline"}',
        b'{"action":{}}',
        b'{"action":{"type":"fly"}}',
        b'{"action":{"type":1}}',
        b'{"action":{"type":"play","big":1}}',
        b'{"action":{"type":"play","big":1,"little":1,"extra":1}}',
        b'{"action":{"type":"play","big":"1","little":1}}',
        b'{"action":{"type":"play","big":1.0,"little":1}}',
        b'{"action":{"type":"play","big":true,"little":1}}',
        b'{"action":{"type":"play","big":null,"little":1}}',
        b'{"action":{"type":"load","ships":[]}}',
        b'{"action":{"type":"load","ships":{"s01":-1}}}',
        b'{"action":{"type":"load","ships":{"s01":"1"}}}',
        b'{"action":{"type":"hire","worker":"jack"}}',
    ],
    ids=lambda body: repr(body[:60]),
)
def test_what_cannot_be_read_as_an_answer_is_a_bad_body(cards: Game, body: bytes) -> None:
    verdict = judge(body, cards, "1.play.0.0")
    assert isinstance(verdict, Fault)
    assert verdict.kind == "bad_body"
    assert 0 < len(verdict.detail) <= 300
    assert len(verdict.received) <= 200
    assert "\x1b" not in verdict.detail + verdict.received


@pytest.mark.parametrize(
    "body",
    [
        b'{"index":25}',
        b'{"index":-1}',
        b'{"index":1000000000}',
        b'{"action":{"type":"play","big":0,"little":1}}',
        b'{"action":{"type":"play","big":6,"little":1}}',
        b'{"action":{"type":"play","big":1,"little":1,"jack":2}}',
        b'{"action":{"type":"decline"}}',
        b'{"action":{"type":"hire","worker":"big"}}',
        b'{"action":{"type":"load","ships":{}}}',
        b'{"action":{"type":"unload","ships":{"s01":1}}}',
        b'{"action":{"type":"load","ships":{"no ship of this game":1}}}',
    ],
    ids=repr,
)
def test_what_is_well_formed_but_not_on_the_list_is_illegal(cards: Game, body: bytes) -> None:
    verdict = judge(body, cards, "1.play.0.0")
    assert isinstance(verdict, Fault)
    assert (verdict.kind, verdict.status) == ("illegal", 200)
    assert verdict.detail


def test_every_legal_load_is_accepted_by_index_and_by_content_in_any_order_with_zeros() -> None:
    game, decision = loading()
    legal = game.legal_actions(decision)
    docked = sorted({ship for action in legal for ship, _ in action.ships})  # type: ignore[union-attr]
    for index, action in enumerate(legal):
        ships = dict(action.ships)  # type: ignore[union-attr]
        written_out = {ship: ships.get(ship, 0) for ship in reversed(docked)}
        assert judge(said({"index": index}), game, decision) == action
        assert judge(said({"action": {"type": "load", "ships": ships}}), game, decision) == action
        assert judge(said({"action": {"type": "load", "ships": written_out}}), game, decision) == action


def test_a_load_of_too_many_or_too_few_is_illegal() -> None:
    game, decision = loading()
    docked = sorted({ship for action in game.legal_actions(decision) for ship, _ in action.ships})  # type: ignore[union-attr]
    for ships in ({}, {docked[0]: 99}, {"pilot": 1}, dict.fromkeys(docked, 9)):
        verdict = judge(said({"action": {"type": "load", "ships": ships}}), game, decision)
        assert isinstance(verdict, Fault)
        assert verdict.kind == "illegal", ships
