"""By what a client without a token is told from others: for rate limits, and for its Idempotency-Keys."""

from __future__ import annotations

import ipaddress
import re

from flask import Request

_WITH_PORT = re.compile(r"(?P<v4>[0-9.]+):[0-9]+|\[(?P<v6>[^]]+)\](:[0-9]+)?")
_IPV6_PREFIX = 64


def client_network(request: Request) -> str:
    """The client's IPv4 address, or the /64 of its IPv6 address, of which one client can use every address.

    Behind trusted proxies it is the address that they name, with or without a port. Text from them that is no address
    counts as the proxy's own address.
    """
    proxy = request.environ.get("werkzeug.proxy_fix.orig", {}).get("REMOTE_ADDR")
    return _network(request.remote_addr) or _network(proxy) or "unknown"


def _network(text: str | None) -> str | None:
    """None: this is no address."""
    match = _WITH_PORT.fullmatch(text or "")
    bare = (match["v4"] or match["v6"]) if match else text or ""
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))
        address = address.ipv4_mapped
    return str(address)
