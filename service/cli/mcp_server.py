"""The tools and resources of the MCP server: calls of the service's API, for a model that holds seats."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError

from bots.llm import rules_for_models
from service.cli.client import ApiClient, ServiceError, segment

INSTRUCTIONS = """Plays the board game Montego Bay. Read the rules first (read_rules). To play a casual game, call
create_game or take_seat; to play for a bot that was entered in a tournament, call next_decision. Then repeat:
next_decision, think, act. Answer with the index of a legal action, or with the action itself. Stop when the game is
over."""

MAX_WAIT_S = 25
"""Below the API's longest wait, and below what clients of MCP wait for a tool."""

Json = dict[str, Any]


class GameTools:
    """What the tools do. Their docstrings are what a model reads."""

    def __init__(self, client: ApiClient, bot_token: str | None) -> None:
        self._client = client
        self._bot = None if bot_token is None else ApiClient(client.url, bot_token)
        self._seats: dict[tuple[str, int], ApiClient] = {}

    def list_games(self, status: str | None = None) -> Json:
        """List the newest public games. status: open (a seat is free), running, finished or aborted."""
        found: Json = self._client.get("/v1/games", **({} if status is None else {"status": status}))
        return found

    def create_game(
        self, players: int = 2, seats: list[Any] | None = None, name: str | None = None, seed: str | None = None
    ) -> Json:
        """Create a game of 2 to 4 players and take the seats in it that are yours.

        seats has one entry for each seat: "creator" (yours), "open" (for anybody), or {"bot": "greedy"} (a registered
        bot). By default seat 0 is yours and the others are open.
        """
        body = {"players": players, "seats": seats or ["creator", *["open"] * (players - 1)], "public": True}
        made = self._client.post(
            "/v1/games", body | ({"name": name} if name else {}) | ({"seed": seed} if seed else {})
        )
        for held in made["tokens"]:
            self._seats[made["game"], held["seat"]] = ApiClient(self._client.url, held["token"])
        return {
            "game": made["game"],
            "status": made["status"],
            "your_seats": [held["seat"] for held in made["tokens"]],
            "observation": made["observation"],
        }

    def take_seat(self, game: str, seat: int, name: str | None = None) -> Json:
        """Take an open seat of a game."""
        taken = self._client.post(f"/v1/games/{segment(game)}/seats/{seat}", {"name": name} if name else {})
        self._seats[game, seat] = ApiClient(self._client.url, taken["token"])
        return {"game": game, "seat": seat}

    def observe(self, game: str, seat: int | None = None) -> Json:
        """Show a game as your seat sees it, or as a spectator sees it if you hold none."""
        found: Json = self._holder(game, seat, otherwise=self._client).get(f"/v1/games/{segment(game)}")
        return found

    def next_decision(self, game: str | None = None, seat: int | None = None, wait_seconds: int = MAX_WAIT_S) -> Json:
        """Wait until a decision is put to you.

        With a game: for your seat in it; decision is null if nothing was asked in that time. Without one: for your bot,
        in all its games; decisions is empty if nothing was asked, and notices tells which games have started or ended.
        Each decision comes with what you see and all legal actions.
        """
        wait = max(0, min(wait_seconds, MAX_WAIT_S))
        if game is not None:
            asked = self._holder(game, seat).get(f"/v1/games/{segment(game)}/decision", wait=wait)
            return {"decision": None} if asked is None else dict(asked)
        bot = self._playing_bot()
        found: Json = bot.get("/v1/bots/me/decisions")
        if not found["decisions"] and wait:
            found = bot.get("/v1/bots/me/decisions", after=found["cursor"], wait=wait)
        return {"decisions": found["decisions"], "notices": found["notices"]}

    def legal_actions(self, game: str, seat: int | None = None) -> Json:
        """List the legal actions of the decision that is put to your seat, in their order: an index counts from 0."""
        found: Json = self._holder(game, seat).get(f"/v1/games/{segment(game)}/legal-actions")
        return found

    def act(
        self,
        game: str,
        decision: str,
        index: int | None = None,
        action: dict[str, Any] | None = None,
        seat: int | None = None,
        comment: str | None = None,
    ) -> Json:
        """Answer a decision, by the index of a legal action or by the action itself.

        decision is the decision's id, such as 3.load.1.0. comment is for those who read the game's record later.
        """
        if (index is None) == (action is None):
            raise ToolError("give either index or action")
        chosen: Json = {"action": action} if index is None else {"index": index}
        if comment is not None:
            chosen["comment"] = comment
        settled = self._holder(game, seat).post(f"/v1/games/{segment(game)}/actions", {"decision": decision, **chosen})
        return {name: settled[name] for name in ("decision", "action", "version")}

    def read_rules(self) -> str:
        """The rules of the game, and how actions are written."""
        return rules_for_models()

    def read_log(self, game: str, after: int = 0) -> Json:
        """What has happened in a game, as events: those after the number `after`. Call again with `last` for more."""
        found: Json = self._client.get(f"/v1/games/{segment(game)}/events", after=after)
        return found

    def record(self, game: str) -> str:
        """The record of a game that is over, as JSON."""
        return json.dumps(self._client.get(f"/v1/games/{segment(game)}/record"))

    def _playing_bot(self) -> ApiClient:
        if self._bot is None:
            raise ToolError("name a game: this server plays for no bot (it was started without MONTEGO_BOT_TOKEN)")
        return self._bot

    def _holder(self, game: str, seat: int | None, otherwise: ApiClient | None = None) -> ApiClient:
        """Who calls for a seat: the seat that was taken here, else the bot."""
        held = [number for known, number in self._seats if known == game]
        if seat is None and len(held) == 1:
            seat = held[0]
        if seat in held:
            return self._seats[game, seat]
        if held and otherwise is None:
            raise ToolError(f"you hold the seats {held} of this game: say which one")
        found = self._bot or otherwise
        if found is None:
            raise ToolError("you hold no seat of this game: call create_game or take_seat")
        return found


def build_server(client: ApiClient, bot_token: str | None) -> MCPServer:
    """The server for a service. With a bot's token, it plays for that bot where no seat was taken."""
    server = MCPServer("montego-bay", title="Montego Bay", instructions=INSTRUCTIONS)
    tools = GameTools(client, bot_token)
    for tool in (
        tools.list_games,
        tools.create_game,
        tools.take_seat,
        tools.observe,
        tools.next_decision,
        tools.legal_actions,
        tools.act,
        tools.read_rules,
        tools.read_log,
    ):
        server.add_tool(_with_errors(tool, ToolError))
    server.resource("montego://rules", title="The rules", mime_type="text/plain")(tools.read_rules)
    record = _with_errors(tools.record, ResourceError)
    server.resource("montego://games/{game}/record", title="Record of a game", mime_type="application/json")(record)
    return server


def _with_errors(call: Callable[..., Any], kind: type[Exception]) -> Callable[..., Any]:
    """The same call, with refusals of the service as errors that reach the client in full."""

    @wraps(call)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return call(*given, **named)
        except ServiceError as error:
            raise kind(error.format_message()) from None

    return called
