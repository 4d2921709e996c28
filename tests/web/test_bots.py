"""The pages of bots: what everybody sees, and what its token shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import requests
from flask.testing import FlaskClient
from playwright.sync_api import BrowserContext, expect

from service.operations.bots.checks import begin as begin_check
from service.operations.bots.checks import finish as finish_check
from service.operations.bots.faults import Fault, note_absence, note_fault
from service.operations.bots.registry import Registered
from service.operations.context import Context
from service.operations.games.change import Settlement, load, settle
from service.presentation.languages import LANGUAGES
from tests.api.serving import Served
from tests.operations.game_setup import due, organiser, register, service
from tests.operations.tournament_setup import begin_match, begin_tournament, play_all
from tests.web.conftest import ORGANISER

HOSTILE = "<script>alert(1)</script> \u202e & \"'"


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    """Another process of the service."""
    with service(redis_url) as ctx:
        yield ctx


def with_a_fault(ctx: Context, received: str = '{"index":99}') -> tuple[Registered, str, str]:
    """A bot that answered illegally in a match; the game, and the decision."""
    bot = register(ctx, "ann")
    tournament = begin_tournament(ctx, 2)
    _, view = begin_match(ctx, tournament, 0)
    seat = view.names.index("ann")
    decision = due(view)[seat]
    note_fault(ctx, bot.bot.id, view, decision, Fault("illegal", "Index 99 is not in the list.", received, 200), 41)
    settle(ctx, view.id, Settlement(decision, None, fault="illegal"))
    return bot, view.id, decision


def test_bots_are_listed_the_newest_first(client: FlaskClient, ctx: Context) -> None:
    assert "No bot yet." in client.get("/bots").text
    register(ctx, "older")
    register(ctx, "newer", casual=False)
    page = client.get("/bots").text
    assert page.index('href="/bots/newer"') < page.index('href="/bots/older"')
    assert page.count("anybody can seat it") == 1


def test_a_bots_page_has_its_tournaments_opponents_and_last_matches(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, deals=2, name="Winter <b>cup</b>")
    play_all(ctx, tournament)
    page = client.get("/bots/ann").text
    assert f'<a href="/tournaments/{tournament}">Winter &lt;b&gt;cup&lt;/b&gt;</a>' in page
    assert re.search(r"[123] of 3", page)
    assert page.count('class="wd"') == 1, "one rating"
    for opponent in ("ben", "cid"):
        assert re.search(rf'<a href="/bots/{opponent}">{opponent}</a></th><td class="r">4</td>', page)
    games = re.findall(r'<a class="num" href="/games/([^"]+)"', page)
    assert len(games) == 8 == len(set(games))
    assert client.get(f"/games/{games[0]}").status_code == 200


def test_a_bot_that_has_played_nothing_has_a_page_in_every_language(client: FlaskClient, ctx: Context) -> None:
    register(ctx, "idle", display_name=HOSTILE.replace("\u202e", "")[:60])
    for language in LANGUAGES:
        page = client.get(f"/bots/idle?lang={language}")
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    assert client.get("/bots/nobody").status_code == 404


def test_the_result_of_the_last_check_is_public_and_its_findings_are_not(client: FlaskClient, ctx: Context) -> None:
    bot = register(ctx, "ann")
    check = begin_check(ctx, organiser(ctx), "ann")
    assert "A check is running since" in client.get("/bots/ann").text
    finding = {"check": "a game", "grade": "fault", "detail": "secret detail", "fix": None}
    finish_check(ctx, bot.bot.id, check, {"grade": "faulty", "findings": [finding]})
    page = client.get("/bots/ann").text
    assert "Faulty: it would lose decisions or matches" in page
    assert "secret detail" not in page


def test_only_the_bots_token_shows_its_ledger(client: FlaskClient, ctx: Context) -> None:
    bot, game, decision = with_a_fault(ctx, HOSTILE)
    other = register(ctx, "mallory")
    note_absence(ctx, bot.bot.id, "t", "t-0-0", "Nobody listened.")
    public = client.get("/bots/ann").text
    assert "Index 99" not in public and "Nobody listened." not in public
    for wrong in (other.token, ORGANISER, "mbb_nonsense.x", ""):
        answer = client.post("/bots/ann/token", data={"token": wrong})
        assert answer.status_code == 403
        assert "Set-Cookie" not in answer.headers
    taken = client.post("/bots/ann/token", data={"token": f" {bot.token} "})
    assert taken.status_code == 303
    cookie = taken.headers["Set-Cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/bots/ann"))
    page = client.get("/bots/ann")
    assert page.headers["Cache-Control"] == "no-store"
    assert "Index 99 is not in the list." in page.text and "Nobody listened." in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text and "<script>alert" not in page.text
    assert "\u202e" not in page.text
    number, _, seat, _ = decision.split(".")
    assert f"/v1/games/{game}/record --round {number} --seat {seat} --bot URL" in page.text
    assert f'href="/bots/ann/faults/{game}/{decision}"' in page.text
    assert "Index 99" not in client.get("/bots/mallory").text


def test_a_fault_leads_to_the_position_in_which_the_default_was_played(client: FlaskClient, ctx: Context) -> None:
    _, game, decision = with_a_fault(ctx)
    assert client.get(f"/bots/ann/faults/{game}/{decision}").headers["Location"] == f"/games/{game}", "not told yet"
    settle(ctx, game, Settlement(next(iter(due(load(ctx, game)).values())), None))
    there = client.get(f"/bots/ann/faults/{game}/{decision}").headers["Location"]
    number = int(there.removeprefix(f"/games/{game}?at="))
    assert load(ctx, game).history[number - 1].data["decision"] == decision
    assert client.get(there).status_code == 200
    assert client.get(f"/bots/ann/faults/{game}/9.play.0.0").headers["Location"] == f"/games/{game}"


def test_a_token_that_was_replaced_shows_nothing(client: FlaskClient, ctx: Context) -> None:
    bot, _, _ = with_a_fault(ctx)
    client.set_cookie(f"montego_bot_{bot.bot.id}", bot.token + "x", path="/bots/ann")
    assert "Is this your bot?" in client.get("/bots/ann").text


@pytest.mark.parametrize("path", ["token", "token/removal", "check"])
def test_forms_of_other_sites_are_refused(client: FlaskClient, ctx: Context, path: str) -> None:
    bot = register(ctx, "ann")
    client.set_cookie(f"montego_bot_{bot.bot.id}", bot.token, path="/bots/ann")
    answer = client.post(f"/bots/ann/{path}", data={"token": bot.token}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers


def test_nobody_but_the_author_begins_a_check(client: FlaskClient, ctx: Context) -> None:
    register(ctx, "ann")
    assert client.post("/bots/ann/check").status_code == 401


def test_an_author_reads_the_ledger_in_a_browser_and_leaves(server: Served, browser: BrowserContext) -> None:
    made = requests.post(
        f"{server.url}/v1/bots",
        json={"name": "browsed", "kind": "poll"},
        headers={"Authorization": f"Bearer {ORGANISER}"},
        timeout=10,
    ).json()
    page = browser.new_page()
    page.goto(f"{server.url}/bots/browsed")
    page.get_by_label("Token of the bot").fill(made["token"])
    page.get_by_role("button", name="Show the ledger").click()
    expect(page.get_by_role("heading", name="Fault ledger")).to_be_visible()
    assert made["token"] not in page.content() and made["token"] not in page.url
    page.get_by_role("button", name="Forget the token in this browser").click()
    expect(page.get_by_role("heading", name="Is this your bot?")).to_be_visible()
