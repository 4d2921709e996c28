"""A guarded way out as the demo has it (loopback is listed), and calls as the harness makes them."""

from __future__ import annotations

import base64
import ipaddress

from service.addresses import AddressPolicy
from workers.outbound import Answered, Exchange, Failed, OutboundClient

LOOPBACK = AddressPolicy((ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128")))
SECRET = "whsec_" + base64.b64encode(b"an old secret of 24 byte").decode()
ASK = b'{"protocol":"montego-bay/1"}'


def ask(
    outbound: OutboundClient, url: str, *, timeout_s: float = 2.0, attempts: int = 2, body: bytes = ASK
) -> Exchange:
    return outbound.post(
        url + "/act", body, webhook_id="g1_1-hire-0-0", secrets=[SECRET], timeout_s=timeout_s, attempts=attempts
    )


def failure(exchange: Exchange) -> Failed:
    assert isinstance(exchange, Failed), exchange
    return exchange


def answer(exchange: Exchange) -> Answered:
    assert isinstance(exchange, Answered), exchange
    return exchange
