"""Open pages learn what happens, in hidden tabs, over an outage, and after a first connection that failed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from flask.testing import FlaskClient
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.api.serving import Served, serve
from tests.fixtures_redis import started_redis
from tests.outage import Outage
from tests.web.conftest import ORGANISER
from tests.web.seated import seat


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page that may have errors: it loses its connection."""
    window = chromium.new_context(locale="en-GB")
    window.set_default_timeout(20_000)
    yield window.new_page()
    window.close()


def test_the_first_page_lists_a_new_game_by_itself(server: Served, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.goto(server.url)
    page.locator("input[name=name]").fill("half a na")
    game = seat(server.url, ("Ada", "Bo"), public=True)
    link = page.locator(f'#now a[href="/games/{game.id}"]').first
    expect(link).to_have_text("Ada and Bo", timeout=20_000)
    assert page.locator("input[name=name]").input_value() == "half a na"
    game.play()
    expect(link).to_have_count(0, timeout=20_000)


@pytest.mark.slow
def test_a_page_says_that_the_store_is_away_and_comes_back_by_itself(page: Page) -> None:
    with started_redis() as redis_server, serve(redis_server.url, ORGANISER) as served:
        outage = Outage(redis_server, redis_server.url)
        game = seat(served.url)
        page.goto(game.page)
        expect(page.locator("#stage .now")).to_contain_text("All choose their cards")
        outage.kill()
        # A stream looks at the store at least every 15 s.
        expect(page.locator("#away")).to_be_visible(timeout=40_000)
        expect(page.locator("#board")).to_be_visible()
        assert page.request.get(served.url).status == 503
        outage.end()
        expect(page.locator("#away")).to_be_hidden(timeout=40_000)
        before = page.locator("#stage").get_attribute("data-at") or ""
        game.play(1)
        expect(page.locator("#stage")).not_to_have_attribute("data-at", before)


def test_a_first_connection_that_fails_is_tried_again(server: Served, page: Page) -> None:
    failed: list[str] = []

    def fail_once(route: Route) -> None:
        if failed:
            route.continue_()
        else:
            failed.append(route.request.url)
            route.fulfill(status=503, content_type="text/html", body="<h1>away</h1>")

    page.route("**/live?*", fail_once)
    game = seat(server.url)
    page.goto(game.page)
    expect(page.locator("#away")).to_be_visible()
    expect(page.locator("#board")).to_be_visible()
    expect(page.locator("#away")).to_be_hidden(timeout=20_000)
    before = page.locator("#stage").get_attribute("data-at") or ""
    game.play(1)
    expect(page.locator("#stage")).not_to_have_attribute("data-at", before)


def test_a_hidden_tab_says_that_it_is_ones_turn(server: Served, browser: BrowserContext) -> None:
    game = seat(server.url)
    page = browser.new_page()
    page.goto(f"{server.url}/play/{game.id}#{game.tokens[0]}")
    expect(page).to_have_title("Your turn · Your game with Bo")
    answer = {"decision": "1.play.0.0", "index": 3}
    headers = {"Authorization": f"Bearer {game.tokens[0]}"}
    assert requests.post(f"{server.url}/v1/games/{game.id}/actions", headers=headers, json=answer, timeout=10).ok
    expect(page).to_have_title("Waiting · Your game with Bo")
    page.evaluate(
        """() => { Object.defineProperty(document, 'hidden', {get: () => true});
            document.dispatchEvent(new Event('visibilitychange')); }"""
    )
    while 0 not in game.view()["due"]:
        game.play(1)
    expect(page).to_have_title("Your turn · Your game with Bo")


def test_a_form_that_is_refused_shows_what_the_page_says_now(server: Served, page: Page) -> None:
    game = seat(server.url)
    page.goto(f"{server.url}/play/{game.id}#{game.tokens[0]}")
    expect(page.locator("#pick")).to_have_count(1)
    page.context.clear_cookies()
    page.locator("label:has(input[name=big][value='4'])").click()
    expect(page.locator("h1")).to_have_text("Take a seat")


def test_the_stream_of_the_first_page_begins_with_the_lists(client: FlaskClient) -> None:
    answer = client.get("/now", buffered=False)
    assert answer.mimetype == "text/event-stream"
    lines = iter(answer.response)
    assert b"retry" in next(lines)
    assert b"No public game runs now." in next(lines)
    answer.close()
