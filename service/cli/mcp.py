"""`montego mcp`: an MCP server, through which a language model plays."""

from __future__ import annotations

import os
import pkgutil

import click

from service.cli.client import ApiClient, with_client
from service.cli.options import PORT, host_option
from service.cli.output import say


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input and output.")
@host_option
@click.option("--port", type=PORT, default=8100, show_default=True, help="Port to listen on, with --http.")
@with_client
def mcp(client: ApiClient, http: bool, host: str, port: int) -> None:
    """Run an MCP server, through which a language model lists, creates, watches and plays games.

    By default the program that starts it speaks with it over standard input and output. With MONTEGO_BOT_TOKEN, the
    token of a poll bot, the model also plays for that bot, in casual games and in tournaments. The server remembers the
    seats that it takes until it ends; with --http all who reach it share them.
    """
    try:
        build = pkgutil.resolve_name("service.cli.mcp_server:build_server")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise click.ClickException("this needs the extra mcp: pip install 'montego-bay[mcp]'") from None
    server = build(client, os.environ.get("MONTEGO_BOT_TOKEN", "").strip() or None)
    if http:
        say(f"MCP at http://{host}:{port}/mcp, for {client.url}")
        server.run("streamable-http", host=host, port=port)
    else:
        server.run("stdio")
