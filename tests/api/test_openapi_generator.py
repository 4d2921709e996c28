"""What openapi-generator makes from our documents plays: a client from `/openapi.json`, a bot's server from
`/openapi-bot.json`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from service.processes.ports import LOOPBACK, free_port
from service.processes.stack import responds
from service.processes.supervisor import wait_until
from tests.api.serving import Served
from tests.workers.outbound_setup import LOOPBACK as LOOPBACK_POLICY
from workers.conformance.caller import Target
from workers.conformance.push import check_push
from workers.outbound import OutboundClient

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java, in which openapi-generator is written"),
]

TIMEOUT_S = 180
PLAYER = """
import sys

from montego_generated import ApiClient, ApiException, Configuration, GamesApi
from montego_generated import NewGame, Submission, SubmissionWithAction


def games(token=None):
    return GamesApi(ApiClient(Configuration(host=sys.argv[1], access_token=token)))


game = games().create_game(NewGame(players=2, seed="generated"))
seats = {given.seat: games(given.token) for given in game.tokens}
answered = 0
while (view := games().read_game(game.game)).status == "running":
    me = seats[view.due[0]]
    ask = me.read_decision(game.game)
    body = SubmissionWithAction(decision=ask.decision.id, action=ask.legal_actions[-1])
    acted = me.submit_action(game.game, Submission(body))
    assert acted.decision == ask.decision.id, acted
    answered += 1
try:
    seats[0].read_decision(game.game)
except ApiException as error:
    assert error.status == 409, error
record = games().read_record(game.game)
assert len(record.actions) == answered
print("played", record.result.places)
"""
BOT = """
from fastapi.responses import JSONResponse
from generated_bot.apis.bot_api_base import BaseBotApi
from generated_bot.models.bot_answer_with_index import BotAnswerWithIndex
from generated_bot.models.bot_information import BotInformation


class Bot(BaseBotApi):
    async def read_information(self):
        return BotInformation(protocol="montego-bay/1", name="generated", version="1", author="tests")

    async def start(self, start, *headers):
        return {}

    async def act(self, ask, *headers):
        # FastAPI cannot write the generator's class for "exactly one of".
        return JSONResponse(BotAnswerWithIndex(index=len(ask.legal_actions) - 1).to_dict())

    async def end(self, end, *headers):
        return {}
"""


def generate(document: Path, generator: str, package: str, folder: Path) -> None:
    """Runs openapi-generator; its package comes with the program in a jar."""
    command = [str(Path(sys.executable).with_name("openapi-generator-cli")), "generate", "-i", str(document)]
    done = subprocess.run(
        [*command, "-g", generator, "-o", str(folder), f"--additional-properties=packageName={package}"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def document(server: Served, name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(requests.get(f"{server.url}/{name}", timeout=10).content)
    return path


def test_a_generated_client_plays_a_whole_game(server: Served, tmp_path: Path) -> None:
    generate(document(server, "openapi.json", tmp_path), "python", "montego_generated", tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", PLAYER, server.url],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("played [")


@contextmanager
def generated_bot(folder: Path) -> Iterator[str]:
    """Serves a generated server, with a few lines that choose; its URL."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "generated_bot.main:app", "--host", LOOPBACK, "--port", str(port)]
    with subprocess.Popen([*command, "--log-level", "warning"], cwd=folder / "src") as process:
        url = f"http://{LOOPBACK}:{port}"
        try:
            assert wait_until(lambda: responds(f"{url}/"), 60), "the generated server did not come up"
            yield url
        finally:
            process.terminate()


def test_a_generated_server_of_a_bot_passes_the_check(server: Served, tmp_path: Path) -> None:
    """The check plays a whole game against it, and asks each kind of decision."""
    generate(document(server, "openapi-bot.json", tmp_path), "python-fastapi", "generated_bot", tmp_path)
    (tmp_path / "src/generated_bot/impl/bot.py").write_text(BOT, "utf-8")
    # The generator derives models that may have further members from a class that it does not write.
    base = "from pydantic import BaseModel\n\nobject = BaseModel\n"
    (tmp_path / "src/generated_bot/models/object.py").write_text(base, "utf-8")
    outbound = OutboundClient(LOOPBACK_POLICY)
    with generated_bot(tmp_path) as url:
        report = check_push(outbound, Target(url, (), "whsec_" + "c2VjcmV0" * 4, "check")).to_json()
    outbound.close()
    assert report["grade"] != "faulty", report["findings"]
    assert report["asks"] > 30
