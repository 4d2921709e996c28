"""An unmodified MCP client, that of the SDK, plays through `montego mcp`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")

from mcp import Client, StdioServerParameters

from service.processes.ports import free_port
from tests import event_loop
from tests.e2e.running_service import OVER, OrganiserClient
from tests.e2e.terminal import OWN_SETTINGS, Terminal

TOOLS = set("list_games create_game take_seat observe next_decision legal_actions act read_rules read_log".split())


def over_stdio(service: OrganiserClient, token: str | None = None) -> StdioServerParameters:
    """How a client starts the server."""
    environ = {name: value for name, value in os.environ.items() if name not in OWN_SETTINGS}
    if token is not None:
        environ["MONTEGO_BOT_TOKEN"] = token
    arguments = ["-m", "service.cli.main", "mcp", "--url", service.url]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environ)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """The error of a tool."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    return str(result.content[0].text)


async def play_to_the_end(client: Client, game: str, seats: list[int]) -> int:
    """Plays seats by the first legal action; how many decisions that took."""
    acted = 0
    while (await call(client, "observe", game=game))["status"] == "running":
        for seat in seats:
            asked = await call(client, "next_decision", game=game, seat=seat, wait_seconds=0)
            if asked["decision"] is not None:
                await call(client, "act", game=game, seat=seat, decision=asked["decision"]["id"], index=0)
                acted += 1
    return acted


def test_a_model_plays_a_whole_match_of_a_tournament_over_standard_input_and_output(service: OrganiserClient) -> None:
    entrant = service.register("model")
    tournament = service.begin(["model", "greedy"], players=2, deals=1, move_ms=60000, seatings="rotations")

    async def play() -> int:
        acted = 0
        async with Client(over_stdio(service, entrant.token)) as client:
            while (await asyncio.to_thread(service.get, f"/v1/tournaments/{tournament}"))["status"] not in OVER:
                asked = await call(client, "next_decision", wait_seconds=1)
                for ask in asked["decisions"]:
                    action = ask["legal_actions"][-1]
                    await call(
                        client, "act", game=ask["game"], decision=ask["decision"]["id"], action=action, comment="Last."
                    )
                    acted += 1
        return acted

    acted = event_loop.run(play())
    matches = service.matches(tournament)
    assert [match["status"] for match in matches] == ["finished", "finished"]
    assert acted > 20
    assert service.faults(entrant) == []
    for record in service.records(tournament):
        seat = next(seat["seat"] for seat in record["seats"] if seat["name"] == "model")
        assert all(action["by"] == "player" for action in record["actions"] if action["seat"] == seat)
        assert {told["comment"] for told in record["comments"]} == {"Last."}


def test_a_model_creates_plays_and_reads_a_game_over_http(service: OrganiserClient) -> None:
    port = free_port()
    with Terminal("mcp", "--http", "--port", port, "--url", service.url) as server:
        server.line_with("Uvicorn running")

        async def play() -> tuple[str, str]:
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
                made = await call(client, "create_game", players=2, name="by a model", seed="mcp")
                game = made["game"]
                assert made["your_seats"] == [0]
                listed = await call(client, "list_games", status="open")
                assert game in [shown["game"] for shown in listed["items"]]
                assert "seat_taken" in await refusal(client, "take_seat", game=game, seat=0)
                await call(client, "take_seat", game=game, seat=1, name="the other hand")
                assert "say which one" in await refusal(client, "legal_actions", game=game)
                legal = await call(client, "legal_actions", game=game, seat=1)
                assert len(legal["legal_actions"]) == 25
                wrong = {"type": "play", "big": 9, "little": 9}
                told = await refusal(client, "act", game=game, seat=1, decision=legal["decision"]["id"], action=wrong)
                assert "big has the cards 1 to 5, not 9" in told
                assert await play_to_the_end(client, game, [0, 1]) > 20
                log = await call(client, "read_log", game=game)
                assert log["events"][-1]["type"] == "finished"
                rules = await client.read_resource("montego://rules")
                record = await client.read_resource(f"montego://games/{game}/record")
                return rules.contents[0].text, record.contents[0].text

        rules, record = event_loop.run(play())
    assert "A ROUND" in rules
    assert json.loads(record)["result"]["ended"] == "played"


def test_what_a_model_may_not_do_is_an_error_that_says_why(service: OrganiserClient) -> None:
    async def errors() -> list[str]:
        async with Client(over_stdio(service)) as client:
            return [
                await refusal(client, "next_decision"),
                await refusal(client, "legal_actions", game="nogame"),
                await refusal(client, "observe", game="nogame"),
                await refusal(client, "create_game", players=7),
                await refusal(client, "act", game="nogame", decision="1.play.0.0"),
            ]

    found = event_loop.run(errors())
    for told, expected in zip(
        found,
        ("MONTEGO_BOT_TOKEN", "you hold no seat", "not_found", "invalid_request", "either index or action"),
        strict=True,
    ):
        assert expected in told
