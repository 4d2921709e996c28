"""A game in a frame of a foreign site."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import BrowserContext, expect

from tests.api.game_setup import new_game
from tests.api.serving import Served
from tests.web.seated import seat


class _ForeignPage(BaseHTTPRequestHandler):
    """Frames the address that its query names, and keeps what the frame sends."""

    def do_GET(self) -> None:
        address = unquote(self.path.partition("?")[2])
        body = f"""<!doctype html><link rel="icon" href="data:,"><title>foreign</title>
            <script>window.heard = []; addEventListener('message', event => heard.push([event.origin, event.data]));
            </script><iframe title="game" width="800" height="700" src="{address}"></iframe>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@pytest.fixture
def foreign() -> Iterator[str]:
    """The address of a site that is not the service's."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _ForeignPage) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_only_the_embedded_player_may_be_framed(client: FlaskClient) -> None:
    game = new_game(client, 2, seed="pages")
    embedded = client.get(f"/games/{game.id}/embed")
    assert "frame-ancestors *" in embedded.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in embedded.headers
    for address in ("/", f"/games/{game.id}", f"/games/{game.id}/positions/1/en/x", "/play/nothing", "/tournaments"):
        answer = client.get(address)
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], address
        assert answer.headers["X-Frame-Options"] == "DENY", address


def test_settings_come_from_the_address_and_bad_ones_count_as_not_given(client: FlaskClient) -> None:
    game = new_game(client, 2, seed="pages")
    address = f"/games/{game.id}/embed"
    given = client.get(f"{address}?theme=dark&lang=ko&speed=4&controls=0&at=1")
    assert '<html lang="ko" data-theme="dark">' in given.text
    assert 'class="embed bare" data-speed="4"' in given.text
    assert 'id="bar"' in given.text
    assert 'data-at="1"' in given.text
    # A page that others frame sets no language for the service's own pages.
    assert "Set-Cookie" not in given.headers
    bad = client.get(f'{address}?theme="><script>&speed=99&controls=x&at=x')
    assert "data-theme" not in bad.text
    assert 'class="embed" data-speed=""' in bad.text


def test_a_foreign_page_learns_the_position_and_the_end(server: Served, browser: BrowserContext, foreign: str) -> None:
    game = seat(server.url)
    game.play()
    page = browser.new_page()
    page.goto(f"{foreign}?{game.page}/embed?at=6")
    frame = page.frame_locator("iframe")
    expect(frame.locator("#stage")).to_have_attribute("data-at", "6")
    last = int(frame.locator("#bar").get_attribute("data-last") or 0)
    frame.get_by_role("button", name="Step on").click()
    expect(frame.locator("#stage")).to_have_attribute("data-at", "7")
    frame.get_by_role("button", name="End").click()
    expect(frame.locator("#stage .now")).to_contain_text("The game is over")
    page.wait_for_function("heard.length === 3")
    common = {"source": "montego", "game": game.id, "last": last}
    assert page.evaluate("heard") == [
        [server.url, {**common, "type": "position", "at": 6}],
        [server.url, {**common, "type": "position", "at": 7}],
        [server.url, {**common, "type": "end", "at": last}],
    ]


def test_an_embedded_game_is_followed_live(server: Served, browser: BrowserContext, foreign: str) -> None:
    game = seat(server.url)
    page = browser.new_page()
    page.goto(f"{foreign}?{game.page}/embed?controls=0")
    frame = page.frame_locator("iframe")
    expect(frame.locator("#stage .now")).to_contain_text("All choose their cards")
    expect(frame.locator("#bar")).to_be_hidden()
    game.play()
    expect(frame.locator("#stage .now")).to_contain_text("The game is over")
    expect(frame.locator("#bar")).to_be_hidden()
    page.wait_for_function("heard.at(-1)[1].type === 'end'")
