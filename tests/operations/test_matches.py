"""Matches of a tournament: their games, deals, results and records."""

from __future__ import annotations

import pytest

from service.engine.record import verify
from service.engine.setup import block_seed, match_seed
from service.errors import WrongState
from service.ids import match_id
from service.operations.access.tokens import ANONYMOUS
from service.operations.context import Context
from service.operations.games import seats
from service.operations.games.change import Settlement, abort, load, resign, settle
from service.operations.games.read import events, observe
from service.operations.games.records import record
from service.operations.tournaments import lifecycle
from service.operations.tournaments.matches import (
    cancel_block,
    cancelled,
    open_match,
    result_of,
    results,
    store_result,
)
from service.operations.tournaments.read import standings
from tests.operations.game_setup import due, organiser
from tests.operations.tournament_setup import (
    begin_match,
    begin_tournament,
    doc_of,
    entrants_of,
    game_of,
    play_all,
    play_number,
    play_to_its_end,
)


def test_a_match_that_is_opened_twice_is_one_game(ctx: Context, other: Context) -> None:
    tournament = begin_tournament(ctx)
    _, first = begin_match(ctx, tournament, 2)
    settle(ctx, first.id, Settlement(due(first)[0], None, None, 5))
    pairing, again = begin_match(other, tournament, 2, absent=(0, 1))
    assert again.id == first.id == game_of(ctx, tournament, 2)
    assert again.version == first.version + 1, "what was opened first stands"
    assert again.names == pairing.seats


def test_who_is_absent_forfeits_before_the_first_decision(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, players=3)
    pairing, view = begin_match(ctx, tournament, 0, absent=(1,))
    assert view.game.resigned == {1}
    assert set(due(view)) == {0, 2}
    over = play_to_its_end(ctx, view)
    result = result_of(over, pairing)
    assert (result.forfeits, result.not_started, result.faults) == ((1,), (1,), ({}, {}, {}))
    assert result.places is not None and result.places[1] == 3
    assert result.status == "finished", "it counts in the score"
    found = record(ctx, view.id)
    verify(found)
    assert found["resignations"] == [{"seat": 1, "after": 0, "reason": "forfeit"}]


@pytest.mark.parametrize("absent", [(0,), (0, 1)])
def test_a_match_with_at_most_one_bot_present_is_over_at_once(ctx: Context, absent: tuple[int, ...]) -> None:
    tournament = begin_tournament(ctx)
    pairing, view = begin_match(ctx, tournament, 0, absent=absent)
    assert view.over
    result = result_of(view, pairing)
    assert result.ended == "resigned"
    assert result.places == ((2, 1) if len(absent) == 1 else (1, 1))
    assert result.not_started == absent
    verify(record(ctx, view.id))


def test_a_block_has_one_visible_deal_and_each_match_a_stack_of_its_own(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, players=3, seed="deal")
    played = [record(ctx, result.game) for result in play_all(ctx, tournament)]
    of_block = block_seed("deal", 0)
    for number, found in enumerate(played):
        verify(found)
        assert (found["setup"]["block_seed"], found["setup"]["seed"]) == (of_block, match_seed(of_block, 0, number))
    for shown in ("warehouses", "order"):
        assert len({str(found["setup"][shown]) for found in played}) == 1
    assert len({str(found["setup"]["ships"][:3]) for found in played}) == 1
    assert len({str(found["setup"]["ships"][3:]) for found in played}) == 3


def test_a_matchs_record_hides_all_seeds_until_its_tournament_is_over(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2, seed="not-yet")
    result = play_number(ctx, tournament, 0)
    doc = doc_of(ctx, tournament)
    secrets = [doc.seed, doc.nonce, block_seed(doc.seed, 0), match_seed(block_seed(doc.seed, 0), 0, 0)]
    hidden = record(ctx, result.game)
    seen = str([hidden, observe(ctx, ANONYMOUS, result.game).observation, list(events(ctx, result.game, 0).events)])
    assert not any(secret in seen for secret in secrets)
    assert hidden["setup"]["seed"] is hidden["setup"]["nonce"] is hidden["setup"]["block_seed"] is None
    assert hidden["commitment"] == doc.commitment
    verify(hidden)
    lifecycle.cancel(ctx, organiser(ctx), tournament)
    opened = record(ctx, result.game)
    assert opened["setup"]["seed"] == secrets[3]
    assert opened["digest"] == hidden["digest"]
    verify(opened)


def test_a_result_is_written_once(ctx: Context, other: Context) -> None:
    tournament = begin_tournament(ctx)
    result = play_number(ctx, tournament, 0)
    assert not store_result(other, tournament, result)
    assert not store_result(other, tournament, cancelled(doc_of(ctx, tournament).schedule().pairing(0), 0))
    assert results(ctx, tournament) == {0: result}
    assert [event[0] for event in ctx.tournaments.events(tournament, 0, 10)] == [1, 2]
    assert standings(ctx, tournament)["matches"]["finished"] == 1


def test_a_result_tells_what_the_log_says(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    pairing, view = begin_match(ctx, tournament, 0)
    settle(ctx, view.id, Settlement(due(view)[1], None, "illegal", 30))
    over = play_to_its_end(ctx, load(ctx, view.id))
    result = result_of(over, pairing)
    assert result.faults == ({}, {"illegal": 1})
    assert (result.forfeits, result.not_started) == ((), ())
    assert result.answer_ms[1] == 30 + 10 * (result.answers[1] - 1)
    assert (result.match, result.block, result.seating, result.attempt) == (0, 0, 0, 0)
    assert match_id(tournament, 0, 0) == view.meta.match.id if view.meta.match else False


def test_a_bot_that_resigns_by_itself_had_started(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    pairing, view = begin_match(ctx, tournament, 0)
    result = result_of(resign(ctx, view.id, [0], "resigned"), pairing)
    assert (result.forfeits, result.not_started, result.places) == ((0,), (), (2, 1))


def test_a_match_that_was_broken_off_is_cancelled(ctx: Context) -> None:
    tournament = begin_tournament(ctx)
    pairing, view = begin_match(ctx, tournament, 0)
    assert result_of(abort(ctx, view.id), pairing).status == "cancelled"
    verify(record(ctx, view.id))


def test_cancelling_a_block_breaks_its_games_off_and_keeps_what_is_finished(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    first = play_number(ctx, tournament, 0)
    _, view = begin_match(ctx, tournament, 1)
    for _ in range(2):
        cancel_block(ctx, tournament, doc_of(ctx, tournament), 0)
    found = results(ctx, tournament)
    assert found[0] == first
    assert (found[1].status, found[1].game) == ("cancelled", view.id)
    assert load(ctx, view.id).status == "aborted"
    assert ctx.blocks.done(tournament, [0]) == {0}
    assert {row["matches"] for row in standings(ctx, tournament)["standings"]} == {0}, (
        "a broken block counts for nobody"
    )


def test_a_matchs_game_names_each_bots_version(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    doc = doc_of(ctx, tournament)
    for name, version in (("ann", "1.0"), ("ben", "2.0")):
        bot = ctx.bots.find(name)
        assert bot is not None
        ctx.bots.note_call(bot.id, up=True, version=version)
    pairing = doc.schedule().pairing(0)
    view = open_match(ctx, tournament, doc, pairing, attempt=0, bots=entrants_of(ctx, doc))
    over = play_to_its_end(ctx, view)
    said = dict(zip(pairing.seats, result_of(over, pairing).versions, strict=True))
    assert said == {"ann": "1.0", "ben": "2.0"}
    assert {seat["name"]: seat["version"] for seat in record(ctx, view.id)["seats"]} == said


def test_the_game_of_a_match_is_not_aborted_by_an_organiser(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    _, view = begin_match(ctx, tournament, 0)
    with pytest.raises(WrongState, match="cancel the tournament"):
        seats.abort(ctx, organiser(ctx), view.id)
    assert load(ctx, view.id).status == "running"
    play_to_its_end(ctx, view)
    with pytest.raises(WrongState, match="cancel the tournament"):
        seats.abort(ctx, organiser(ctx), view.id)
