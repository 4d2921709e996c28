"""The kit for JavaScript and TypeScript: push, poll, signatures, mistakes in a bot's code, its types, its package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from bots.random_bot import RandomBot
from montego_bot import Poller, running
from service.processes.supervisor import wait_until
from tests.api.serving import serve
from tests.bots.poll_service import PollService
from tests.bots.positions import cards
from tests.bots.test_push import OTHER, SECRET, signed
from tests.fixtures_redis import started_redis
from tests.pollers import running_pollers

KIT = Path(__file__).resolve().parents[2] / "bots" / "typescript"
NODE_MODULES = Path(__file__).resolve().parents[1] / "api" / "typescript" / "package.json"
TIMEOUT = 60
LAST = "export default (ask) => ask.legal_actions.length - 1;\n"
TYPED = """
import { runPush, type Ask, type Bot, type Choice } from 'montego-bot';
const bot: Bot = {
  act(ask: Ask): Choice {
    const front = ask.observation.docks[0]!;
    if (ask.decision.type === 'load') return { choice: ask.legal_actions[0]!, comment: `${front.capacity}` };
    return ask.legal_actions.length - 1;
  },
};
void runPush(bot, { port: 0 });
"""

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@contextmanager
def started(folder: Path, source: str, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """The kit's command with a bot of that source; its standard error is kept in `errors`."""
    (folder / "mine.mjs").write_text(source)
    command = ["node", str(KIT / "cli.js"), arguments[0], "mine.mjs", *arguments[1:]]
    environ = {key: value for key, value in os.environ.items() if not key.startswith("MONTEGO_")} | variables
    with (
        (folder / "errors").open("w") as errors,
        subprocess.Popen(command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def pushing(folder: Path, source: str, **variables: str) -> Iterator[str]:
    with started(folder, source, "push", "--port", "0", **variables) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]


def test_a_push_bot_introduces_itself_and_answers(tmp_path: Path) -> None:
    with pushing(tmp_path, LAST) as url:
        told = requests.get(url, timeout=TIMEOUT).json()
        answer = requests.post(url + "/act", json=cards(), timeout=TIMEOUT)
        assert told == {"protocol": "montego-bay/1", "name": "mine", "version": "1", "author": ""}
        assert answer.json() == {"action": cards()["legal_actions"][-1]}
        assert requests.get(url + "/nothing", timeout=TIMEOUT).status_code == 404
        assert requests.get(url + "/act", timeout=TIMEOUT).headers["Allow"] == "POST"
        assert requests.post(url + "/act", data=b"{", timeout=TIMEOUT).status_code == 400
        assert requests.post(url + "/act", json={}, timeout=TIMEOUT).status_code == 400


def test_a_comment_goes_with_the_action(tmp_path: Path) -> None:
    with pushing(tmp_path, "export default (ask) => ({ choice: 0, comment: 'because' });") as url:
        sent = requests.post(url + "/act", json=cards(), timeout=TIMEOUT).json()
    assert sent == {"action": cards()["legal_actions"][0], "comment": "because"}


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("999", "there is no index 999"),
        ("-1", "there is no index -1"),
        ("null", "expected an action"),
        ("{ type: 'play', big: 6, little: 1 }", "is not legal"),
        ("(() => { throw new Error('oops'); })()", "oops"),
    ],
)
def test_a_mistake_of_the_author_is_answered_500_with_the_reason(tmp_path: Path, choice: str, said: str) -> None:
    with pushing(tmp_path, f"export default (ask) => ({choice});") as url:
        answer = requests.post(url + "/act", json=cards(), timeout=TIMEOUT)
        assert requests.get(url, timeout=TIMEOUT).status_code == 200
    assert answer.status_code == 500
    assert said in answer.json()["detail"]


def test_only_what_is_signed_with_one_of_the_secrets_is_answered(tmp_path: Path) -> None:
    body = json.dumps(cards()).encode()
    good = signed(body)
    two = good | {"webhook-signature": "v1,AAAA " + good["webhook-signature"]}
    refused = [
        {},
        good | {"webhook-id": "g2_2-play-0-0"},
        good | {"webhook-timestamp": str(int(good["webhook-timestamp"]) - 400)},
        good | {"webhook-timestamp": "soon"},
        good | {"webhook-signature": "v2," + good["webhook-signature"].split(",")[1]},
    ]
    with pushing(tmp_path, LAST, MONTEGO_BOT_SECRET=f"{OTHER} {SECRET}") as url:
        statuses = [
            requests.post(url + "/act", data=body, headers=headers, timeout=TIMEOUT).status_code
            for headers in (good, two, *refused)
        ]
    assert statuses == [200, 200, 401, 401, 401, 401, 401]


def test_a_poll_bot_plays_a_whole_game(tmp_path: Path) -> None:
    service = PollService(2, "typescript-kit")
    with (
        running(service.app) as url,
        started(tmp_path, LAST, "poll", "--url", url, MONTEGO_BOT_TOKEN=f"{service.tokens[0]}\n"),
        running_pollers([Poller(RandomBot(), url, service.tokens[1], wait=1)]),
    ):
        assert service.over.wait(TIMEOUT)
    assert service.refused == []


def test_in_a_match_a_poll_bot_tells_the_service_at_once_that_it_has_no_answer(tmp_path: Path) -> None:
    service = PollService(2, "no answer", match="match")
    with (
        running(service.app) as url,
        started(tmp_path, "export default () => 999;", "poll", "--url", url, MONTEGO_BOT_TOKEN=service.tokens[0]),
        running_pollers([Poller(RandomBot(), url, service.tokens[1], wait=1)]),
    ):
        assert service.over.wait(TIMEOUT)
    assert service.reasons
    assert all("there is no index 999" in told for told in service.reasons)


def test_a_poll_bot_whose_token_is_refused_ends_with_the_reason(tmp_path: Path) -> None:
    with (
        running(PollService(2, "token").app) as url,
        started(tmp_path, LAST, "poll", "--url", url, MONTEGO_BOT_TOKEN="nobody's") as process,
    ):
        assert process.wait(TIMEOUT) == 1
    assert "unauthorized" in (tmp_path / "errors").read_text()


def test_a_poll_bot_waits_for_a_service_that_is_not_there_yet(tmp_path: Path) -> None:
    with started(tmp_path, LAST, "poll", "--url", "http://127.0.0.1:9", MONTEGO_BOT_TOKEN="t") as process:
        assert wait_until(lambda: "trying again" in (tmp_path / "errors").read_text(), TIMEOUT)
        assert process.poll() is None


def test_wrong_usage_is_named(tmp_path: Path) -> None:
    for source, arguments, said in (
        ("export const x = 1;", ("push",), "exports neither a function nor a bot"),
        (LAST, ("replay", "record.json", "the third"), "not the id of a decision"),
        (LAST, ("sing",), "usage:"),
    ):
        with started(tmp_path, source, *arguments) as process:
            assert process.wait(TIMEOUT) == 2
        assert said in (tmp_path / "errors").read_text()


def npm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True, timeout=180, check=False)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_two_packs_are_equal_to_the_last_byte(tmp_path: Path) -> None:
    packs = []
    for number in ("1", "2"):
        copy = tmp_path / number
        shutil.copytree(KIT, copy)
        assert npm(copy, "pack", "--silent").returncode == 0
        packs.append(copy / "montego-bot-0.1.0.tgz")
    assert packs[0].read_bytes() == packs[1].read_bytes()
    with tarfile.open(packs[0]) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert names == {"LICENSE", "README.md", "cli.js", "index.d.ts", "index.js", "package.json", "protocol.d.ts"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_the_types_are_those_of_the_document_and_hold_a_bot_in_typescript(tmp_path: Path) -> None:
    shutil.copy(NODE_MODULES, tmp_path)
    if npm(tmp_path, "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline").returncode:
        pytest.skip("needs openapi-typescript from npm")
    with started_redis() as redis, serve(redis.url, "the-organisers-key") as server:
        document = requests.get(f"{server.url}/openapi-bot.json", timeout=TIMEOUT).content
    (tmp_path / "openapi-bot.json").write_bytes(document)
    generate = "openapi-typescript openapi-bot.json -o protocol.d.ts --default-non-nullable=false"
    made = npm(tmp_path, "exec", "--no", "--", *generate.split())
    assert made.returncode == 0, made.stderr
    # docs/architecture.md says how it is made anew.
    assert (tmp_path / "protocol.d.ts").read_text() == (KIT / "protocol.d.ts").read_text()
    shutil.copytree(KIT, tmp_path / "node_modules" / "montego-bot")
    (tmp_path / "mine.mts").write_text(TYPED)
    check = "tsc --strict --noUncheckedIndexedAccess --module nodenext --target es2022 --noEmit mine.mts"
    assert npm(tmp_path, "install", "--no-save", "--no-audit", "--prefer-offline", "@types/node@20").returncode == 0
    shutil.copytree(KIT, tmp_path / "node_modules" / "montego-bot", dirs_exist_ok=True)
    checked = npm(tmp_path, "exec", "--no", "--", *check.split())
    assert checked.returncode == 0, checked.stdout
