"""Rows to write, as short as they may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.store import chain
from service.store.bots import Bot
from service.store.games import Effects, GameKind, GameStore

RUNNING = Effects("running")
FINISHED = Effects("finished")


def begin(
    games: GameStore,
    game: str,
    *,
    effects: Effects = RUNNING,
    entries: Sequence[str] = ('{"n":1}',),
    tokens: Mapping[str, str] | None = None,
    public: bool = False,
    match: bool = False,
) -> None:
    """A new game of one entry."""
    kind: GameKind = "match" if match else "public" if public else "private"
    assert games.create(game, meta="{}", tokens=tokens or {}, entries=entries, effects=effects, kind=kind)


def past(games: GameStore, game: str, version: int) -> bytes:
    """The chain of a game's log at a version; of one that is gone, any."""
    row = games.read(game)
    return chain.begin("{}") if row is None else chain.extend(chain.begin(row.meta), row.entries[:version])


def bot(name: str, *, kind: str = "poll") -> Bot:
    """A bot whose id is its name with an x before it."""
    return Bot(
        id=f"x{name}",
        name=name,
        kind=kind,
        url=None if kind == "poll" else "http://127.0.0.1:1/",
        casual=True,
        max_games=4,
        owner="someone",
        created_ms=1_700_000_000_000,
        token_hashes=(("h" * 64, None),),
        secrets=(("whsec_new", None), ("whsec_old", 1_700_000_000_000)),
    )
