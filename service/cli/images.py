"""Container images that play a tournament from this machine."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from bots.container import ContainerLimits, NoContainer, container_bot, find_engine, image_name
from montego_bot import Poller
from service.cli.client import ApiClient
from service.cli.files import file_name
from service.cli.output import plain
from service.cli.registry import poll_token_for
from service.protocol import BOT_NAME

#: How long each poll waits: so long the command may take to end.
WAIT_S = 5
END_S = 20.0
LOGS = Path("images-logs")


@contextmanager
def playing_images(client: ApiClient, lines: Iterable[str], engine: str | None) -> Iterator[list[str]]:
    """Registers each image as a poll bot and runs it while the block runs; gives the names of the bots. Their standard
    error goes to files in images-logs.

    Raises click.ClickException for a list that cannot be read and an image that is not here.
    """
    images = _names_and_images(lines)
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.ERROR)
    try:
        found = find_engine(engine)
        LOGS.mkdir(exist_ok=True)
        bots = [
            container_bot(
                image, name=name, engine=found, limits=ContainerLimits(), errors=LOGS / f"{file_name(name)}.log"
            )
            for name, image in images.items()
        ]
    except NoContainer as error:
        raise click.ClickException(str(error)) from None
    pollers = [Poller(bot, client.url, poll_token_for(client, bot.name), wait=WAIT_S) for bot in bots]
    threads = [threading.Thread(target=poller.run, daemon=True) for poller in pollers]
    try:
        for thread in threads:
            thread.start()
        yield list(images)
    finally:
        for poller in pollers:
            poller.stop()
        for thread in threads:
            thread.join(END_S)
        for bot in bots:
            bot.close()


def _names_and_images(lines: Iterable[str]) -> dict[str, str]:
    images: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        given, equals, rest = text.partition("=")
        name, image = (given.strip(), rest.strip()) if equals else (image_name(text), text)
        if not BOT_NAME.fullmatch(name) or not image:
            raise click.ClickException(
                f"line {number} of the images is neither IMAGE nor NAME=IMAGE: {plain(text, 80)}"
            )
        if name in images:
            raise click.ClickException(
                f"line {number} of the images: the name {name} stands there twice; write NAME=IMAGE"
            )
        images[name] = image
    if not images:
        raise click.ClickException("the list of images has no image")
    return images
