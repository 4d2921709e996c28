"""The pages of tournaments."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, expect

from service.operations.context import Context
from service.operations.tournaments.document import load_tournament
from service.operations.tournaments.lifecycle import cancel
from service.operations.tournaments.matches import result_of, store_void
from service.operations.tournaments.stages import draw_next_stage
from service.presentation.tournament import MAX_CROSSED
from service.processes.ports import free_port
from service.web.tournaments import PAGE
from tests.api.serving import serve
from tests.operations.game_setup import organiser, register, service
from tests.operations.tournament_setup import (
    begin_match,
    begin_tournament,
    doc_of,
    play_all,
    play_number,
    play_to_its_end,
)
from tests.web.conftest import ORGANISER


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    """Another process of the service, that plays the matches."""
    with service(redis_url) as ctx:
        yield ctx


def test_a_running_tournament_is_shown_and_followed(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, name="Winter <b>cup</b>")
    before = client.get(f"/tournaments/{tournament}").text
    assert "No match has been played to its end yet." in before
    assert f'hx-sse:connect="/tournaments/{tournament}/live?after=' in before
    assert "Winter &lt;b&gt;cup&lt;/b&gt;" in before and "<b>cup" not in before
    played = play_number(ctx, tournament, 0)
    page = client.get(f"/tournaments/{tournament}").text
    assert f'href="/games/{played.game}"' in page
    assert 'value="1"' in page
    listed = client.get("/tournaments").text
    assert f'href="/tournaments/{tournament}"' in listed
    assert f'href="/tournaments/{tournament}"' in client.get("/").text


def test_a_tournament_that_is_over_opens_its_commitment_and_follows_nothing(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, deals=2)
    play_all(ctx, tournament)
    page = client.get(f"/tournaments/{tournament}").text
    assert "hx-sse:connect" not in page
    assert f'href="/v1/tournaments/{tournament}/export"' in page
    assert page.count('<td class="x">') == 3, "nobody meets itself"
    doc = doc_of(ctx, tournament)
    assert all(secret in page for secret in (doc.commitment, doc.nonce))


def test_seed_and_nonce_stay_hidden_while_a_tournament_runs(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, seed="a-secret-seed")
    page = client.get(f"/tournaments/{tournament}").text
    doc = doc_of(ctx, tournament)
    assert doc.commitment in page
    assert "a-secret-seed" not in page
    assert doc.nonce not in page


def test_a_challenger_of_a_gauntlet_counts_once(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, format="gauntlet", challengers=["ann"])
    assert "3 bots, 2 to a match" in client.get(f"/tournaments/{tournament}").text


def test_the_crosstable_of_a_page_has_the_first_bots_only(client: FlaskClient, ctx: Context) -> None:
    names = [f"bot-{number}" for number in range(MAX_CROSSED + 4)]
    for name in names:
        register(ctx, name)
    tournament = begin_tournament(ctx, 0, bots=names)
    page = client.get(f"/tournaments/{tournament}").text
    assert page.count('<td class="x">') == MAX_CROSSED
    assert f"Only the first {MAX_CROSSED} bots are shown." in page


@pytest.mark.parametrize("language", ["en", "es", "ko"])
def test_a_tournament_that_waits_or_was_cancelled_has_a_page_in_every_language(
    client: FlaskClient, ctx: Context, language: str
) -> None:
    tournament = begin_tournament(ctx, 3, require_ready=True)
    for address in ("/", "/tournaments", f"/tournaments/{tournament}"):
        assert client.get(f"{address}?lang={language}").status_code == 200
    cancel(ctx, organiser(ctx), tournament)
    assert client.get(f"/tournaments/{tournament}?lang={language}").status_code == 200


def test_many_matches_are_paged(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, deals=10)
    first = client.get(f"/tournaments/{tournament}").text
    assert first.count('<li id="m') == PAGE
    assert f'href="/tournaments/{tournament}?after={PAGE}#matches-h"' in first
    assert "Matches 1 to 50 of 60" in first
    assert "Earlier matches" not in first
    second = client.get(f"/tournaments/{tournament}?after={PAGE}").text
    assert second.count('<li id="m') == 10
    assert "hx-sse:connect" not in second, "only the first page moves on by itself"
    assert "Matches 51 to 60 of 60" in second and "Later matches" not in second
    assert f'href="/tournaments/{tournament}?after=0#matches-h"' in second
    assert client.get(f"/tournaments/{tournament}?after=x").status_code == 422


def test_matches_of_one_bot_are_listed_page_by_page(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, deals=20)
    path, found = f"/tournaments/{tournament}?bot=ben", []
    while path:
        page = client.get(path).text
        assert "hx-sse:connect" not in page, "a page of one bot does not move on by itself"
        found += re.findall(r'<li id="m(\d+-\d+)">(.*?)</li>', page)
        following = re.search(rf'href="(/tournaments/{tournament}\?after=\d+&amp;bot=ben)#', page)
        path = following[1].replace("&amp;", "&") if following else ""
    assert len(found) == len(dict(found)) == 80, "each pair meets 40 times"
    assert all("ben" in seats for _, seats in found)


def listed(client: FlaskClient, path: str) -> list[str]:
    """The matches of a page, each as its HTML."""
    return re.findall(r'<li id="m[^"]*">.*?</li>', client.get(path).text)


def test_matches_can_be_narrowed_to_an_outcome(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2, deals=5)
    for number in range(4):
        play_number(ctx, tournament, number)
    play_number(ctx, tournament, 4, absent=(1,))
    begin_match(ctx, tournament, 5)
    path = f"/tournaments/{tournament}?outcome="
    assert len(listed(client, path + "finished")) == 5
    assert len(listed(client, path + "scheduled")) == 5
    assert len(listed(client, path + "forfeited")) == 1
    assert listed(client, path + "void") == listed(client, path + "faults") == []
    won, lost = (listed(client, f"{path}{outcome}&bot=ann") for outcome in ("won", "not-won"))
    assert len(won) + len(lost) == 5
    assert all("1. ann" in one for one in won) and all("2. ann" in one for one in lost)
    assert "hx-sse:connect" not in client.get(path + "finished").text
    cancel(ctx, organiser(ctx), tournament)
    assert len(listed(client, path + "cancelled")) == 5


def test_an_outcome_that_is_not_there_or_needs_a_bot_counts_as_none(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    for outcome in ("won", "%3Cb%3E"):
        page = client.get(f"/tournaments/{tournament}?outcome={outcome}").text
        assert page.count('<li id="m') == 2 and "hx-sse:connect" in page


def test_a_void_match_says_why(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    pairing, view = begin_match(ctx, tournament, 0)
    store_void(ctx, tournament, replace(result_of(play_to_its_end(ctx, view), pairing), status="void"))
    (void,) = listed(client, f"/tournaments/{tournament}?outcome=void")
    assert "void, played again" in void and "the service was too slow" in void


def test_the_schedule_is_paged(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, deals=10)
    first, second = (client.get(f"/tournaments/{tournament}/schedule?after={after}").text for after in (0, PAGE))
    assert first.count('<th scope="row"') == PAGE and second.count('<th scope="row"') == 10
    assert "Matches 1 to 50 of 60" in first and "Matches 51 to 60 of 60" in second
    assert f'href="/tournaments/{tournament}/schedule?after=50"' in first
    assert f'href="/tournaments/{tournament}/schedule"' in client.get(f"/tournaments/{tournament}").text
    assert client.get(f"/tournaments/{tournament}/schedule?after=60").status_code == 422


def test_pages_of_a_tournament_that_is_drawn_in_stages_end_with_what_is_drawn(
    client: FlaskClient, ctx: Context
) -> None:
    tournament = begin_tournament(ctx, 4, format="swiss", rounds=2)
    assert client.get(f"/tournaments/{tournament}/schedule").status_code == 200, "before anything is drawn"
    assert draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament))
    drawn = doc_of(ctx, tournament).schedule().matches
    for path in ("", "/schedule"):
        page = client.get(f"/tournaments/{tournament}{path}").text
        assert f"Matches 1 to {drawn} of {drawn}" in page
    assert client.get(f"/tournaments/{tournament}").text.count('<li id="m') == drawn


def test_a_page_of_a_thousand_matches_is_small_and_its_outcomes_are_found_to_the_last(
    client: FlaskClient, ctx: Context
) -> None:
    tournament = begin_tournament(ctx, 2, deals=500)
    play_number(ctx, tournament, 999)
    page = client.get(f"/tournaments/{tournament}").text
    assert "Matches 1 to 50 of 1000" in page and f"?after={1000 - PAGE}#matches-h" in page
    assert len(page) < 40_000
    assert len(listed(client, f"/tournaments/{tournament}?outcome=finished")) == 1


def test_matches_of_a_bot_that_is_not_there_are_those_of_all(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    assert client.get(f"/tournaments/{tournament}?bot=%3Cb%3E").text.count('<li id="m') == 2


def test_a_tournament_that_does_not_exist_is_an_error_as_a_page(client: FlaskClient) -> None:
    answer = client.get("/tournaments/nosuch")
    assert answer.status_code == 404
    assert answer.content_type.startswith("text/html")


def test_an_open_page_is_sent_each_result_and_the_end(client: FlaskClient, ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    stream = client.get(f"/tournaments/{tournament}/live", buffered=False)
    parts = (part.decode() for part in stream.iter_encoded())
    assert next(parts).startswith("retry:")
    timer = threading.Timer(0.2, play_all, (ctx, tournament))
    timer.start()
    sent = "".join(parts)
    timer.join()
    assert "id: " in sent and "data: " in sent
    assert sent.endswith("event: over\ndata: over\n\n")


@pytest.mark.slow
def test_a_page_goes_on_live_over_a_restart_of_the_api(redis_url: str, ctx: Context, chromium: Browser) -> None:
    tournament, port = begin_tournament(ctx, 3), free_port()
    with chromium.new_context(locale="en-GB") as window:
        page = window.new_page()
        played = page.locator("#progress")
        with serve(redis_url, ORGANISER, port):
            play_number(ctx, tournament, 0)
            page.goto(f"http://127.0.0.1:{port}/tournaments/{tournament}")
            expect(played).to_have_attribute("value", "1")
            play_number(ctx, tournament, 1)
            expect(played).to_have_attribute("value", "2", timeout=30_000)
        play_number(ctx, tournament, 2)
        with serve(redis_url, ORGANISER, port):
            expect(played).to_have_attribute("value", "3", timeout=60_000)
