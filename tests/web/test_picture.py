"""The picture of a position, and how other sites learn to show a game."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.web import assets, picture
from service.web.timeline import Timeline
from service.web.words import words_in
from tests.api.game_setup import ApiGame, new_game
from tests.web.games import document, finished

README_PICTURE = Path(__file__).parents[2] / "docs" / "game.png"


def size(png: bytes) -> tuple[int, int]:
    """Width and height, as the header of a PNG says (RFC 2083, 3.2 and 4.1.1)."""
    head = io.BytesIO(png)
    assert head.read(8) == b"\x89PNG\r\n\x1a\n"
    assert head.read(8)[4:] == b"IHDR"
    return int.from_bytes(head.read(4)), int.from_bytes(head.read(4))


@pytest.fixture
def game(client: FlaskClient) -> ApiGame:
    return new_game(client, 2, seed="pages")


def test_a_position_is_a_picture_under_an_address_that_never_changes(client: FlaskClient, game: ApiGame) -> None:
    leads = client.get(f"/games/{game.id}/picture.png?at=3")
    assert leads.status_code == 302
    assert leads.location == f"/games/{game.id}/positions/3/en/{assets.version()}/picture.png"
    found = client.get(leads.location)
    assert found.content_type == "image/png"
    assert found.headers["Cache-Control"] == assets.FOREVER
    assert size(found.data) == picture.SIZE
    assert client.get(leads.location).data == found.data
    other = client.get(leads.location.replace("positions/3", "positions/4"))
    assert other.data != found.data
    old = client.get(leads.location.replace(assets.version(), "old"))
    assert old.headers["Cache-Control"] == "no-cache"


def test_a_picture_is_in_a_language_whose_letters_its_font_has(client: FlaskClient, game: ApiGame) -> None:
    assert "/es/" in client.get(f"/games/{game.id}/picture.png?lang=es").location
    assert "/en/" in client.get(f"/games/{game.id}/picture.png?lang=ko").location
    for rest in (f"1/ko/{assets.version()}", f"0/en/{assets.version()}", f"999/en/{assets.version()}"):
        assert client.get(f"/games/{game.id}/positions/{rest}/picture.png").status_code == 404


@pytest.mark.parametrize("name", ["<b>&\"'", "보", "\U0001f600 smiles", "مرحبا", "x" * 60, "var(--ink)"])
def test_whatever_a_name_is_the_picture_is_drawn(name: str) -> None:
    view = finished(document(2), names=(name, "Bo"))
    timeline = Timeline(view)
    timeline.extend(view)
    drawing = picture.svg(view, timeline.positions[-1], words_in("en"))
    assert "--" not in drawing.partition("</style>")[0]
    assert size(picture.png(drawing)) == picture.SIZE


def test_a_picture_shows_no_hidden_card(client: FlaskClient) -> None:
    pictures = []
    for big, little in ((1, 1), (5, 4)):
        table = new_game(client, 3, seed="hidden")
        table.play_cards(1, big=big, little=little)
        pictures.append(client.get(f"/games/{table.id}/picture.png", follow_redirects=True).data)
    assert pictures[0] == pictures[1]


def test_a_preview_of_a_link_to_a_step_shows_that_step(client: FlaskClient, game: ApiGame) -> None:
    page = client.get(f"/games/{game.id}?at=3").text
    assert f'<meta property="og:image" content="http://localhost/games/{game.id}/picture.png?at=3">' in page
    found = re.search(r'type="application/json\+oembed" href="([^"]+)"', page)
    assert found is not None
    described = client.get(found[1]).json or {}
    assert described["type"] == "rich"
    assert f'src="http://localhost/games/{game.id}/embed?at=3"' in described["html"]
    assert f"/positions/3/en/{assets.version()}/picture.png" in described["thumbnail_url"]


def test_a_site_is_told_how_to_frame_a_game_in_the_room_that_it_has(client: FlaskClient) -> None:
    game = new_game(client, 2, seats=[{"name": '"><script>'}, "open"])
    query = {"url": f"http://localhost/games/{game.id}", "maxwidth": "500", "maxheight": "9000"}
    answer = client.get("/oembed", query_string=query)
    described = answer.json or {}
    assert (described["width"], described["height"]) == (500, 700)
    assert "<script>" not in described["html"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert client.get("/oembed", query_string={**query, "maxwidth": "0"}).json["width"] == 200  # type: ignore[index]


@pytest.mark.parametrize(
    "url",
    ["", "http://localhost/", "http://elsewhere/games/{}", "ftp://localhost/games/{}", "http://localhost/play/{}"],
)
def test_only_games_of_this_service_can_be_embedded(client: FlaskClient, game: ApiGame, url: str) -> None:
    assert client.get("/oembed", query_string={"url": url.format(game.id)}).status_code == 404
    assert client.get("/oembed", query_string={"url": "http://localhost/games/nothing"}).status_code == 404


def test_a_description_is_offered_as_json_only(client: FlaskClient, game: ApiGame) -> None:
    query = {"url": f"http://localhost/games/{game.id}", "format": "xml"}
    assert client.get("/oembed", query_string=query).status_code == 501


def test_the_readme_begins_with_a_picture_of_a_game() -> None:
    assert size(README_PICTURE.read_bytes()) == picture.SIZE
