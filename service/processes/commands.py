"""The command lines of the parts of the service. What is not ours to import is named by its dotted name."""

from __future__ import annotations

import sys

# -P: a folder "bots" or "workers" where the user stands is not ours.
_PYTHON = (sys.executable, "-P", "-m")


def api_command(host: str, port: int) -> tuple[str, ...]:
    """The HTTP API, served by gunicorn on that address."""
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    config = ("--config", "python:service.api.gunicorn_config")
    return (*_PYTHON, "gunicorn", *config, "--bind", address, "service.api.app:create_app()")


def worker_command(processes: int | None = None) -> tuple[str, ...]:
    """The workers: so many processes for blocks (None: as the settings say), one for turns, and the steward."""
    return (*_PYTHON, "workers.__main__", *_option("--processes", processes))


def bot_command(name: str, host: str, port: int, shown: str | None = None, seed: str | None = None) -> tuple[str, ...]:
    """A reference bot as a web server; `shown` is the name that it gives itself."""
    place = ("--host", host, "--port", str(port))
    return (*_PYTHON, "bots.__main__", name, *place, *_option("--name", shown), *_option("--seed", seed))


def check_command(url: str) -> tuple[str, ...]:
    """The check of a push bot; prints a report as JSON."""
    return (*_PYTHON, "workers.conformance", url)


def ask_command(url: str, round_: int, seat: int, budget_ms: int) -> tuple[str, ...]:
    """A push bot asked anew what a seat was asked in a game whose record comes by standard input; prints JSON."""
    where = ("--round", str(round_), "--seat", str(seat), "--budget-ms", str(budget_ms))
    return (*_PYTHON, "workers.replay_ask", url, *where)


def _option(name: str, value: object) -> tuple[str, ...]:
    return () if value is None else (name, str(value))
