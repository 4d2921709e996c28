"""Tournaments whose matches are played here, without bots: what workers leave behind, to look at."""

from __future__ import annotations

from typing import Any

from service.ids import game_id
from service.operations.context import Context
from service.operations.games.change import Settlement, load, settle
from service.operations.games.projection import GameView
from service.operations.tournaments import lifecycle
from service.operations.tournaments.create import NewTournament, create_tournament
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.matches import open_match, result_of, store_result
from service.operations.tournaments.stages import draw_next_stage
from service.store.bots import Bot
from service.tournament.results import MatchResult
from service.tournament.schedule import Pairing
from tests.operations.game_setup import Choose, at_random, due, legal_of, organiser, register

NAMES = ("ann", "ben", "cid", "dot", "eve")


def begin_tournament(ctx: Context, entrants: int = 3, **more: Any) -> str:
    """A round robin of that many bots, of two players and one deal unless said otherwise; its id."""
    for name in NAMES[:entrants]:
        if ctx.bots.find(name) is None:
            register(ctx, name)
    given = {"name": "a cup", "format": "round_robin", "bots": NAMES[:entrants], "players": 2, "seed": "cup", **more}
    return str(create_tournament(ctx, organiser(ctx), NewTournament(**given))["tournament"])


def doc_of(ctx: Context, tournament: str) -> TournamentDoc:
    return load_tournament(ctx, tournament)[1]


def game_of(ctx: Context, tournament: str, number: int, attempt: int = 0) -> str:
    """The id of the game of the match of that number."""
    pairing = doc_of(ctx, tournament).schedule().pairing(number)
    return game_id(tournament, pairing.block, pairing.seating, attempt)


def entrants_of(ctx: Context, doc: TournamentDoc) -> dict[str, Bot]:
    found = {name: ctx.bots.find(name) for name in doc.names}
    return {name: bot for name, bot in found.items() if bot is not None}


def begin_match(ctx: Context, tournament: str, number: int, absent: tuple[int, ...] = ()) -> tuple[Pairing, GameView]:
    """The match of that number, with its game as it stands after the first step."""
    doc = doc_of(ctx, tournament)
    pairing = doc.schedule().pairing(number)
    bots = entrants_of(ctx, doc)
    return pairing, open_match(ctx, tournament, doc, pairing, attempt=0, bots=bots, absent=absent)


def play_to_its_end(ctx: Context, view: GameView, choose: Choose | None = None) -> GameView:
    """Settles all that is open, for all seats, until the game is over."""
    choose = choose or at_random("match")
    while not view.over:
        for decision in due(view).values():
            legal = view.game.legal_actions(decision)
            action = legal[choose(decision, legal_of(view, decision))]
            settle(ctx, view.id, Settlement(decision, action, None, 10))
            view = load(ctx, view.id)
    return view


def play_number(ctx: Context, tournament: str, number: int, absent: tuple[int, ...] = ()) -> MatchResult:
    """Plays one match and stores its result."""
    pairing, view = begin_match(ctx, tournament, number, absent)
    result = result_of(play_to_its_end(ctx, view), pairing)
    assert store_result(ctx, tournament, result)
    return result


def play_all(ctx: Context, tournament: str) -> list[MatchResult]:
    """Plays all matches of a tournament, those of stages that are drawn meanwhile included, and ends it."""
    found: list[MatchResult] = []
    while True:
        found += play_known(ctx, tournament, len(found))
        if not draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament)):
            assert lifecycle.finish(ctx, tournament, "finished")
            return found


def play_block(ctx: Context, tournament: str, number: int) -> list[MatchResult]:
    """Plays one block and finishes it."""
    numbers = [pairing.match for pairing in doc_of(ctx, tournament).schedule().block(number).pairings]
    found = [play_number(ctx, tournament, match) for match in numbers]
    assert ctx.blocks.finish(tournament, number, numbers)
    return found


def play_known(ctx: Context, tournament: str, first: int = 0) -> list[MatchResult]:
    """Plays the matches that are known, from number `first` on, and finishes their blocks."""
    schedule = doc_of(ctx, tournament).schedule()
    blocks = range(first // schedule.seatings_per_block, schedule.blocks)
    return [result for block in blocks for result in play_block(ctx, tournament, block)]
