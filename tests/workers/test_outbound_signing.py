"""POSTs are signed as Standard Webhooks are; `GET /` is not."""

from __future__ import annotations

import base64
import time

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from tests.workers.outbound_setup import ASK, LOOPBACK, SECRET, answer
from tests.workers.raw_bots import RawBot, http, says
from workers.outbound import OutboundClient

NEW_SECRET = "whsec_" + base64.b64encode(b"a new secret of 24 bytes").decode()
OTHER_SECRET = "whsec_" + base64.b64encode(b"somebody else's 24 bytes").decode()


def test_a_post_is_verified_by_each_of_two_valid_secrets_and_by_no_other() -> None:
    with RawBot(says(http())) as bot:
        answer(
            OutboundClient(LOOPBACK).post(
                f"{bot.url}/act", ASK, webhook_id="g1_3-load-1-0", secrets=[SECRET, NEW_SECRET], timeout_s=2
            )
        )
    (request,) = bot.received
    assert request.line == "POST /act HTTP/1.1"
    assert request.headers["webhook-id"] == "g1_3-load-1-0"
    assert abs(int(request.headers["webhook-timestamp"]) - time.time()) < 5
    assert len(request.headers["webhook-signature"].split(" ")) == 2
    for secret in (SECRET, NEW_SECRET):
        Webhook(secret).verify(request.body, request.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER_SECRET).verify(request.body, request.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(request.body + b" ", request.headers)


def test_a_get_and_a_post_without_an_id_are_not_signed() -> None:
    with RawBot(says(http())) as bot:
        outbound = OutboundClient(LOOPBACK)
        answer(outbound.get(f"{bot.url}/", timeout_s=2))
        answer(outbound.post(f"{bot.url}/act", ASK, webhook_id=None, secrets=[SECRET], timeout_s=2))
    assert [request.line for request in bot.received] == ["GET / HTTP/1.1", "POST /act HTTP/1.1"]
    for request in bot.received:
        assert not any(name.startswith("webhook-") for name in request.headers)


def test_other_headers_can_be_given() -> None:
    with RawBot(says(http())) as bot:
        answer(
            OutboundClient(LOOPBACK).post(
                bot.url, ASK, webhook_id=None, secrets=[], timeout_s=2, headers={"Content-Type": "text/plain"}
            )
        )
    assert bot.received[0].headers["content-type"] == "text/plain"


def test_an_id_without_a_secret_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="needs a secret"):
        OutboundClient(LOOPBACK).post("http://bot.test/", ASK, webhook_id="g1_start", secrets=[], timeout_s=2)
