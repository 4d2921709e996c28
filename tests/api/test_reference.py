"""`/docs` in a browser: it shows every operation, asks no other host, and axe-core has no serious finding."""

from __future__ import annotations

import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.api.serving import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
SHOWN_MS = 60_000


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_the_reference_has_no_serious_finding_and_needs_no_other_host(server: Served) -> None:
    answered: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        page = browser.new_page()
        page.on("response", lambda response: answered.append(response.url))
        page.goto(f"{server.url}/docs/")
        page.get_by_role("heading", name="Withdraw a bot").first.wait_for(timeout=SHOWN_MS)
        found = Axe().run(page).response["violations"]
        browser.close()
    assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []
    assert all(url.startswith((server.url, "data:", "blob:")) for url in answered), answered
