from __future__ import annotations

from typing import Any

import pytest

from service.tournament.ladder import LogError, Season, SeasonError, check_log
from tests.tournament.season_log import SEED, PlayedSeason, played_season


def checked(played: PlayedSeason, log: list[dict[str, Any]] | None = None) -> Season:
    return check_log(played.players, SEED, played.log if log is None else log, played.results)


def at(played: PlayedSeason, kind: str, number: int = 1) -> int:
    """The place of the entry of that kind of block `number`."""
    return next(i for i, entry in enumerate(played.log) if entry["type"] == kind and entry["block"] == number)


def test_a_log_that_was_played_is_sound_and_seats_everybody_once_on_every_seat() -> None:
    played = played_season()
    season = checked(played)
    assert season.blocks == len(season.finished) > 6
    for block in season:
        seatings = [pairing.seats for pairing in block.pairings]
        assert all({seats[seat] for seats in seatings} == set(block.entrants) for seat in range(3))
    assert season.pairing(7).block == 2 and season.pairing(7).match == 7


def test_who_was_away_was_in_no_block_and_came_back() -> None:
    played = played_season()
    gone, back = (next(i for i, e in enumerate(played.log) if e["type"] == kind) for kind in ("away", "back"))
    between = [entry for entry in played.log[gone:back] if entry["type"] == "started"]
    assert between and all("ben" not in entry["entrants"] for entry in between)
    assert checked(played).entrants["ben"].away is None


def test_an_altered_block_is_named() -> None:
    played = played_season()
    place = at(played, "started")
    played.log[place] = {**played.log[place], "entrants": played.log[place]["entrants"][::-1]}
    with pytest.raises(LogError) as caught:
        checked(played)
    assert (caught.value.index, caught.value.member) == (place, "entrants")


def test_a_result_that_was_altered_is_named() -> None:
    played = played_season()
    place = at(played, "finished")
    won = [[cell + (i != j) for j, cell in enumerate(row)] for i, row in enumerate(played.log[place]["won"])]
    played.log[place] = {**played.log[place], "won": won}
    with pytest.raises(LogError) as caught:
        checked(played)
    assert (caught.value.index, caught.value.member) == (place, "won")


def test_a_dropped_block_is_named_where_the_next_one_does_not_follow() -> None:
    played = played_season()
    kept = [entry for entry in played.log if entry.get("block") != 1]
    with pytest.raises(LogError) as caught:
        checked(played, kept)
    assert kept[caught.value.index]["block"] == 2


def test_a_result_that_was_dropped_is_named() -> None:
    played = played_season()
    kept = [entry for entry in played.log if not (entry["type"] == "finished" and entry["block"] == 1)]
    with pytest.raises(LogError) as caught:
        checked(played, kept)
    assert kept[caught.value.index]["type"] == "started"


def test_blocks_in_another_order_are_named() -> None:
    played = played_season()
    one, other = at(played, "started", 0), at(played, "started", 1)
    played.log[one], played.log[other] = played.log[other], played.log[one]
    with pytest.raises(LogError) as caught:
        checked(played)
    assert caught.value.index == one


def test_an_invented_block_is_named() -> None:
    played = played_season()
    entrants = ["ann", "cid", "r"] if played.log[at(played, "started", 2)]["entrants"] != ["ann", "cid", "r"] else ["r"]
    invented = {"type": "started", "at": 0, "block": played.season.blocks, "entrants": entrants, "busy": []}
    with pytest.raises(LogError) as caught:
        checked(played, [*played.log, invented])
    assert caught.value.index == len(played.log)


def test_a_block_that_left_somebody_out_for_no_reason_is_named() -> None:
    played = played_season()
    place = at(played, "started", 0)
    played.log[place] = {**played.log[place], "busy": [played.log[place]["entrants"][0]]}
    with pytest.raises(LogError) as caught:
        checked(played)
    assert caught.value.index == place


def test_an_entry_that_cannot_follow_is_refused_and_the_season_stays_as_it_was() -> None:
    season = played_season(2).season
    entries = season.entries
    with pytest.raises(SeasonError, match="zoe"):
        season.followed_by([{"type": "away", "at": 0, "entrant": "zoe", "reason": "left"}])
    with pytest.raises(SeasonError, match="takes part already"):
        season.followed_by([{"type": "back", "at": 0, "entrant": "ann"}]).state  # noqa: B018
    with pytest.raises(SeasonError, match="no entry of type"):
        season.followed_by([{"type": "danced", "at": 0}])
    assert season.entries == entries


def test_a_block_in_which_a_bot_did_not_start_counts_for_no_rating() -> None:
    played = PlayedSeason()
    for name in ("r", "s"):
        played.enter(name, reference=True)
    played.enter("ann")
    assert played.start() == 0
    played.note("finished", block=0, won=None)
    season = checked(played)
    assert season.ratings().ratings()["ann"].blocks == 0
    assert not season.state.entrants["ann"].playing
