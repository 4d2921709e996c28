"""A chat-completions endpoint on loopback that answers well or badly, as it is told; and many games against it."""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bots.inprocess import question
from bots.llm import ChatEndpoint, ModelBot, Prompt
from bots.random_bot import RandomBot
from montego_bot import Bot, answer, read_ask
from service.engine.actions import parse_action
from service.engine.components import standard_components
from service.engine.game import Game
from service.engine.setup import Reshuffles, Variants, draw_setup

MAX_KEPT = 1000

Answer = tuple[int, dict[str, str], bytes]
Behaviour = Callable[[dict[str, Any], random.Random], Answer]


def reply(text: str | None, finish: str = "stop", **message: Any) -> Answer:
    """An answer with this text."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
    return 200, {}, json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def listed(body: dict[str, Any]) -> int:
    """How many legal actions the decision lists."""
    told = "\n".join(message["content"] for message in body["messages"] if message["role"] == "user")
    return len(re.findall(r"^\d+: \{", told, re.MULTILINE))


def pick(body: dict[str, Any], chance: random.Random) -> int:
    """The index of a legal action."""
    return chance.randrange(max(listed(body), 1))


def well(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply(json.dumps({"thoughts": "It looks good.", "index": pick(body, chance)}))


def fenced(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply(f'Let me think.\n```json\n{{"thoughts": "{{}}", "index": "{pick(body, chance)}"}}\n```\nDone!')


def in_prose(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply(f"The front ship is nearly full, so of all 25 I choose option {pick(body, chance)}.")


def in_parts(body: dict[str, Any], chance: random.Random) -> Answer:
    status, headers, content = well(body, chance)
    made = json.loads(content)
    message = made["choices"][0]["message"]
    message["content"] = [{"type": "text", "text": part} for part in (message["content"][:9], message["content"][9:])]
    return status, headers, json.dumps(made).encode()


def out_of_range(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply('{"thoughts": "", "index": 999}')


def illegal(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply('{"action": {"type": "play", "big": 9, "little": 9}}')


def cut_off(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply('{"thoughts": "First I have to consider that', "length")


def empty(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply("")


def refusing(body: dict[str, Any], chance: random.Random) -> Answer:
    return reply(None, refusal="I cannot help with gambling.")


def too_many(body: dict[str, Any], chance: random.Random) -> Answer:
    return 429, {"Retry-After": "0"}, b'{"error": {"message": "slow down"}}'


def broken(body: dict[str, Any], chance: random.Random) -> Answer:
    return 500, {}, b"<html>oops</html>"


def no_json(body: dict[str, Any], chance: random.Random) -> Answer:
    return 200, {}, b"hello"


def slow(body: dict[str, Any], chance: random.Random) -> Answer:
    time.sleep(0.4)
    return well(body, chance)


GOOD: tuple[Behaviour, ...] = (well, fenced, in_prose, in_parts)
BAD: tuple[Behaviour, ...] = (
    out_of_range, illegal, cut_off, empty, refusing, too_many, broken, no_json,
)  # fmt: skip


def without_schemas(behaviour: Behaviour) -> Behaviour:
    """The same for an endpoint that refuses structured output."""

    def act(body: dict[str, Any], chance: random.Random) -> Answer:
        if "response_format" in body:
            return 400, {}, b'{"error": {"message": "response_format is not supported"}}'
        return behaviour(body, chance)

    return act


@dataclass
class ScriptedEndpoint:
    """The URL, what was asked first (1,000 calls at most), and how each call was answered."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    authorized: list[str | None] = field(default_factory=list)
    behaved: list[str] = field(default_factory=list)


@contextmanager
def chat_endpoint(choose: Callable[[random.Random], Behaviour]) -> Iterator[ScriptedEndpoint]:
    """An endpoint on loopback; `choose` says how it answers each call."""
    chance = random.Random(1)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                if len(endpoint.asked) < MAX_KEPT:
                    endpoint.asked.append(body)
                endpoint.authorized.append(self.headers.get("Authorization"))
                behaviour = choose(chance)
                endpoint.behaved.append(behaviour.__name__)
            status, headers, content = behaviour(body, chance)
            if self.path != "/v1/chat/completions":
                status, headers, content = 404, {}, b'{"error": {"message": "no such path"}}'
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            try:
                self.wfile.write(content)
            except ConnectionError:
                self.close_connection = True  # the client had no more time

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        endpoint = ScriptedEndpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()


def play_game(bot: ModelBot, number: int, budget_ms: int) -> int:
    """Plays a game of two against `random`; how many decisions took longer than their budget. A bot that answers
    something illegal ends this with its BadChoice."""
    components = standard_components(2)
    seed = f"llm-{number}"
    game = Game.deal(2, Variants(), components, draw_setup(components, 2, seed), Reshuffles(seed)).game
    other = RandomBot()
    seats: list[Bot] = [bot, other] if number % 2 else [other, bot]
    late = 0
    while game.outcome is None:
        decision = game.decisions[0]
        ask = read_ask(question(game, decision) | {"game": seed, "budget_ms": budget_ms})
        begun = time.monotonic()
        chosen = answer(seats[decision.seat], ask)["action"]
        late += time.monotonic() - begun > budget_ms / 1000
        game = game.apply(decision.id, parse_action(chosen)).game
    return late


def any_behaviour(chance: random.Random) -> Behaviour:
    """One call in three is answered badly."""
    return chance.choice(BAD if chance.random() < 1 / 3 else GOOD)


def main() -> int:
    """`python -m tests.bots.chat_endpoint`: many games, with an endpoint that answers one call in three badly."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=8, help="games at a time")
    given = parser.parse_args()
    with (
        chat_endpoint(any_behaviour) as endpoint,
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(given.threads) as pool,
    ):
        bot = ModelBot(ChatEndpoint(endpoint.url, "chaotic"), Prompt(), name="chaotic", transcripts=Path(folder))
        late = sum(pool.map(lambda number: play_game(bot, number, 30_000), range(given.games)))
        behaviours = Counter(endpoint.behaved)
    sys.stdout.write(f"{given.games} games, {late} late answers: {bot.summary()}\n{dict(behaviours)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
