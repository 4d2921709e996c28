"""`montego keys`: who may register bots and run tournaments."""

from __future__ import annotations

import click
from rich.table import Table

from service.cli.client import segment
from service.cli.options import client_of, service_options
from service.cli.output import console, plain, say, show
from service.protocol import ROLES


@click.group()
def keys() -> None:
    """Make, list and revoke keys of a service (needs an organiser's key)."""


@keys.command()
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the key may do.")
@click.option("--name", required=True, help="Whose it is, for the list.")
@service_options
def create(role: str, name: str, url: str, key: str | None) -> None:
    """Make a key and print it: it is shown this once."""
    made = client_of(url, key).post("/v1/keys", {"role": role, "name": name})
    say("this key is shown once; keep it:")
    show(plain(made["key"]))


@keys.command(name="list")
@service_options
def list_keys(url: str, key: str | None) -> None:
    """List the keys: id, role and name, never the keys themselves."""
    table = Table("id", "role", "name", "created")
    for item in client_of(url, key).items("/v1/keys"):
        table.add_row(*(plain(item.get(member, ""), 100) for member in ("id", "role", "name", "created")))
    console().print(table)


@keys.command()
@click.argument("identifier", metavar="ID")
@service_options
def revoke(identifier: str, url: str, key: str | None) -> None:
    """Revoke the key with that id (see the list)."""
    client_of(url, key).delete(f"/v1/keys/{segment(identifier)}")
    say(f"revoked {plain(identifier, 100)}")
