"""What to expect of the others in a card phase, from tries in which all seats chose cards.

A player who looks one step ahead takes what does best against random choices. A player who thinks further takes what
does best against such players. A search that expects only the second kind is surprised by the first, so `duct` expects
both.
"""

from __future__ import annotations

from math import exp

CARD_PULL = 5.0
CHOICE_PULL = 20.0
"""The number of tries with which the mean of a card is pulled towards the mean of all tries, and the mean of a choice
towards that of its cards."""

HASTE = 0.17
"""By how much a player who looks one step ahead misjudges a choice, as a part of the spread of the chances to win:
about the error of eight samples."""

MIN_HASTE = 0.002
"""By how much such a player misjudges a choice at least."""


def estimates(codes: list[int], means: list[float], tries: list[int]) -> list[float]:
    """The estimated chance of each choice of cards, from its own tries, which are few, and from those with the same
    cards."""
    total = sum(tries)
    overall = sum([mean * count for mean, count in zip(means, tries, strict=True)]) / max(1, total)
    parts = [(code & 7, 8 | code >> 3 & 7, 16 | code >> 6) for code in codes]
    gained, counts = [0.0] * 24, [0] * 24
    for cards, mean, count in zip(parts, means, tries, strict=True):
        for card in cards:
            gained[card] += (mean - overall) * count
            counts[card] += count
    found = []
    for (big, little, jack), mean, count in zip(parts, means, tries, strict=True):
        by_cards = overall
        for card in (big, little, jack):
            by_cards += gained[card] / (counts[card] + CARD_PULL)
        found.append((by_cards * CHOICE_PULL + mean * count) / (CHOICE_PULL + count))
    return found


def hasty(codes: list[int], values: list[float], spread: float, count: int) -> list[int]:
    """About `count` choices of a player who takes what looks best, and sometimes misjudges it.

    `values`: the chance of each choice against others who choose at random; `spread`: the standard deviation of the
    chances.
    """
    highest, unit = max(values), HASTE * spread + MIN_HASTE
    powers = [exp((value - highest) / unit) for value in values]
    total: float = sum(powers)
    return [code for code, power in zip(codes, powers, strict=True) for _ in range(round(count * power / total))]
