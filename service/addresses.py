"""Which addresses and URLs the service may call. Pure policy: nothing is resolved and nothing is connected here.

The ranges are those of the IANA special-purpose registries (RFC 6890 and its updates), written out, because the lists
in `ipaddress` differ from one patch release of Python to the next.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_URL_LENGTH = 2048
"""Characters of the longest URL."""


class UrlRefused(ValueError):
    """A URL that will never be called; `reason` says what is wrong with it, for the person who gave it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


# The first range that matches names the address, so narrow ranges come first.
_SPECIAL: tuple[tuple[Network, str], ...] = tuple(
    (ipaddress.ip_network(network), words)
    for network, words in (
        ("0.0.0.0/8", "it is an unspecified address"),
        ("10.0.0.0/8", "it is in a private network"),
        ("100.64.0.0/10", "it is in a provider's shared network"),
        ("127.0.0.0/8", "it is a loopback address"),
        ("168.63.129.16/32", "it belongs to a cloud platform"),  # public by number, but every Azure host's own platform
        ("169.254.0.0/16", "it is a link-local address"),
        ("172.16.0.0/12", "it is in a private network"),
        ("192.0.0.0/24", "it is reserved"),
        ("192.0.2.0/24", "it is for documentation"),
        ("192.88.99.0/24", "it is a 6to4 relay"),
        ("192.168.0.0/16", "it is in a private network"),
        ("198.18.0.0/15", "it is for benchmarks"),
        ("198.51.100.0/24", "it is for documentation"),
        ("203.0.113.0/24", "it is for documentation"),
        ("224.0.0.0/4", "it is a multicast address"),
        ("240.0.0.0/4", "it is reserved"),
        ("::/128", "it is an unspecified address"),
        ("::1/128", "it is a loopback address"),
        ("::/96", "it is an IPv4-compatible address"),
        ("64:ff9b:1::/48", "it is in a local translation network"),
        ("100::/64", "it is for discarding"),
        ("fc00::/7", "it is in a private network"),
        ("fe80::/10", "it is a link-local address"),
        ("fec0::/10", "it is in a private network"),
        ("ff00::/8", "it is a multicast address"),
        ("2001::/32", "it is a Teredo address"),
        ("2001:db8::/32", "it is for documentation"),
        ("2001::/23", "it is reserved"),
        ("2002::/16", "it is a 6to4 address"),
        ("3fff::/20", "it is for documentation"),
    )
)
_WAYS_OUT = "the operator can allow it with MONTEGO_BOT_NETWORKS, and a bot of kind poll needs no address"
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Public addresses may be called everywhere, special ones only inside `networks`, which the operator lists."""

    networks: tuple[Network, ...] = ()

    def refusal(self, address: str) -> str | None:
        """Why a resolved IP address may not be called, or None if it may.

        An IPv4 address inside an IPv6 one (mapped, compatible, 6to4, Teredo, NAT64 of RFC 6052) has to be allowed
        itself. The answer does not repeat the address, since the author of a bot must not learn what a name resolves to
        inside the network. A site's own translation prefix cannot be told from other public networks.
        """
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return "the address is not allowed: it is not an IP address"
        for target in _targets(parsed):
            words = _special(target)
            if words is not None and not any(target in network for network in self.networks):
                return f"the address is not allowed: {words}; {_WAYS_OUT}"
        return None


def _targets(address: Address) -> tuple[Address, ...]:
    """The addresses at which a packet to this one may arrive; all of them have to be allowed."""
    if isinstance(address, ipaddress.IPv4Address):
        return (address,)
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    last_four_bytes = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _NAT64:
        return (last_four_bytes,)
    if address in _COMPATIBLE and int(address) > 1:
        return (address, last_four_bytes)
    if address.sixtofour is not None:
        return (address, address.sixtofour)
    if address.teredo is not None:
        return (address, *address.teredo)
    return (address,)


def _special(address: Address) -> str | None:
    for network, words in _SPECIAL:
        if address in network:
            return words
    if address.version == 6 and address not in _GLOBAL_V6:
        return "it is reserved"
    return None


_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.IGNORECASE | re.ASCII)
# If the last label of a host looks like this, resolvers read the host as a number in one of the notations of
# inet_aton(3).
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE | re.ASCII)
_PATH = re.compile(r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*", re.ASCII)


def check_url(url: str, policy: AddressPolicy | None = None) -> None:
    """Raises UrlRefused for a URL of a bot or a callback that must not be called (PROTOCOL "Faults").

    http or https; no user information, query, fragment, white space or control character; a host that is a name, an
    IPv4 address as four decimal numbers or an IPv6 address in brackets; a port from 1 to 65535. Given a policy, a host
    that is an address has to be allowed by it too. No name is resolved: what a name stands for is judged on each call.
    """
    if len(url) > MAX_URL_LENGTH:
        raise UrlRefused(f"it is longer than {MAX_URL_LENGTH} characters")
    if any(character.isspace() or not character.isprintable() for character in url):
        raise UrlRefused("it has white space or control characters in it")
    if not url.isascii():
        raise UrlRefused("it has characters outside ASCII: write the host as xn--… and the path percent-encoded")
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https"):
        raise UrlRefused("it must begin with http:// or https://")
    if "#" in rest:
        raise UrlRefused("it must not have a fragment (#)")
    if "?" in rest:
        raise UrlRefused("it must not have a query (?)")
    authority, slash, path = rest.partition("/")
    if "@" in authority:
        raise UrlRefused("it must not have user information (name or password, @)")
    host = _checked_host(authority)
    if not _PATH.fullmatch(slash + path):
        raise UrlRefused("its path has characters that must be percent-encoded")
    if policy is not None and _is_address(host) and (refusal := policy.refusal(host)) is not None:
        raise UrlRefused(refusal)


def _checked_host(authority: str) -> str:
    """The host of `host`, `host:port`, `[address]` or `[address]:port`, without its brackets."""
    if authority.startswith("["):
        host, bracket, after = authority[1:].partition("]")
        if not bracket or "%" in host or not _is_address(host, version=6):
            raise UrlRefused("its host is not an IPv6 address")
        colon, port = after[:1], after[1:]
        if colon not in ("", ":"):
            raise UrlRefused("its host is not an IPv6 address")
    else:
        host, colon, port = authority.partition(":")
        _check_name(host)
    if colon and not (port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise UrlRefused("its port must be a number from 1 to 65535")
    return host


def _check_name(host: str) -> None:
    if not host:
        raise UrlRefused("it has no host (an IPv6 address goes in brackets)")
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise UrlRefused("its host is no valid name")
    if _NUMERIC_LABEL.fullmatch(labels[-1]) and not _is_address(host, version=4):
        raise UrlRefused("its host looks like a number: write an IPv4 address as four decimal numbers")


def _is_address(host: str, version: int | None = None) -> bool:
    try:
        return ipaddress.ip_address(host).version in ((version,) if version else (4, 6))
    except ValueError:
        return False
