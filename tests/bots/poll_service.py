"""One real game as a poll bot sees it, over real HTTP: its asks and its actions, without the rest of the service."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

from flask import Flask, Response, request

from bots.inprocess import question
from service.engine.actions import NotLegal, parse_action
from service.engine.components import standard_components
from service.engine.game import Game
from service.engine.setup import Reshuffles, Variants, draw_setup
from service.protocol import BOT_PROTOCOL


class PollService:
    """Deals one game, of a match if it has a name; token n plays seat n. The `troubles` are answered first, one to each
    call. An answer without an action settles the decision by default if the game is of a match."""

    def __init__(self, players: int, seed: str, troubles: Sequence[Response] = (), *, match: str | None = None) -> None:
        components = standard_components(players)
        setup = draw_setup(components, players, seed)
        self.game = Game.deal(players, Variants(), components, setup, Reshuffles(seed)).game
        self.tokens = [f"token-{seat}" for seat in range(players)]
        self.settled: list[tuple[str, Any]] = []
        self.refused: list[str] = []
        self.reasons: list[str] = []
        self.versions: set[str | None] = set()
        self.over = threading.Event()
        self._troubles = list(troubles)
        self._match = match
        self._opened = self._ask_all()
        self._chosen: dict[str, Any] = {}
        self._changed = threading.Condition()
        self.app = Flask("poll-service")
        self.app.add_url_rule("/v1/bots/me/decisions", view_func=self._decisions)
        self.app.add_url_rule("/v1/games/<game>/actions", view_func=self._actions, methods=["POST"])

    def _ask_all(self) -> dict[str, Any]:
        return {decision.id: question(self.game, decision) | {"match": self._match} for decision in self.game.decisions}

    def _waiting(self, seat: int) -> list[Any]:
        asks = self._opened.items()
        return [ask for name, ask in asks if ask["decision"]["seat"] == seat and name not in self._chosen]

    def _cursor(self, seat: int) -> str:
        return ",".join(
            [ask["decision"]["id"] for ask in self._waiting(seat)] + (["over"] if self.over.is_set() else [])
        )

    def _decisions(self) -> Response:
        if self._troubles:
            return self._troubles.pop()
        seat = self._seat()
        if seat is None:
            return problem(401, "unauthorized")
        self.versions.add(request.args.get("version"))
        after = request.args.get("after")
        with self._changed:
            if after is not None:
                self._changed.wait_for(lambda: self._cursor(seat) != after, timeout=float(request.args.get("wait", 0)))
            body = {"decisions": self._waiting(seat), "notices": self._notices(seat), "cursor": self._cursor(seat)}
        return Response(json.dumps(body), mimetype="application/json")

    def _actions(self, game: str) -> Response:
        if self._troubles:
            return self._troubles.pop()
        seat, sent = self._seat(), request.get_json()
        with self._changed:
            ask = self._opened.get(sent["decision"])
            if ask is None or ask["decision"]["seat"] != seat:
                self.refused.append(sent["decision"])
                return problem(409, "not_your_decision")
            if "action" not in sent:
                self.reasons.append(sent["comment"])
                if self._match is not None:
                    self.settle(sent["decision"], ask["legal_actions"][0])
                    self._changed.notify_all()
                return problem(422, "invalid_request")
            try:
                self.settle(sent["decision"], sent["action"])
            except NotLegal as error:
                return problem(422, "illegal_action", str(error))
            self._changed.notify_all()
        return Response("{}", mimetype="application/json")

    def open_asks(self) -> list[tuple[str, Any]]:
        """The questions that are open, by the decision's id."""
        return list(self._opened.items())

    def settle(self, decision: str, action: Any) -> None:
        """Plays an action; the next questions are put when all that are open together are settled."""
        self.game = self.game.apply(decision, parse_action(action)).game
        self._chosen[decision] = action
        if self._opened.keys() <= self._chosen.keys():
            self.settled += sorted((name, json.dumps(action, sort_keys=True)) for name, action in self._chosen.items())
            self._opened, self._chosen = self._ask_all(), {}
            if self.game.outcome is not None:
                self.over.set()

    def _notices(self, seat: int) -> list[Any]:
        start: dict[str, Any] = {
            "protocol": BOT_PROTOCOL,
            "game": "in-process",
            "match": None,
            "tournament": None,
            "seat": seat,
        }
        start |= {"players": self.game.players, "variants": {}, "components": {}, "seats": [None] * self.game.players}
        start |= {"move_ms": None, "bank_ms": 0, "max_faults": None, "attempts": 1}
        notices: list[Any] = [] if self.over.is_set() else [start | {"type": "start"}]
        if self.game.outcome is not None:
            told: dict[str, Any] = {
                "game": "in-process",
                "match": None,
                "ended": "played",
                "faults": {},
                "record": "/v1/games/x/record",
            }
            told |= {"points": list(self.game.outcome.points), "places": list(self.game.outcome.places or ())}
            notices.append(told | {"type": "end"})
        return notices

    def _seat(self) -> int | None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.tokens.index(token) if token in self.tokens else None


def problem(status: int, code: str, detail: str = "", **headers: str) -> Response:
    """An error as the service words it."""
    body = json.dumps({"status": status, "code": code, "title": code.replace("_", " "), "detail": detail})
    return Response(body, status, headers, mimetype="application/problem+json")
