"""What a model is told: templates filled with an ask, and the schema of its answer."""

from __future__ import annotations

import json
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from bots.llm.rules import rules_for_models
from montego_bot import Ask

NAMES = ("system.txt", "decision.txt")


class BadTemplate(ValueError):
    """A template that cannot be read or filled in; the text names it."""


class Prompt:
    """The messages for an ask. With `legal_list`, they number the legal actions."""

    def __init__(self, folder: Path | None = None, legal_list: bool = True) -> None:
        """`folder` may have its own `system.txt` and `decision.txt` (Jinja). Raises BadTemplate."""
        self.legal_list = legal_list
        self._environment = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        self._system, self._decision = (self._read(folder, name) for name in NAMES)

    def messages(self, ask: Ask) -> list[dict[str, str]]:
        """The system's message and the decision as one of the user. Raises BadTemplate."""
        given: dict[str, Any] = {
            "rules": self._rules,
            "ask": ask,
            "seen": ask.observation,
            "decision": ask.decision,
            "seat": ask.seat,
            "players": ask.observation.players,
            "legal_list": self.legal_list,
            "actions": [json.dumps(action.to_json()) for action in ask.legal_actions],
        }
        try:
            system, decision = self._system.render(given), self._decision.render(given)
        except TemplateError as error:
            raise BadTemplate(f"a template cannot be filled in: {error}") from None
        return [{"role": "system", "content": system}, {"role": "user", "content": decision}]

    def answer_schema(self, ask: Ask) -> dict[str, Any]:
        """The JSON Schema of an answer, for endpoints that keep to one."""
        if self.legal_list:
            choice: dict[str, Any] = {"index": {"type": "integer", "enum": list(range(len(ask.legal_actions)))}}
        else:
            choice = {"action": {"anyOf": [_schema_of(kind, ask) for kind in _kinds(ask)]}}
        return {
            "type": "object",
            "properties": {"thoughts": {"type": "string"}, **choice},
            "required": ["thoughts", *choice],
            "additionalProperties": False,
        }

    @cached_property
    def _rules(self) -> str:
        return rules_for_models()

    def _read(self, folder: Path | None, name: str) -> Template:
        own = None if folder is None else folder / name
        try:
            if own is not None and own.exists():
                text = own.read_text(encoding="utf-8")
            else:
                text = files("bots.llm").joinpath("templates", name).read_text(encoding="utf-8")
            return self._environment.from_string(text)
        except (OSError, UnicodeDecodeError, TemplateError) as error:
            raise BadTemplate(f"the template {own or name} cannot be read: {error}") from None


def _kinds(ask: Ask) -> list[str]:
    return list(dict.fromkeys(action.type for action in ask.legal_actions))


def _schema_of(kind: str, ask: Ask) -> dict[str, Any]:
    """The schema of one type of action, with the members that its legal actions have."""
    members: dict[str, Any] = {"type": {"type": "string", "enum": [kind]}}
    for action in ask.legal_actions:
        if action.type != kind:
            continue
        for name, value in action.to_json().items():
            if name == "ships":
                ships = members.setdefault(name, {"type": "object", "properties": {}, "additionalProperties": False})
                ships["properties"] |= {ship: {"type": "integer"} for ship in value}
            elif name == "worker":
                members[name] = {"type": "string", "enum": ["big", "little"]}
            elif name != "type":
                members[name] = {"type": "integer"}
    for ships in (member for name, member in members.items() if name == "ships"):
        # Strict endpoints want every member to be required; a count of 0 may be written out.
        ships["required"] = list(ships["properties"])
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
