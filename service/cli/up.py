"""`montego up`: the whole service in one terminal. `demo` and `compare --local` start it, too."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from service.cli.client import ApiClient
from service.cli.options import PORT
from service.cli.registry import secret_for
from service.processes.interrupts import Interrupted, interrupts
from service.processes.ports import LOOPBACK, free_port
from service.processes.stack import ReferenceBot, Stack

LADDER = "reference ladder"
REFERENCE_BOTS = ("greedy", "greedy-2", "random", "random-2")


@contextmanager
def hosted(data: Path | None, port: int | None, more: Iterable[str] = ()) -> Iterator[Stack]:
    """Starts Redis (if none is given), API, reference bots and workers, and ends them all when the block is left.
    `more`: reference bots to start besides the usual four.

    Raises CannotStart, ConfigError, ServiceError, and Interrupted on Ctrl-C, SIGTERM or a closed terminal.
    """
    with (
        Stack(data, port, os.environ, partial(click.echo, err=True)) as stack,
        interrupts(stack.supervisor.hurry) as signals,
    ):
        try:
            redis_url = stack.start_redis()
            stack.start_api(redis_url)
            client = ApiClient(stack.url, stack.organiser_key)
            stack.start_bots([_registered(client, name) for name in dict.fromkeys((*REFERENCE_BOTS, *more))])
            stack.start_worker(redis_url)
            yield stack
        except Exception:
            click.echo(f"logs: {stack.logs}", err=True)
            raise
        finally:
            signals.armed = False
            click.echo("ending …", err=True)
            # While the signals are still caught: a second Ctrl-C makes it hurry.
            stack.supervisor.end()


def _registered(client: ApiClient, name: str) -> ReferenceBot:
    port = free_port()
    return ReferenceBot(name, port, secret_for(client, name, f"http://{LOOPBACK}:{port}"))


def stay(stack: Stack) -> None:
    """Watches the processes until a signal interrupts."""
    while True:
        stack.supervisor.watch(60.0)


@click.command()
@click.option("--port", type=PORT, default=8000, show_default=True, help="Port of the API, on loopback.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder that keeps games, key and logs between runs.",
)
def up(port: int, data: Path | None) -> None:
    """Run the whole service here: API, workers, reference bots, and Redis unless REDIS_URL is set. Ctrl-C ends it all.

    Without MONTEGO_ORGANISER_KEY, an organiser's key is made and printed.
    """
    click.echo("starting …", err=True)
    try:
        with hosted(data, port) as stack:
            open_ladder(ApiClient(stack.url, stack.organiser_key))
            _introduce(stack)
            stay(stack)
    except Interrupted:
        click.echo("ended", err=True)


def open_ladder(client: ApiClient) -> None:
    """Opens a ladder of the reference bots, unless one was opened by an earlier run. Raises ServiceError."""
    if not any(item.get("name") == LADDER for item in client.items("/v1/ladders")):
        client.post("/v1/ladders", {"name": LADDER, "references": list(REFERENCE_BOTS)})


def _introduce(stack: Stack) -> None:
    key = stack.organiser_key if stack.key_is_made else "the one in MONTEGO_ORGANISER_KEY"
    create = f"montego tournament create {' '.join(REFERENCE_BOTS)} --deals 5 --watch"
    body = '{"players":2,"seats":["creator",{"bot":"greedy"}]}'
    lines = (
        "",
        f"Montego Bay runs at  {stack.url}",
        f"organiser's key      {key}",
        f"bots to play with    {', '.join(REFERENCE_BOTS)}",
        f"logs                 {stack.logs}",
        "",
        "Try next, in a browser:",
        f"  games, tournaments, rules    {stack.url}",
        f"  the reference of the API     {stack.url}/docs",
        "",
        "Or in another terminal:",
        "  a game against greedy",
        f"    curl -s {stack.url}/v1/games -H 'Content-Type: application/json' -d '{body}'",
        "  a tournament",
        f"    MONTEGO_URL={stack.url} MONTEGO_KEY={stack.organiser_key if stack.key_is_made else '…'} {create}",
        "  a bot of yours on the ladder, once it is registered",
        f"    MONTEGO_URL={stack.url} MONTEGO_KEY={stack.organiser_key if stack.key_is_made else '…'} "
        "montego ladder enter BOT",
        "",
        "Ctrl-C ends everything.",
    )
    for line in lines:
        click.echo(line)
