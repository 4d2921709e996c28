"""Words that the protocol fixes (docs/protocol.md) and that several rooms need. Each is defined here only."""

import re

BOT_PROTOCOL = "montego-bay/1"
"""The version of the bot protocol, in every ask and in a bot's `GET /`."""

FAULTS = ("late", "unreachable", "bad_status", "bad_body", "illegal")
"""Kinds of fault (PROTOCOL "Faults")."""

REFUSED_AS = ("bad_body", "illegal")
"""Kinds of fault for which an answer is refused while the bot has attempts left (PROTOCOL "Attempts")."""

MAX_ATTEMPTS = 5
"""The most answers to one decision that a tournament may allow (PROTOCOL "Attempts")."""

RESIGNATION_REASONS = ("resigned", "forfeit", "withdrawn")
"""Why a seat has given up (RULES "Resigning")."""

ROLES = ("organiser", "author", "creator")
"""What a key may do (PROTOCOL "Tokens")."""

BOT_KINDS = ("push", "poll")
"""How a bot is reached (PROTOCOL "Bots")."""

BOT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
"""What the name of a bot matches as a whole."""
