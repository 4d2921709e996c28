"""A report: one document that needs nothing else, whatever is in the file."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from service.presentation.languages import LANGUAGES
from service.report.page import build
from tests.archive.tampering import Archive, changed

HOSTILE = "<script>alert(1)</script>\"'&$x^2$"
VOID_TAGS = frozenset(("meta", "img", "link", "br", "hr", "input", "line", "circle", "rect"))


class Page(HTMLParser):
    """A document taken apart: its tags, their attributes, its texts; every tag that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID_TAGS:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_standings_crosstable_matches_settings_and_dates_are_in_it(whole: Archive) -> None:
    page = Page(build(whole))
    for row in whole["standings"]:
        low, high = row["interval"]
        assert f"{row['name']} {100 * row['score_per_match']:.1f} %" in page.text
        assert f"{low}–{high}" in page.words
    for text in (whole["seed"], whole["nonce"], whole["commitment"], whole["digest"]):
        assert text in page.words
    assert "60 of 60 matches" in page.text
    assert sum(page.words.count(sign) for sign in ("▲ ahead", "▽ behind", "≈ about even")) == 6
    assert page.tags.count("li") == 60
    assert re.search(r"Began \d{1,2} \w+ 20\d\d, [\d:]+ UTC, and took \d+ \w+\.", page.text)


def test_what_the_games_show_comes_first(whole: Archive) -> None:
    text = Page(build(whole)).text
    assert text.index("share the first band") < text.index("Standings")


def test_how_sure_the_order_is_stands_in_a_table(whole: Archive) -> None:
    names = [row["name"] for row in whole["ratings"]]
    text = Page(build(whole)).text
    for row, below in pairwise(names):
        likelihood = next(one["superiority"] for one in whole["ratings"] if one["name"] == row)
        assert f"{row} {below} {100 * likelihood:.1f} %" in text


def test_no_table_of_faults_is_shown_where_there_are_none(whole: Archive) -> None:
    assert "Faults a match" not in Page(build(whole)).text


def test_it_loads_nothing_and_runs_nothing(whole: Archive) -> None:
    text = build(whole)
    page = Page(text)
    assert not {"script", "link", "iframe", "object", "form", "a", "img"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name in ("href", "src", "action")]
    assert "url(" not in text
    assert "http" not in re.sub(r"http-equiv", "", text)


def test_texts_of_bots_and_organisers_stay_texts(whole: Archive) -> None:
    def write(archive: Archive) -> None:
        archive["settings"]["name"] = HOSTILE
        archive["reason"] = HOSTILE
        archive["entrants"][0]["versions"] = [HOSTILE]
        archive["standings"][0]["name"] = archive["ratings"][0]["name"] = HOSTILE
        archive["crosstable"]["names"] = [
            HOSTILE if name == whole["standings"][0]["name"] else name for name in archive["crosstable"]["names"]
        ]

    page = Page(build(changed(whole, write)))
    assert "script" not in page.tags
    assert page.text.count(HOSTILE) >= 6


def test_faults_voids_and_bots_that_left_are_told(archives: dict[str, Archive]) -> None:
    def blame(archive: Archive) -> None:
        archive["standings"][0]["faults"]["late"] = 4
        archive["standings"][1]["forfeits"] = 1

    text = build(changed(archives["void"], blame))
    page = Page(text)
    blamed = [row["name"] for row in archives["void"]["standings"]]
    assert f"Faults a match Chart {blamed[0]} 4 – – 2.00 {blamed[1]} – 1 – 0.00" in page.text
    assert '<rect class="b0" x="0.0%" y="3" height="10" width="100.0%"/>' in text
    assert "void, played again the service was too slow" in page.text
    assert "the service was too slow again; the match counts" in page.text
    left = archives["withdrawn"]
    assert f"{left['withdrawn'][0]} withdrawn" in Page(build(left)).text


def test_few_blocks_are_said_to_be_few(small: Archive) -> None:
    text = Page(build(small)).text
    assert "These are too few matches to say which bot is stronger." in text
    assert "How sure is the order?" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tournament_that_did_not_go_as_planned_has_a_report_too(archives: dict[str, Archive], language: str) -> None:
    for archive in archives.values():
        assert archive["tournament"] in Page(build(archive, language)).text


def test_matches_that_were_never_begun_are_listed_as_cancelled(archives: dict[str, Archive]) -> None:
    archive = archives["cancelled"]
    page = Page(build(archive))
    assert page.tags.count("li") == len(archive["schedule"])
    assert page.words.count("cancelled") > len(archive["schedule"]) - 2


def test_the_same_file_gives_the_same_page(small: Archive) -> None:
    assert build(small) == build(small)


def test_bots_that_did_not_play_all_of_their_matches_are_named_first(small: Archive) -> None:
    def miss(archive: Archive) -> None:
        first, second = archive["standings"][:2]
        first.update(matches=4, forfeits=3, not_started=1)
        second.update(matches=4, forfeits=4, not_started=4)

    names = [row["name"] for row in small["standings"]]
    text = Page(build(changed(small, miss))).text
    line = f"{names[0]} did not come up for 1 match. {names[0]} forfeited 2 matches. {names[1]} never came up."
    assert 0 <= text.index(line) < text.index("Standings")
    assert "did not come up" not in Page(build(small)).text
