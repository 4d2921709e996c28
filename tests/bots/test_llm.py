"""The bot that asks a language model plays legally and in time, whatever the endpoint answers."""

from __future__ import annotations

import itertools
import json
import logging
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bots.inprocess import question
from bots.llm import BadTemplate, ChatEndpoint, EndpointRefused, ModelBot, Prompt
from bots.llm.reply import BadReply, read_reply
from montego_bot import Ask, answer, read_ask
from service.engine.components import standard_components
from service.engine.game import Game
from service.engine.setup import Reshuffles, Variants, draw_setup
from tests.bots import chat_endpoint as endpoints
from tests.bots.chat_endpoint import Behaviour, ScriptedEndpoint, chat_endpoint, play_game


def first_ask(players: int = 2, budget_ms: int | None = 5000) -> Ask:
    components = standard_components(players)
    setup = draw_setup(components, players, "llm")
    game = Game.deal(players, Variants(), components, setup, Reshuffles("llm")).game
    return read_ask(question(game, game.decisions[0]) | {"budget_ms": budget_ms})


def in_turn(*behaviours: Behaviour) -> Callable[[random.Random], Behaviour]:
    """Answers in these ways one after another, the last one for good."""
    following = itertools.chain(behaviours, itertools.repeat(behaviours[-1]))
    return lambda _: next(following)


def model_at(endpoint: ScriptedEndpoint, **more: Any) -> ModelBot:
    return ModelBot(ChatEndpoint(endpoint.url, "test-model", prices=(2.0, 10.0)), Prompt(), name="model", **more)


@pytest.mark.parametrize("behaviour", endpoints.GOOD, ids=lambda behaviour: behaviour.__name__)
def test_a_legal_choice_is_found_in_whatever_stands_around_it(behaviour: Behaviour) -> None:
    with chat_endpoint(in_turn(behaviour)) as endpoint:
        bot = model_at(endpoint)
        answer(bot, first_ask())
    assert (bot.decisions, bot.fallbacks, len(endpoint.asked)) == (1, 0, 1)


REASONS = {
    "out_of_range": "there is no index 999; there are 25 legal actions",
    "illegal": "is not legal",
    "cut_off": "It was cut off",
    "empty": "the answer was empty",
    "refusing": "you refused to answer",
    "too_many": None,
    "broken": None,
    "no_json": None,
}


@pytest.mark.parametrize("behaviour", endpoints.BAD, ids=lambda behaviour: behaviour.__name__)
def test_a_bad_reply_is_followed_by_another_try_that_tells_the_reason(behaviour: Behaviour) -> None:
    with chat_endpoint(in_turn(behaviour, endpoints.well)) as endpoint:
        bot = model_at(endpoint)
        answer(bot, first_ask())
    assert (bot.fallbacks, len(endpoint.asked)) == (0, 2)
    told = endpoint.asked[1]["messages"][-1]["content"]
    reason = REASONS[behaviour.__name__]
    if reason is None:
        assert endpoint.asked[1]["messages"] == endpoint.asked[0]["messages"]
    else:
        assert reason in told


@pytest.mark.parametrize("behaviour", endpoints.BAD, ids=lambda behaviour: behaviour.__name__)
def test_an_endpoint_that_never_answers_well_costs_no_forfeit(
    behaviour: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    with chat_endpoint(in_turn(behaviour)) as endpoint, caplog.at_level(logging.WARNING):
        bot = model_at(endpoint, max_tries=3)
        answer(bot, first_ask())
    assert bot.fallbacks == 1
    assert "a random legal action is played" in caplog.text


def test_a_slow_endpoint_is_not_waited_for_beyond_the_budget() -> None:
    with chat_endpoint(in_turn(endpoints.slow)) as endpoint:
        bot = model_at(endpoint)
        answer(bot, first_ask(budget_ms=200))
    assert bot.fallbacks == 1
    assert len(endpoint.asked) == 1


def test_a_pause_that_the_endpoint_asks_for_is_not_made_if_it_is_beyond_the_budget() -> None:
    def busy(body: dict[str, Any], chance: random.Random) -> endpoints.Answer:
        return 429, {"Retry-After": "3600"}, b"{}"

    with chat_endpoint(in_turn(busy)) as endpoint:
        bot = model_at(endpoint)
        answer(bot, first_ask())
    assert (bot.fallbacks, len(endpoint.asked)) == (1, 1)


def test_structured_output_is_asked_for_with_the_indices_that_there_are() -> None:
    with chat_endpoint(in_turn(endpoints.well)) as endpoint:
        answer(model_at(endpoint), first_ask())
    form = endpoint.asked[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["properties"]["index"]["enum"] == list(range(25))


def test_an_endpoint_without_structured_output_is_asked_for_it_once() -> None:
    with chat_endpoint(in_turn(endpoints.without_schemas(endpoints.well))) as endpoint:
        bot = model_at(endpoint)
        answer(bot, first_ask())
        answer(bot, first_ask())
    assert ["response_format" in body for body in endpoint.asked] == [True, False, False]
    assert bot.fallbacks == 0


def test_without_the_list_the_model_names_an_action() -> None:
    def names_cards(body: dict[str, Any], chance: random.Random) -> endpoints.Answer:
        return endpoints.reply('{"thoughts": "", "action": {"type": "play", "big": 2, "little": 4}}')

    with chat_endpoint(in_turn(names_cards)) as endpoint:
        bot = ModelBot(ChatEndpoint(endpoint.url, "m"), Prompt(legal_list=False), name="m")
        assert answer(bot, first_ask())["action"] == {"type": "play", "big": 2, "little": 4}
    decision = endpoint.asked[0]["messages"][1]["content"]
    assert "Legal actions" not in decision
    assert "Choose a card from 1 to 5" in decision
    action = endpoint.asked[0]["response_format"]["json_schema"]["schema"]["properties"]["action"]["anyOf"][0]
    assert action["required"] == ["type", "big", "little"]


def test_without_the_list_a_bare_number_is_no_answer() -> None:
    with pytest.raises(BadReply, match="no JSON object"):
        read_reply("4", first_ask(), legal_list=False)


def test_tokens_and_cost_are_counted_and_all_is_kept_in_a_transcript(tmp_path: Path) -> None:
    with chat_endpoint(in_turn(endpoints.cut_off, endpoints.well)) as endpoint:
        bot = model_at(endpoint, transcripts=tmp_path)
        sent = answer(bot, first_ask())
        action = sent["action"]
    assert (bot.usage.calls, bot.usage.prompt_tokens, bot.usage.completion_tokens) == (2, 2000, 40)
    assert bot.usage.cost == pytest.approx((2000 * 2 + 40 * 10) / 1_000_000)
    assert bot.summary() == "1 decisions, 0 without a usable reply, 2 calls, 2,000 tokens in, 40 out, cost 0.0044"
    [file] = tmp_path.iterdir()
    assert file.name == "in-process.0.jsonl"
    line = json.loads(file.read_text("utf-8"))
    assert line["action"] == action
    assert line["thoughts"] == "It looks good."
    assert sent["comment"] == "It looks good."
    assert [one["reason"] is None for one in line["tries"]] == [False, True]
    assert line["messages"][0]["role"] == "system"
    assert (line["fallback"], line["prompt_tokens"]) == (False, 2000)


def test_an_endpoint_without_a_key_is_refused_with_what_to_do() -> None:
    def locked(body: dict[str, Any], chance: random.Random) -> endpoints.Answer:
        return 401, {}, b'{"error": {"message": "missing api key"}}'

    with (
        chat_endpoint(in_turn(locked)) as endpoint,
        pytest.raises(EndpointRefused, match="missing api key; is the key in MONTEGO_LLM_KEY"),
    ):
        ChatEndpoint(endpoint.url, "m").check()


def test_the_key_is_sent_as_a_bearer_token() -> None:
    with chat_endpoint(in_turn(endpoints.well)) as endpoint:
        ChatEndpoint(endpoint.url, "m", "sk-1").check()
    assert endpoint.authorized == ["Bearer sk-1"]


def test_an_address_where_nothing_listens_is_refused() -> None:
    with pytest.raises(EndpointRefused, match="cannot be called"):
        ChatEndpoint("http://127.0.0.1:9/v1", "m").check()


def test_templates_of_ones_own_are_filled_in(tmp_path: Path) -> None:
    (tmp_path / "decision.txt").write_text("{{ decision.type }} of {{ actions | length }}", encoding="utf-8")
    system, decision = Prompt(tmp_path).messages(first_ask())
    assert decision["content"] == "play of 25"
    assert "A ROUND" in system["content"]


@pytest.mark.parametrize("text", ["{{ nothing.here }}", "{% if %}"])
def test_a_template_that_cannot_be_filled_in_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "decision.txt").write_text(text, encoding="utf-8")
    with pytest.raises(BadTemplate, match="template"):
        Prompt(tmp_path).messages(first_ask())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_decision_of_a_game_is_told_in_words(players: int) -> None:
    components = standard_components(players)
    setup = draw_setup(components, players, "words")
    variants = Variants(starting_coins=3)
    game = Game.deal(players, variants, components, setup, Reshuffles("words")).game
    chance = random.Random(1)
    told = set()
    while game.outcome is None:
        decision = game.decisions[0]
        ask = read_ask(question(game, decision))
        text = Prompt().messages(ask)[1]["content"]
        assert f"{len(ask.legal_actions) - 1}: {{" in text
        assert "Undefined" not in text and "None" not in text
        told.add(decision.type)
        game = game.apply(decision.id, chance.choice(game.legal_actions(decision.id))).game
    assert told == {"hire", "play", "load", "unload"}


def test_an_endpoint_that_answers_every_third_call_badly_forfeits_nothing() -> None:
    with chat_endpoint(endpoints.any_behaviour) as endpoint:
        bot = model_at(endpoint, max_tries=10)
        late = sum(play_game(bot, number, 30_000) for number in range(2))
    assert (late, bot.fallbacks) == (0, 0)
    assert bot.decisions > 40
