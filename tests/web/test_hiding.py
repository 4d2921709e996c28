"""What an organiser has hidden is on no page, and still in the record."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.operations.access.hidden_texts import HiddenTexts, hide, show_again
from service.operations.access.tokens import identify
from service.operations.context import Context
from service.operations.games import seats
from service.operations.games.act import Submission, act
from service.operations.games.change import load
from service.operations.games.create import NewGame, create
from service.operations.games.records import record
from service.web import pages
from tests.operations.game_setup import due, organiser, register, service
from tests.operations.tournament_setup import begin_tournament

RUDE, REMARK = "Rude Fellow", "A rude remark."


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    """Another process of the service."""
    with service(redis_url) as ctx:
        yield ctx


@pytest.fixture
def look_again(app: Flask) -> Iterator[None]:
    """Lets the application read the hidden texts for each page."""
    app.extensions[pages.HIDDEN] = HiddenTexts(0)
    yield
    app.extensions[pages.HIDDEN] = HiddenTexts()


def game_of_a_rude_fellow(ctx: Context) -> str:
    """A public game, over, of players that are both named so, with a comment."""
    made = create(ctx, organiser(ctx), NewGame(2, seats=["open", "open"], public=True, name=RUDE))
    game = made.view.id
    callers = [identify(ctx, seats.join(ctx, game, seat, RUDE).token) for seat in (0, 1)]
    view = load(ctx, game)
    seat, decision = next(iter(due(view).items()))
    act(ctx, callers[seat], game, Submission(decision, index=0, comment=REMARK))
    while not (view := load(ctx, game)).over:
        for seat, decision in due(view).items():
            act(ctx, callers[seat], game, Submission(decision, index=0))
    return game


@pytest.mark.usefixtures("look_again")
def test_a_hidden_name_and_comment_are_on_no_page_of_a_game_and_stay_in_its_record(
    client: FlaskClient, ctx: Context
) -> None:
    game = game_of_a_rude_fellow(ctx)
    shown = client.get(f"/games/{game}").text
    assert RUDE in shown and REMARK in shown
    kept = record(ctx, game)
    for text in (f" {RUDE.upper()} ", REMARK):
        hide(ctx, organiser(ctx), text)
    for path in ("", "?at=9", "/embed", "/positions/9/en/x", "/positions/9/en/x/over"):
        page = client.get(f"/games/{game}{path}")
        assert page.status_code == 200, path
        assert RUDE not in page.text and REMARK not in page.text, path
    assert "player 0" in client.get(f"/games/{game}").text
    assert record(ctx, game) == kept
    assert [seat["name"] for seat in kept["seats"]] == [RUDE, RUDE]
    assert RUDE not in client.get("/").text
    show_again(ctx, organiser(ctx), REMARK)
    assert REMARK in client.get(f"/games/{game}").text


@pytest.mark.usefixtures("look_again")
def test_hidden_names_of_tournaments_and_bots_are_not_shown(client: FlaskClient, ctx: Context) -> None:
    hide(ctx, organiser(ctx), RUDE)
    register(ctx, "ann", display_name=RUDE)
    tournament = begin_tournament(ctx, 2, name=RUDE)
    for path in (
        "/",
        "/tournaments",
        f"/tournaments/{tournament}",
        f"/tournaments/{tournament}/schedule",
        "/bots",
        "/bots/ann",
    ):
        page = client.get(path)
        assert page.status_code == 200
        assert RUDE not in page.text, path
    assert tournament in client.get("/tournaments").text


def test_a_process_keeps_what_it_has_read_for_a_moment(ctx: Context) -> None:
    slow, quick = HiddenTexts(3600), HiddenTexts(0)
    assert slow.current(ctx) == quick.current(ctx) == frozenset()
    hide(ctx, organiser(ctx), RUDE)
    assert slow.current(ctx) == frozenset()
    assert quick.current(ctx) == {"rude fellow"}
