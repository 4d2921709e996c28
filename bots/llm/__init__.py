"""Seats for language models (docs/llm.md): the rules in a page, and a bot that asks a chat-completions endpoint."""

from bots.llm.bot import ModelBot
from bots.llm.endpoint import ChatEndpoint, EndpointRefused, Usage
from bots.llm.prompt import BadTemplate, Prompt
from bots.llm.rules import rules_for_models

__all__ = ["BadTemplate", "ChatEndpoint", "EndpointRefused", "ModelBot", "Prompt", "Usage", "rules_for_models"]
