"""A poll bot: it calls the service, so it can run behind any firewall.

It long-polls `GET /v1/bots/me/decisions` and answers by `POST /v1/games/{id}/actions`, with the bot's token.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from montego_bot.bot import BadChoice, Bot, Choice, answer, as_bot
from montego_bot.messages import Ask, BadMessage, read_ask, read_end, read_start

log = logging.getLogger("montego_bot")

Key = tuple[str, str, int]

CONNECT_S = 10.0
ANSWER_S = 30.0
MAX_PAUSE_S = 2.0
"""The longest pause before a call that failed is made again: in a match, time runs again soon after a failure of the
service is over (PROTOCOL "The clock")."""
MAX_REASON = 200
"""So many characters of the reason why a bot has no answer are sent to the service."""
RETRY_S = 60.0
"""For so long an answer is sent again while the service cannot take it in. The bot's time stands still then."""


class Refused(RuntimeError):
    """The service refuses to serve this bot (wrong address, unknown token); the text has its answer."""


class Poller:
    """Plays a bot in all games in which it has a seat."""

    def __init__(
        self,
        bot: Bot | Callable[[Ask], Choice],
        url: str,
        token: str,
        *,
        name: str | None = None,
        wait: int = 25,
        threads: int = 4,
    ) -> None:
        """`url` is the service's (http://127.0.0.1:8000), `token` the bot's; `wait` in seconds, 0 to 30; `threads` asks
        are answered at the same time. Raises Refused for a token that cannot be sent, without repeating it.
        """
        token = token.strip()
        if not token or not all("!" <= character <= "~" for character in token):
            raise Refused("the token is empty, or has a space, a line end or a special character in it")
        self._bot = as_bot(bot, name)
        self._base = url.rstrip("/")
        self._wait, self._threads = wait, threads
        self._headers = {"Authorization": f"Bearer {token}"}
        self._cursor: str | None = None
        self._taken: set[Key] = set()
        self._notified: set[tuple[str, str]] = set()
        self._local = threading.local()
        self._stop = threading.Event()

    def stop(self) -> None:
        """Makes `run` return, at the latest when the current poll is answered."""
        self._stop.set()

    def run(self) -> None:
        """Polls and answers until `stop` is called. Raises Refused if the service refuses this bot."""
        pauses = _pauses()
        with ThreadPoolExecutor(self._threads, thread_name_prefix="answer") as pool:
            while not self._stop.is_set():
                try:
                    self._take(self._poll(), pool)
                except _Again as again:
                    pause = again.after or next(pauses)
                    log.warning("%s: %s; trying again in %.1f s", self._bot.name, again, pause)
                    self._stop.wait(pause)
                else:
                    pauses = _pauses()

    def _poll(self) -> Mapping[str, Any]:
        """What waits for this bot: at once the first time, later when it has changed. Raises _Again if the call
        failed."""
        query: dict[str, str | int] = {"version": self._bot.version}
        if self._cursor is not None:
            query |= {"after": self._cursor, "wait": self._wait}
        response = self._call("GET", "/v1/bots/me/decisions", self._wait + ANSWER_S, params=query)
        if response.status_code != 200:
            raise Refused(f"{self._base} refused to list the open decisions of this bot: {_problem_text(response)}")
        try:
            found: Mapping[str, Any] = response.json()
            return {"decisions": found["decisions"], "cursor": found["cursor"], "notices": found.get("notices", ())}
        except (ValueError, TypeError, LookupError):
            start = response.text[:80]
            raise Refused(f"{self._base} is not a service of this protocol: it answered {start!r}") from None

    def _take(self, found: Mapping[str, Any], pool: ThreadPoolExecutor) -> None:
        self._cursor = found["cursor"]
        notices = [(str(notice["type"]), str(notice["game"]), notice) for notice in found["notices"]]
        for kind, game, notice in notices:
            if (kind, game) not in self._notified:
                self._notify(kind, notice)
        asks = {
            (str(ask["game"]), str(ask["decision"]["id"]), ask.get("attempt", 1)): ask for ask in found["decisions"]
        }
        for key, ask in asks.items():
            if key not in self._taken:
                pool.submit(self._answer, ask)
        # Asks and notices that are no longer listed can be forgotten: they do not come back.
        self._notified = {(kind, game) for kind, game, _ in notices}
        self._taken = set(asks)

    def _notify(self, kind: str, notice: Mapping[str, Any]) -> None:
        try:
            if kind == "start":
                self._bot.on_start(read_start(dict(notice)))
            elif kind == "end":
                self._bot.on_end(read_end(dict(notice)))
        except Exception:
            log.exception("%s: on_%s failed", self._bot.name, kind)

    def _answer(self, raw: Mapping[str, Any]) -> None:
        """Answers one ask. An error in the author's code is logged and costs only this decision. In a match the service
        is told of it: the decision is settled at once, and the clock stops."""
        try:
            body = answer(self._bot, read_ask(raw))
        except (BadChoice, BadMessage) as error:
            log.error("%s: there is no answer: %s", self._bot.name, error)
            body = {"comment": str(error)[:MAX_REASON]}
        except Exception as error:
            log.exception("%s: there is no answer to %s", self._bot.name, raw["decision"])
            body = {"comment": type(error).__name__}
        if "action" not in body and raw.get("match") is None:
            return
        try:
            self._send(str(raw["game"]), {"decision": raw["decision"]["id"], **body}, time.monotonic() + RETRY_S)
        except Refused as error:
            log.error("%s: no answer was sent: %s", self._bot.name, error)

    def _send(self, game: str, body: Mapping[str, Any], until: float) -> None:
        for pause in _pauses(0.1):
            try:
                response = self._call("POST", f"/v1/games/{game}/actions", ANSWER_S, json=body)
            except _Again as again:
                # It is safe to send an answer again: the same one counts once.
                if self._stop.is_set() or time.monotonic() + (again.after or pause) > until:
                    log.error("%s: %s was not answered: %s", self._bot.name, body["decision"], again)
                    return
                time.sleep(again.after or pause)
            else:
                if response.status_code != 200 and "action" in body:
                    log.warning("%s: %s: %s", self._bot.name, body["decision"], _problem_text(response))
                return

    def _call(self, method: str, path: str, timeout: float, **more: Any) -> requests.Response:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            session.headers.update(self._headers)
        try:
            response = session.request(method, self._base + path, timeout=(CONNECT_S, timeout), **more)
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
            raise _Again(f"{self._base} cannot be reached ({type(error).__name__})") from None
        except requests.RequestException as error:
            raise Refused(f"{self._base}{path} cannot be called: {error}") from None
        if response.status_code == 429 or response.status_code >= 500:
            raise _Again(_problem_text(response), response.headers.get("Retry-After"))
        return response


class _Again(Exception):
    """A failure that may pass. `after` is the pause in seconds that the service asks for, or None."""

    def __init__(self, reason: str, after: str | None = None) -> None:
        super().__init__(reason)
        self.after = float(after) if after is not None and after.isdecimal() and after != "0" else None


def _pauses(first: float = 0.25) -> Iterator[float]:
    pause = first
    while True:
        yield pause
        pause = min(pause * 2, MAX_PAUSE_S)


def _problem_text(response: requests.Response) -> str:
    try:
        problem = response.json()
        return f"{response.status_code} {problem.get('code')}: {problem.get('detail') or problem.get('title')}"
    except (ValueError, AttributeError):
        return f"{response.status_code} {response.reason}"
