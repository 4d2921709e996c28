"""The texts of one language, and how it writes lists, numbers and times.

All texts are plain text in the language of the reader; whoever puts them into a page escapes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from babel.dates import format_datetime, format_timedelta
from babel.lists import format_list
from babel.numbers import format_decimal
from babel.support import NullTranslations

from service.names import folded
from service.presentation.languages import translations
from service.presentation.names import one_line, shown

_LOCALES: Final = {"en": "en_GB"}
"""Where Babel is asked for another locale: American English has a comma before the last "and"."""


class Texts:
    """The texts of one language. Its messages are found by the names `_`, `_n` and `_p`."""

    def __init__(self, language: str, hidden: frozenset[str] = frozenset()) -> None:
        """`hidden`: folded names and comments that are not shown."""
        self._hidden = hidden
        self.language = language
        self._locale = _LOCALES.get(language, language)
        self._texts: NullTranslations = translations(language)

    def _(self, text: str, **values: object) -> str:
        """A text, with values in its gaps."""
        return str(self._texts.gettext(text)) % values if values else str(self._texts.gettext(text))

    def _n(self, one: str, many: str, num: int, **values: object) -> str:
        """A text that depends on a number, which fills the gap `num`."""
        return str(self._texts.ngettext(one, many, num)) % {"num": num, **values}

    def _p(self, context: str, text: str, **values: object) -> str:
        """A text that is translated differently by context."""
        return str(self._texts.upgettext(context, text)) % values

    def name(self, text: str) -> str:
        """A stranger's name as it is shown; empty where it is hidden, or there is nothing to see."""
        return "" if folded(text) in self._hidden else shown(text)

    def remark(self, text: str) -> str:
        """A longer text of a stranger as it is shown; empty where it is hidden, or there is nothing to see."""
        return "" if folded(text) in self._hidden else one_line(text)

    def listed(self, parts: Iterable[str]) -> str:
        """A, B and C."""
        return format_list(list(parts), locale=self._locale)

    def tournament_status(self, status: str) -> str:
        """How a tournament stands."""
        return {
            "waiting": self._("waits for its bots"),
            "running": self._("running"),
            "paused": self._("paused"),
            "finished": self._("over"),
            "cancelled": self._("cancelled"),
            "failed": self._("failed"),
        }[status]

    def match_status(self, status: str) -> str:
        """How a match stands that is not over."""
        return {
            "scheduled": self._("scheduled"),
            "running": self._("running"),
            "cancelled": self._("cancelled"),
            "void": self._("void, played again"),
        }[status]

    def outcome_of_match(self, outcome: str) -> str:
        """What became of a match, or of a bot in it."""
        return {
            "won": self._("won"),
            "not-won": self._("not won"),
            "finished": self._("over"),
            "running": self._("running"),
            "scheduled": self._("scheduled"),
            "cancelled": self._("cancelled"),
            "void": self._("void, played again"),
            "faults": self._("with faults"),
            "forfeited": self._("forfeited"),
        }[outcome]

    def milliseconds(self, ms: float) -> str:
        """A time, to the nearest millisecond."""
        return self._("%(num)s ms", num=format_decimal(round(ms), locale=self._locale))

    def time(self, timestamp: str) -> str:
        """A moment, in UTC. `timestamp`: RFC 3339."""
        moment = datetime.fromisoformat(timestamp).astimezone(UTC)
        return format_datetime(moment, "medium", locale=self._locale) + " UTC"

    def duration(self, start: str, end: str) -> str:
        """About how long it is from one moment to another. Both: RFC 3339."""
        passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
        return format_timedelta(passed, threshold=2, locale=self._locale)

    def fault(self, fault: str) -> str:
        """Why a default was played."""
        return {
            "late": self._("too late"),
            "unreachable": self._("not reachable"),
            "bad_status": self._("wrong HTTP status"),
            "bad_body": self._("unusable answer"),
            "illegal": self._("illegal action"),
        }[fault]
