"""`montego tournament watch`: followed to the end, through outages, with what is shown on the way."""

from __future__ import annotations

from typing import Any

import pytest

from service.cli.client import ApiClient, ServiceError
from service.cli.watching import wait_until_over
from tests.cli.conftest import Montego, Scripted


def state(status: str, finished: int) -> dict[str, Any]:
    return {"tournament": "t", "name": "cup", "status": status, "matches": {"total": 4, "finished": finished}}


ROW = {
    "rank": 1,
    "name": "ann",
    "matches": 4,
    "wins": 3,
    "score": 3.5,
    "score_per_match": 0.875,
    "points": 40.25,
    "rating": 1611.6,
    "faults": {},
}


def test_it_is_followed_to_its_end(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    for status, finished in (("running", 1), ("paused", 2), ("finished", 4)):
        scripted.on("GET /v1/tournaments/t", 200, state(status, finished))
    passed: list[float] = []
    assert wait_until_over(ApiClient(scripted.url), "t", passed.append)["status"] == "finished"
    assert len(passed) == 2
    assert capsys.readouterr().err.splitlines() == ["1 of 4 matches finished", "4 of 4 matches finished"]


def test_matches_that_will_not_be_played_are_not_taken_for_finished(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    cancelled = {**state("cancelled", 1), "matches": {"total": 4, "finished": 1, "cancelled": 3}}
    scripted.on("GET /v1/tournaments/t", 200, cancelled)
    wait_until_over(ApiClient(scripted.url), "t", lambda _: None)
    assert capsys.readouterr().err.splitlines() == ["1 of 4 matches finished, 3 cancelled"]


def test_below_the_standings_stands_who_withdrew_forfeited_or_did_not_come_up(
    montego: Montego, scripted: Scripted
) -> None:
    left = {"matches": {"total": 4, "finished": 1, "cancelled": 3}, "withdrawn": ["ben"]}
    scripted.on("GET /v1/tournaments/t", 200, {**state("finished", 1), **left})
    rows = [{**ROW, "forfeits": 3, "not_started": 1}, {**ROW, "name": "ben", "forfeits": 0, "not_started": 0}]
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": rows})
    lines = montego("tournament", "show", "t", "--url", scripted.url).out.splitlines()
    assert lines[:2] == ["cup: finished, 4 matches (1 finished, 3 cancelled); 3 forfeits", "withdrawn: ben"]
    assert lines[-2:] == [
        "ann did not come up for 1 match: its owner sees why with montego bots faults ann",
        "ann forfeited 2 matches",
    ]


def test_bots_that_are_not_online_are_named(montego: Montego, scripted: Scripted) -> None:
    bots = {"ann": "online", "ben": "offline", "cid": "unknown"}
    entrants = [{"name": name, "status": status} for name, status in bots.items()]
    scripted.on("GET /v1/tournaments/t", 200, {**state("waiting", 0), "entrants": entrants})
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": [ROW]})
    lines = montego("tournament", "show", "t", "--url", scripted.url).out.splitlines()
    assert lines[0].startswith("cup: waiting")
    assert lines[1:4] == ["offline: ben", "unknown: cid", "It begins when all bots are online."]


def test_a_tournament_can_wait_until_all_bots_are_online(montego: Montego, scripted: Scripted) -> None:
    scripted.on("POST /v1/tournaments", 202, {"tournament": "t", "matches": {"total": 4}, "commitment": "c"})
    assert montego("tournament", "create", "ann", "ben", "--ready", "--url", scripted.url).code == 0
    (_, _, body) = next(call for call in scripted.asked if call[0] == "POST /v1/tournaments")
    assert body["require_ready"] is True


def test_a_service_that_restarts_is_waited_for(scripted: Scripted) -> None:
    scripted.on("GET /v1/tournaments/t", 500, {"title": "Internal Server Error"})
    scripted.on("GET /v1/tournaments/t", 200, state("cancelled", 1))
    assert wait_until_over(ApiClient(scripted.url), "t", lambda _: None)["status"] == "cancelled"


def test_a_tournament_that_is_not_there_is_not_waited_for(scripted: Scripted) -> None:
    scripted.on("GET /v1/tournaments/t", 404, {"title": "Not Found", "detail": "No such.", "code": "not_found"})
    with pytest.raises(ServiceError, match="No such"):
        wait_until_over(ApiClient(scripted.url), "t", lambda _: None)


def test_at_the_end_the_standings_are_shown_with_what_there_is(montego: Montego, scripted: Scripted) -> None:
    scripted.on("GET /v1/tournaments/t", 200, state("finished", 4))
    rows = [{**ROW, "interval": [1500, 1700], "bands": [1, 2]}]
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": rows})
    ran = montego("tournament", "watch", "t", "--url", scripted.url)
    assert ran.code == 0
    cells = [cell.strip() for cell in ran.out.splitlines()[4].strip("│").split("│")]
    assert cells == ["1", "ann", "4", "3", "3.50", "0.875", "40.2", "1612", "1500–1700", "1–2", "0"]


def test_in_a_narrow_place_what_says_least_is_left_out(
    montego: Montego, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.cli.terminal.WIDTH_OF_FILES", 60)
    monkeypatch.setenv("COLUMNS", "60")
    scripted.on("GET /v1/tournaments/t", 200, state("finished", 4))
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": [{**ROW, "interval": [1500, 1700]}]})
    out = montego("tournament", "watch", "t", "--url", scripted.url).out.splitlines()
    assert max(map(len, out)) <= 60
    assert "ann" in out[4]
    assert "1500–1700" in out[4]
    assert "points" not in out[2]
    assert "per match" in out[2], "the column by which they are ranked"


def test_in_a_terminal_the_table_stands_above_the_bar_with_the_time_left(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # which makes rich take the captured stream for a terminal
    monkeypatch.setenv("COLUMNS", "100")
    for status, finished in (("running", 1), ("running", 2), ("finished", 4)):
        scripted.on("GET /v1/tournaments/t", 200, state(status, finished))
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": [{**ROW, "name": "[red]ann[/red]"}]})
    wait_until_over(ApiClient(scripted.url), "t", lambda _: None, table=True)
    shown = capsys.readouterr().err
    assert "[red]ann[/red]" in shown
    assert "1612" in shown
    assert "2/4" in shown or "4/4" in shown
    assert "left" in shown


def test_the_first_line_names_bots_that_never_came_up(montego: Montego, scripted: Scripted) -> None:
    scripted.on("GET /v1/tournaments/t", 200, state("finished", 4))
    rows = [{**ROW, "forfeits": 4, "not_started": 4}, {**ROW, "name": "ben", "forfeits": 1, "not_started": 1}]
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": rows})
    for command in ("show", "watch"):
        out = montego("tournament", command, "t", "--url", scripted.url).out
        assert out.splitlines()[0] == "cup: finished, 4 matches (4 finished); 5 forfeits, ann never came up"


@pytest.mark.parametrize("status", ["paused", "cancelled"])
def test_what_a_status_means_is_said(montego: Montego, scripted: Scripted, status: str) -> None:
    scripted.on("GET /v1/tournaments/t", 200, state(status, 1))
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": [ROW]})
    lines = montego("tournament", "show", "t", "--url", scripted.url).out.splitlines()
    assert lines[0] == f"cup: {status}, 4 matches (1 finished)"
    assert lines[1].endswith(".") or "montego tournament resume" in lines[1]
