"""`montego-bot`: serves the bot of a Python file, plays it against others, or asks it again what it got wrong."""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from montego_bot.bot import Bot, Choice, as_bot
from montego_bot.messages import Ask
from montego_bot.poll import Refused
from montego_bot.push import push_app
from montego_bot.run import run_poll, run_push
from montego_bot.server import CannotListen, running
from montego_bot.signing import BadSecret

DECISION = re.compile(r"(?P<round>[0-9]{1,4})\.(?:hire|play|load|unload)\.(?P<seat>[0-3])\.[0-9]{1,4}")
"""The id of a decision, as the fault ledger has it."""


class UsageError(Exception):
    """What was asked for cannot be done; the text says why in one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The program. Exit codes: 0 done, 1 an error, 2 wrong usage; else that of `montego`."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)
    try:
        code: int = options.run(options)
    except (UsageError, BadSecret, CannotListen, Refused) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def load_bot(path: Path) -> Bot:
    """The bot of a Python file: its variable `bot` (a Bot or a function), else its only subclass of Bot, else its
    function `choose`. Raises UsageError, and what the file itself raises."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location("montego_bot_of_the_author", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look themselves up there, and it may import its neighbours.
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    spec.loader.exec_module(module)
    name = bot_name(path)
    members = vars(module)
    found: Bot | Callable[[Ask], Choice] | None = members.get("bot")
    if found is None:
        own = [
            member
            for member in members.values()
            if isinstance(member, type) and issubclass(member, Bot) and member.__module__ == spec.name
        ]
        found = own[0]() if len(own) == 1 else members.get("choose")
    if not isinstance(found, Bot) and not callable(found):
        raise UsageError(f"{path} has no variable `bot`, no single subclass of Bot, and no function `choose`")
    return as_bot(found, name)


def bot_name(path: Path) -> str:
    """A name that the service takes, from that of the file: `My bot.py` is `my-bot`."""
    return re.sub(r"[^a-z0-9._-]+", "-", path.stem.lower()).strip("-")[:40] or "bot"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="montego-bot", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    push = commands.add_parser("push", help="serve a bot that the service calls (MONTEGO_BOT_SECRET: its secret)")
    push.add_argument("file", type=Path)
    push.add_argument("--host", default="127.0.0.1")
    push.add_argument("--port", type=int, default=9000)
    push.set_defaults(run=_push)

    poll = commands.add_parser("poll", help="run a bot that calls the service (MONTEGO_BOT_TOKEN: its token)")
    poll.add_argument("file", type=Path)
    poll.add_argument("--url", required=True, help="the service, such as http://127.0.0.1:8000")
    poll.set_defaults(run=_poll)

    play = commands.add_parser("play", help="play a bot against others, at a service that is started for it")
    play.add_argument("file", type=Path)
    play.add_argument("--against", nargs="+", default=["greedy"], help="reference bots, or Python files [greedy]")
    play.add_argument("--deals", type=int, default=3)
    play.set_defaults(run=_play)

    replay = commands.add_parser("replay", help="ask a bot again what an entry of its fault ledger names")
    replay.add_argument("file", type=Path)
    replay.add_argument("record", help="record of the game: a file, or a URL such as http://…/v1/games/GAME/record")
    replay.add_argument("decision", help="id of the decision, such as 3.load.1.0")
    replay.set_defaults(run=_replay)
    return parser


def _push(options: argparse.Namespace) -> int:
    secrets = os.environ.get("MONTEGO_BOT_SECRET", "").split()
    run_push(load_bot(options.file), host=options.host, port=options.port, secrets=secrets)
    return 0


def _poll(options: argparse.Namespace) -> int:
    token = os.environ.get("MONTEGO_BOT_TOKEN", "").strip()
    if not token:
        raise UsageError("MONTEGO_BOT_TOKEN has no token")
    run_poll(load_bot(options.file), url=options.url, token=token)
    return 0


def _play(options: argparse.Namespace) -> int:
    montego = _montego()
    files = [options.file, *(Path(name) for name in options.against if name.endswith(".py"))]
    reference = [argument for name in options.against if not name.endswith(".py") for argument in ("--against", name)]
    with ExitStack() as stack:
        served = [f"{bot_name(file)}={stack.enter_context(running(push_app(load_bot(file))))}" for file in files]
        command = [*montego, "play", *served, *reference, "--deals", str(options.deals)]
        return subprocess.run(command, check=False).returncode


def _replay(options: argparse.Namespace) -> int:
    montego = _montego()
    found = DECISION.fullmatch(options.decision)
    if found is None:
        raise UsageError(f"{options.decision!r} is not the id of a decision, such as 3.load.1.0")
    with running(push_app(load_bot(options.file))) as url:
        command = [*montego, "ask", options.record, "--round", found["round"], "--seat", found["seat"], "--bot", url]
        return subprocess.run(command, check=False).returncode


def _montego() -> list[str]:
    """How the service's own command is started, which deals and referees. Raises UsageError if it is not installed."""
    beside = shutil.which("montego", path=str(Path(sys.executable).parent))
    found = os.environ.get("MONTEGO_COMMAND") or beside or shutil.which("montego")
    if found is None:
        raise UsageError(
            "the command montego was not found: install montego-bay, which plays the games, or give the path of the "
            "command in MONTEGO_COMMAND"
        )
    return [found]
