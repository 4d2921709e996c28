"""Rung `random`: any legal action, each with equal chance. A bot that loses to it has a bug."""

from __future__ import annotations

from montego_bot import Action, Ask, Bot, generator


class RandomBot(Bot):
    """Chooses uniformly among the legal actions. Deterministic: the same seed and question give the same action."""

    version = "1"
    author = "Montego Bay contributors"

    def __init__(self, name: str = "random", seed: str = "random") -> None:
        self.name, self.seed = name, seed

    def act(self, ask: Ask) -> Action:
        """One legal action."""
        return generator(self.seed, ask).choice(ask.legal_actions)
