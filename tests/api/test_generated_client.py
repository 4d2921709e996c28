"""A client that openapi-python-client generates from the document plays a whole game."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.api.serving import Served

PLAYER = """
import sys

from montego_client import AuthenticatedClient, Client
from montego_client.api.games import create_game, read_decision, read_game, read_record, submit_action
from montego_client.models import Acted, CreatedGame, NewGame, Problem, Record, SubmissionWithAction, View

url = sys.argv[1]
anybody = Client(base_url=url)
game = create_game.sync(client=anybody, body=NewGame(players=2, seed="generated"))
assert isinstance(game, CreatedGame), game
seats = {given.seat: AuthenticatedClient(base_url=url, token=given.token) for given in game.tokens}
answered = 0
while True:
    view = read_game.sync(client=anybody, game=game.game)
    assert isinstance(view, View), view
    if view.status != "running":
        break
    me = seats[view.due[0]]
    ask = read_decision.sync(client=me, game=game.game)
    body = SubmissionWithAction(decision=ask.decision.id, action=ask.legal_actions[-1])
    acted = submit_action.sync(client=me, game=game.game, body=body)
    assert isinstance(acted, Acted), acted
    assert acted.action == ask.legal_actions[-1]
    answered += 1
late = read_decision.sync(client=seats[0], game=game.game)
assert isinstance(late, Problem) and late.code == "game_over", late
record = read_record.sync(client=anybody, game=game.game)
assert isinstance(record, Record) and len(record.actions) == answered
print("played", record.result.places)
"""


@pytest.fixture
def generated(server: Served, tmp_path: Path) -> Path:
    """A folder with the generated package."""
    document = tmp_path / "openapi.json"
    document.write_bytes(requests.get(f"{server.url}/openapi.json", timeout=10).content)
    settings = tmp_path / "settings.yml"
    settings.write_text("post_hooks: []\npackage_name_override: montego_client\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"]
    package = tmp_path / "montego_client"
    done = subprocess.run(
        [*command, "--path", str(document), "--config", str(settings), "--output-path", str(package)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path


@pytest.mark.slow
def test_a_generated_client_plays_a_whole_game(server: Served, generated: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAYER, server.url],
        cwd=generated,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("played [")
