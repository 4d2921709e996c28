"""What axe-core finds on a page."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def findings(page: Page) -> list[str]:
    """Each finding, with the first place of it. The page must let scripts run (`bypass_csp`)."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


def width(page: Page) -> int:
    """How wide the page's content is (CSS pixels): wider than the window, if one has to scroll sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth"))
