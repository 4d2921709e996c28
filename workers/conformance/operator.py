"""What a check from the command line is made with: whoever runs it may call any address, and may know the secret."""

from __future__ import annotations

import base64
import ipaddress
import secrets
from collections.abc import Mapping

from service.addresses import AddressPolicy

EVERYWHERE = AddressPolicy((ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0")))
PREFIX = "whsec_"
VARIABLE = "MONTEGO_BOT_SECRET"


class BadSecret(ValueError):
    """MONTEGO_BOT_SECRET holds something else than secrets."""


def new_secret() -> str:
    """A secret that nobody else knows."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def known_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The secrets in the environment, separated by spaces. Raises BadSecret."""
    found = tuple(environ.get(VARIABLE, "").split())
    for secret in found:
        try:
            key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
        except ValueError:
            key = b""
        if not secret.startswith(PREFIX) or not key:
            raise BadSecret(f"{VARIABLE} holds no secret: one is {PREFIX} and a key in base64")
    return found
