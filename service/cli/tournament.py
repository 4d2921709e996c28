"""`montego tournament`: the tournaments of a service, for organisers and for their public."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import click
from rich.table import Table

from bots.container import ENGINES
from service.cli.advise import advise
from service.cli.client import ApiClient, segment, with_client
from service.cli.files import OUTPUT, STDOUT, file_name, writing
from service.cli.images import playing_images
from service.cli.options import tournament_options
from service.cli.output import plain
from service.cli.registry import existing_bot
from service.cli.standings import print_standings, what_went_wrong
from service.cli.table_files import from_file, from_service, write
from service.cli.terminal import console
from service.cli.watching import wait_until_over
from service.processes.interrupts import interrupts
from service.tournament.plan import FORMATS, MAX_ROUNDS

#: What to know about a tournament in this state.
STATUSES = {
    "waiting": "It begins when all bots are online.",
    "paused": "No match begins until it is resumed: montego tournament resume ID",
    "cancelled": "Finished matches stay, and no more are played.",
}


@click.group()
def tournament() -> None:
    """Create, watch and steer tournaments. Whatever changes one needs an organiser's key."""


tournament.add_command(advise)


def _path(identifier: str, rest: str = "") -> str:
    return f"/v1/tournaments/{segment(identifier)}{rest}"


@tournament.command()
@click.argument("bots", nargs=-1, metavar="BOT...")
@click.option("--name", help="Title. [default: the bots' names]")
@click.option("--challenger", "challengers", multiple=True, help="A gauntlet: this bot against the BOTs (repeatable).")
@click.option(
    "--format", type=click.Choice(FORMATS), help="Who meets whom. [default: round_robin, or gauntlet with --challenger]"
)
@tournament_options
@click.option("--rounds", type=click.IntRange(1, MAX_ROUNDS), help="Rounds of a Swiss tournament.")
@click.option(
    "--advance", type=click.IntRange(1), help="How many go on from a table of a knockout, or from a group of divisions."
)
@click.option("--max-deals", type=click.IntRange(1), help="Most deals of a table of a knockout that is not decided.")
@click.option("--groups", type=click.IntRange(2), help="Groups that divisions begin with.")
@click.option("--sets", type=click.IntRange(min=1), help="Sets of entrants that play. [default: all]")
@click.option(
    "--seatings",
    type=click.Choice(("rotations", "all")),
    default="rotations",
    show_default=True,
    help="Seatings of a set at each deal.",
)
@click.option("--seed", help="Fixes seats and deals. [default: drawn by the service]")
@click.option("--variant", "variants", multiple=True, metavar="NAME=VALUE", help="A variant of the rules (repeatable).")
@click.option("--components", type=click.File("r", encoding="utf-8"), help="A file with a component set (JSON).")
@click.option("--move-ms", type=int, help="Time for a decision (milliseconds).")
@click.option("--bank-ms", type=int, help="Time beyond that, for a whole match (milliseconds).")
@click.option("--warmup-ms", type=int, help="Time for a bot to come up before a match (milliseconds).")
@click.option("--max-faults", type=int, help="A bot with more faults than this forfeits the match.")
@click.option(
    "--policy",
    type=click.Choice(("lenient", "strict")),
    help="With strict, the first illegal action forfeits the match.",
)
@click.option("--attempts", type=int, help="Answers that a bot may give to one decision.")
@click.option("--ready", "require_ready", is_flag=True, default=None, help="Begin only when all bots are online.")
@click.option("--watch", "watching", is_flag=True, help="Watch it until it is over.")
@click.option(
    "--images",
    type=click.File("r", encoding="utf-8"),
    help="A file with a container image a line: they are entered, too, and run here until it is over.",
)
@click.option("--engine", type=click.Choice(ENGINES), help="What runs the images. [default: docker, else podman]")
@with_client
def create(client: ApiClient, watching: bool, images: TextIO | None, engine: str | None, **options: Any) -> None:
    """Create a tournament of the BOTs (names or ids), and print its id. For limits that are not given, the service has
    defaults.

    With --images, each line is IMAGE or NAME=IMAGE. Each image is registered as a poll bot under its name (a bot that
    has the name gets a new token) and run as by `montego run image`; the command watches until the tournament is over.
    """
    if images is None:
        _create(client, watching, options)
        return
    # SIGTERM and a closed terminal must not leave containers behind; further signals do not cut the cleanup short.
    with interrupts(lambda: None), playing_images(client, images, engine) as names:
        _create(client, True, {**options, "bots": (*options["bots"], *names)})


def _create(client: ApiClient, watching: bool, options: dict[str, Any]) -> None:
    if not options["bots"]:
        raise click.UsageError("a tournament needs bots, or --images", click.get_current_context())
    made = client.post("/v1/tournaments", _body(options))
    identifier = str(made["tournament"])
    click.echo(
        f"tournament {plain(identifier, 100)}, {plain(made.get('matches', {}).get('total'), 20)} matches", err=True
    )
    click.echo(f"commitment {plain(made.get('commitment'), 100)}", err=True)
    if watching:
        _watch(client, identifier)
    else:
        click.echo(plain(identifier, 100))


def _body(options: dict[str, Any]) -> dict[str, object]:
    """The body of POST /v1/tournaments. What was not given is left out, so that the defaults of the service hold."""
    challengers = list(options.pop("challengers"))
    components = options.pop("components")
    bots, variants = list(options.pop("bots")), _variants(options.pop("variants"))
    body: dict[str, object] = {key: value for key, value in options.items() if value is not None}
    body = {"format": "gauntlet" if challengers else "round_robin", **body, "bots": bots}
    body["name"] = body.get("name") or ", ".join(bots)[:60]
    if challengers:
        body["challengers"] = challengers
    if variants:
        body["variants"] = variants
    if components:
        try:
            body["components"] = json.load(components)
        except (ValueError, RecursionError) as error:
            raise click.BadParameter(f"{components.name} is not JSON: {error}", param_hint="--components") from None
    return body


def _variants(given: tuple[str, ...]) -> dict[str, object]:
    variants: dict[str, object] = {}
    for item in given:
        name, separator, value = item.partition("=")
        if not separator:
            raise click.BadParameter(f"{item!r} is not NAME=VALUE", param_hint="--variant")
        variants[name] = int(value) if value.isascii() and value.isdigit() else value
    return variants


@tournament.command(name="list")
@with_client
def list_tournaments(client: ApiClient) -> None:
    """List the tournaments, newest first: id, name, status, matches finished."""
    table = Table("tournament", "name", "status", "finished", "matches")
    for item in client.items("/v1/tournaments"):
        matches = item.get("matches", {})
        cells = (
            item.get("tournament"),
            item.get("name"),
            item.get("status"),
            matches.get("finished"),
            matches.get("total"),
        )
        table.add_row(*(plain(cell, 60) for cell in cells))
    console().print(table)


@tournament.command()
@click.argument("identifier", metavar="ID")
@with_client
def schedule(identifier: str, client: ApiClient) -> None:
    """Print who sits where in each match, and how many blocks each two bots share. This is public before play."""
    blocks: dict[int, frozenset[str]] = {}
    for item in client.items(_path(identifier, "/schedule")):
        seats = [plain(name, 60) for name in item["seats"]]
        click.echo(f"{plain(item['match'], 100)}  block {item['block']}  {'  '.join(seats)}")
        blocks[item["block"]] = frozenset(seats)
    counts = Counter(pair for names in blocks.values() for pair in combinations(sorted(names), 2))
    click.echo()
    for (one, other), count in sorted(counts.items()):
        click.echo(f"{one} and {other}: {count} {'block' if count == 1 else 'blocks'}")


@tournament.command()
@click.argument("identifier", metavar="ID")
@with_client
def stages(identifier: str, client: ApiClient) -> None:
    """Print who meets whom in each round of a tournament that is drawn in stages, as far as it is drawn."""
    for stage in client.get(_path(identifier, "/stages"))["stages"]:
        last = stage["first_block"] + stage["blocks"] - 1
        click.echo(f"round {stage['round']}, blocks {stage['first_block']} to {last}")
        for pool in stage["pools"]:
            click.echo(f"  {'  '.join(plain(name, 60) for name in pool)}")
        for what in ("byes", "withdrawn"):
            if stage[what]:
                click.echo(f"  {what}: {', '.join(plain(name, 60) for name in stage[what])}")


@tournament.command(name="show")
@click.argument("identifier", metavar="ID")
@with_client
def show_tournament(identifier: str, client: ApiClient) -> None:
    """Show a tournament and its standings."""
    _print_tournament(client, identifier, client.get(_path(identifier)))


@tournament.command()
@click.argument("identifier", metavar="ID")
@with_client
def watch(identifier: str, client: ApiClient) -> None:
    """Follow a tournament until it is over, then print its standings. Ctrl-C stops watching, not the tournament."""
    _watch(client, identifier)


def _add_command(name: str, call: str, done: str, summary: str) -> None:
    """Adds a command that changes a tournament by an empty POST to `call`; `done` says what was done to it."""

    @tournament.command(name=name, help=summary)
    @click.argument("identifier", metavar="ID")
    @with_client
    def change(identifier: str, client: ApiClient) -> None:
        client.post(_path(identifier, call))
        click.echo(f"{done} {plain(identifier, 100)}", err=True)


_add_command("cancel", "/cancellation", "cancelled", "Cancel a tournament: finished matches stay, no more are played.")
_add_command("pause", "/pause", "paused", "Pause a tournament: matches under way are finished, no more begin.")
_add_command("resume", "/resumption", "resumed", "Resume a paused tournament.")


@tournament.command()
@click.argument("identifier", metavar="ID")
@with_client
def remove(identifier: str, client: ApiClient) -> None:
    """Remove a tournament that is over from the service, with all of its games. Export it first."""
    client.delete(_path(identifier))
    click.echo(f"removed {plain(identifier, 100)}", err=True)


@tournament.command()
@click.argument("identifier", metavar="ID")
@click.argument("bot", metavar="BOT")
@with_client
def withdraw(identifier: str, bot: str, client: ApiClient) -> None:
    """Withdraw BOT from a tournament: its unfinished blocks are cancelled, its finished ones count."""
    client.post(_path(identifier, "/withdrawals"), {"bot": existing_bot(client, bot)["bot"]})
    click.echo(f"withdrew {plain(bot, 60)} from {plain(identifier, 100)}", err=True)


@tournament.command()
@click.argument("identifier", metavar="ID")
@click.option("-o", "--output", type=OUTPUT, help="The file; .gz compresses it, - prints it. [default: ID.json]")
@with_client
def export(identifier: str, output: Path | None, client: ApiClient) -> None:
    """Write a tournament that is over to one file, for `montego verify` and `montego report`."""
    path = output or Path(f"{file_name(identifier)}.json")
    with writing(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
                size = client.save(_path(identifier, "/export"), cast(BinaryIO, packed))
        else:
            size = client.save(_path(identifier, "/export"), file)
    if path != STDOUT:
        click.echo(f"wrote {path} ({size / 1e6:.1f} MB of JSON): montego verify {path}", err=True)


@tournament.command()
@click.argument("source", metavar="ID-OR-FILE")
@click.option(
    "--format", "kind", type=click.Choice(("csv", "json")), default="csv", show_default=True, help="Of the files."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder for the files. [default: the current one]",
)
@with_client
def tables(source: str, kind: str, output: Path, client: ApiClient) -> None:
    """Write standings, crosstable and matches for other programs, as ID-standings.csv and so on.

    They are those of a tournament at the service, or of an exported file, which is verified first.
    """
    found = from_file(Path(source)) if Path(source).is_file() else from_service(client, source)
    write(found, output, kind)


def _watch(client: ApiClient, identifier: str) -> None:
    state = wait_until_over(client, identifier, time.sleep, table=True)
    _print_tournament(client, identifier, state)
    if state.get("status") == "failed":
        raise click.ClickException(f"tournament {plain(identifier, 100)} failed: {plain(state.get('reason'))}")


def _print_tournament(client: ApiClient, identifier: str, state: dict[str, Any]) -> None:
    rows = client.get(_path(identifier, "/standings"))["standings"]
    matches = state.get("matches", {})
    counts = ", ".join(
        f"{plain(count, 20)} {plain(kind, 20)}"
        for kind, count in matches.items()
        if kind == "finished" or (kind == "cancelled" and count)
    )
    name, status = plain(state.get("name") or state.get("tournament"), 100), plain(state.get("status"), 20)
    about = "about " if matches.get("drawn", matches.get("total")) != matches.get("total") else ""
    played = f"{about}{plain(matches.get('total'), 20)} matches{f' ({counts})' if counts else ''}"
    wrong = what_went_wrong(rows)
    click.echo(f"{name}: {status}, {played}{f'; {wrong}' if wrong else ''}")
    if gone := [plain(bot, 40) for bot in state.get("withdrawn") or ()]:
        click.echo(f"withdrawn: {', '.join(gone)}")
    for absent in ("offline", "unknown"):
        if bots := [plain(bot["name"], 40) for bot in state.get("entrants") or () if bot.get("status") == absent]:
            click.echo(f"{absent}: {', '.join(bots)}")
    if status in STATUSES:
        click.echo(STATUSES[status])
    print_standings(rows)
