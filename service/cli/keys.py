"""`montego keys`: who may register bots and run tournaments."""

from __future__ import annotations

import click
from rich.table import Table

from service.cli.client import ApiClient, segment, with_client
from service.cli.output import plain
from service.cli.terminal import console
from service.protocol import ROLES


@click.group()
def keys() -> None:
    """Make, list and revoke the keys of a service. This needs an organiser's key."""


@keys.command()
@click.option(
    "--role",
    type=click.Choice(ROLES),
    required=True,
    help="What the key may do: create games, register bots, or everything.",
)
@click.option("--name", required=True, help="Whose key it is, for the list.")
@with_client
def create(role: str, name: str, client: ApiClient) -> None:
    """Make a key and print it, which happens this once."""
    made = client.post("/v1/keys", {"role": role, "name": name})
    click.echo("keep this key; it is shown only now:", err=True)
    click.echo(plain(made["key"]))


@keys.command(name="list")
@with_client
def list_keys(client: ApiClient) -> None:
    """List the keys: id, role, name and date, but not the keys themselves."""
    table = Table("id", "role", "name", "created")
    for item in client.items("/v1/keys"):
        table.add_row(*(plain(item.get(member, ""), 100) for member in ("id", "role", "name", "created")))
    console().print(table)


@keys.command()
@click.argument("identifier", metavar="ID")
@with_client
def revoke(identifier: str, client: ApiClient) -> None:
    """Revoke the key with this ID, which the list shows."""
    client.delete(f"/v1/keys/{segment(identifier)}")
    click.echo(f"revoked {plain(identifier, 100)}", err=True)
