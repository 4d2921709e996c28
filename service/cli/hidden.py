"""`montego hidden`: names and comments that the pages of a service do not show."""

from __future__ import annotations

import click

from service.cli.client import ApiClient, with_client
from service.cli.output import plain


@click.group()
def hidden() -> None:
    """Hide names and comments from the pages of a service. This needs an organiser's key."""


@hidden.command()
@click.argument("text")
@with_client
def add(text: str, client: ApiClient) -> None:
    """Hide TEXT, a whole name or comment, wherever a page would show it. Records keep it."""
    client.post("/v1/hidden-texts", {"text": text})
    click.echo("hidden", err=True)


@hidden.command()
@click.argument("text")
@with_client
def remove(text: str, client: ApiClient) -> None:
    """Show TEXT again."""
    client.post("/v1/hidden-texts/removals", {"text": text})
    click.echo("shown again", err=True)


@hidden.command(name="list")
@with_client
def list_texts(client: ApiClient) -> None:
    """List the hidden texts."""
    for text in client.get("/v1/hidden-texts")["items"]:
        click.echo(plain(text, 500))
