"""Where the tests of workers play: push bots on loopback, tournaments over a real Redis, what a worker is handed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from bots.random_bot import RandomBot
from montego_bot import PROTOCOL, Bot, push_app, running
from service.errors import Unavailable
from service.operations.context import Context
from service.operations.games.projection import GameView
from service.operations.games.records import record
from service.operations.tournaments.create import NewTournament, create_tournament
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.lifecycle import cancel
from service.operations.tournaments.matches import open_match
from service.store.api_processes import HEARTBEAT_S
from service.store.leases import Lease
from service.tournament.schedule import Pairing
from tests.operations.game_setup import organiser, register
from tests.workers.outbound_setup import LOOPBACK
from workers.context import WorkerContext
from workers.outbound import OutboundClient
from workers.players import Player
from workers.players.push import PushPlayer

Reply = Mapping[str, Any] | bytes | tuple[int, bytes]
INFORMATION = {"protocol": PROTOCOL, "name": "scripted", "version": "7", "author": "tests"}


@dataclass
class Scripted:
    """A push bot that does as it is told, and remembers what it was sent.

    `act` gets an ask and gives a JSON object, the bytes of a 200, or a status and bytes. Each `/end` calls `end`.
    """

    act: Callable[[dict[str, Any]], Reply] = lambda ask: {"index": 0}
    information: Callable[[], Reply] = lambda: INFORMATION
    begin: Callable[[dict[str, Any]], Reply] = lambda start: {}
    end: Callable[[], Any] = lambda: None
    asks: list[dict[str, Any]] = field(default_factory=list)
    starts: list[dict[str, Any]] = field(default_factory=list)
    ends: list[dict[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path, length = environ["PATH_INFO"], int(environ.get("CONTENT_LENGTH") or 0)
        said = json.loads(environ["wsgi.input"].read(length)) if length else {}
        if "HTTP_WEBHOOK_ID" in environ:
            self.ids.append(environ["HTTP_WEBHOOK_ID"])
        reply = self._reply(path, said)
        status, body = reply if isinstance(reply, tuple) else (200, reply)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        start_response(f"{status} As It Is", [("Content-Type", "application/json"), ("Content-Length", str(len(data)))])
        return [data]

    def _reply(self, path: str, said: dict[str, Any]) -> Reply:
        if path == "/act":
            self.asks.append(said)
            return self.act(said)
        if path == "/start":
            self.starts.append(said)
            return self.begin(said)
        if path == "/end":
            self.ends.append(said)
            self.end()
            return {}
        return self.information()


Entrant = Bot | Scripted | str
"""A bot of the kit, a scripted one, or the URL of one that runs elsewhere, or nowhere."""


@contextmanager
def served(ctx: Context, entrants: Mapping[str, Entrant], **more: Any) -> Iterator[None]:
    """Serves bots and registers them under their names."""
    with ExitStack() as stack:
        for name, bot in entrants.items():
            if isinstance(bot, str):
                url = bot
            else:
                url = stack.enter_context(running(bot if isinstance(bot, Scripted) else push_app(bot)))
            if ctx.bots.find(name) is None:
                register(ctx, name, kind="push", url=url, **more)
        yield


def delete_bots(ctx: Context, *names: str) -> None:
    """Cancels the tournaments in which they play and deletes them, so that others can have their names."""
    for name in names:
        bot = ctx.bots.find(name)
        assert bot is not None
        for tournament in ctx.tournaments.playing(bot.id):
            cancel(ctx, organiser(ctx), tournament)
        assert ctx.bots.delete(bot.id)


def honest(*names: str) -> dict[str, Entrant]:
    """Random bots of these names: the same question, the same answer."""
    return {name: RandomBot(name, seed=name) for name in names}


class NeverSlow:
    """The latency of a harness that is never slow."""

    def slow_between(self, since: float, until: float) -> bool:
        return False

    def counts(self) -> tuple[int, int]:
        return 0, 0


@contextmanager
def api_heartbeat(ctx: Context) -> Iterator[None]:
    """What workers see of an API that serves all the time."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(HEARTBEAT_S / 2):
            # Some tests stop Redis meanwhile.
            with suppress(Unavailable):
                ctx.api_processes.heartbeat("tests")

    ctx.api_processes.heartbeat("tests")
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        ctx.api_processes.leave("tests")


@contextmanager
def worker_on(ctx: Context, draining: Callable[[], bool] = lambda: False) -> Iterator[WorkerContext]:
    """What a job is handed."""
    outbound = OutboundClient(LOOPBACK)
    try:
        yield WorkerContext(ctx, outbound, draining)
    finally:
        outbound.close()


def cup(ctx: Context, *names: str, **more: Any) -> str:
    """A round robin of these bots, of as many players unless said otherwise, dealt always alike; its id."""
    given = {"name": "cup", "format": "round_robin", "bots": names, "players": len(names), "seed": "cup", **more}
    given = {"move_ms": 20_000, "bank_ms": 0, "warmup_ms": 300, **given}
    return str(create_tournament(ctx, organiser(ctx), NewTournament(**given))["tournament"])


@dataclass(frozen=True)
class Match:
    """A match that has been opened, with what a referee needs to play it."""

    view: GameView
    players: Mapping[int, Player]
    lease: Lease
    pairing: Pairing
    doc: TournamentDoc


def opened(ctx: Context, outbound: OutboundClient, tournament: str, number: int = 0) -> Match:
    """Opens a match without warming its bots up, and takes the lease."""
    _, doc = load_tournament(ctx, tournament)
    pairing = doc.schedule().pairing(number)
    found = {name: ctx.bots.find(name) for name in pairing.seats}
    bots = {name: bot for name, bot in found.items() if bot is not None}
    view = open_match(ctx, tournament, doc, pairing, attempt=0, bots=bots)
    players = {seat: PushPlayer(ctx, outbound, bots[name], game=view.id) for seat, name in enumerate(pairing.seats)}
    lease = ctx.leases.acquire(f"block:{tournament}:{pairing.block}", 60_000)
    assert lease is not None
    return Match(view, players, lease, pairing, doc)


def bare(ctx: Context, game: str) -> dict[str, Any]:
    """The record of a game without what differs each time that the same is played: ids and what depends on them."""
    found = record(ctx, game)
    setup = {name: value for name, value in found["setup"].items() if name != "nonce"}
    return {**{n: v for n, v in found.items() if n not in ("game", "commitment", "digest")}, "setup": setup}


def faults_of(ctx: Context, name: str) -> list[dict[str, Any]]:
    """The ledger of a bot, oldest first."""
    bot = ctx.bots.find(name)
    assert bot is not None
    return [json.loads(text) for text in reversed(ctx.bots.faults(bot.id, 1000, None)[0])]
