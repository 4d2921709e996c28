"""Playing in the browser, as it is sent: seats, cookies, forms, and what a form can do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.operations.context import Context
from service.web.choices import choice_of
from service.web.timeline import Timeline
from service.web.words import words_in
from tests.api.game_setup import new_game
from tests.web.conftest import ORGANISER
from tests.web.games import document, played

BROWSER = {"Accept": "text/html"}


def start(client: FlaskClient, others: tuple[str, ...] = ("open",), name: str = "Ada") -> str:
    """Starts a game from the first page, and returns its id. The client has the first seat's cookie then."""
    form = {"name": name, **{f"other{number}": other for number, other in enumerate(others, 1)}}
    answer = client.post("/games", data=form)
    assert answer.status_code == 303, answer.text
    return str(answer.location).rsplit("/", 1)[1]


def join(app: Flask, game: str, seat: int = 1, name: str = "Bo") -> FlaskClient:
    """Another browser, which takes a seat."""
    client = app.test_client()
    assert client.post(f"/play/{game}/seats/{seat}", data={"name": name}).status_code == 303
    return client


def decision_of(page: str) -> str:
    """The decision that a page asks for, or nothing."""
    found = re.search(r'data-decision="([^"]*)"', page)
    assert found is not None
    return found[1]


def act(client: FlaskClient, game: str, **fields: str) -> Any:
    """Sends a form of the page's open decision."""
    page = client.get(f"/play/{game}").text
    return client.post(f"/play/{game}/choice", data={"decision": decision_of(page), **fields})


def test_a_game_from_the_first_page_belongs_to_the_one_who_started_it(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    page = client.get(f"/play/{game}").text
    assert "You are Ada, seat 0" in page
    assert f"/play/{game}/seats/1" in page
    assert "Take a seat" in app.test_client().get(f"/play/{game}").text


def test_a_game_from_the_first_page_is_in_no_list(client: FlaskClient) -> None:
    start(client)
    assert client.get("/v1/games").json == {"items": [], "next": None}


def test_the_cookie_of_a_seat_goes_to_its_game_only_and_to_no_script(client: FlaskClient) -> None:
    answer = client.post("/games", data={"name": "Ada", "other1": "open"})
    game = str(answer.location).rsplit("/", 1)[1]
    cookie = answer.headers["Set-Cookie"]
    assert f"Path=/play/{game};" in cookie + ";"
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_the_token_of_a_seat_stands_in_no_page(client: FlaskClient) -> None:
    answer = client.post("/games", data={"name": "Ada", "other1": "open"})
    token = re.search(r"mb_[A-Za-z0-9._-]+", answer.headers["Set-Cookie"])
    assert token is not None
    assert token[0] not in answer.location
    assert token[0] not in client.get(answer.location).text


def test_an_invitation_is_for_one_seat_and_once(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    assert "Ada wait" in app.test_client().get(f"/play/{game}/seats/1").text
    join(app, game)
    late = app.test_client().post(f"/play/{game}/seats/1", data={"name": "Eve"}, headers=BROWSER)
    assert late.status_code == 409
    assert "This seat is taken" in late.text


def test_a_token_from_elsewhere_becomes_a_cookie(client: FlaskClient, app: Flask) -> None:
    table = new_game(client, 2)
    browser = app.test_client()
    answer = browser.post(f"/play/{table.id}/token", data={"token": table.tokens[1]})
    assert answer.status_code == 303
    assert "You are player 1, seat 1" in browser.get(f"/play/{table.id}").text


@pytest.mark.parametrize("token", ["", "nonsense", "mb_abc.0.xyz"])
def test_a_token_that_nobody_knows_gives_no_seat(client: FlaskClient, token: str) -> None:
    table = new_game(client, 2)
    answer = client.post(f"/play/{table.id}/token", data={"token": token}, headers=BROWSER)
    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}]
)
@pytest.mark.parametrize(
    "path", ["/games", "/play/{}/choice", "/play/{}/resignation", "/play/{}/rematch", "/play/{}/token"]
)
def test_no_other_site_can_send_a_form(client: FlaskClient, app: Flask, headers: dict[str, str], path: str) -> None:
    game = start(client)
    join(app, game)
    answer = client.post(path.format(game), data={"other1": "open"}, headers={**headers, **BROWSER})
    assert answer.status_code == 403


def test_a_player_without_a_seat_can_send_nothing(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    answer = app.test_client().post(f"/play/{game}/choice", data={"decision": "1.play.0.0"}, headers=BROWSER)
    assert answer.status_code == 401


def test_cards_are_shown_first_and_played_when_they_are_confirmed(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    shown = act(client, game, big="3", little="2", preview="1")
    assert shown.status_code == 200
    assert "Chosen: big 3, little 2." in shown.text
    assert 'class="ghost"' in shown.text
    assert "has chosen" not in client.get(f"/games/{game}").text
    assert act(client, game, big="3", little="2", confirm="1").status_code == 303
    assert "has chosen" in client.get(f"/games/{game}").text


def test_half_a_choice_is_not_played(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    assert act(client, game, big="3", confirm="1").status_code == 200
    assert "has chosen" not in client.get(f"/games/{game}").text


@pytest.mark.parametrize("card", ["0", "6", "-1", "x", "1.5", "²", ""])
def test_a_card_that_is_none_counts_as_not_chosen(client: FlaskClient, app: Flask, card: str) -> None:
    game = start(client)
    join(app, game)
    assert act(client, game, big=card, little="2", confirm="1").status_code == 200
    assert "has chosen" not in client.get(f"/games/{game}").text


def test_own_cards_are_seen_before_the_reveal_and_those_of_others_are_not(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    other = join(app, game)
    act(client, game, big="5", little="4", confirm="1")
    assert re.search(r'id="o-0-big".*?>5</text></g>', client.get(f"/play/{game}").text)
    assert "card 5" in client.get(f"/play/{game}").text
    assert "card 5" not in other.get(f"/play/{game}").text
    assert "card 5" not in client.get(f"/games/{game}").text


def test_a_choice_can_be_made_from_the_list(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    assert act(client, game, index="7", choose="1").status_code == 303
    assert "card 2" in client.get(f"/play/{game}").text


def test_a_form_that_was_sent_twice_says_that_the_game_has_moved_on(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    form = {"decision": "1.play.0.0", "big": "3", "little": "2", "confirm": "1"}
    assert client.post(f"/play/{game}/choice", data=form).status_code == 303
    again = client.post(f"/play/{game}/choice", data={**form, "big": "4"}, headers=BROWSER)
    assert again.status_code in (200, 422)


def test_a_whole_game_by_forms(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    browsers = (client, join(app, game))
    for _ in range(400):
        pages = [browser.get(f"/play/{game}").text for browser in browsers]
        if "The game is over" in pages[0]:
            break
        for browser, page in zip(browsers, pages, strict=True):
            if decision := decision_of(page):
                form = {"decision": decision, "index": "0", "choose": "1"}
                assert browser.post(f"/play/{game}/choice", data=form).status_code == 303
    assert "Play again" in client.get(f"/play/{game}").text


def test_a_player_can_give_up(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    assert client.post(f"/play/{game}/resignation").status_code == 303
    assert "The game is over: Bo wins" in client.get(f"/play/{game}").text


def test_a_rematch_is_a_new_game_with_the_same_seat_and_name(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    client.post(f"/play/{game}/resignation")
    answer = client.post(f"/play/{game}/rematch")
    assert answer.status_code == 303
    assert str(answer.location) != f"/play/{game}"
    assert "You are Ada, seat 0" in client.get(answer.location).text


def test_where_games_need_a_key_the_button_asks_for_it(redis_url: str) -> None:
    settings = Settings(redis_url=redis_url, organiser_key=ORGANISER, anonymous_games=False)
    client = create_app(wiring.build(settings)).test_client()
    assert 'name="key"' in client.get("/").text
    assert client.post("/games", data={"other1": "open"}, headers=BROWSER).status_code == 401
    assert client.post("/games", data={"other1": "open", "key": ORGANISER}).status_code == 303


def test_a_rematch_asks_for_the_key_too(redis_url: str) -> None:
    settings = Settings(redis_url=redis_url, organiser_key=ORGANISER, anonymous_games=False)
    app = create_app(wiring.build(settings))
    client = app.test_client()
    game = str(client.post("/games", data={"other1": "open", "key": ORGANISER}).location).rsplit("/", 1)[1]
    join(app, game)
    client.post(f"/play/{game}/resignation")
    assert 'name="key"' in client.get(f"/play/{game}").text
    assert client.post(f"/play/{game}/rematch", headers=BROWSER).status_code == 401
    assert client.post(f"/play/{game}/rematch", data={"key": ORGANISER}).status_code == 303


def test_the_one_who_gave_up_is_last_in_the_result(client: FlaskClient, app: Flask) -> None:
    game = start(client)
    join(app, game)
    client.post(f"/play/{game}/resignation")
    listed = client.get(f"/play/{game}").text.split('class="result"')[1].split("</ol>")[0]
    assert listed.index("Bo") < listed.index("Ada")


def test_a_game_is_listed_where_that_is_asked_for(client: FlaskClient) -> None:
    answer = client.post("/games", data={"name": "Ada", "other1": "open", "public": "1"})
    game = str(answer.location).rsplit("/", 1)[1]
    assert f"/play/{game}/seats/1" in client.get("/").text


def test_the_first_page_lists_public_games_only(client: FlaskClient) -> None:
    new_game(client, 2, name="quiet")
    public = new_game(client, 2, public=True)
    page = client.get("/").text
    assert f"/games/{public.id}" in page
    assert page.count('href="/games/') == 2


@pytest.mark.parametrize("chance", range(4))
def test_every_legal_load_can_be_put_together_with_the_buttons(chance: int) -> None:
    """What is confirmed is always legal, and a choice of all barrels of a legal action gives that action."""
    words = words_in("en")
    compared = 0
    for view in played(document(3, f"choices-{chance}"), chance=chance):
        if view.status != "running" or not view.game.decisions:
            continue
        decision = view.game.decisions[0]
        if decision.type not in ("load", "unload"):
            continue
        timeline = Timeline(view)
        timeline.extend(view)
        for action in view.game.legal_actions(decision.id):
            form = {f"on-{ship}": str(count) for ship, count in action.ships}  # type: ignore[union-attr]
            made = choice_of(view.game, timeline.positions[-1], decision, form, words)
            assert made.action == action
            compared += 1
    assert compared


def test_a_card_says_that_its_worker_would_fall_back() -> None:
    """Which it says of no other card: a worker ends where its card leads, or where nobody stands behind that."""
    words = words_in("en")
    noted = 0
    for view in played(document(4, "falls-back"), chance=5):
        decisions = view.game.decisions if view.status == "running" else ()
        if not decisions or decisions[0].type != "play":
            continue
        timeline = Timeline(view)
        timeline.extend(view)
        position = timeline.positions[-1]
        for row in choice_of(view.game, position, decisions[0], {}, words).cards:
            ends = [option.where for option in row.options if option.where.startswith("stop")]
            for option in row.options:
                falls = option.note.startswith("falls back")
                noted += falls
                if falls:
                    assert ends.count(option.where) > 1 or option.card == 1
    assert noted


def test_nothing_that_a_form_can_say_breaks_the_page(client: FlaskClient, app: Flask, context_of_app: Context) -> None:
    game = start(client)
    join(app, game)
    for fields in ({"on-s01": "9" * 400}, {"more": "<b>"}, {"index": "9" * 90, "choose": "1"}, {"big": "\x00"}):
        assert act(client, game, **fields).status_code in (200, 422)
    assert context_of_app.settings.pages


@pytest.fixture
def context_of_app(app: Flask) -> Context:
    found = app.extensions["montego"]
    assert isinstance(found, Context)
    return found
