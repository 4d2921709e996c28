"""The exported report of a tournament in a browser."""

from __future__ import annotations

from playwright.sync_api import BrowserContext

from service.report.page import build
from tests.archive.tampering import Archive


def test_a_browser_shows_a_report_with_its_styles_and_without_a_request(
    whole: Archive, browser: BrowserContext
) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(build(whole))
    assert page.locator("h1").inner_text() == whole["settings"]["name"]
    assert page.locator("circle.wd").count() == 3
    # The page's policy allows styles, and nothing else.
    assert page.locator(".card").first.evaluate("card => getComputedStyle(card).borderRadius") == "10px"
    assert asked == []
