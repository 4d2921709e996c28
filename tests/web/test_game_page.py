"""The page of a game, as it is sent."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.operations.games.answers import GivenAnswer
from service.operations.games.document import MatchTerms, SeatPlan
from service.web import assets
from service.web.answers import AnswerPanel, bot_summaries, panel
from service.web.timeline import Timeline
from service.web.words import words_in
from tests.api.game_setup import ApiGame, new_game
from tests.web.games import document
from tests.web.games import finished as game_over


@pytest.fixture
def game(client: FlaskClient) -> ApiGame:
    return new_game(client, 2, seed="pages")


def finished(table: ApiGame) -> ApiGame:
    table.play_out()
    return table


def last_of(page: str) -> int:
    """The number of the newest event that a page knows."""
    found = re.search(r'data-last="(\d+)"', page)
    assert found is not None
    return int(found[1])


def test_a_running_game_is_shown_with_its_board_and_follows_the_news(client: FlaskClient, game: ApiGame) -> None:
    page = client.get(f"/games/{game.id}").text
    assert 'id="board"' in page
    assert "All choose their cards in secret." in page
    assert f'hx-sse:connect="/games/{game.id}/live' in page


def test_a_game_that_is_over_says_who_won_and_waits_for_no_news(client: FlaskClient, game: ApiGame) -> None:
    page = client.get(f"/games/{finished(game).id}").text
    assert "The game is over" in page
    assert "hx-sse:connect" not in page
    assert f"/v1/games/{game.id}/record" in page


def test_a_link_leads_to_a_position(client: FlaskClient, game: ApiGame) -> None:
    finished(game)
    page = client.get(f"/games/{game.id}?at=4").text
    assert 'data-at="4"' in page
    assert "Round 1 begins." in page


@pytest.mark.parametrize("at", ["0", "99999999999999999999", "x", "-1", "²"])
def test_a_position_that_is_not_there_is_the_nearest_one(client: FlaskClient, game: ApiGame, at: str) -> None:
    answer = client.get(f"/games/{game.id}?at={at}")
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("query", "leads_to"),
    [
        ("at=9&go=back", "?at=8"),
        ("at=9&go=step", "?at=10"),
        ("at=9&go=round-back", "?at=4"),
        ("at=1&go=round", "?at=4"),
        ("at=1&go=decision", "?at=4"),
        ("at=9&go=last", ""),
        ("at=9&go=nonsense", "?at=9"),
    ],
)
def test_the_buttons_work_without_a_script(client: FlaskClient, game: ApiGame, query: str, leads_to: str) -> None:
    finished(game)
    answer = client.get(f"/games/{game.id}?{query}")
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/games/{game.id}{leads_to}"


def test_the_next_decision_can_be_that_of_one_player(client: FlaskClient, game: ApiGame) -> None:
    finished(game)
    at = 4
    for _ in range(3):
        at = int(client.get(f"/games/{game.id}?at={at}&go=decision&of=1").location.split("at=")[1].split("&")[0])
        assert 'id="seat-1"' in client.get(f"/games/{game.id}?at={at}").text
        assert re.search(r'class="card seat due" id="seat-1"', client.get(f"/games/{game.id}?at={at}").text)


def test_a_fragment_may_be_kept_for_ever_under_the_address_of_this_version(client: FlaskClient, game: ApiGame) -> None:
    kept = client.get(f"/games/{game.id}/positions/4/en/{assets.version()}")
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    other = client.get(f"/games/{game.id}/positions/4/en/another")
    assert other.headers["Cache-Control"] == "no-cache"
    assert kept.text == other.text


def test_a_fragment_is_what_the_page_has(client: FlaskClient, game: ApiGame) -> None:
    finished(game)
    fragment = client.get(f"/games/{game.id}/positions/9/en/{assets.version()}").text
    page = client.get(f"/games/{game.id}?at=9").text
    for part in re.split(r"</?hx-partial[^>]*>", fragment):
        assert part.strip() in page


@pytest.mark.parametrize("rest", ["0/en/x", "9999/en/x", "4/xx/x"])
def test_there_is_no_fragment_of_a_position_or_a_language_that_is_not_there(
    client: FlaskClient, game: ApiGame, rest: str
) -> None:
    assert client.get(f"/games/{game.id}/positions/{rest}").status_code == 404


def test_pages_run_no_script_of_others_and_are_in_no_frame(client: FlaskClient, game: ApiGame) -> None:
    answer = client.get(f"/games/{game.id}")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]* src=)|\son[a-z]+=|style=", answer.text)


def test_a_game_is_not_for_search_engines(client: FlaskClient, game: ApiGame) -> None:
    assert '<meta name="robots" content="noindex">' in client.get(f"/games/{game.id}").text


def test_names_are_text_and_nothing_else(client: FlaskClient) -> None:
    made = client.post("/v1/games", json={"players": 2, "seats": ["open", "open"], "seed": "pages"}).json or {}
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>']
    for number, name in enumerate(names):
        assert client.post(f"/v1/games/{made['game']}/seats/{number}", json={"name": name}).status_code == 201
    page = client.get(f"/games/{made['game']}").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_game_that_is_not_there_is_a_page_that_says_what_to_do(client: FlaskClient) -> None:
    answer = client.get("/games/abcdefghijklmnop", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert answer.mimetype == "text/html"
    assert "There is nothing here" in answer.text


def test_an_address_that_leads_nowhere_is_a_page_for_browsers_and_a_problem_for_programs(client: FlaskClient) -> None:
    assert client.get("/nowhere", headers={"Accept": "text/html,*/*;q=0.8"}).mimetype == "text/html"
    assert client.get("/nowhere").mimetype == "application/problem+json"
    assert client.get("/v1/nowhere", headers={"Accept": "text/html"}).mimetype == "application/problem+json"


def test_an_operator_can_turn_pages_off(redis_url: str) -> None:
    client = create_app(wiring.build(Settings(redis_url=redis_url, pages=False))).test_client()
    assert client.get("/games/abcdefghijklmnop", headers={"Accept": "text/html"}).mimetype == "application/problem+json"
    assert client.get(assets.address("montego.css")).status_code == 404


def test_without_its_store_the_service_says_so_and_the_page_comes_back(app_without_store: FlaskClient) -> None:
    answer = app_without_store.get("/games/abcdefghijklmnop", headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert 'http-equiv="refresh"' in answer.text


@pytest.fixture
def app_without_store() -> FlaskClient:
    """Nothing listens on port 1."""
    return create_app(wiring.build(Settings(redis_url="redis://127.0.0.1:1/0"))).test_client()


def test_assets_are_small_and_kept_for_ever(client: FlaskClient) -> None:
    for name in assets.assets():
        answer = client.get(assets.address(name), headers={"Accept-Encoding": "gzip"})
        assert answer.headers["Cache-Control"] == assets.FOREVER
        assert answer.headers["Content-Encoding"] == "gzip"
    assert client.get("/static/old/montego.css").headers["Cache-Control"] == "no-cache"
    assert client.get(assets.address("nothing.css")).status_code == 404


def test_the_first_view_of_a_game_is_at_most_40_kb(client: FlaskClient) -> None:
    """Compressed, styles and scripts included."""
    table = finished(new_game(client, 4, seed="pages"))
    page = client.get(f"/games/{table.id}", headers={"Accept-Encoding": "gzip"})
    assert page.headers["Content-Encoding"] == "gzip"
    whole = client.get(f"/games/{table.id}").text
    addresses = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', whole))
    size = len(page.data)
    for address in addresses:
        size += len(client.get(address, headers={"Accept-Encoding": "gzip"}).data)
    assert size <= 40_000


def test_a_page_has_a_language_by_link_then_cookie_then_the_browser(client: FlaskClient, game: ApiGame) -> None:
    def language(path: str = "", **headers: str) -> str:
        found = re.search(r'<html lang="(\w+)"', client.get(f"/games/{game.id}{path}", headers=headers).text)
        assert found is not None
        return found[1]

    browser = {"Accept-Language": "fr, es-MX;q=0.8, en;q=0.5"}
    assert language() == "en"
    assert language(**browser) == "es"
    assert language("?lang=ko", **browser) == "ko"
    assert language(**browser) == "ko"
    assert language("?lang=xx", **browser) == "ko"


def test_comments_are_shown_once_the_game_is_over(client: FlaskClient, game: ApiGame) -> None:
    hostile = "<script>alert(1)</script> \u202eevil"
    action = {"type": "play", "big": 1, "little": 2}
    game.act(0, {"decision": "1.play.0.0", "action": action, "comment": hostile})
    game.act(1, {"decision": "1.play.1.0", "action": action, "comment": "I follow."})
    for running in (f"/games/{game.id}", f"/games/{game.id}/positions/5/en/x", f"/games/{game.id}/embed"):
        answer = client.get(running)
        assert answer.status_code == 200
        assert "I follow." not in answer.text
        assert "evil" not in answer.text
    page = client.get(f"/games/{finished(game).id}").text
    assert "<bdi>&lt;script&gt;alert(1)&lt;/script&gt; \ufffdevil</bdi>" in page
    assert re.search(r'href="/games/[^"]*\?at=6"[^>]*>6</a><b>[^<]*</b> <bdi>I follow\.', page)


def test_a_position_of_a_game_that_is_over_shows_the_answer_behind_it(client: FlaskClient, game: ApiGame) -> None:
    action = {"type": "play", "big": 1, "little": 2}
    game.act(0, {"decision": "1.play.0.0", "action": action, "comment": "<b>I</b> lead."})
    address = f"/games/{game.id}/positions/5/en/{assets.version()}"
    assert client.get(f"{address}/over").status_code == 404
    assert f'data-tail="/en/{assets.version()}"' in client.get(f"/games/{game.id}").text
    finished(game)
    assert f'data-tail="/en/{assets.version()}/over"' in client.get(f"/games/{game.id}").text
    shown = client.get(f"{address}/over")
    assert shown.headers["Cache-Control"] == assets.FOREVER
    assert "<bdi>&lt;b&gt;I&lt;/b&gt; lead.</bdi>" in shown.text
    assert "lead." in client.get(f"/games/{game.id}?at=5").text.split('id="answer"')[1].split("</section>")[0]
    assert "lead." in client.get(f"/games/{game.id}/embed?at=5").text
    # What a browser kept while the game ran stays as it was.
    assert "lead." not in client.get(address).text
    assert "No answer made this step." in client.get(f"/games/{game.id}/positions/1/en/{assets.version()}/over").text


def test_the_answer_of_a_bot_has_its_time_bank_and_fault() -> None:
    terms = MatchTerms("cup-0-0", "cup", 0, 0, move_ms=500, bank_ms=1_000, max_faults=3, policy="lenient", attempts=1)
    view = game_over(replace(document(2), seats=(SeatPlan("creator"), SeatPlan("bot", kind="push")), match=terms))
    timeline = Timeline(view)
    timeline.extend(view)
    position = next(position for position in timeline.positions if position.event["type"] == "chosen")
    given = GivenAnswer(1, position.version, 20, 980, "illegal", None, refused=2)
    shown = panel(view, position, (given,), words_in("en"))
    assert shown == AnswerPanel(
        "Ines", 1, ("answered in 20 ms", "980 ms left in the bank", "after 2 refused answers"), "illegal action", ""
    )
    of_a_person = panel(view, position, (replace(given, seat=0), replace(given, version=99)), words_in("en"))
    assert of_a_person is not None
    assert of_a_person.times == ()


def test_a_finished_game_says_how_its_bots_answered_and_nothing_of_people() -> None:
    meta = replace(document(2), seats=(SeatPlan("creator"), SeatPlan("bot", kind="push")))
    view = game_over(meta, late=0.1)
    (only,) = bot_summaries(view, words_in("en"))
    assert only.player == "Ines"
    assert only.answers == view.ledgers[1].answers
    assert only.average.endswith(" ms")
    assert only.bank == "–"
    assert only.faults == f"too late {view.ledgers[1].faults['late']}"


def test_a_preview_of_a_link_has_the_players_and_the_result(client: FlaskClient) -> None:
    game = new_game(client, 2, seats=[{"name": 'A"da <b>'}, "open"])
    page = client.get(f"/games/{game.id}").text
    assert '<meta property="og:title" content="A&#34;da &lt;b&gt; and open seat">' in page
    assert '<meta property="og:description" content="Not begun · casual game, 2 players">' in page
