"""Names of people, games and tournaments: letters and signs of every language (PROTOCOL "Conventions"). Pure."""

from __future__ import annotations

import unicodedata

MAX_NAME = 60
"""Characters (code points) of a name."""

_JOINERS = frozenset("\u200c\u200d")
_TAGS = range(0xE0020, 0xE0080)
"""They make up the flags of regions."""
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and symbols that show nothing."""


class NameRefused(ValueError):
    """A text that is not a name. `reason` says why, as a sentence about it that lacks its subject."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def check_name(text: str) -> str:
    """The text, if it is a name. Raises NameRefused."""
    if not 1 <= len(text) <= MAX_NAME:
        raise NameRefused(f"must have 1 to {MAX_NAME} characters, not {len(text)}")
    for position, character in enumerate(text, 1):
        if not is_of_names(character):
            raise NameRefused(f"must not have U+{ord(character):04X} (character {position}): it is no letter or sign")
    if is_blank(text):
        raise NameRefused("must not be blank")
    return text


def folded(text: str) -> str:
    """A text by which others are found that read alike: in one case, one form of each letter, and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen."""
    return not any(map(_is_seen, text))


def is_of_names(character: str) -> bool:
    """Whether a name may have this character. It may not have those that control how text is laid out (line ends,
    changes of direction), or that mean nothing: private use, surrogates, noncharacters. The joiners within words and
    emoji, and the tags of flags, are characters of names."""
    category = unicodedata.category(character)
    if category == "Cf":
        return character in _JOINERS or ord(character) in _TAGS
    if category == "Cn":
        # Perhaps a letter or emoji of a later version of Unicode; but noncharacters will never be any.
        return ord(character) & 0xFFFE != 0xFFFE and not 0xFDD0 <= ord(character) <= 0xFDEF
    return category not in ("Cc", "Co", "Cs", "Zl", "Zp")


def _is_seen(character: str) -> bool:
    category = unicodedata.category(character)
    return (category[0] in "LNPS" or category == "Cn") and character not in _BLANK
