"""Watching and replaying a game in a real browser."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.api.serving import Served
from tests.web.seated import Seated, seat


def step(page: Page) -> int:
    """The step that is shown."""
    return int(page.locator("#stage").get_attribute("data-at") or 0)


def newest(page: Page) -> int:
    """The newest step that the page knows."""
    return int(page.locator("#bar").get_attribute("data-last") or 0)


@pytest.fixture
def over(server: Served) -> Seated:
    game = seat(server.url, ("lookahead", "Ines", "Bo", "greedy-2"))
    game.play()
    return game


def test_a_live_game_is_followed_to_its_end(server: Served, browser: BrowserContext) -> None:
    game = seat(server.url)
    page = browser.new_page()
    page.goto(game.page)
    expect(page.locator("#stage .now")).to_contain_text("All choose their cards")
    draw = random.Random(3)
    for _ in range(6):
        before = step(page)
        assert game.act(draw) is not None
        expect(page.locator("#stage")).not_to_have_attribute("data-at", str(before))
    game.play()
    expect(page.locator("#stage .now")).to_contain_text("The game is over")
    expect(page.locator("#about")).to_contain_text("Over")
    expect(page.locator("#bar")).to_have_attribute("data-live", "no")
    assert step(page) == newest(page)


def test_who_looks_back_is_left_alone_until_they_come_back(server: Served, browser: BrowserContext) -> None:
    game = seat(server.url)
    game.play(4)
    page = browser.new_page()
    page.goto(game.page)
    page.keyboard.press("ArrowLeft")
    then = step(page)
    expect(page).to_have_url(f"{game.page}?at={newest(page) - 1}")
    then, known = step(page), newest(page)
    game.play(3)
    expect(page.locator("#bar")).not_to_have_attribute("data-last", str(known))
    assert step(page) == then
    page.get_by_role("button", name="Now").click()
    expect(page.locator("#stage")).to_have_attribute("data-at", str(newest(page)))
    shown = step(page)
    game.play(1)
    expect(page.locator("#stage")).not_to_have_attribute("data-at", str(shown))
    game.play()
    expect(page.locator("#stage .now")).to_contain_text("The game is over")


def test_a_game_is_replayed_by_keys(over: Seated, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.goto(f"{over.page}?at=6")
    stage = page.locator("#stage")
    for key, at in (("ArrowRight", 7), ("ArrowRight", 8), ("ArrowLeft", 7), ("Home", 1), ("End", newest(page))):
        page.keyboard.press(key)
        expect(stage).to_have_attribute("data-at", str(at))
    expect(page.locator("#stage .now")).to_contain_text("The game is over")
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("#stage .now")).to_contain_text("Round")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


@pytest.mark.slow
def test_a_game_plays_back_by_itself_and_nothing_jumps(over: Seated, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.goto(f"{over.page}?at=6")
    page.evaluate(
        """() => { window.shift = 0;
            new PerformanceObserver(list => { for (const entry of list.getEntries()) window.shift += entry.value; })
                .observe({type: 'layout-shift', buffered: true}); }"""
    )
    page.locator("#speed").select_option("8")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#stage .now")).to_contain_text("The game is over", timeout=60_000)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert page.evaluate("window.shift") < 0.02


def test_a_position_is_reached_by_its_link_and_from_the_log(over: Seated, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.goto(f"{over.page}?at=30")
    assert step(page) == 30
    page.get_by_role("link", name="Go to step 25").click()
    expect(page.locator("#stage")).to_have_attribute("data-at", "25")
    expect(page).to_have_url(f"{over.page}?at=25")
    page.reload()
    assert step(page) == 25


@pytest.mark.slow
def test_a_position_is_the_same_by_steps_and_by_its_link(over: Seated, browser: BrowserContext) -> None:
    page, other = browser.new_page(), browser.new_page()
    page.goto(f"{over.page}?at=20")
    for at in range(21, 60):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#stage")).to_have_attribute("data-at", str(at))
    other.goto(f"{over.page}?at=59")
    for part in ("#stage", "#side", "#rooms"):
        assert page.locator(part).inner_html() == other.locator(part).inner_html()


@pytest.mark.slow
def test_a_worker_walks_along_the_path(over: Seated, browser: BrowserContext) -> None:
    """From stop to stop, and not straight across the warehouses."""
    page = browser.new_page()
    page.add_init_script(
        """window.walked = [];
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (frames, how) {
            window.walked.push([this.id, this.dataset.walk, frames.length]);
            return animate.call(this, frames, how); };"""
    )
    page.goto(f"{over.page}?at=40")
    for at in range(41, 70):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#stage")).to_have_attribute("data-at", str(at))
        page.evaluate("Promise.all(document.getAnimations().map(one => one.finished.catch(() => {})))")
    walked = page.evaluate("window.walked")
    assert walked
    for worker, stops, frames in walked:
        assert worker.startswith("w-")
        assert len(stops.split()) == frames >= 3


def test_without_a_script_a_game_is_replayed_with_buttons(over: Seated, browser: BrowserContext) -> None:
    plain = browser.browser.new_context(java_script_enabled=False) if browser.browser else None
    assert plain is not None
    page = plain.new_page()
    page.goto(f"{over.page}?at=6")
    page.get_by_role("button", name="Step on").click()
    assert step(page) == 7
    page.get_by_role("button", name="Round on").click()
    expect(page.locator("#side")).to_contain_text("Round 2. A number")
    page.get_by_label("of", exact=True).select_option("2")
    page.get_by_role("button", name="Next decision").click()
    expect(page.locator("#seat-2")).to_have_class("card seat due")
    page.get_by_role("button", name="End").click()
    expect(page.locator("#stage .now")).to_contain_text("The game is over")
    plain.close()


@pytest.mark.parametrize("width", [320, 360, 640, 1280])
def test_a_game_fits_the_width_of_the_window(over: Seated, browser: BrowserContext, width: int) -> None:
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{over.page}?at=60")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
