"""The pages of tournaments, bots and guides, with results on them: nothing for axe-core to find, in any language, light
or dark, and no page that has to be scrolled sideways, at 360 pixels or at 200 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from service.operations.bots.checks import begin as begin_check
from service.operations.bots.checks import finish as finish_check
from service.operations.bots.faults import Fault, note_fault
from service.operations.context import Context
from service.presentation.languages import LANGUAGES
from service.report.page import build
from tests.api.serving import serve
from tests.archive.tampering import Archive, exported
from tests.fixtures_redis import started_redis
from tests.operations.game_setup import due, organiser, register, service
from tests.operations.tournament_setup import begin_match, begin_tournament, play_all, play_number
from tests.web.axe import findings, width
from tests.web.conftest import ORGANISER

pytestmark = pytest.mark.slow

HOSTILE = "<b>W</b>" + "W" * 40 + " \u05e9\u05dc\u05d5\u05dd"
LONG_NAME = "a" + "-very-long-name" * 2 + "-of-a-bot"


class Results(NamedTuple):
    """A service with tournaments. `token`: of the bot `ann`; `archive`: of the tournament that is over."""

    url: str
    over: str
    running: str
    token: str
    archive: Archive


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    with started_redis() as redis, serve(redis.url, ORGANISER) as served, service(redis.url) as ctx:
        ann = register(ctx, "ann", display_name=HOSTILE[:60])
        register(ctx, LONG_NAME)
        over = begin_tournament(ctx, 2, bots=["ann", "ben", LONG_NAME], deals=10, name=HOSTILE)
        play_all(ctx, over)
        running = begin_tournament(ctx, 3, deals=20, name="a cup")
        for number in range(3):
            play_number(ctx, running, number)
        play_number(ctx, running, 3, absent=(0,))
        with_faults(ctx, ann.bot.id, running)
        yield Results(served.url, over, running, ann.token, exported(ctx, over))


def with_faults(ctx: Context, bot: str, tournament: str) -> None:
    """A ledger and a finished check for the bot."""
    _, view = begin_match(ctx, tournament, 5)
    received = "<html>" + "x" * 300
    note_fault(ctx, bot, view, due(view)[0], Fault("bad_body", "The body is not JSON.", received, 200), 41)
    finding = {"check": "a game", "grade": "fault", "detail": "It answered late.", "fix": "Answer sooner."}
    check = begin_check(ctx, organiser(ctx), bot)
    finish_check(ctx, bot, check, {"grade": "faulty", "findings": [finding]})


def looked_at(page: Page, where: str, found: dict[str, object]) -> None:
    """Notes what is wrong with the page at 360 pixels, at 1,280 pixels zoomed to 200 %, and at 1,280 pixels."""
    for wide in (360, 640, 1280):
        page.set_viewport_size({"width": wide, "height": 900})
        # At 640 pixels nothing is shown otherwise than at 360.
        if wide != 640 and (wrong := findings(page)):
            found[f"{where} at {wide}"] = wrong
        if width(page) > wide:
            found[f"{where} is wider than {wide}"] = width(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_with_results_are_accessible(results: Results, chromium: Browser, language: str, scheme: str) -> None:
    found: dict[str, object] = {}
    window: BrowserContext = chromium.new_context(color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = window.new_page()
    for path in (
        f"/tournaments?lang={language}",
        f"/tournaments/{results.over}",
        f"/tournaments/{results.running}",
        f"/tournaments/{results.running}?outcome=won&bot=ann",
        f"/tournaments/{results.running}/schedule?after=50",
        "/bots",
        f"/bots/{LONG_NAME}",
        "/guides",
        *(["/guides/bots", "/guides/tournament-math"] if language == "en" else []),
    ):
        page.goto(results.url + path)
        looked_at(page, path, found)
    page.goto(f"{results.url}/bots/ann")
    page.locator("input[name=token]").fill(results.token)
    page.locator("form:has(input[name=token]) button").click()
    page.locator("#ledger").wait_for()
    looked_at(page, "the ledger", found)
    page.set_content(build(results.archive, language))
    looked_at(page, "the report", found)
    window.close()
    assert found == {}
