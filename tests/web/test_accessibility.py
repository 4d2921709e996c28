"""axe-core finds nothing on any page, in any language, light or dark."""

from __future__ import annotations

import pytest
import requests
from playwright.sync_api import Browser

from service.presentation.languages import LANGUAGES
from tests.api.serving import Served
from tests.web.axe import findings
from tests.web.conftest import ORGANISER
from tests.web.seated import Seated, seat

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def over(server: Served) -> Seated:
    game = seat(server.url, ("lookahead", "Ines", "Bo", "greedy-2"))
    headers = {"Authorization": f"Bearer {game.tokens[0]}"}
    answer = {"decision": "1.play.0.0", "index": 1, "comment": "The little goes first."}
    assert requests.post(f"{server.url}/v1/games/{game.id}/actions", headers=headers, json=answer, timeout=10).ok
    game.play()
    return game


@pytest.fixture(scope="module")
def running(server: Served) -> Seated:
    game = seat(server.url, ("Ada", "Bo"), public=True)
    game.play(2)
    return game


@pytest.fixture(scope="module")
def invitation(server: Served) -> str:
    """The address of an open seat."""
    body = {"players": 2, "seats": ["open", "open"]}
    game = requests.post(f"{server.url}/v1/games", json=body, timeout=10).json()["game"]
    return f"{server.url}/play/{game}/seats/1"


@pytest.fixture(scope="module")
def tournament(server: Served) -> str:
    """A tournament's id."""

    def post(path: str, body: dict[str, object]) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {ORGANISER}"}
        made: dict[str, str] = requests.post(f"{server.url}/v1/{path}", json=body, headers=headers, timeout=10).json()
        return made

    names = [post("bots", {"name": f"axe-{number}", "kind": "poll"})["name"] for number in range(3)]
    return post("tournaments", {"name": "An accessible cup", "bots": names, "players": 2, "deals": 2})["tournament"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing(
    server: Served,
    chromium: Browser,
    over: Seated,
    running: Seated,
    invitation: str,
    tournament: str,
    language: str,
    scheme: str,
) -> None:
    window = chromium.new_context(color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = window.new_page()
    found = {}
    addresses = (
        f"{server.url}/?lang={language}",
        f"{server.url}/rules",
        f"{server.url}/nowhere",
        f"{server.url}/tournaments",
        f"{server.url}/tournaments/{tournament}",
        f"{over.page}?at=60",
        over.page,
        running.page,
        f"{over.page}/embed?at=60&theme={scheme}",
        f"{over.page}?at=7",
        invitation,
        f"{server.url}/play/{over.id}",
        f"{server.url}/play/{running.id}#{running.tokens[0]}",
    )
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        for address in addresses:
            page.goto(address)
            if "#" in address:
                page.locator("#choice").wait_for()
            if wrong := findings(page):
                found[width, address] = wrong
    window.close()
    assert found == {}
