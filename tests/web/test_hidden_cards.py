"""What a spectator's page must not show: two games that differ in a hidden card only look the same."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from service.web import assets
from tests.api.game_setup import ApiGame, new_game

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
    return [text.replace(table.id, "ID") for text in (page, *fragments)]


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
