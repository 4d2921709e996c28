"""The guides as pages."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from markupsafe import escape

from service.presentation.languages import LANGUAGES
from service.web.guides import NAMES, guide
from tests.test_architecture import ROOT


def test_every_guide_is_listed_and_installed_with_the_room(client: FlaskClient) -> None:
    assert sorted(NAMES) == sorted(path.stem for path in (ROOT / "docs").glob("*.md"))
    assert Path(str(files("service.web") / "docs")).resolve() == ROOT / "docs"
    listed = client.get("/guides").text
    for name in NAMES:
        assert f'href="/guides/{name}">{escape(guide(name).title)}</a>' in listed


@pytest.mark.parametrize("name", NAMES)
def test_links_between_guides_and_within_them_lead_somewhere(client: FlaskClient, name: str) -> None:
    body = client.get(f"/guides/{name}").text
    for address in re.findall(r'href="(#[^"]+|/guides/[^"]+)"', body):
        path, _, anchor = address.partition("#")
        there = client.get(path) if path else None
        assert there is None or there.status_code == 200, address
        assert not anchor or f'id="{anchor}"' in (there.text if there else body), address
    assert not re.findall(r'href="(?!/|#|https?://)', body), "links to files of the repository are texts"


def test_what_is_written_in_a_guide_is_never_markup_of_its_own(client: FlaskClient) -> None:
    body = client.get("/guides/integrations").text
    assert "&lt;iframe src=" in body
    assert "<iframe" not in body


def test_the_empty_corner_of_a_table_is_no_heading(client: FlaskClient) -> None:
    assert all("<th></th>" not in client.get(f"/guides/{name}").text for name in NAMES)


def test_tables_and_code_of_a_guide_can_be_scrolled_by_keyboard(client: FlaskClient) -> None:
    body = client.get("/guides/api").text
    assert body.count('<div class="scroll" tabindex="0"><table>') == body.count("<table>") > 0
    assert body.count('<pre tabindex="0">') == body.count("<pre") > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_guides_are_marked_as_english_and_framed_in_the_readers_language(client: FlaskClient, language: str) -> None:
    body = client.get(f"/guides/rules?lang={language}").text
    assert f'<html lang="{language}">' in body
    assert '<article class="card guide" lang="en">' in body


def test_every_page_leads_to_the_guides(client: FlaskClient) -> None:
    for address in ("/", "/rules", "/tournaments", "/nowhere"):
        assert client.get(address, headers={"Accept": "text/html"}).text.count('href="/guides"') == 2


@pytest.mark.parametrize("name", ["nosuch", "Rules", "rules.md"])
def test_a_guide_that_does_not_exist_is_an_error_as_a_page(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/guides/{name}")
    assert answer.status_code == 404
    assert answer.content_type.startswith("text/html")
