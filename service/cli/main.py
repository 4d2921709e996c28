"""The `montego` command: its commands by name, and the one place where errors become lines."""

from __future__ import annotations

import errno
import os
import pkgutil
import sys
import traceback

import click

from service.cli.output import plain
from service.config import ConfigError
from service.processes.interrupts import Interrupted
from service.processes.supervisor import CannotStart

MAX_ERROR = 2000
#: As shells report a program ended by Ctrl-C.
EXIT_INTERRUPTED = 130

#: Where each command is, and its line in `montego --help`.
COMMANDS = {
    "demo": ("service.cli.demo:demo", "Play a tournament of four bots from nothing."),
    "up": ("service.cli.up:up", "Run the whole service here, with reference bots."),
    "serve": ("service.cli.serve:serve", "Serve the HTTP API."),
    "worker": ("service.cli.worker:worker", "Play matches and turns."),
    "bot": ("service.cli.bot:bot", "Run a reference bot."),
    "run": ("service.cli.run:run", "Run a bot that is no program of the kit, such as a language model."),
    "tournament": ("service.cli.tournament:tournament", "Create, watch and steer tournaments."),
    "play": ("service.cli.play:play", "Play bots of yours against reference bots."),
    "compare": ("service.cli.compare:compare", "Find out whether a bot is better than another one."),
    "ladder": ("service.cli.ladder:ladder", "Enter and leave ladders, and watch them."),
    "rungs": ("service.cli.rungs:rungs", "Play each reference bot against the one below it."),
    "keys": ("service.cli.keys:keys", "Make, list and revoke keys."),
    "hidden": ("service.cli.hidden:hidden", "Hide names and comments from the pages."),
    "bots": ("service.cli.bots:bots", "Register, check, list and delete bots."),
    "check": ("service.cli.check:check", "Check whether a bot does what the bot protocol asks."),
    "ask": ("service.cli.check:ask", "Ask a bot again what a seat was asked in a finished game."),
    "mcp": ("service.cli.mcp:mcp", "Let a language model play, over MCP."),
    "replay": ("service.cli.records:replay", "Verify the record of a game, and print it."),
    "verify": ("service.cli.archive:verify", "Verify an exported tournament."),
    "report": ("service.cli.archive:report", "Make an HTML page of an exported tournament."),
    "settings": ("service.cli.settings:settings", "List the settings of the service."),
}


class _Commands(click.Group):
    """Lists the commands by name and summary, and imports only the one that is called: the others may need libraries
    that take a second to load."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Puts the command itself in the place of its summary."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            command = pkgutil.resolve_name(COMMANDS[name][0])
        return name, command, rest


@click.group(
    cls=_Commands,
    commands=[click.Command(name, short_help=summary) for name, (_, summary) in COMMANDS.items()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="montego-bay", prog_name="montego")
def cli() -> None:
    """Montego Bay: games over HTTP, and tournaments of bots that play them."""


def main() -> None:
    """The program. Exit codes: 0 done, 1 an error, 2 wrong usage, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has no sign for a character shows a question mark instead.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command line; its exit code. An error is one line on standard error, never a traceback."""
    try:
        result = cli.main(arguments, prog_name="montego", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt, Interrupted):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard_output()  # the reader (head, less) has seen enough
        return 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except Exception as error:  # noqa: BLE001  (the last of them are bugs of ours)
        message, code = _explained(error)
        click.echo(f"Error: {plain(message, MAX_ERROR)}", err=True)
        return code
    # click hands back the code of ctx.exit(), or whatever a command returned.
    return result if isinstance(result, int) else 0


def _explained(error: Exception) -> tuple[str, int]:
    """What to print for an error, and the exit code."""
    if isinstance(error, click.UsageError):
        return f"{error.format_message()}{f' (see {error.ctx.command_path} --help)' if error.ctx else ''}", 2
    if isinstance(error, click.ClickException):
        return error.format_message(), 1
    if isinstance(error, CannotStart | ConfigError):
        return str(error), 1
    if reason := _output_failure(error):
        _discard_output()
        return f"standard output cannot be written: {reason}", 1
    if os.environ.get("MONTEGO_DEBUG"):
        traceback.print_exception(error)
    return f"this is a bug: {type(error).__name__}: {error} (MONTEGO_DEBUG=1 shows where)", 1


def _output_failure(error: Exception) -> str | None:
    """Why standard output cannot be written, if that is so: what is still buffered fails again."""
    try:
        sys.stdout.flush()
    except OSError as failed:
        return failed.strerror
    # A text longer than the buffer fails where it is written, and is not kept.
    if isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC):
        return error.strerror
    return None


def _discard_output() -> None:
    """Makes sure that nothing that is still buffered fails again when the program exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
