"""`/guides`: the guides of `docs/` as pages. They are in English, whatever the reader's language is."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from flask import Response
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup

from service.errors import NotFound
from service.web import pages
from service.web.blueprints import page_blueprint

blueprint = page_blueprint("guides")

NAMES: Final = (
    "rules",
    "api",
    "bots",
    "bots-reference",
    "llm",
    "environments",
    "organisers",
    "integrations",
    "protocol",
    "tournament-math",
    "operations",
    "benchmarks",
    "architecture",
)
"""The guides, in the order in which they are listed."""
_GUIDE_LINK: Final = re.compile(r"([a-z-]+)\.md(#.*)?")


class Guide(NamedTuple):
    """A guide as HTML. `summary`: its first paragraph, as text; `sections`: anchor and title of each."""

    name: str
    title: str
    summary: str
    sections: list[tuple[str, str]]
    body: Markup


@blueprint.get("/guides")
def list_guides() -> Response:
    """All guides."""
    return pages.page("guides.html", here="guides", guides=[guide(name) for name in NAMES])


@blueprint.get("/guides/<name>")
def show_guide(name: str) -> Response:
    """A guide."""
    if name not in NAMES:
        raise NotFound("There is no guide of this name.")
    return pages.page("guide.html", here="guides", guide=guide(name), guides=[guide(other) for other in NAMES])


@cache
def guide(name: str) -> Guide:
    """The guide of this name, rendered. Raw HTML in it is text."""
    text = (files("service.web") / "docs" / f"{name}.md").read_text(encoding="utf-8")
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _scrolling_table)
    parser.add_render_rule("table_close", _end_of_table)
    parser.add_render_rule("fence", _code_block)
    tokens = parser.parse(text)
    headings = list(_with_anchors(tokens))
    for at, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[at + 1].content:
            # The empty corner of a table heads nothing.
            token.tag = tokens[at + 2].tag = "td"
    for token in tokens:
        _lead_links(token.children or ())
    title = next(heading for level, _, heading in headings if level == "h1")
    return Guide(
        name,
        title,
        _first_paragraph(tokens),
        [(anchor, heading) for level, anchor, heading in headings if level == "h2"],
        Markup(parser.renderer.render(tokens, parser.options, {})),
    )


def _plain(inline: Token) -> str:
    return "".join(" " if part.type == "softbreak" else part.content for part in inline.children or ())


def _first_paragraph(tokens: Sequence[Token]) -> str:
    return next(_plain(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "paragraph_open")


def _with_anchors(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str]]:
    """Gives each heading the anchor that it has where Markdown is usually shown, so that links to it work. Yields its
    level, anchor and text."""
    taken: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            text = _plain(tokens[at + 1])
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            number = taken[anchor] = taken.get(anchor, -1) + 1
            token.attrSet("id", anchor if number == 0 else f"{anchor}-{number}")
            yield token.tag, str(token.attrs["id"]), text


def _lead_links(inline: Sequence[Token]) -> None:
    """Lets links to guides lead to their pages. Files of the repository that are no guides are no links here."""
    for at, token in enumerate(inline):
        if token.type != "link_open":
            continue
        target = str(token.attrs["href"])
        found = _GUIDE_LINK.fullmatch(target)
        if found is not None and found[1] in NAMES:
            token.attrSet("href", f"/guides/{found[1]}{found[2] or ''}")
        elif "://" not in target and not target.startswith("#"):
            end = next(later for later in inline[at:] if later.type == "link_close")
            token.attrs, token.tag, end.tag = {}, "span", "span"


def _scrolling_table(
    self: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    return '<div class="scroll" tabindex="0"><table>\n'


def _end_of_table(
    self: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    return "</table></div>\n"


def _code_block(
    self: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    return Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(tokens[at].content)
