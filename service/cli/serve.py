"""`montego serve`: the HTTP API."""

from __future__ import annotations

import os
import sys

import click

from service.cli.options import PORT, host_option
from service.config import Settings
from service.processes.commands import api_command
from service.processes.ports import check_free


@click.command()
@host_option
@click.option("--port", type=PORT, default=8000, show_default=True, help="Port to listen on.")
def serve(host: str, port: int) -> None:
    """Serve the HTTP API with gunicorn."""
    Settings.from_env()  # a setting that cannot be used is one line here, and a traceback in each process of gunicorn
    check_free(port, host)
    click.echo(f"serving at http://{f'[{host}]' if ':' in host else host}:{port}", err=True)
    # This process goes on as gunicorn, which has to be the first to load the libraries that gevent patches. What is
    # still buffered would be lost with this program.
    sys.stdout.flush()
    sys.stderr.flush()
    command = api_command(host, port)
    os.execv(command[0], command)  # noqa: S606  (a fixed list, no shell)
