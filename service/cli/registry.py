"""The bots that are registered at a service: finding, registering and moving them."""

from __future__ import annotations

from typing import Any

import click

from service.cli.client import ApiClient, ServiceError, segment
from service.cli.output import plain


def existing_bot(client: ApiClient, name: str) -> dict[str, Any]:
    """The registered bot of that name or id, as the caller may see it. Raises click.ClickException if there is none."""
    try:
        found: dict[str, Any] = client.get(f"/v1/bots/{segment(name)}")
    except ServiceError as error:
        if error.code != "not_found":
            raise
        raise click.ClickException(f"no bot {plain(name, 60)!r} is registered at {client.url}") from None
    return found


def register(client: ApiClient, name: str, url: str | None, *, casual: bool = False, **more: object) -> dict[str, Any]:
    """Registers a push bot, or with `url` None a poll bot; the answer has its token and secret. `more`: other members,
    unless None. Raises ServiceError."""
    body: dict[str, object] = {"name": name, "kind": "poll" if url is None else "push", "casual": casual}
    given = {key: value for key, value in ({"url": url} | more).items() if value is not None}
    made: dict[str, Any] = client.post("/v1/bots", body | given)
    return made


def secret_for(client: ApiClient, name: str, url: str) -> str:
    """Registers a casual push bot at that URL, or moves the bot of that name there; its signing secret. Raises
    ServiceError."""
    try:
        return str(register(client, name, url, casual=True)["secret"])
    except ServiceError as error:
        if error.code != "name_taken":
            raise
    path = f"/v1/bots/{segment(str(existing_bot(client, name)['bot']))}"
    client.patch(path, {"url": url, "casual": True})
    return str(client.post(f"{path}/secret", {"at_once": True})["secret"])


def poll_token_for(client: ApiClient, name: str) -> str:
    """Registers a poll bot that plays one game at a time, or gives the poll bot of that name a new token; the token.
    Raises ServiceError, and click.ClickException if the bot of that name is a push bot."""
    try:
        return str(register(client, name, None, max_games=1)["token"])
    except ServiceError as error:
        if error.code != "name_taken":
            raise
    found = existing_bot(client, name)
    if found.get("kind") != "poll":
        raise click.ClickException(f"a push bot {name!r} is already registered at {client.url}")
    return str(client.post(f"/v1/bots/{segment(str(found['bot']))}/token")["token"])


def register_once(client: ApiClient, name: str, url: str | None, **options: Any) -> None:
    """Registers a bot unless it is there already with this URL. Raises click.ClickException if it has another URL."""
    try:
        register(client, name, url, **options)
    except ServiceError as error:
        if error.code != "name_taken":
            raise
        known = existing_bot(client, name).get("url")
        if known != url and str(known).rstrip("/") != str(url).rstrip("/"):
            raise click.ClickException(
                f"a bot {name!r} is already registered at {client.url}, with the URL {plain(known, 200)}, not {url}"
            ) from None
