"""What `montego run llm` refuses before it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bots import chat_endpoint as endpoints
from tests.bots.chat_endpoint import chat_endpoint
from tests.cli.conftest import Montego

LLM = ("run", "llm", "--model", "m")


def test_a_model_needs_the_token_of_its_bot(montego: Montego) -> None:
    ran = montego(*LLM, "--endpoint", "http://127.0.0.1:9/v1")
    assert ran.code == 1
    assert "the bot's token in MONTEGO_BOT_TOKEN" in ran.err


@pytest.mark.parametrize("given", ["temperature", "=1", "temperature=warm"])
def test_an_option_that_is_not_json_is_refused(given: str, montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTEGO_BOT_TOKEN", "mbb_x")
    ran = montego(*LLM, "--endpoint", "http://127.0.0.1:9/v1", "--option", given)
    assert ran.code == 2
    assert "is not NAME=JSON" in ran.err


def test_an_endpoint_that_cannot_be_called_is_refused(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTEGO_BOT_TOKEN", "mbb_x")
    ran = montego(*LLM, "--endpoint", "http://127.0.0.1:9/v1")
    assert ran.code == 1
    assert "http://127.0.0.1:9/v1/chat/completions cannot be called" in ran.err


def test_a_template_that_cannot_be_read_is_refused(
    montego: Montego, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MONTEGO_BOT_TOKEN", "mbb_x")
    (tmp_path / "system.txt").write_text("{% if %}", encoding="utf-8")
    ran = montego(*LLM, "--endpoint", "http://127.0.0.1:9/v1", "--templates", tmp_path)
    assert ran.code == 1
    assert "system.txt cannot be read" in ran.err


def test_a_service_that_does_not_answer_for_the_bot_is_refused(
    montego: Montego, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONTEGO_BOT_TOKEN", "two words")
    with chat_endpoint(lambda _: endpoints.well) as endpoint:
        ran = montego(*LLM, "--endpoint", endpoint.url, "--option", "temperature=0.5")
    assert ran.code == 1
    assert "the token is empty, or has a space" in ran.err
    assert endpoint.asked[0]["temperature"] == 0.5
