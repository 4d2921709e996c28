"""axe-core finds nothing on any page, in any language, light or dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from service.web.languages import LANGUAGES
from tests.api.serving import Served
from tests.web.seated import Seated, seat

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def over(server: Served) -> Seated:
    game = seat(server.url, ("lookahead", "Ines", "Bo", "greedy-2"))
    game.play()
    return game


@pytest.fixture(scope="module")
def running(server: Served) -> Seated:
    game = seat(server.url, ("Ada", "Bo"), public=True)
    game.play(2)
    return game


def findings(page: Page) -> list[str]:
    """What axe-core finds, with the first place of each."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing(
    server: Served, chromium: Browser, over: Seated, running: Seated, language: str, scheme: str
) -> None:
    window = chromium.new_context(color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = window.new_page()
    found = {}
    addresses = (
        f"{server.url}/?lang={language}",
        f"{server.url}/rules",
        f"{server.url}/nowhere",
        f"{over.page}?at=60",
        over.page,
        running.page,
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
