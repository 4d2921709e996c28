"""`python -m bots NAME`: serves a reference bot, or lets it poll a service.

Secrets and tokens come from the environment, since other users of a machine can read a command line:
MONTEGO_BOT_SECRET turns signature checks on (several, separated by spaces, while a secret is being rotated);
MONTEGO_BOT_TOKEN is needed for --poll.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from bots.reference import RUNGS, NoSearchError, UnknownBotError, make_bot
from bots.sdk import BadSecret, CannotListen, Refused, run_poll, run_push
from bots.search import SearchLimits
from service.protocol import BOT_NAME


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage that argparse prints first."""
        self.exit(2, f"error: {message}\n")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def _name(text: str) -> str:
    if not BOT_NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"a bot's name is 1 to 40 of a-z 0-9 . _ -, not {text!r}")
    return text


def _iterations(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 10_000_000):
        raise argparse.ArgumentTypeError(f"iterations are a number from 1 to 10000000, not {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    rungs = "\n".join(f"  {rung.name:<12}{rung.idea}" for rung in RUNGS)
    parser = _Parser(
        prog="python -m bots",
        description="Runs a reference bot.",
        epilog=f"bots:\n{rungs}\n\nA number behind the name (greedy-2) gives the same bot another name and seed.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bot", metavar="NAME", help="which bot")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=9000, help="port, 0 for a free one (default: %(default)s)")
    parser.add_argument("--name", type=_name, help="the bot's own name (default: NAME)")
    parser.add_argument("--seed", help="where its random numbers come from (default: NAME)")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--iterations", type=_iterations, help="how many, for a bot that searches (default: its own)")
    limits.add_argument(
        "--by-clock", action="store_true", help="a bot that searches thinks as long as the time of a question allows"
    )
    parser.add_argument("--poll", metavar="URL", help="poll this service instead of listening (MONTEGO_BOT_TOKEN)")
    return parser


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Runs until SIGTERM or Ctrl-C. SystemExit with one line if that cannot be."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)
    try:
        told = given.by_clock or given.iterations is not None
        limits = SearchLimits(given.iterations) if told else None
        bot = make_bot(given.bot, name=given.name, seed=given.seed, limits=limits)
        if given.poll is None:
            secrets = environment.get("MONTEGO_BOT_SECRET", "").split()
            run_push(bot, host=given.host, port=given.port, secrets=secrets)
        elif token := environment.get("MONTEGO_BOT_TOKEN"):
            run_poll(bot, url=given.poll, token=token)
        else:
            raise SystemExit("error: --poll needs the bot's token in MONTEGO_BOT_TOKEN")
    except (UnknownBotError, NoSearchError, CannotListen, BadSecret, Refused) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main(sys.argv[1:], os.environ)
