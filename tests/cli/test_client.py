"""How the command calls a service."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.cli.client import ApiClient, ServiceError
from tests.cli.conftest import Montego, Scripted

UNAVAILABLE = {"title": "Service Unavailable", "detail": "Redis does not answer", "code": "unavailable"}


def test_a_read_is_tried_again_when_the_service_is_unavailable(scripted: Scripted) -> None:
    scripted.on("GET /v1/bots", 503, UNAVAILABLE)
    scripted.on("GET /v1/bots", 503, UNAVAILABLE)
    scripted.on("GET /v1/bots", 200, {"items": [{"name": "greedy"}], "next": None})
    assert list(ApiClient(scripted.url).items("/v1/bots")) == [{"name": "greedy"}]
    assert len(scripted.asked) == 3


def test_what_changes_something_is_sent_once(scripted: Scripted) -> None:
    scripted.on("POST /v1/keys", 503, UNAVAILABLE)
    with pytest.raises(ServiceError, match=r"Redis does not answer \(unavailable\)"):
        ApiClient(scripted.url).post("/v1/keys", {"role": "author"})
    assert len(scripted.asked) == 1


def test_a_list_is_read_page_by_page(scripted: Scripted) -> None:
    scripted.on("GET /v1/bots", 200, {"items": [{"name": "a"}], "next": "c=1&x"})
    scripted.on("GET /v1/bots", 200, {"items": [{"name": "b"}], "next": None})
    assert [item["name"] for item in ApiClient(scripted.url).items("/v1/bots")] == ["a", "b"]
    assert [call for call, _, _ in scripted.asked] == [
        "GET /v1/bots?limit=100",
        "GET /v1/bots?limit=100&cursor=c%3D1%26x",
    ]


def test_a_key_is_sent_and_a_password_of_netrc_is_not(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine localhost login somebody password secret\n", "utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    scripted.on("GET /v1/bots", 200, {"items": [], "next": None})
    for key in ("organiser-key", None):
        list(ApiClient(scripted.url, key).items("/v1/bots"))
    sent = [headers.get("Authorization") for _, headers, _ in scripted.asked]
    assert sent == ["Bearer organiser-key", None]


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    scripted.on("GET /v1/bots", 200, {"items": [], "next": None})
    assert list(ApiClient(scripted.url).items("/v1/bots")) == []


def test_a_redirect_is_not_followed_with_the_key(scripted: Scripted) -> None:
    scripted.on("GET /v1/bots", 302, b"", Location="/elsewhere")
    with pytest.raises(ServiceError, match="answered 302"):
        list(ApiClient(scripted.url, "key").items("/v1/bots"))
    assert len(scripted.asked) == 1


def test_what_is_not_given_is_left_to_the_service(montego: Montego, scripted: Scripted) -> None:
    scripted.on("POST /v1/tournaments", 202, {"tournament": "t1", "status": "running", "matches": {"total": 12}})
    ran = montego(
        "tournament", "create", "greedy", "random", "--players", 2, "--challenger", "new", "--seed", "s",
        "--variant", "tally=circuit", "--variant", "starting_coins=2", "--move-ms", 500, "--url", scripted.url,
    )  # fmt: skip
    assert (ran.code, ran.out) == (0, "t1\n")
    ((_, _, body),) = scripted.asked
    assert body == {
        "name": "greedy, random",
        "format": "gauntlet",
        "bots": ["greedy", "random"],
        "challengers": ["new"],
        "players": 2,
        "deals": 3,
        "seatings": "rotations",
        "seed": "s",
        "variants": {"tally": "circuit", "starting_coins": 2},
        "move_ms": 500,
    }


def test_an_id_cannot_lead_to_another_path(montego: Montego, scripted: Scripted) -> None:
    montego("tournament", "cancel", "../keys?x#y", "--url", scripted.url)
    assert [call for call, _, _ in scripted.asked] == ["POST /v1/tournaments/..%2Fkeys%3Fx%23y/cancellation"]


def test_watching_goes_on_until_it_is_over(montego: Montego, scripted: Scripted) -> None:
    for finished, status in ((0, "running"), (1, "running"), (2, "finished")):
        answer = {"tournament": "t", "name": "cup", "status": status, "matches": {"total": 2, "finished": finished}}
        scripted.on("GET /v1/tournaments/t", 200, answer)
    row = {"rank": 1, "name": "greedy", "matches": 2, "wins": 2, "score": 2.0, "points": 40.5, "faults": {"late": 0}}
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": [row]})
    ran = montego("tournament", "watch", "t", "--url", scripted.url)
    assert ran.code == 0
    assert "2 of 2 matches finished" in ran.err
    assert "cup: finished, 2 matches (2 finished)" in ran.out
    assert "greedy" in ran.out


def test_a_failed_tournament_is_an_error(montego: Montego, scripted: Scripted) -> None:
    answer = {"tournament": "t", "status": "failed", "reason": "no bot came up", "matches": {"total": 2, "finished": 0}}
    scripted.on("GET /v1/tournaments/t", 200, answer)
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": []})
    ran = montego("tournament", "watch", "t", "--url", scripted.url)
    assert ran.code == 1
    assert ran.err.endswith("Error: tournament t failed: no bot came up\n")


def test_faults_are_listed_and_why_a_bot_did_not_come_up_is_told(montego: Montego, scripted: Scripted) -> None:
    missed = {"tournament": "t", "match": "t-3", "at": "now", "detail": "GET /: unreachable: \x1b[31mrefused"}
    known = {"bot": "b1", "name": "ann", "not_started": missed}
    scripted.on("GET /v1/bots/ann", 200, known)
    scripted.on("GET /v1/bots/b1/faults", 200, {"items": [], "next": None})
    fault = {"kind": "late", "game": "t-0-0", "decision": "1.play.0.0", "elapsed_ms": 201, "detail": "no bytes came"}
    scripted.on("GET /v1/bots/b1/faults", 200, {"items": [fault], "next": None})
    ran = montego("bots", "faults", "ann", "--url", scripted.url)
    assert ran.out == "did not come up for match t-3, now: GET /: unreachable: [31mrefused\n"
    assert ran.err == "ann has no faults\n"
    out = montego("bots", "faults", "ann", "--url", scripted.url).out
    assert all(word in out for word in ("late", "1.play.0.0", "201", "no bytes came"))
