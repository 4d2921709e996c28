"""The command lines of the processes that the supervisor of `montego up` runs."""

from __future__ import annotations

import sys

# -P: a folder "service" or "bots" where the user stands is not ours.
_PYTHON = (sys.executable, "-P", "-m")
_MONTEGO = (*_PYTHON, "service.cli.main")


def api_command(host: str, port: int) -> tuple[str, ...]:
    """The HTTP API, served by gunicorn on that address."""
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    config = ("--config", "python:service.api.gunicorn_config")
    return (*_PYTHON, "gunicorn", *config, "--bind", address, "service.api.app:create_app()")


def worker_command() -> tuple[str, ...]:
    """The workers: as many processes as the settings say."""
    return (*_MONTEGO, "worker")


def bot_command(name: str, host: str, port: int) -> tuple[str, ...]:
    """A reference bot as a web server."""
    return (*_MONTEGO, "bot", name, "--host", host, "--port", str(port))
