"""What a spectator's page must not show: two games that differ in a hidden card only look the same."""

from __future__ import annotations

import re

import requests
from flask.testing import FlaskClient
from playwright.sync_api import BrowserContext, expect

from service.web import assets
from tests.api.game_setup import ApiGame, new_game
from tests.api.serving import Served
from tests.web.seated import seat

CARDS = ((1, 1), (5, 4), (3, 2))


def shown(client: FlaskClient, table: ApiGame) -> list[str]:
    """Everything that a spectator of a game can be sent, but for its id and what no two games share."""
    page = client.get(f"/games/{table.id}").text
    found = re.search(r'data-last="(\d+)"', page)
    assert found is not None
    fragments = [
        client.get(f"/games/{table.id}/positions/{n}/{language}/{assets.version()}").text
        for n in range(1, int(found[1]) + 1)
        for language in ("en", "es", "ko")
    ]
    return [without_what_differs(text, table.id) for text in (page, *fragments)]


def without_what_differs(text: str, game: str) -> str:
    """A page without its game's id, and without the times since when seats are to act."""
    return re.sub(r"<time .*?</time>", "<time>", text.replace(game, "ID"))


def test_before_the_reveal_a_page_is_the_same_whatever_was_chosen(client: FlaskClient) -> None:
    pages = []
    for big, little in CARDS:
        table = new_game(client, 3, seed="hidden")
        table.play_cards(1, big=big, little=little)
        pages.append(shown(client, table))
    assert pages[0] == pages[1] == pages[2]


def test_default_cards_look_like_chosen_ones(client: FlaskClient) -> None:
    chosen = new_game(client, 3, seed="hidden")
    chosen.play_cards(0, big=4, little=5)
    default = new_game(client, 3, seed="hidden")
    default.play_cards(0, big=1, little=1)
    assert shown(client, chosen) == shown(client, default)


def test_the_order_of_the_stack_is_in_no_page(client: FlaskClient) -> None:
    table = new_game(client, 2, seed="hidden")
    page = client.get(f"/games/{table.id}").text
    listed = re.search(r"Ships not seen yet: ([^<]+)\.", page)
    assert listed is not None
    ships = listed[1].split(", ")
    assert ships == sorted(ships)


def test_what_a_browser_was_sent_live_is_the_same_whatever_was_chosen(server: Served, browser: BrowserContext) -> None:
    documents = []
    for index in (0, 24):
        game = seat(server.url, ("Ada", "Bo", "Cy"), seed="hidden")
        page = browser.new_page()
        page.goto(game.page)
        expect(page.locator("#seat-1")).to_contain_text("choosing cards")
        headers = {"Authorization": f"Bearer {game.tokens[1]}"}
        answer = {"decision": "1.play.1.0", "index": index}
        sent = requests.post(f"{server.url}/v1/games/{game.id}/actions", headers=headers, json=answer, timeout=10)
        assert sent.ok, sent.text
        expect(page.locator("#seat-1")).to_contain_text("has chosen")
        # What htmx and the player note of their own comes with the end of the swap.
        expect(page.locator("#step-n")).to_have_text(page.locator("#stage").get_attribute("data-at") or "")
        documents.append(without_what_differs(page.content(), game.id))
        page.close()
    assert documents[0] == documents[1]
