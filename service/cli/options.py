"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from service.cli.client import Client
from service.processes.ports import LOOPBACK

DEFAULT_URL = "http://127.0.0.1:8000"
Command = TypeVar("Command", bound=Callable[..., Any])
PORT = click.IntRange(1, 65535)
HOST = click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")


def service_options(command: Command) -> Command:
    """Adds --url and --key; the command gets `url` and `key`, and makes its client by `client_of`."""
    command = click.option("--key", envvar="MONTEGO_KEY", help="Key to call it with. [MONTEGO_KEY]")(command)
    return click.option(
        "--url", envvar="MONTEGO_URL", default=DEFAULT_URL, show_default=True, help="The service. [MONTEGO_URL]"
    )(command)


def client_of(url: str, key: str | None) -> Client:
    """The client for these options; without a key, the organiser's of the environment, if there is one."""
    return Client(url, key or os.environ.get("MONTEGO_ORGANISER_KEY") or None)


def tournament_options(command: Command) -> Command:
    """Adds what `demo` and `tournament create` have in common: players, deals and seed."""
    command = click.option("--deals", type=click.IntRange(min=1), default=3, show_default=True, help="Blocks a set.")(
        command
    )
    return click.option(
        "--players", type=click.IntRange(2, 4), default=4, show_default=True, help="Players in a match."
    )(command)
