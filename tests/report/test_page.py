"""A report: one document that needs nothing else, whatever is in the file."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from service.report.page import build
from tests.archive.tampering import Archive, changed

HOSTILE = "<script>alert(1)</script>\"'&$x^2$"
VOID_TAGS = frozenset(("meta", "img", "link", "br", "hr", "input"))


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

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def images(self) -> list[str]:
        """The pictures in it, as SVG texts."""
        prefix = "data:image/svg+xml;base64,"
        sources = [value for tag, name, value in self.attributes if (tag, name) == ("img", "src")]
        assert all(source.startswith(prefix) for source in sources)
        return [base64.b64decode(source.removeprefix(prefix), validate=True).decode() for source in sources]


def _drawn(svg: str) -> list[str]:
    return [
        " ".join("".join(node.itertext()).split()) for node in ET.fromstring(svg).iter() if node.tag.endswith("}text")
    ]


def test_standings_ratings_crosstable_and_settings_are_in_it(whole: Archive) -> None:
    page = Page(build(whole))
    for row in whole["standings"]:
        assert row["name"] in page.words
        low, high = row["interval"]
        assert f"{low}–{high}" in page.words
        assert f"{row['score']:.2f}" in page.words
    for text in (whole["seed"], whole["nonce"], whole["commitment"], whole["digest"], whole["tournament"]):
        assert text in page.words
    assert "60 of 60 matches played to their end" in page.text


def test_the_charts_show_every_bot(whole: Archive) -> None:
    ratings, crosstable = Page(build(whole)).images()
    for name in whole["settings"]["bots"]:
        assert name in _drawn(ratings)
        assert _drawn(crosstable).count(name) == 2


def test_it_loads_nothing_and_runs_nothing(whole: Archive) -> None:
    text = build(whole)
    page = Page(text)
    assert not {"script", "link", "iframe", "object", "form"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name in ("href", "action")]
    assert "url(" not in re.sub(r"data:[^\"]*", "", text)
    for svg in page.images():
        # Names of vocabularies are no addresses that anybody calls.
        kept = re.sub(r"http://(www\.w3\.org|purl\.org|creativecommons\.org)/", "", svg)
        assert "http" not in kept
        assert "<script" not in svg


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
    assert page.text.count(HOSTILE) >= 4
    for svg in page.images():
        assert HOSTILE in _drawn(svg)


def test_faults_voids_and_who_left_are_told(archives: dict[str, Archive]) -> None:
    def blame(archive: Archive) -> None:
        archive["standings"][0]["faults"]["late"] = 4

    page = Page(build(changed(archives["void"], blame)))
    assert len(page.images()) == 3
    assert "late" in _drawn(page.images()[2])
    assert "Void because the service was too slow, and played again" in page.text
    assert "Counted although the service was too slow again" in page.text
    left = archives["withdrawn"]
    assert f"{left['withdrawn'][0]} (withdrawn)" in Page(build(left)).text


def test_few_blocks_are_said_to_be_few(small: Archive) -> None:
    assert "Why there is no interval: too few blocks." in Page(build(small)).text


@pytest.mark.parametrize("name", ["cancelled", "absent"])
def test_a_tournament_that_did_not_go_as_planned_has_a_report_too(archives: dict[str, Archive], name: str) -> None:
    assert archives[name]["tournament"] in Page(build(archives[name])).text


def test_the_same_file_gives_the_same_page(small: Archive) -> None:
    assert build(small) == build(small)


def test_the_first_line_names_the_bots_that_did_not_play_all_of_their_matches(small: Archive) -> None:
    def miss(archive: Archive) -> None:
        first, second = archive["standings"][:2]
        first.update(matches=4, forfeits=3, not_started=1)
        second.update(matches=4, forfeits=4, not_started=4)

    names = [row["name"] for row in small["standings"]]
    text = Page(build(changed(small, miss))).text
    line = (
        f"Not every bot played all of its matches: {names[0]} did not come up for 1 of 4 matches; "
        f"{names[0]} forfeited 2 of 4 matches; {names[1]} never came up."
    )
    assert 0 <= text.index(line) < text.index("Round robin")
    assert "Not every bot" not in Page(build(small)).text
