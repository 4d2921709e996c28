from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from service.archive.file import DamagedArchive, digest
from service.archive.verify import verify
from service.errors import Forbidden, InvalidRequest, NotFound, WrongState
from service.operations.access.tokens import Caller
from service.operations.context import Context
from service.operations.ladders import read
from service.operations.ladders.document import load_season
from service.operations.ladders.entrants import enter, leave
from service.operations.ladders.seasons import NewLadder, close, end_season, open_ladder
from service.operations.tournaments.export import export
from service.operations.tournaments.lifecycle import finish
from service.report.page import build
from tests.operations.game_setup import organiser, register
from tests.operations.tournament_setup import play_number
from workers.ladders import LadderKeeper

REFERENCES = ("ref-1", "ref-2")


def opened(ctx: Context, **more: object) -> str:
    """A ladder of two players with two references, which are online."""
    for name in REFERENCES:
        online(ctx, name)
    given = {"name": "a ladder", "references": REFERENCES, "players": 2, **more}
    return open_ladder(ctx, organiser(ctx), NewLadder(**given))[0]  # type: ignore[arg-type]


def online(ctx: Context, name: str, version: str | None = "1") -> str:
    """Registers a push bot that has answered a call; its id."""
    found = ctx.bots.find(name)
    bot = found.id if found is not None else register(ctx, name, kind="push", url="http://127.0.0.1:9").bot.id
    ctx.bots.note_call(bot, up=True, version=version, failure="")
    return bot


def run(ctx: Context, ladder: str, *, slots: int = 1, busy: tuple[str, ...] = ()) -> list[int]:
    """One run of the steward for the ladder: the blocks that it hands out."""
    season = load_season(ctx, ladder)
    return LadderKeeper(ctx).run(season.tournament, season.row, season.doc, slots, busy)


def _path(errors: object) -> tuple[str, ...]:
    """The way down to the messages of an invalid request."""
    if not isinstance(errors, dict):
        return ()
    ((name, rest),) = errors.items()
    return (name, *_path(rest))


def play_block(ctx: Context, ladder: str, number: int) -> None:
    season = load_season(ctx, ladder)
    pairings = season.season.block(number).pairings
    for pairing in pairings:
        play_number(ctx, season.tournament, pairing.match)
    assert ctx.blocks.finish(season.tournament, number, [pairing.match for pairing in pairings])


def play(ctx: Context, ladder: str, blocks: int) -> None:
    for _ in range(blocks):
        for number in run(ctx, ladder):
            play_block(ctx, ladder, number)
    run(ctx, ladder, slots=0)


def test_a_ladder_rests_until_a_bot_enters_and_then_plays(ctx: Context) -> None:
    ladder = opened(ctx)
    assert run(ctx, ladder) == []
    online(ctx, "mine")
    assert enter(ctx, organiser(ctx), ladder, "mine").away is None
    play(ctx, ladder, 3)
    table = read.table(ctx, ladder)
    rows = {row["name"]: row for row in table["table"]}
    assert table["blocks"] == 3
    assert rows["mine"]["blocks"] == 3 and rows["mine"]["provisional"] and not rows["mine"]["reference"]
    assert sum(rows[name]["rating"] for name in REFERENCES) / 2 == pytest.approx(1500, abs=0.1)
    assert [item["status"] for item in read.blocks(ctx, ladder, 10, None)["items"]] == ["finished"] * 3


def test_a_bot_enters_once_leaves_and_comes_back_as_it_was(ctx: Context) -> None:
    ladder = opened(ctx)
    bot = online(ctx, "mine")
    enter(ctx, organiser(ctx), ladder, "mine")
    with pytest.raises(WrongState, match="entered already"):
        enter(ctx, organiser(ctx), ladder, bot)
    assert ctx.tournaments.playing(bot) == [load_season(ctx, ladder).tournament]
    leave(ctx, organiser(ctx), ladder, "mine")
    leave(ctx, organiser(ctx), ladder, "mine")
    assert ctx.tournaments.playing(bot) == []
    assert run(ctx, ladder) == []
    assert enter(ctx, organiser(ctx), ladder, "mine").name == "mine"
    assert len(run(ctx, ladder)) == 1


def test_who_leaves_in_mid_block_plays_it_to_its_end(ctx: Context) -> None:
    ladder = opened(ctx)
    bot = online(ctx, "mine")
    enter(ctx, organiser(ctx), ladder, "mine")
    (number,) = run(ctx, ladder)
    leave(ctx, organiser(ctx), ladder, "mine")
    assert ctx.tournaments.playing(bot) != []
    play_block(ctx, ladder, number)
    assert run(ctx, ladder) == []
    assert load_season(ctx, ladder).season.finished[number] is not None
    assert ctx.tournaments.playing(bot) == []


@pytest.mark.parametrize(
    ("more", "member"),
    [
        ({"references": ("ref-1", "nobody")}, ("references", "1")),
        ({"references": ("ref-1", "ref-1")}, ("references", "1")),
        ({"references": ("ref-1",), "players": 3}, ("references",)),
        ({"entry": "some"}, ("entry",)),
        ({"ends": "2020-01-01T00:00:00Z"}, ("ends",)),
        ({"ends": "2999-01-01T00:00:00"}, ("ends",)),
        ({"ends": "tomorrow"}, ("ends",)),
        ({"move_ms": 1}, ("move_ms",)),
    ],
)
def test_a_ladder_that_cannot_be_is_refused(ctx: Context, more: dict[str, object], member: tuple[str, ...]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        opened(ctx, **more)
    assert _path(caught.value.extra["errors"]) == member


def test_bots_of_others_cannot_be_entered_and_own_ladders_take_own_bots_only(ctx: Context) -> None:
    ladder, own = opened(ctx), opened(ctx, entry="own")
    bot = online(ctx, "mine")
    stranger, author = Caller("key", "somebody", role="author"), Caller("bot", bot, bot=ctx.bots.read(bot))
    with pytest.raises(Forbidden):
        enter(ctx, stranger, ladder, "mine")
    with pytest.raises(Forbidden):
        enter(ctx, stranger, own, "mine")
    enter(ctx, author, ladder, "mine")
    with pytest.raises(WrongState, match="reference"):
        leave(ctx, organiser(ctx), ladder, "ref-1")
    with pytest.raises(InvalidRequest, match="no bot"):
        enter(ctx, organiser(ctx), ladder, "nobody")
    with pytest.raises(NotFound):
        enter(ctx, organiser(ctx), "nowhere", "mine")


def test_a_closed_ladder_takes_nobody_and_begins_no_season(ctx: Context) -> None:
    ladder = opened(ctx)
    close(ctx, organiser(ctx), ladder)
    online(ctx, "mine")
    with pytest.raises(WrongState, match="closed"):
        enter(ctx, organiser(ctx), ladder, "mine")
    LadderKeeper(ctx).begin_seasons()
    assert load_season(ctx, ladder).number == 1 and load_season(ctx, ladder).row.is_over


def test_a_bot_that_does_not_answer_is_set_aside_and_comes_back_when_it_does(ctx: Context) -> None:
    ladder = opened(ctx)
    bot = online(ctx, "mine")
    enter(ctx, organiser(ctx), ladder, "mine")
    ctx.bots.note_call(bot, up=False, version=None, failure="connection refused")
    assert run(ctx, ladder) == []
    assert load_season(ctx, ladder).season.entrants["mine"].away == "offline"
    ctx.bots.note_call(bot, up=True, version="1", failure="")
    assert len(run(ctx, ladder)) == 1


def test_a_bot_with_no_time_for_another_game_is_left_out(ctx: Context) -> None:
    ladder = opened(ctx)
    bot = online(ctx, "mine")
    enter(ctx, organiser(ctx), ladder, "mine")
    assert run(ctx, ladder, busy=(bot,)) == []
    assert len(run(ctx, ladder)) == 1


def test_a_new_version_takes_over_after_a_day_as_an_entrant_of_its_own(ctx: Context) -> None:
    now = [ctx.wall_ms()]
    ctx = replace(ctx, wall_ms=lambda: now[0])
    ladder = opened(ctx)
    bot = online(ctx, "mine")
    enter(ctx, organiser(ctx), ladder, "mine")
    ctx.bots.note_call(bot, up=True, version="2", failure="")
    run(ctx, ladder, slots=0)
    assert list(load_season(ctx, ladder).season.entrants) == [*REFERENCES, "mine"]
    now[0] += 25 * 3600 * 1000
    run(ctx, ladder, slots=0)
    entrants = load_season(ctx, ladder).season.entrants
    assert entrants["mine"].away == "newer version"
    assert (entrants["mine (2)"].version, entrants["mine (2)"].away) == ("2", None)
    now[0] += 25 * 3600 * 1000
    ctx.bots.note_call(bot, up=True, version="1", failure="")
    run(ctx, ladder, slots=0)
    entrants = load_season(ctx, ladder).season.entrants
    assert entrants["mine"].away is None and entrants["mine (2)"].away == "newer version" and len(entrants) == 4


def test_a_season_ends_at_its_time_and_the_next_begins_with_those_who_take_part(ctx: Context) -> None:
    now = [ctx.wall_ms()]
    ctx = replace(ctx, wall_ms=lambda: now[0])
    ladder = opened(ctx, ends="2100-01-01T00:00:00Z")
    for name in ("mine", "yours"):
        online(ctx, name)
        enter(ctx, organiser(ctx), ladder, name)
    leave(ctx, organiser(ctx), ladder, "yours")
    before = load_season(ctx, ladder)
    now[0] = 4_200_000_000_000
    run(ctx, ladder)
    after = load_season(ctx, ladder)
    assert load_season(ctx, ladder, 1).row.status == "finished"
    assert (after.number, list(after.season.entrants)) == (2, [*REFERENCES, "mine"])
    assert after.doc.commitment != before.doc.commitment


def test_a_season_whose_beginning_was_broken_off_begins_all_the_same(ctx: Context) -> None:
    ladder = opened(ctx)
    season = load_season(ctx, ladder)
    assert finish(ctx, season.tournament, "finished")
    assert ctx.ladders.add_season(ladder, "named", after=1)
    LadderKeeper(ctx).begin_seasons()
    assert load_season(ctx, ladder).tournament == "named"
    assert list(load_season(ctx, ladder).season.entrants) == list(REFERENCES)


def season_file(ctx: Context) -> dict[str, object]:
    ladder = opened(ctx)
    online(ctx, "mine")
    enter(ctx, organiser(ctx), ladder, "mine")
    play(ctx, ladder, 3)
    run(ctx, ladder)
    end_season(ctx, organiser(ctx), ladder)
    found: dict[str, object] = json.loads("".join(export(ctx, load_season(ctx, ladder, 1).tournament)))
    return found


Change = Callable[[dict[str, object]], None]


def _drop_block(file: dict[str, object]) -> None:
    log, matches = file["log"], file["matches"]
    assert isinstance(log, list) and isinstance(matches, list)
    log[:] = [entry for entry in log if entry.get("block") != 1]


def _swap(file: dict[str, object]) -> None:
    log = file["log"]
    assert isinstance(log, list)
    one, other = (next(i for i, e in enumerate(log) if e["type"] == "started" and e["block"] == n) for n in (0, 1))
    log[one], log[other] = log[other], log[one]


def _alter(file: dict[str, object]) -> None:
    log = file["log"]
    assert isinstance(log, list)
    started = next(entry for entry in log if entry["type"] == "started")
    started["entrants"].reverse()


def _invent(file: dict[str, object]) -> None:
    log = file["log"]
    assert isinstance(log, list)
    log.append({"type": "started", "at": 1, "block": 4, "entrants": ["ref-1", "ref-2"], "busy": []})


def _rate(file: dict[str, object]) -> None:
    ratings = file["ratings"]
    assert isinstance(ratings, list)
    ratings[0]["rating"] += 20


def test_a_season_file_has_a_report(ctx: Context) -> None:
    page = build(verify(season_file(ctx)).archive)
    assert "Season of a ladder" in page
    assert "The rank goes by the rating." in page


@pytest.mark.parametrize(
    ("change", "where"),
    [(_drop_block, "schedule"), (_swap, "schedule"), (_alter, "schedule"), (_invent, "schedule"), (_rate, "ratings")],
)
def test_a_season_file_is_sound_and_one_that_was_changed_is_not(ctx: Context, change: Change, where: str) -> None:
    file = season_file(ctx)
    sound = verify(file)
    assert sound.finished == 6
    change(file)
    file["digest"] = digest(file)
    with pytest.raises(DamagedArchive) as caught:
        verify(file)
    assert caught.value.path[0] == where
