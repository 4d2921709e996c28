"""Random numbers that depend only on the question: the same question gets the same answer over push, over poll and
after a crash, in whatever order the questions come.
"""

from __future__ import annotations

import hashlib
import json
import random

from montego_bot.messages import Ask

_NOT_THE_QUESTION = frozenset({"game", "version", "commitment"})


def question_hash(ask: Ask) -> bytes:
    """SHA-256 over the decision, the legal actions and the observation, without game id, version, commitment and names.

    32 bytes. What differs between two plays of one deal is left out. A choice may depend on the rest only.
    """
    seen = {name: value for name, value in ask.raw["observation"].items() if name not in _NOT_THE_QUESTION}
    seen["seats"] = [{name: value for name, value in seat.items() if name != "name"} for seat in seen["seats"]]
    question = {"decision": ask.raw["decision"], "legal_actions": ask.raw["legal_actions"], "observation": seen}
    return hashlib.sha256(json.dumps(question, sort_keys=True, separators=(",", ":")).encode()).digest()


def generator(seed: str, ask: Ask) -> random.Random:
    """A generator for one question, from the bot's seed and the question."""
    mixed = hashlib.sha256(seed.encode() + b"\0" + question_hash(ask)).digest()
    return random.Random(int.from_bytes(mixed, "big"))
