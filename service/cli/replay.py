"""`montego replay`: a finished game, checked and told."""

from __future__ import annotations

import click
from rich.progress import track

from service.cli.output import console, plain, say, show
from service.cli.records import Refused, expand, verified
from service.engine.transcript import render

LONGEST_LINE = 1000
#: Fewer than this and a bar would only flash.
MANY = 20


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE-OR-URL...")
@click.option("--verify", "only_verify", is_flag=True, help="Only verify, a line each; folders too (*.json in them).")
def replay(sources: tuple[str, ...], only_verify: bool) -> None:
    """Replay the record of a game, verify it, and print it round by round.

    A damaged record is refused, naming the entry at which it goes wrong.
    """
    if only_verify:
        _verify_all(sources)
        return
    if len(sources) > 1:
        raise click.UsageError("one record at a time; several only with --verify", click.get_current_context())
    try:
        record = verified(sources[0])
    except Refused as error:
        raise click.ClickException(f"{sources[0]}: {error.format_message()}") from None
    for line in render(record):
        show(plain(line, LONGEST_LINE))


def _verify_all(arguments: tuple[str, ...]) -> None:
    """Prints "ok" or "refused" for each source. Raises click.ClickException if one was refused."""
    found = list(expand(arguments))
    terminal = console(errors=True)
    shown = terminal.is_terminal and len(found) >= MANY
    refused = 0
    for source, wrong in track(found, "verifying", console=terminal, disable=not shown, transient=True):
        try:
            if wrong:
                raise Refused(wrong)
            verified(source)
        except Refused as error:
            refused += 1
            show(f"refused  {plain(source, LONGEST_LINE)}: {plain(error.format_message(), LONGEST_LINE)}")
        else:
            show(f"ok       {plain(source, LONGEST_LINE)}")
    if refused:
        raise click.ClickException(f"{refused} of {len(found)} refused")
    say(f"{len(found)} of {len(found)} sound")
