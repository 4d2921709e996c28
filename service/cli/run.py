"""`montego run`: players that are no programs of the kit, made into poll bots."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bots.container import ENGINES, ContainerLimits, NoContainer, container_bot, find_engine, image_name
from bots.llm import BadTemplate, ChatEndpoint, EndpointRefused, ModelBot, Prompt
from bots.program import ProgramBot
from montego_bot import Refused, run_poll
from service.cli.client import DEFAULT_URL, KEY, checked_url
from service.cli.files import file_name
from service.cli.output import say

PRICE = click.FloatRange(min=0)


@click.group()
def run() -> None:
    """Run a bot that is no program of the kit: it polls the service on the player's behalf.

    Register it first (montego bots register NAME --poll), and put its token into MONTEGO_BOT_TOKEN.
    """
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)


@run.command()
@click.option("--endpoint", required=True, metavar="URL", help="A chat-completions API, such as https://host/v1.")
@click.option("--model", required=True, help="The model's name there.")
@click.option("--name", help="Name that the bot gives itself in its log. [default: the model's]")
@click.option("--url", envvar="MONTEGO_URL", default=DEFAULT_URL, show_default=True, help="The service. [MONTEGO_URL]")
@click.option("--no-legal-list", is_flag=True, help="Do not list the legal actions: the model has to know the rules.")
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with your own system.txt and decision.txt.",
)
@click.option(
    "--transcripts", type=click.Path(file_okay=False, path_type=Path), help="Folder to keep all that was said in."
)
@click.option("--tries", type=click.IntRange(1, 20), default=5, show_default=True, help="Calls for each decision.")
@click.option("--prices", type=(PRICE, PRICE), default=(0, 0), help="Of a million tokens, in and out.")
@click.option("--option", "options", multiple=True, metavar="NAME=JSON", help="A member of each call: temperature=0.2")
def llm(
    endpoint: str, model: str, name: str | None, url: str, tries: int, transcripts: Path | None, **told: Any
) -> None:
    """Let a language model play, through any chat-completions endpoint.

    The endpoint's key, if it wants one, comes from MONTEGO_LLM_KEY. A reply that names no legal action is answered with
    the reason, as long as the decision's time lasts; after that a random legal action is played. At the end, tokens and
    cost are printed.
    """
    key = os.environ.get("MONTEGO_LLM_KEY", "").strip()
    if key and not KEY.fullmatch(key):
        raise click.ClickException("MONTEGO_LLM_KEY is not a key: a space, line end or special character is in it")
    token = _token()
    options = dict(_member(given) for given in told["options"])
    called = ChatEndpoint(checked_url(endpoint), model, key or None, prices=told["prices"], options=options)
    try:
        prompt = Prompt(told["templates"], legal_list=not told["no_legal_list"])
        if transcripts is not None:
            transcripts.mkdir(parents=True, exist_ok=True)
        called.check()
        bot = ModelBot(called, prompt, name=name or model, transcripts=transcripts, max_tries=tries)
        run_poll(bot, url=checked_url(url), token=token)
    except OSError as error:
        raise click.ClickException(f"{transcripts} cannot be made: {error.strerror}") from None
    except (BadTemplate, EndpointRefused, Refused) as error:
        raise click.ClickException(str(error)) from None
    say(bot.summary())


def _log_option(command: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "--log",
        type=click.Path(dir_okay=False, path_type=Path),
        help="File for its standard error. [default: NAME.log here]",
    )(command)


@run.command()
@click.argument("command", nargs=-1, required=True, metavar="-- PROGRAM [ARGUMENT]...")
@click.option("--name", required=True, help="Name that the bot gives itself in its log.")
@click.option("--url", envvar="MONTEGO_URL", default=DEFAULT_URL, show_default=True, help="The service. [MONTEGO_URL]")
@_log_option
def stdio(command: tuple[str, ...], name: str, url: str, log: Path | None) -> None:
    """Let a program play that reads asks from standard input and writes answers to standard output, one JSON line each.

    A program that exits, hangs or writes what is no answer is started again, after pauses that grow.
    """
    _poll_for(ProgramBot(command, name=name, errors=log or Path(f"{file_name(name)}.log")), url)


@run.command()
@click.argument("image")
@click.option("--name", help="Name that the bot gives itself in its log. [default: the image's]")
@click.option("--url", envvar="MONTEGO_URL", default=DEFAULT_URL, show_default=True, help="The service. [MONTEGO_URL]")
@click.option("--engine", type=click.Choice(ENGINES), help="What runs it. [default: docker, else podman]")
@click.option("--memory", default="256m", show_default=True, help="Memory that it may use, without swap.")
@click.option("--cpus", type=click.FloatRange(0.01, 256), default=1.0, show_default=True, help="Processors.")
@click.option("--pids", type=click.IntRange(1, 100_000), default=64, show_default=True, help="Processes and threads.")
@_log_option
def image(image: str, name: str | None, url: str, engine: str | None, log: Path | None, **limits: Any) -> None:
    """Let a container image play: its program reads and writes as with `montego run stdio`.

    The container has no network, no capabilities, and a read-only file system but for 16 MB at /tmp.
    """
    known = name or image_name(image)
    try:
        bot = container_bot(
            image,
            name=known,
            engine=find_engine(engine),
            limits=ContainerLimits(**limits),
            errors=log or Path(f"{file_name(known)}.log"),
        )
    except NoContainer as error:
        raise click.ClickException(str(error)) from None
    _poll_for(bot, url)


def _poll_for(bot: ProgramBot, url: str) -> None:
    """Polls until the process is told to end, and ends the program then."""
    try:
        run_poll(bot, url=checked_url(url), token=_token())
    except Refused as error:
        raise click.ClickException(str(error)) from None
    finally:
        bot.close()


def _token() -> str:
    token = os.environ.get("MONTEGO_BOT_TOKEN", "").strip()
    if not token:
        raise click.ClickException("this needs the bot's token in MONTEGO_BOT_TOKEN")
    return token


def _member(given: str) -> tuple[str, Any]:
    """A member of each call, from NAME=JSON. Raises click.BadParameter."""
    name, equals, value = given.partition("=")
    try:
        if not name or not equals:
            raise ValueError
        return name, json.loads(value)
    except ValueError:
        raise click.BadParameter(
            f"{given!r} is not NAME=JSON, such as temperature=0.2", param_hint="--option"
        ) from None
