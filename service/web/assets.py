"""Style sheets, scripts and pictures: fixed once the process runs, so that a browser may keep them for ever."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from service.presentation import styles
from service.web import places

FOREVER: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_PARTS: Final = ("page.css", "board.css", "upright.css")
"""What `montego.css` is put together from, with the styles of reports and the table of places."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    body: bytes
    gzipped: bytes
    content_type: str


_HTMX: Final = ("htmx.min.js", "hx-sse.min.js")


def _htmx() -> str:
    """htmx and its part for streams as one script. As two, htmx may have looked through the page before the other has
    come, and would never connect to the stream."""
    return "\n".join(_read(part) for part in _HTMX)


@cache
def assets() -> Mapping[str, Asset]:
    """All of them, by name."""
    found = {"montego.css": _asset(style_sheet(), ".css"), "htmx.js": _asset(_htmx(), ".js")}
    for path in (files("service.web") / "static").iterdir():
        suffix = path.name[path.name.rfind(".") :]
        if suffix in _TYPES and path.name not in (*_PARTS, *_HTMX):
            found[path.name] = _asset(path.read_text(encoding="utf-8"), suffix)
    return found


def _asset(text: str, suffix: str) -> Asset:
    body = text.encode()
    return Asset(body, gzip.compress(body, 9, mtime=0), _TYPES[suffix])


def style_sheet() -> str:
    """The one style sheet of all pages."""
    page, board, upright = [_read(part) for part in _PARTS]
    upright = upright.replace("/* PLACES */", places.rules(upright=True))
    return "\n".join([styles.document(), page, board, places.rules(upright=False), upright])


@cache
def version() -> str:
    """A short hash over all that a page is made from: it changes when a page could look different."""
    digest = hashlib.sha256()
    for path in sorted([*_walk(files("service.presentation")), *_walk(files("service.web"))], key=str):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _walk(folder: Traversable) -> list[Traversable]:
    found = []
    for path in folder.iterdir():
        if path.is_dir():
            found += _walk(path)
        elif path.name.endswith((".css", ".html", ".js", ".po", ".py", ".svg")):
            found.append(path)
    return found


def address(name: str) -> str:
    """Where an asset is served."""
    return f"/static/{version()}/{name}"


def _read(name: str) -> str:
    return (files("service.web") / "static" / name).read_text(encoding="utf-8")
