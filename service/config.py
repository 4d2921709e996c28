"""Settings of the service, read once from the environment. This is the one documented list.

Every process (API, worker, steward, command line) reads the same names; an unknown value is refused at the start with
the name of the variable, never replaced by a default.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


REDIS_SCHEMES = ("redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel")


class ConfigError(ValueError):
    """A variable of the environment that cannot be used; the message names it."""


def _key(name: str, value: str) -> str:
    if not all("!" <= character <= "~" for character in value):
        # It is not repeated.
        raise ConfigError(f"{name} must be visible ASCII characters without spaces: others cannot be sent as a key")
    return value


def _redis_url(name: str, value: str) -> str:
    if value.partition("://")[0] not in REDIS_SCHEMES:
        # It is not repeated: there may be a password in it.
        raise ConfigError(f"{name} must begin with one of {', '.join(f'{scheme}://' for scheme in REDIS_SCHEMES)}")
    return value


def _flag(name: str, value: str) -> bool:
    if value.lower() in ("1", "true", "yes", "on"):
        return True
    if value.lower() in ("0", "false", "no", "off"):
        return False
    raise ConfigError(f"{name} must be 1 or 0, not {value!r}")


def _count(low: int, high: int) -> Callable[[str, str], int]:
    def read(name: str, value: str) -> int:
        if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
            raise ConfigError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
        return int(value)

    return read


def _networks(name: str, value: str) -> tuple[Network, ...]:
    found: list[Network] = []
    for part in value.replace(",", " ").split():
        try:
            found.append(ipaddress.ip_network(part))
        except ValueError as error:
            raise ConfigError(f"{name}: {part!r} is not a network such as 10.0.0.0/8 ({error})") from None
    return tuple(found)


def _words(name: str, value: str) -> tuple[str, ...]:
    return tuple(value.replace(",", " ").split())


def _setting(variable: str, default: T, read: Callable[[str, str], T], doc: str) -> T:
    """A field of Settings with the variable that sets it; `doc` is what `montego settings` prints."""
    given: T = field(default=default, metadata={"variable": variable, "read": read, "doc": doc})
    return given


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one process. Times are in the unit that the name says."""

    redis_url: str = _setting("REDIS_URL", "redis://127.0.0.1:6379/0", _redis_url, "Where the state is kept.")
    queue_url: str = _setting(
        "MONTEGO_QUEUE_URL",
        "",
        _redis_url,
        "Where jobs are queued and calls that create are counted; empty: where the state is kept.",
    )
    wait_replicas: int = _setting(
        "MONTEGO_WAIT_REPLICAS",
        0,
        _count(0, 10),
        "How many replicas must have what a call has written before it is answered.",
    )
    organiser_key: str = _setting(
        "MONTEGO_ORGANISER_KEY", "", _key, "A key that counts as an organiser's; empty: only keys kept in Redis do."
    )
    bot_networks: tuple[Network, ...] = _setting(
        "MONTEGO_BOT_NETWORKS",
        (),
        _networks,
        "Special address ranges in which bots and callbacks may be called, as CIDR.",
    )
    anonymous_games: bool = _setting(
        "MONTEGO_ANONYMOUS_GAMES", True, _flag, "Whether games may be created without a key."
    )
    game_idle_s: int = _setting(
        "MONTEGO_GAME_IDLE_S",
        24 * 3600,
        _count(10, 10**9),
        "How long a game may be idle before it is closed and removed (seconds).",
    )
    game_kept_s: int = _setting(
        "MONTEGO_GAME_KEPT_S", 30 * 24 * 3600, _count(10, 10**9), "How long a finished casual game is kept (seconds)."
    )
    max_bots: int = _setting(
        "MONTEGO_MAX_BOTS", 100, _count(1, 10**6), "How many bots, each with its name, an author's key may have."
    )
    worker_processes: int = _setting(
        "MONTEGO_WORKER_PROCESSES", 0, _count(0, 256), "Processes for blocks of matches; 0: four for each core."
    )
    harness_slow_ms: int = _setting(
        "MONTEGO_HARNESS_SLOW_MS",
        100,
        _count(1, 3_600_000),
        "A delay of the workers' own beyond which they are too slow for a match (milliseconds).",
    )
    api_processes: int = _setting("MONTEGO_API_PROCESSES", 2, _count(1, 64), "Processes of the API.")
    trusted_proxies: int = _setting(
        "MONTEGO_TRUSTED_PROXIES",
        0,
        _count(0, 16),
        "How many proxies stand before the API, whose X-Forwarded-For, -Proto and -Host count; 0: none do.",
    )
    cors_origins: tuple[str, ...] = _setting(
        "MONTEGO_CORS_ORIGINS", (), _words, "Origins whose pages may call the API, such as https://example.org, or *."
    )
    pages: bool = _setting("MONTEGO_PAGES", True, _flag, "Whether the API also serves pages for people.")
    body_limit: int = _setting(
        "MONTEGO_BODY_LIMIT", 256 * 1024, _count(1024, 64 * 1024 * 1024), "The longest request body (bytes)."
    )

    @property
    def queue_redis_url(self) -> str:
        """The Redis of the queues."""
        return self.queue_url or self.redis_url

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Reads the environment; a variable that is unset or empty leaves the default. Raises ConfigError."""
        given: dict[str, Any] = {}
        for name, spec in cls.__dataclass_fields__.items():
            variable = spec.metadata["variable"]
            raw = environ.get(variable, "").strip()
            if raw:
                given[name] = spec.metadata["read"](variable, raw)
        return cls(**given)
