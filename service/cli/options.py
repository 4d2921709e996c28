"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from service.processes.ports import LOOPBACK

Command = TypeVar("Command", bound=Callable[..., Any])
PORT = click.IntRange(1, 65535)


def host_option(command: Command) -> Command:
    """Adds --host to a command that listens."""
    return click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")(command)


def tournament_options(command: Command) -> Command:
    """Adds what `demo` and `tournament create` have in common: --players and --deals."""
    command = click.option(
        "--deals",
        type=click.IntRange(min=1),
        default=3,
        show_default=True,
        help="Deals that each set of entrants plays, each in several seatings.",
    )(command)
    return click.option(
        "--players", type=click.IntRange(2, 4), default=4, show_default=True, help="Players in a match."
    )(command)
