"""Names and comments that an organiser has hidden from the pages (PROTOCOL "Hidden texts").

A text is hidden wherever it stands: a name of one game may be used in the next. Logs, records and answers of the API
keep it, since digests and replays depend on what was written.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from service.errors import InvalidRequest, NotFound, WrongState
from service.names import folded, is_blank
from service.operations.access.tokens import Caller, role_required
from service.operations.context import Context

MAX_TEXTS = 200


class HiddenTexts:
    """The hidden texts as a process last read them, folded (service.names.folded). It reads them again after `look_s`
    seconds."""

    def __init__(self, look_s: float = 2.0) -> None:
        self._look_s = look_s
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._known: frozenset[str] = frozenset()

    def current(self, ctx: Context) -> frozenset[str]:
        """Those of now, or of a moment ago. Raises Unavailable."""
        with self._lock:
            if time.monotonic() - self._read_at >= self._look_s:
                self._known = frozenset(map(folded, ctx.hidden_texts.all()))
                self._read_at = time.monotonic()
            return self._known


def listing(ctx: Context, caller: Caller) -> dict[str, Any]:
    """All hidden texts. Raises Unauthorized, Forbidden."""
    role_required(ctx, caller)
    return {"items": ctx.hidden_texts.all()}


def hide(ctx: Context, caller: Caller, text: str) -> dict[str, Any]:
    """Hides a text; all that are hidden then. Raises Unauthorized, Forbidden, InvalidRequest, WrongState."""
    role_required(ctx, caller)
    if is_blank(text):
        raise InvalidRequest(("text",), "There is nothing to hide in a blank text.")
    known = ctx.hidden_texts.all()
    if text not in known and len(known) >= MAX_TEXTS:
        raise WrongState(f"{MAX_TEXTS} texts are hidden, as many as can be: show some of them again.")
    ctx.hidden_texts.add(text)
    return listing(ctx, caller)


def show_again(ctx: Context, caller: Caller, text: str) -> dict[str, Any]:
    """Shows a hidden text again; all that are hidden then. Raises Unauthorized, Forbidden, NotFound."""
    role_required(ctx, caller)
    if not ctx.hidden_texts.remove(text):
        raise NotFound("This text is not hidden.")
    return listing(ctx, caller)
