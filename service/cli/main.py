"""The `montego` command: its groups put together, and the one place where errors become lines."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version

import click
from rich.traceback import Traceback

from service.cli.archive import report, verify
from service.cli.bot import bot
from service.cli.bots import bots
from service.cli.check import ask, check
from service.cli.compare import compare
from service.cli.demo import demo
from service.cli.keys import keys
from service.cli.output import console, plain, say
from service.cli.records import replay
from service.cli.rungs import rungs
from service.cli.serve import serve
from service.cli.settings import settings
from service.cli.tournament import tournament
from service.cli.up import up
from service.cli.worker import worker
from service.config import ConfigError
from service.processes.interrupts import Interrupted
from service.processes.supervisor import LocalError

LONGEST_ERROR = 2000
#: As shells report a program ended by Ctrl-C.
EXIT_INTERRUPTED = 130


def _version() -> str:
    try:
        return version("montego-bay")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "unknown"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(_version(), prog_name="montego")
def cli() -> None:
    """Montego Bay: games over HTTP, and tournaments of bots that play them."""


COMMANDS = (
    demo,
    up,
    serve,
    worker,
    bot,
    tournament,
    compare,
    rungs,
    keys,
    bots,
    check,
    ask,
    replay,
    verify,
    report,
    settings,
)
for command in COMMANDS:
    cli.add_command(command)


def main() -> None:
    """The program. Exit codes: 0 done, 1 an error, 2 wrong usage, 130 interrupted."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command line; its exit code. An error is one line on standard error, never a traceback."""
    try:
        return _exit_code(cli.main(arguments, prog_name="montego", standalone_mode=False))
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        return _failed(f"{error.format_message()}{hint}", 2)
    except click.ClickException as error:
        return _failed(error.format_message(), 1)
    except (LocalError, ConfigError) as error:
        return _failed(str(error), 1)
    except (click.Abort, KeyboardInterrupt, Interrupted):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has seen enough. What is still buffered must not fail again when we exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001  (a bug of ours; a traceback would help nobody who only runs it)
        if os.environ.get("MONTEGO_DEBUG"):
            console(errors=True).print(Traceback(suppress=[click]))
        return _failed(f"this is a bug: {type(error).__name__}: {error} (MONTEGO_DEBUG=1 shows where)", 1)


def _exit_code(result: object) -> int:
    # click hands back the code of ctx.exit(), or whatever a command returned.
    return result if isinstance(result, int) else 0


def _failed(message: str, code: int) -> int:
    say(f"Error: {plain(message, LONGEST_ERROR)}")
    return code


if __name__ == "__main__":
    main()
