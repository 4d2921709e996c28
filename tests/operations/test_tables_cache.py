"""Tables of a tournament: with ratings, computed anew when there is something new, and giving no seed away."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from service.operations.context import Context
from service.operations.offload import inline
from service.operations.tournaments.lifecycle import finish
from service.operations.tournaments.read import crosstable, standings
from service.operations.tournaments.tables_cache import STALE_SHARE, Known, TablesCache
from service.tournament.rating import rate
from service.tournament.simulation import SimulatedField, played
from service.tournament.tables import tables
from tests.operations.tournament_setup import begin_tournament, doc_of, play_all, play_number
from tests.tournament.simulated_field import round_robin

T = TypeVar("T")
SIMULATED = SimulatedField((0.0, 60.0, 120.0))
SCHEDULE = round_robin(SIMULATED, 2, 40)
PLAN = SCHEDULE.plan
RESULTS = played(SIMULATED, SCHEDULE, np.random.default_rng(1))
TEXTS = {result.match: json.dumps(result.to_json()) for result in RESULTS}


class Counting:
    """Offload, and how often it was used."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, work: Callable[[], T]) -> T:
        self.times += 1
        return work()


def test_standings_have_ratings_and_say_why_there_is_no_interval(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3)
    assert {row["rating"] for row in standings(ctx, tournament)["standings"]} == {None}
    play_all(ctx, tournament)
    rows = standings(ctx, tournament)["standings"]
    assert sum(row["rating"] for row in rows) - 4500 in (-1, 0, 1)
    assert {(row["interval"], row["interval_missing"]) for row in rows} == {(None, "too few blocks")}
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)


def test_tables_are_computed_once_until_there_is_a_new_result(ctx: Context) -> None:
    offload = Counting()
    reader = replace(ctx, offload=offload)
    tournament = begin_tournament(ctx, 3)
    play_number(ctx, tournament, 0)
    for _ in range(3):
        standings(reader, tournament)
        crosstable(reader, tournament)
    assert offload.times == 1
    play_number(ctx, tournament, 1)
    assert standings(reader, tournament)["matches"]["finished"] == 2
    assert sum(row["matches"] for row in standings(reader, tournament)["standings"]) == 4
    assert offload.times == 2


def test_intervals_come_from_the_commitment_while_it_runs_and_from_the_seed_when_it_is_over(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 3, deals=12)
    doc = doc_of(ctx, tournament)
    results = [play_number(ctx, tournament, number) for number in range(doc.schedule().matches)]

    def shown() -> list[Any]:
        return [row["interval"] for row in standings(ctx, tournament)["standings"]]

    def drawn_from(seed: str) -> list[Any]:
        return [row["interval"] for row in tables(doc.names, results, seed).standings]

    assert shown() == drawn_from(doc.commitment)
    assert finish(ctx, tournament, "finished")
    assert shown() == drawn_from(doc.seed)
    assert drawn_from(doc.seed) != drawn_from(doc.commitment)


def test_scores_are_never_behind_and_ratings_little(ctx: Context) -> None:
    cache = TablesCache()

    def shown(number: int, seed: str = "s") -> Any:
        texts = {match: TEXTS[match] for match in range(number)}
        return cache.get("t", Known(number, seed), PLAN, lambda: texts, inline)

    first = shown(200)
    later = shown(200 + 200 // STALE_SHARE - 1)
    assert sum(row["matches"] for row in later.standings) == 2 * (200 + 200 // STALE_SHARE - 1)
    assert later.ratings == first.ratings
    assert shown(220).ratings != first.ratings
    exact = rate(SIMULATED.names, RESULTS[:220], "other")
    assert shown(220, "other").ratings == tuple(row.to_json() for row in exact.values())


def test_only_so_many_tournaments_are_kept(ctx: Context) -> None:
    cache = TablesCache(size=2)
    reads: list[str] = []

    def read(tournament: str) -> None:
        def results() -> dict[int, str]:
            reads.append(tournament)
            return {0: TEXTS[0]}

        cache.get(tournament, Known(1, "s"), PLAN, results, inline)

    for tournament in ("a", "b", "a", "c", "a", "b"):
        read(tournament)
    assert reads == ["a", "b", "c", "b"]
