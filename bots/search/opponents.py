"""What to expect of the others where cards are chosen, from tries in which all seats chose cards.

Who looks one step ahead takes what does best against others who choose at random; who thinks on takes what does best
against those. A search that is ready only for the second is surprised by the first, so `duct` expects either.
"""

from __future__ import annotations

from math import exp

CARD_PULL = 5.0
CHOICE_PULL = 20.0
"""Tries by which the mean of a card is pulled towards that of all, and that of a choice towards that of its cards."""

HASTE = 0.17
"""How far a rival who looks one step ahead misjudges a choice, as a part of the spread of the chances to win: about
what eight samples leave."""

SURE = 0.002
"""That much it misjudges at least."""


def estimates(codes: list[int], means: list[float], tries: list[int]) -> list[float]:
    """What each choice of cards brings, from the mean of its tries, which are few, and of those with the same cards."""
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
    """About `count` choices of a rival who takes what looks best, and misjudges it now and then.

    `values`: what each choice brings against others who choose at random; `spread`: the standard deviation of that.
    """
    highest, unit = max(values), HASTE * spread + SURE
    powers = [exp((value - highest) / unit) for value in values]
    total: float = sum(powers)
    return [code for code, power in zip(codes, powers, strict=True) for _ in range(round(count * power / total))]
