"""The table of keys in `service.store.keys` is whole and true."""

from __future__ import annotations

import re
import time
from dataclasses import replace

from service.config import Settings
from service.store import keys
from service.store.api_keys import Key
from service.store.callbacks import Callback
from service.store.clients import RedisClient
from service.store.games import Effects
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


def write_one_of_everything(redis_url: str) -> None:
    ctx = build(Settings(redis_url=redis_url, harness_slow_ms=1))
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
    ctx.idempotency.claim("x", "request", "holder")
    ctx.keys.create(Key("k", "creator", "", "", 0))
    ctx.tournaments.create("t", "{}", ["xa"], "event")
    ctx.tournaments.put_result("t", 0, "{}", "event")
    ctx.tournaments.put_void("t", 1, "{}", "event")
    ctx.tournaments.add_stage("t", "{}", "event", after=0, blocks=0)
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
    write_one_of_everything(redis_url)
    documented = table()
    found = {
        of_pattern(key, documented): client.type(key) for key in client.scan_iter("*") if not key.startswith("rq:")
    }
    assert found == documented


def test_all_keys_of_a_game_share_a_hash_tag() -> None:
    makers = (keys.game_meta, keys.game_state, keys.game_log, keys.game_asked)
    assert {re.search(r"\{(.*?)\}", make("x"))[1] for make in makers} == {"g:x"}  # type: ignore[index]
