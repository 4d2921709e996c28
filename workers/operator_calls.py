"""Calls to a bot that a person makes from the command line: to any address, with the secrets that the person knows."""

from __future__ import annotations

import base64
import ipaddress
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from service.addresses import AddressPolicy
from workers.outbound import OutboundClient

PREFIX = "whsec_"
VARIABLE = "MONTEGO_BOT_SECRET"
_EVERYWHERE = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))


class InvalidSecret(ValueError):
    """MONTEGO_BOT_SECRET has something in it that is no secret. The message does not repeat it."""


@contextmanager
def unrestricted_outbound() -> Iterator[OutboundClient]:
    """An outbound client that may call any address."""
    outbound = OutboundClient(AddressPolicy(_EVERYWHERE))
    try:
        yield outbound
    finally:
        outbound.close()


def new_secret() -> str:
    """A secret that nobody else knows."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def known_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The secrets in MONTEGO_BOT_SECRET, which are separated by spaces; none if it is unset. Raises InvalidSecret."""
    found = tuple(environ.get(VARIABLE, "").split())
    for secret in found:
        try:
            key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
        except ValueError:
            key = b""
        if not secret.startswith(PREFIX) or not key:
            raise InvalidSecret(f"{VARIABLE} holds no secret: one is {PREFIX} and a key in base64")
    return found
