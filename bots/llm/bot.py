"""A bot that asks a language model, and always has an answer before its time is up."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bots.llm.endpoint import ChatEndpoint, EndpointFailed, EndpointRefused, Usage
from bots.llm.prompt import Prompt
from bots.llm.reply import BadReply, read_reply
from montego_bot import Ask, Bot, Commented, End, generator

log = logging.getLogger("bots")

DEFAULT_BUDGET_S = 60.0
"""For an ask without a budget, as in a casual game without a limit."""
MAX_TRIES = 5
RESERVE_S = 0.5
"""Kept back for the way of the answer to the service; at most a tenth of the budget."""
FIRST_PAUSE_S = 0.25


@dataclass(frozen=True, slots=True)
class _Try:
    """One call of the endpoint: its reply, and why that was of no use (None if it was)."""

    reply: str | None
    reason: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Conversation:
    """All that was said about one decision. `action` is None if no reply was of use."""

    messages: list[dict[str, str]]
    tries: list[_Try]
    action: dict[str, Any] | None = None
    thoughts: str = ""

    @property
    def usage(self) -> Usage:
        return sum((one.usage for one in self.tries), Usage())


class ModelBot(Bot):
    """Asks the model anew, with the reason, as long as its reply names no legal action and time is left. If none does,
    a legal action drawn at random is played, the log says why, and `fallbacks` counts it."""

    version = "1"

    def __init__(
        self,
        endpoint: ChatEndpoint,
        prompt: Prompt,
        *,
        name: str,
        transcripts: Path | None = None,
        max_tries: int = MAX_TRIES,
    ) -> None:
        """`transcripts` is a folder; each seat of a game gets a file there, with a JSON line for each decision."""
        self.name = name
        self.usage, self.fallbacks, self.decisions = Usage(), 0, 0
        self._endpoint, self._prompt, self._transcripts, self._max_tries = endpoint, prompt, transcripts, max_tries
        self._lock = threading.Lock()

    def act(self, ask: Ask) -> Commented:
        """The model's choice, with its thoughts as the comment."""
        begun = time.monotonic()
        budget = DEFAULT_BUDGET_S if ask.budget_ms is None else ask.budget_ms / 1000
        said = self._converse(ask, begun + budget - min(RESERVE_S, budget / 10))
        action = said.action
        if action is None:
            action = generator(self.name, ask).choice(ask.legal_actions).to_json()
            reason = said.tries[-1].reason if said.tries else "there was no time to ask"
            log.warning("%s: %s: a random legal action is played: %s", self.name, ask.decision.id, reason)
        with self._lock:
            self.usage += said.usage
            self.decisions += 1
            self.fallbacks += said.action is None
            if self._transcripts is not None:
                elapsed_ms = round((time.monotonic() - begun) * 1000)
                self._write(self._transcripts, ask, said, {"action": action, "elapsed_ms": elapsed_ms})
        return Commented(action, said.thoughts or ("" if said.action else "No reply named a legal action."))

    def on_end(self, end: End) -> None:
        """Logs what the model has cost so far."""
        log.info("%s: %s is over; so far %s", self.name, end.game, self.summary())

    def summary(self) -> str:
        """What was played and used so far, in a line."""
        return f"{self.decisions:,} decisions, {self.fallbacks:,} without a usable reply, {self.usage}"

    def _converse(self, ask: Ask, until: float) -> _Conversation:
        """Asks until a reply names a legal action, the tries are used up, or the time is."""
        messages, schema = self._prompt.messages(ask), self._prompt.answer_schema(ask)
        tries: list[_Try] = []
        pause = FIRST_PAUSE_S
        while len(tries) < self._max_tries and (left := until - time.monotonic()) > 0:
            try:
                reply = self._endpoint.complete(messages, schema, left)
            except EndpointRefused as error:
                tries.append(_Try(None, str(error), Usage(1)))
                break
            except EndpointFailed as error:
                tries.append(_Try(None, str(error), Usage(1)))
                wait = pause if error.after_s is None else error.after_s
                if time.monotonic() + wait >= until:
                    break
                time.sleep(wait)
                pause *= 2
                continue
            try:
                if reply.refusal:
                    raise BadReply("you refused to answer; this is a harmless board game")
                action, thoughts = read_reply(reply.text, ask, self._prompt.legal_list)
            except BadReply as error:
                cut = " It was cut off: answer with the JSON object alone." if reply.finish_reason == "length" else ""
                tries.append(_Try(reply.text, str(error), reply.usage))
                messages.append({"role": "assistant", "content": reply.text or "(no text)"})
                messages.append({"role": "user", "content": f"That does not count: {error}.{cut} Answer again."})
            else:
                tries.append(_Try(reply.text, None, reply.usage))
                return _Conversation(messages, tries, action, thoughts)
        return _Conversation(messages, tries)

    def _write(self, folder: Path, ask: Ask, said: _Conversation, outcome: dict[str, Any]) -> None:
        """Adds a line to the transcript of a seat."""
        usage = said.usage
        line = {
            "decision": ask.decision.id,
            "model": self._endpoint.model,
            "messages": said.messages,
            "tries": [{"reply": one.reply, "reason": one.reason} for one in said.tries],
            "thoughts": said.thoughts,
            "fallback": said.action is None,
            **outcome,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cost": usage.cost,
        }
        file = folder / f"{re.sub('[^A-Za-z0-9_-]', '_', ask.game)}.{ask.seat}.jsonl"
        try:
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            log.error("%s: the transcript %s cannot be written: %s", self.name, file, error.strerror)
