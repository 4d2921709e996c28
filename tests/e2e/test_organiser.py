"""docs/organisers.md, walked through: from nothing to a tournament that is finished, exported, verified and shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import requests

from service.processes.ports import free_port
from tests.e2e.terminal import Terminal, running

KEY = "an-organiser-key-for-this-test"


def _montego(url: str, *arguments: object, code: int = 0) -> Terminal:
    with Terminal(*arguments, environ={"MONTEGO_ORGANISER_KEY": KEY, "MONTEGO_URL": url}) as terminal:
        assert terminal.wait(150) == code, terminal.err
    return terminal


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_from_nothing_to_a_verified_tournament(tmp_path: Path) -> None:
    port, bot_port = free_port(), free_port()
    url, bot_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{bot_port}"
    with (
        running("up", "--port", port, environ={"MONTEGO_ORGANISER_KEY": KEY}),
        Terminal("bot", "greedy", "--port", bot_port, "--name", "visitor") as visitor,
    ):
        visitor.line_with("visitor listens")
        _montego(url, "bots", "register", "visitor", bot_url)
        made = _montego(url, "tournament", "create", "greedy", "random", "visitor", "--players", 2, "--deals", 2)
        tournament = made.out[-1]
        commitment = re.findall(r"commitment ([0-9a-f]{64})", "\n".join(made.err))[0]

        listed = _montego(url, "tournament", "schedule", tournament).out
        assert len([line for line in listed if "  block " in line]) == 12
        assert listed[-1] == "random and visitor: 2 blocks"

        assert "12 of 12 matches finished" in _montego(url, "tournament", "watch", tournament).err
        stream = requests.get(
            f"{url}/v1/tournaments/{tournament}/events", headers={"Accept": "text/event-stream"}, timeout=30
        )
        assert stream.text.count("event: match_finished") == 12
        assert "event: finished" in stream.text

        path = tmp_path / "cup.json.gz"
        _montego(url, "tournament", "export", tournament, "-o", path)
        _montego(url, "tournament", "tables", tournament, "-o", tmp_path / "live", "--format", "json")

        field = ("--against", "random-2", "--margin", 0.3)
        compared = _montego(url, "compare", "random", "visitor", *field)
        assert compared.out[0].startswith("visitor is better than random: +")

    # From here on nothing of the service is needed, and none of it is there.
    found = _montego(url, "verify", path, "--commitment", commitment)
    assert found.out == [f"sound: tournament {tournament}, 12 games replayed, 12 matches counted"]
    _montego(url, "report", path)
    assert commitment in (tmp_path / "cup.html").read_text("utf-8")
    _montego(url, "tournament", "tables", path, "-o", tmp_path / "kept", "--format", "json")
    for name in (f"{tournament}-standings.json", f"{tournament}-crosstable.json"):
        live, kept = (json.loads((tmp_path / folder / name).read_text("utf-8")) for folder in ("live", "kept"))
        assert live == kept
