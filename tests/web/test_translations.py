"""The catalogues: every text of the pages in every language, with the same gaps."""

from __future__ import annotations

import io
import re
from importlib.resources import files
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from service.operations.games.projection import GameView
from service.presentation.languages import LANGUAGES
from service.web.timeline import Timeline
from service.web.words import words_in
from tests.web.games import document, finished

ROOMS = [Path(str(files(f"service.{room}"))) for room in ("presentation", "report", "web")]
KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "_n": (1, 2),
    "_p": ((1, "c"), 2),
}
TRANSLATED = [language for language in LANGUAGES if language != "en"]


def in_code() -> set[tuple[str | None, str]]:
    """All texts of code and templates, with their contexts; of those with a plural, the singular."""
    options = {"**.html": {"newstyle_gettext": "true", "trim_blocks": "true"}}
    methods = [("**.py", "python"), ("**.html", "jinja2")]
    return {
        (context, text if isinstance(text, str) else text[0])
        for room in ROOMS
        for _, _, text, _, context in extract_from_dir(room, methods, options, keywords=KEYWORDS)
    }


def catalogue(language: str) -> Catalog:
    return read_po(io.BytesIO((ROOMS[0] / "translations" / f"{language}.po").read_bytes()), locale=language)


def gaps(text: str) -> set[str]:
    return set(re.findall(r"%\((\w+)\)s", text))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_translated_and_no_other(language: str) -> None:
    known = {
        (message.context, message.id if isinstance(message.id, str) else message.id[0])
        for message in catalogue(language)
        if message.id
    }
    assert known == in_code()


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_translation_is_missing_or_uncertain_and_all_have_the_gaps_of_the_text(language: str) -> None:
    for message in catalogue(language):
        if not message.id:
            continue
        assert not message.fuzzy
        one = message.id if isinstance(message.id, str) else message.id[0]
        texts = [message.string] if isinstance(message.string, str) else list(message.string or ())
        assert texts
        for text in texts:
            assert text, one
            assert gaps(text) == gaps(one), one
            assert not re.search(r"%(?!\()", text), one


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_game_is_told_in_every_language(language: str, players: int) -> None:
    view: GameView = finished(document(players), late=0.05, resigning=0.003, chance=3)
    timeline = Timeline(view)
    timeline.extend(view)
    words = words_in(language)
    for position in timeline.positions:
        told = words.event(position) + words.now(position)
        assert told
        assert "%(" not in told


def test_plurals_follow_the_language() -> None:
    spanish = words_in("es")
    assert [spanish.points(number) for number in (0, 1, 2)] == ["0 puntos", "1 punto", "2 puntos"]
