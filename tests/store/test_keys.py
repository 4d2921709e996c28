"""The table of keys in `service.store.keys` is whole and true."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from importlib import resources
from typing import Any

from redis.commands.core import Script

from service.config import Settings
from service.operations.context import Context
from service.store import chain, clients, keys
from service.store.api_keys import Key, KeyStore
from service.store.api_processes import ApiProcesses
from service.store.blocks import BlockStore
from service.store.bots import BotStore
from service.store.callbacks import Callback, CallbackStore
from service.store.checks import CheckStore
from service.store.clients import RedisClient
from service.store.game_lists import GameLists
from service.store.games import Effects, GameStore
from service.store.idempotency import IdempotencyStore
from service.store.leases import Leases
from service.store.tournaments import TournamentStore
from service.wiring import build
from tests.store.samples import bot

KINDS = {"hash": "hash", "list": "list", "set": "set", "sorted set": "zset", "string": "string"}


def table() -> dict[str, str]:
    """Pattern of a key -> its type, as documented; channels are no keys."""
    rows = re.findall(r"^\| `(mb[^`]*)` \| ([a-z ]+?)(?:, expires)? \|", keys.__doc__ or "", re.MULTILINE)
    return {re.sub(r"<\w+>", "…", name): KINDS[kind] for name, kind in rows if kind != "channel"}


def of_pattern(key: str, patterns: dict[str, str]) -> str | None:
    for pattern in sorted(patterns, key=lambda text: ("…" in text, -len(text))):
        if re.fullmatch(re.escape(pattern).replace("…", ".+"), key):
            return pattern
    return None


def write_a_ladder(ctx: Context) -> None:
    """A ladder whose season is the tournament `t`."""
    ctx.ladders.create("l", "{}")
    ctx.ladders.add_season("l", "t", after=0)
    ctx.ladders.append("t", ["{}"], "event", after=0)


def write_one_of_everything(ctx: Context) -> None:
    ctx.clock.advance(1)
    ctx.api_processes.heartbeat("p")
    time.sleep(2 * ctx.api_processes.max_pause_ms / 1000)
    ctx.api_processes.heartbeat("p")
    ctx.bots.create(replace(bot("a"), max_games=1))
    ctx.bots.add_fault("xa", "{}")
    ctx.checks.begin("xa", "c", "{}", 60_000)
    told = Callback("game.turn", "g", "http://127.0.0.1:1/", "whsec_x", 1)
    effects = Effects("running", 5, poll_bots={"xa": True}, push_seats=(1,), bots=("xa",), callbacks=(told,))
    over = Effects("finished", bots=("xa",))
    ctx.games.create("g", meta="{}", tokens={}, entries=["1"], effects=effects, kind="public")
    ctx.games.create("h", meta="{}", tokens={}, entries=["1"], effects=over, kind="public")
    waits = Effects("running", poll_bots={"xa": True}, bots=("xa",))
    ctx.games.create("i", meta="{}", tokens={}, entries=["1"], effects=waits, kind="private")
    ctx.games.publish_ask("g", "1.play.0.0", "xa", 1, 1)
    ctx.unreadable.note("game", "lost")
    ctx.hidden_texts.add("a name")
    ctx.idempotency.claim("x", "request", "holder")
    ctx.keys.create(Key("k", "creator", "", "", 0))
    ctx.tournaments.create("t", "{}", ["xa"], "event")
    ctx.tournaments.put_result("t", 0, "{}", "event")
    ctx.tournaments.put_void("t", 1, "{}", "event")
    ctx.tournaments.add_stage("t", "{}", "event", after=0, blocks=0)
    write_a_ladder(ctx)
    ctx.blocks.note_response_times("t", {"xa": (1, 1)})
    ctx.tournaments.create("u", "{}", [], "event")
    ctx.tournaments.move("u", ["running"], "finished", event="event")
    ctx.tournaments.mark_removed("u")
    ctx.callbacks.change_secrets("g", lambda _, now_ms: (("whsec_y", None),))
    ctx.tournaments.withdraw("t", "xa", "event")
    ctx.blocks.note_failure("t", 0)
    ctx.blocks.activate("t", 0)
    ctx.blocks.finish("t", 1, [])
    ctx.leases.acquire("steward", 60_000)
    ctx.queue.enqueue_turn("g", 1)
    ctx.queue.enqueue_callbacks()
    ctx.queue.enqueue_probe("t")
    ctx.game_lists.note_own("g", "k", ["xa"])
    ctx.tournaments.create("w", "{}", [], "event", status="waiting")
    ctx.queue.enqueue_block("t", 0)


def test_every_key_in_redis_is_documented_with_its_type_and_every_documented_one_is_there(
    redis_url: str, client: RedisClient
) -> None:
    write_one_of_everything(build(Settings(redis_url=redis_url, harness_slow_ms=1)))
    documented = table()
    found = {
        of_pattern(key, documented): client.type(key) for key in client.scan_iter("*") if not key.startswith("rq:")
    }
    assert found == documented


def test_all_keys_of_a_game_share_a_hash_tag() -> None:
    makers = (keys.game_meta, keys.game_state, keys.game_log, keys.game_asked)
    assert {re.search(r"\{(.*?)\}", make("x"))[1] for make in makers} == {"g:x"}  # type: ignore[index]


PRELUDE = """
local declared = {}
for _, key in ipairs(KEYS) do
  declared[key] = true
end
local function noting(run)
  return function(...)
    local command, key = ...
    if key and command ~= 'PUBLISH' and not declared[key] then
      run('SADD', 'undeclared', 'SCRIPT ' .. key)
    end
    return run(...)
  end
end
local redis = {call = noting(redis.call), pcall = noting(redis.pcall)}
"""


class Noting(RedisClient):
    """Notes which keys scripts touch that are not among their KEYS, in the set `undeclared`."""

    def register_script(self, script: Any) -> Script:
        folder = resources.files("service.store") / "lua"
        (name,) = (file.name for file in folder.iterdir() if str(script).endswith(file.read_text("utf-8")))
        return super().register_script(PRELUDE.replace("SCRIPT", name.removesuffix(".lua")) + script)


OF_BOTS = ("row", "games", "ended", "waiting", "offered", "queued")
MADE_IN_SCRIPTS = {
    *((script, f"mb1:{{b:…}}:{part}") for script in ("create", "append", "remove") for part in OF_BOTS),
    *((script, "mb1:games:public:…") for script in ("create", "append", "remove")),
    *((script, "mb1:callbacks:…:…") for script in ("create", "append", "callback_take")),
    ("tournament_create", "mb1:{b:…}:row"),
    *((script, "mb1:{b:…}:tournaments") for script in ("tournament_create", "tournament_move")),
}
"""(script, keys that it touches without having been given them). No other script may."""


def test_scripts_touch_no_key_that_they_were_not_given_but_for_those_known(redis_url: str) -> None:
    client = Noting(connection_pool=clients.commands(redis_url).connection_pool)
    ctx = build(Settings(redis_url=redis_url, harness_slow_ms=1))
    ctx = replace(
        ctx,
        games=GameStore(client),
        game_lists=GameLists(client),
        bots=BotStore(client),
        checks=CheckStore(client),
        keys=KeyStore(client),
        idempotency=IdempotencyStore(client),
        tournaments=TournamentStore(client),
        blocks=BlockStore(client),
        callbacks=CallbackStore(client),
        api_processes=ApiProcesses(client, 1),
        leases=Leases(client),
    )
    write_one_of_everything(ctx)
    row = ctx.games.read("g")
    assert row is not None
    callback = Callback("game.ended", "g", "http://127.0.0.1:1/", "whsec_x", 1)
    ended = Effects("finished", bots=("xa",), callbacks=(callback,))
    ctx.games.append("g", chain.extend(chain.begin(row.meta), row.entries), ["2"], effects=ended)
    for slot, _ in ctx.callbacks.take(10, 1):
        ctx.callbacks.hold(slot, 1)
        ctx.callbacks.failed(slot, 1)
        ctx.callbacks.delivered(slot, 1)
    ctx.game_lists.offered("xa")
    ctx.tournaments.move("t", ["running"], "cancelled", event="event")
    for game in "ghi":
        ctx.games.remove(game)
    ctx.bots.delete("xa")
    noted: Any = client.smembers("undeclared")
    patterns = table()
    split = (text.split(" ", 1) for text in noted)
    found = {(script, of_pattern(key, patterns)) for script, key in split}
    assert found == MADE_IN_SCRIPTS
