"""Which texts are names of people, games and tournaments."""

from __future__ import annotations

import pytest

from service.names import MAX_NAME, NameRefused, check_name

NAMES = {
    "plain": "Ann",
    "space between": "Ann Author",
    "no-break space": "Ann\u00a0Author",
    "ideographic space": "山田\u3000太郎",
    "zero-width non-joiner": "علی\u200cرضا",
    "zero-width joiner": "ශ්\u200dරී",
    "joined emoji": "👩\u200d👩\u200d👧\u200d👦",
    "emoji with a variation selector": "❤\ufe0f",
    "flag of a country": "🇯🇲",
    "flag of a region": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "combining marks": "Zoe\u0308",
    "right to left": "דנה",
    "a sign alone": "?",
    "a digit alone": "7",
    "an emoji of a later Unicode": "\U0001fadf",
    "the longest": "x" * MAX_NAME,
}
OTHERS = {
    "empty": "",
    "too long": "x" * (MAX_NAME + 1),
    "a space": " ",
    "no-break spaces": "\u00a0\u00a0",
    "an ideographic space": "\u3000",
    "a joiner": "\u200d",
    "a filler": "\u3164",
    "braille without dots": "\u2800",
    "a mark without a letter": "\u0308",
    "a line end": "Ann\nBen",
    "a tab": "Ann\tBen",
    "an escape": "\x1b[31mAnn",
    "delete": "Ann\x7f",
    "a C1 control": "Ann\x9b31m",
    "a line separator": "Ann\u2028Ben",
    "right-to-left override": "\u202eAnn",
    "left-to-right override": "\u202dAnn",
    "right-to-left embedding": "\u202bAnn",
    "an isolate": "\u2067Ann\u2069",
    "a right-to-left mark": "Ann\u200f",
    "a byte order mark": "\ufeffAnn",
    "a soft hyphen": "An\u00adn",
    "private use": "\ue000",
    "a noncharacter": "Ann\uffff",
    "a lone surrogate": "Ann\ud800",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_letters_and_signs_of_every_language_are_names(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_blank_texts_and_control_characters_are_not(text: str) -> None:
    with pytest.raises(NameRefused):
        check_name(text)


def test_the_error_names_the_character_and_its_place() -> None:
    with pytest.raises(NameRefused, match=r"U\+202E \(character 3\)"):
        check_name("An\u202en")
