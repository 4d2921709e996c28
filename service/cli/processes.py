"""`montego serve`, `montego worker`, `montego bot`: this process becomes the part that is named."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from service.cli.output import say
from service.config import Settings
from service.processes.commands import api_command, bot_command, worker_command
from service.processes.ports import LOOPBACK, is_free
from service.processes.supervisor import LocalError

PORT = click.IntRange(1, 65535)


@click.command()
@click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")
@click.option("--port", type=PORT, default=8000, show_default=True, help="Port to listen on.")
def serve(host: str, port: int) -> None:
    """Serve the HTTP API with gunicorn."""
    Settings.from_env()  # a setting that cannot be used is one line here, and a traceback in each process of gunicorn
    _need_free(port, host)
    say(f"serving at http://{f'[{host}]' if ':' in host else host}:{port}")
    become(api_command(host, port))


@click.command()
@click.option("--processes", type=click.IntRange(1, 256), help="Processes for blocks of matches. [default: settings]")
def worker(processes: int | None) -> None:
    """Play matches and turns: RQ workers and the steward."""
    Settings.from_env()
    become(worker_command(processes))


@click.command()
@click.argument("name")
@click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")
@click.option("--port", type=PORT, required=True, help="Port to listen on.")
@click.option("--name", "shown", help="Name that it gives itself. [default: NAME]")
@click.option("--seed", help="Seed of its random numbers. [default: by NAME]")
def bot(name: str, host: str, port: int, shown: str | None, seed: str | None) -> None:
    """Serve the reference bot NAME (random, greedy, …; with a suffix such as greedy-2: the same under another name).

    MONTEGO_BOT_SECRET (whsec_…) in the environment: only signed asks are answered.
    """
    _need_free(port, host)
    become(bot_command(name, host, port, shown, seed))


def _need_free(port: int, host: str) -> None:
    if not is_free(port, host):
        raise LocalError(f"port {port} on {host} cannot be had: it is in use, or not for this user: try another --port")


def become(command: tuple[str, ...]) -> NoReturn:
    """Goes on as another program of the project."""
    # What is still buffered would be lost with this program.
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)  # noqa: S606  (a fixed list, no shell)
