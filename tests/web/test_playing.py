"""Playing in a real browser: by mouse, by keyboard alone, without a script, and several people at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import requests
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.api.serving import Served
from tests.web.conftest import ORGANISER
from tests.web.seated import seat


@contextmanager
def poll_bot(url: str, name: str) -> Iterator[str]:
    """A registered bot that anybody can seat; it polls, and plays the last of its legal actions. Gives its id."""
    key = {"Authorization": f"Bearer {ORGANISER}"}
    made = requests.post(f"{url}/v1/bots", headers=key, json={"name": name, "kind": "poll", "casual": True}, timeout=10)
    assert made.status_code == 201, made.text
    token = {"Authorization": f"Bearer {made.json()['token']}"}
    done = threading.Event()

    def play() -> None:
        while not done.is_set():
            polled = requests.get(f"{url}/v1/bots/me/decisions?wait=1", headers=token, timeout=10)
            for ask in polled.json()["decisions"]:
                answer = {"decision": ask["decision"]["id"], "index": len(ask["legal_actions"]) - 1}
                requests.post(f"{url}/v1/games/{ask['game']}/actions", headers=token, json=answer, timeout=10)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield made.json()["bot"]
    finally:
        done.set()
        thread.join()


def start(page: Page, url: str, name: str, *others: str) -> None:
    """Starts a game from the first page."""
    page.goto(url)
    page.locator("input[name=name]").fill(name)
    for number, other in enumerate(others, 1):
        page.locator(f"select[name=other{number}]").select_option(other)
    page.locator("form.start button").click()
    page.wait_for_url("**/play/*")


def is_over(page: Page) -> bool:
    return page.locator(".result").count() == 1


def step_by_mouse(page: Page) -> None:
    """Does the next step of the player's choice, if there is one."""
    form = page.locator("#pick")
    if form.count() == 0:
        return
    decision = page.locator("#choice").get_attribute("data-decision")
    if page.locator("#pick .options").count():
        page.locator("#pick .options button").first.click()
    elif page.locator("#pick .cards").count():
        for group in range(page.locator("#pick fieldset").count()):
            page.locator("#pick fieldset").nth(group).locator("label:has(input:enabled)").nth(group).click()
        page.locator("#pick button[name=confirm]").click()
    else:
        while page.locator("#confirm[disabled]").count():
            before = page.locator(".hand span").text_content() or ""
            page.locator("button[name=more]:enabled").first.click()
            expect(page.locator(".hand span")).not_to_have_text(before)
        page.locator("#confirm").click()
    expect(page.locator("#choice")).not_to_have_attribute("data-decision", decision or "?")


def tab_to(page: Page, selector: str) -> None:
    """Moves on with Tab until something is focused."""
    for _ in range(150):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def step_by_keyboard(page: Page) -> None:
    """The same with nothing but keys."""
    if page.locator("#pick").count() == 0:
        return
    decision = page.locator("#choice").get_attribute("data-decision")
    if page.locator("#pick .options").count():
        tab_to(page, "#pick .options button")
        page.keyboard.press("Enter")
    elif page.locator("#pick .cards").count():
        for name in ("big", "little", "jack"):
            if page.locator(f"input[name={name}]").count():
                tab_to(page, f"input[name={name}]")
                page.keyboard.press("ArrowDown")
                if name == "jack":
                    page.keyboard.press("ArrowDown")
        tab_to(page, "#pick button[name=confirm]")
        page.keyboard.press("Enter")
    else:
        while page.locator("#confirm[disabled]").count():
            before = page.locator(".hand span").text_content() or ""
            tab_to(page, "button[name=more]")
            page.keyboard.press("Enter")
            expect(page.locator(".hand span")).not_to_have_text(before)
        tab_to(page, "#confirm")
        page.keyboard.press("Enter")
    expect(page.locator("#choice")).not_to_have_attribute("data-decision", decision or "?")


@pytest.mark.slow
def test_a_whole_game_by_keyboard_alone(server: Served, browser: BrowserContext) -> None:
    page = browser.new_page()
    with poll_bot(server.url, "keys") as bot:
        start(page, server.url, "Ada", bot)
        while not is_over(page):
            expect(page.locator("#pick, .result")).to_have_count(1)
            step_by_keyboard(page)
    expect(page.locator("#stage .now")).to_contain_text("The game is over")


@pytest.mark.slow
def test_a_whole_game_without_a_script(server: Served, chromium: Browser) -> None:
    plain = chromium.new_context(java_script_enabled=False, locale="en-GB")
    page = plain.new_page()
    with poll_bot(server.url, "plain") as bot:
        start(page, server.url, "Ada", bot)
        while not is_over(page):
            if page.locator("#pick").count() == 0:
                page.reload()
                continue
            step_without_script(page)
    expect(page.locator("#choice")).to_contain_text("The game is over")
    plain.close()


def step_without_script(page: Page) -> None:
    """A step with nothing but forms, each of which loads the page anew."""
    if page.locator("#pick .options").count():
        page.locator("#pick .options button").first.click()
    elif page.locator("#pick .cards").count():
        for group in range(page.locator("#pick fieldset").count()):
            page.locator("#pick fieldset").nth(group).locator("label:has(input:enabled)").nth(group).click()
        page.locator("#pick button[name=preview]").click()
        expect(page.locator("#pick .sum")).to_contain_text("Chosen")
        page.locator("#pick button[name=confirm]").click()
    else:
        while page.locator("#confirm[disabled]").count():
            page.locator("button[name=more]:enabled").first.click()
        page.locator("#confirm").click()


@pytest.mark.slow
def test_two_people_and_a_bot_play_in_three_languages(server: Served, chromium: Browser) -> None:
    ada_window, bo_window = chromium.new_context(locale="es-ES"), chromium.new_context(locale="ko-KR")
    watching = chromium.new_context(locale="en-GB")
    ada, bo, watcher = ada_window.new_page(), bo_window.new_page(), watching.new_page()
    with poll_bot(server.url, "third") as bot:
        start(ada, server.url, "Ada", "open", bot)
        invitation = ada.locator(".invite").input_value()
        watcher.goto(ada.url.replace("/play/", "/games/"))
        bo.goto(invitation)
        bo.locator("input[name=name]").fill("보")
        bo.locator("form.pick button").click()
        assert (ada.locator("html").get_attribute("lang"), bo.locator("html").get_attribute("lang")) == ("es", "ko")
        expect(ada.locator("#pick")).to_have_count(1)
        while not is_over(ada):
            for page in (ada, bo):
                step_by_mouse(page)
            # Whose turn it is next, each page finds out by itself.
            ada.wait_for_timeout(50)
    expect(bo.locator(".result")).to_have_count(1)
    expect(watcher.locator("#stage .now")).to_contain_text("The game is over")
    for window in (ada_window, bo_window, watching):
        window.close()


def test_a_half_made_choice_survives_the_news(server: Served, browser: BrowserContext) -> None:
    game = seat(server.url, ("Ada", "Bo", "Cy"))
    page = browser.new_page()
    page.goto(f"{server.url}/play/{game.id}#{game.tokens[0]}")
    expect(page.locator("#pick")).to_have_count(1)
    assert game.tokens[0] not in page.url
    page.locator("label:has(input[name=big][value='4'])").click()
    expect(page.locator(".ghost")).to_have_count(1)
    headers = {"Authorization": f"Bearer {game.tokens[2]}"}
    answer = {"decision": "1.play.2.0", "index": 3}
    assert requests.post(f"{server.url}/v1/games/{game.id}/actions", headers=headers, json=answer, timeout=10).ok
    expect(page.locator("#seat-2")).to_contain_text("has chosen")
    expect(page.locator("input[name=big][value='4']")).to_be_checked()
    expect(page.locator(".ghost")).to_have_count(1)


def test_barrels_can_be_taken_back_before_they_are_confirmed(server: Served, browser: BrowserContext) -> None:
    game = seat(server.url)
    page = browser.new_page()
    page.goto(f"{server.url}/play/{game.id}#{game.tokens[0]}")
    for _ in range(60):
        if page.locator("#pick .ships button[name=more]:enabled").count():
            break
        game.play(1)
        page.wait_for_timeout(100)
    page.locator("button[name=more]:enabled").last.click()
    expect(page.locator(".brl.new")).to_have_count(1)
    page.locator("#reset").click()
    expect(page.locator(".brl.new")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1280])
def test_a_choice_fits_the_width_of_the_window(server: Served, browser: BrowserContext, width: int) -> None:
    game = seat(server.url)
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{server.url}/play/{game.id}#{game.tokens[0]}")
    expect(page.locator("#pick")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_explanations_that_are_turned_off_stay_off(server: Served, browser: BrowserContext) -> None:
    game = seat(server.url)
    page = browser.new_page()
    page.goto(f"{server.url}/play/{game.id}#{game.tokens[0]}")
    hint = page.locator("#choice .hint").first
    expect(hint).to_have_attribute("open", "")
    hint.locator("summary").click()
    expect(hint).not_to_have_attribute("open", "")
    before = page.locator("#choice").get_attribute("data-decision")
    game.play(2)
    expect(page.locator("#choice")).not_to_have_attribute("data-decision", before or "")
    expect(hint).not_to_have_attribute("open", "")
    page.reload()
    expect(page.locator("#choice .hint").first).not_to_have_attribute("open", "")


@pytest.mark.parametrize("name", ["W" * 60, "\N{ARABIC LIGATURE BISMILLAH AR-RAHMAN AR-RAHEEM}" * 6, "ab\u200d" * 20])
def test_no_name_is_too_wide_for_a_narrow_window(server: Served, browser: BrowserContext, name: str) -> None:
    game = seat(server.url, (name, f"{name[:-1]}2"), public=True)
    page = browser.new_page()
    page.set_viewport_size({"width": 320, "height": 800})
    for address in (server.url, game.page, f"{game.page}/embed", f"{server.url}/play/{game.id}#{game.tokens[0]}"):
        page.goto(address)
        if "#" in address:
            expect(page.locator("#pick")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, address


def test_the_head_of_the_next_choice_comes_into_view(server: Served, browser: BrowserContext) -> None:
    game = seat(server.url)
    page = browser.new_page()
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto(f"{server.url}/play/{game.id}#{game.tokens[0]}")
    page.locator("label:has(input[name=big][value='4'])").click()
    page.locator("label:has(input[name=little][value='5'])").click()
    page.locator("#alarm").scroll_into_view_if_needed()
    expect(page.locator("#choice h2")).not_to_be_in_viewport()
    page.locator("#pick button[name=confirm]").click()
    expect(page.locator("#choice h2")).to_have_text("Wait for the others")
    expect(page.locator("#choice h2")).to_be_in_viewport()
