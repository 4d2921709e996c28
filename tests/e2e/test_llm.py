"""`montego run llm`: a model plays a match of a tournament over HTTP, with an endpoint that is not always well."""

from __future__ import annotations

import itertools
import json
import random
import signal
from pathlib import Path

from tests.bots import chat_endpoint as endpoints
from tests.bots.chat_endpoint import Behaviour, chat_endpoint
from tests.e2e.running_service import OrganiserClient
from tests.e2e.terminal import Terminal


def test_a_model_plays_a_match_without_a_fault(service: OrganiserClient, tmp_path: Path) -> None:
    entrant = service.register("talker")
    calls = itertools.count()

    def moody(chance: random.Random) -> Behaviour:
        """All calls but the first may be answered badly, one in four."""
        return chance.choice(endpoints.BAD if next(calls) and chance.random() < 0.25 else endpoints.GOOD)

    with chat_endpoint(moody) as endpoint:
        environ = {"MONTEGO_BOT_TOKEN": entrant.token, "MONTEGO_LLM_KEY": "sk-test"}
        arguments = ("run", "llm", "--endpoint", endpoint.url, "--model", "tiny", "--url", service.url)
        kept = ("--transcripts", tmp_path / "kept", "--prices", 1, 2, "--name", "talker", "--tries", 20)
        with Terminal(*arguments, *kept, environ=environ) as model:
            model.line_with("talker polls")
            tournament = service.play(["talker", "greedy"], players=2, move_ms=60000)
            model.line_with("is over; so far")
            model.signal(signal.SIGTERM)
            assert model.wait(30) == 0
            assert "decisions, 0 without a usable reply" in model.err[-1]
    assert service.faults(entrant) == []
    for record in service.records(tournament):
        assert record["result"]["ended"] == "played"
        assert all(action["by"] == "player" for action in record["actions"])
        assert "It looks good." in {told["comment"] for told in record["comments"]}
    assert set(endpoint.authorized) == {"Bearer sk-test"}
    lines = [
        json.loads(line) for file in (tmp_path / "kept").iterdir() for line in file.read_text("utf-8").splitlines()
    ]
    assert len(lines) > 20
    assert all(line["cost"] > 0 for line in lines)
