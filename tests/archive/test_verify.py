"""A tournament's file: sound as it was written, refused when anything in it was changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.archive.file import DamagedArchive
from service.archive.verify import verify
from service.engine.errors import path_text
from service.engine.setup import block_seed, match_seed
from tests.archive.tampering import Archive, Path, at, changed, leaves, other, put

NAMES = ("small", "whole", "cancelled", "withdrawn", "absent", "void", "custom", "swiss", "knockout", "divisions")


def refusal(archive: object, **options: Any) -> str:
    """Why the file is refused."""
    with pytest.raises(DamagedArchive) as refused:
        verify(archive, **options)
    return str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_service_exports_is_sound(archives: dict[str, Archive], name: str) -> None:
    archive = archives[name]
    found = verify(archive, archive["commitment"])
    assert found.games == sum(entry["record"] is not None for entry in archive["matches"])
    assert found.finished == sum(entry["status"] == "finished" for entry in archive["matches"])


def test_a_whole_tournament_has_intervals_for_everybody(whole: Archive) -> None:
    assert [row["name"] for row in whole["ratings"]] == sorted(
        whole["settings"]["bots"], key=lambda name: -next(r["rating"] for r in whole["ratings"] if r["name"] == name)
    )
    assert all(row["interval"] is not None for row in whole["standings"])


def test_whoever_left_while_it_played_has_cancelled_matches_and_their_block_counts_for_nobody(
    archives: dict[str, Archive],
) -> None:
    archive = archives["withdrawn"]
    (leaver,) = archive["withdrawn"]
    statuses = [entry["status"] for entry in archive["matches"]]
    assert (statuses.count("finished"), statuses.count("cancelled")) == (3, 3)
    assert {row["name"]: row["matches"] for row in archive["standings"]}[leaver] == 0


def test_a_bot_that_did_not_come_up_is_named_and_the_match_is_not_rated(archives: dict[str, Archive]) -> None:
    archive = archives["absent"]
    assert archive["matches"][0]["not_started"] == [archive["schedule"][0]["seats"][1]]
    assert {row["blocks"] for row in archive["ratings"]} == {1}


def test_a_tournament_is_of_its_own_rules_and_tiles(archives: dict[str, Archive]) -> None:
    archive = archives["custom"]
    assert len(archive["schedule"]) == 12
    forged = changed(archive, put(("settings", "variants", "starting_coins"), 1), resealed=True)
    assert refusal(forged).startswith("matches[0].record.variants: is not the tournament's")
    forged = changed(archive, put(("settings", "components"), None), resealed=True)
    assert refusal(forged).startswith("matches[0].record.components: is not the tournament's")


def test_a_void_attempt_is_in_the_file_and_counts_for_nothing(archives: dict[str, Archive]) -> None:
    archive = archives["void"]
    assert [(entry["attempt"], entry["status"]) for entry in archive["matches"]] == [
        (0, "void"),
        (1, "finished"),
        (0, "finished"),
    ]
    stacks = [entry["record"]["setup"]["ships"][3:] for entry in archive["matches"][:2]]
    assert stacks[0] != stacks[1]
    assert {row["matches"] for row in archive["standings"]} == {2}
    assert verify(archive).voids == 1
    forged = changed(archive, put(("matches", 0, "status"), "finished"), resealed=True)
    assert "no void before it" in refusal(forged)


def test_any_changed_value_is_refused(small: Archive) -> None:
    passed = [path_text(path) for path in tried(small) if _is_sound(changed(small, put(path, other(at(small, path)))))]
    assert passed == []


def tried(archive: Archive) -> list[Path]:
    """All values of a file, but of each kind of entry in a record only every eighth: tests/engine/test_records.py
    changes every value of a record, and each try here replays all records."""
    found = sorted(leaves(archive), key=str)
    in_records = [path for path in found if "record" in path]
    return [path for path in found if "record" not in path] + in_records[::8]


def test_any_lost_or_added_member_is_refused(small: Archive) -> None:
    inner = {path[:-1] for path in tried(small)} | {path[:-2] for path in tried(small) if len(path) > 1}
    for path in sorted((path for path in inner if "actions" not in path), key=str):
        value = at(small, path)
        for step in list(value) if isinstance(value, dict) else range(len(value)):
            assert not _is_sound(changed(small, _without((*path, step)))), path_text((*path, step))
        if isinstance(value, dict):
            assert not _is_sound(changed(small, put((*path, "more"), 1))), path_text(path)


def _without(path: Path) -> Callable[[Archive], None]:
    def change(archive: Archive) -> None:
        del at(archive, path[:-1])[path[-1]]

    return change


def _is_sound(archive: object) -> bool:
    try:
        verify(archive)
    except DamagedArchive:
        return False
    return True


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (("seed",), "commitment: is not opened"),
        (("nonce",), "commitment: is not opened"),
        (("commitment",), "commitment: is not opened"),
        (("settings", "deals"), "schedule: has 60 matches, but settings and stages give"),
        (("settings", "players"), "schedule: has 60 matches, but settings and stages give"),
        (("settings", "bots", 0), "entrants[0]: is"),
        (("schedule", 7, "seats", 0), "schedule[7].seats[0]: is"),
        (("schedule", 7, "block"), "schedule[7].block: is"),
        (("matches", 3, "match"), "matches[3].record.game: is not the tournament's"),
        (("matches", 3, "attempt"), "matches[3]"),
        (("matches", 3, "record", "setup", "seed"), "matches[3].record.setup"),
        (("matches", 3, "record", "setup", "warehouses", 0), "matches[3].record.setup"),
        (("matches", 3, "record", "seats", 0, "name"), "matches[3].record.seats[0].name: must be"),
        (("matches", 3, "record", "result", "points", 1), "matches[3].record.result.points"),
        (("matches", 3, "record", "game"), "matches[3].record.game"),
        (("standings", 0, "score"), "standings[0].score: is"),
        (("standings", 1, "faults", "late"), "standings[1].faults.late: is 1, but by the matches it is 0"),
        (("standings", 1, "answer_ms"), "standings[1].answer_ms"),
        (("crosstable", "score", 0, 1), "crosstable.score[0][1]: is"),
        (("entrants", 0, "name"), "entrants[0]"),
    ],
    ids=lambda value: path_text(value) if isinstance(value, tuple) else "",
)
def test_a_forgery_with_new_digests_is_refused_where_it_does_not_follow(
    whole: Archive, path: Path, reason: str
) -> None:
    forged = changed(whole, put(path, other(at(whole, path))), resealed=True)
    assert refusal(forged).startswith(reason)


@pytest.mark.parametrize("member", ["rating", "superiority"])
def test_a_forged_rating_is_refused(whole: Archive, member: str) -> None:
    value = whole["ratings"][0][member]
    forged = changed(whole, put(("ratings", 0, member), value + 5), resealed=True)
    assert refusal(forged).startswith(f"ratings[0].{member}: is")


def test_a_forged_interval_is_refused(whole: Archive) -> None:
    low, high = whole["ratings"][1]["interval"]
    forged = changed(whole, put(("ratings", 1, "interval"), [low + 40, high]), resealed=True)
    assert refusal(forged).startswith("ratings[1].interval[0]: is")


def test_a_match_that_was_left_out_is_missed(whole: Archive) -> None:
    def leave_out(archive: Archive) -> None:
        del archive["matches"][5]

    assert "is missing" in refusal(changed(whole, leave_out, resealed=True))


def test_a_match_cannot_be_counted_twice(whole: Archive) -> None:
    def twice(archive: Archive) -> None:
        archive["matches"].insert(1, archive["matches"][0])

    assert "no void before it" in refusal(changed(whole, twice, resealed=True))


def test_a_lost_match_cannot_be_called_cancelled(whole: Archive) -> None:
    forged = changed(whole, put(("matches", 0, "status"), "cancelled"), resealed=True)
    assert "played to its end" in refusal(forged)
    empty: Archive = {"status": "cancelled", "record": None, "faults": [], "answers": [], "answer_ms": []}

    def drop(archive: Archive) -> None:
        archive["matches"][0] |= empty

    assert "none of its bots was withdrawn" in refusal(changed(whole, drop, resealed=True))


def test_a_match_cannot_be_dealt_anew(whole: Archive) -> None:
    """A second attempt needs a void first attempt, and has another stack."""
    entry = whole["matches"][0]
    assert entry["record"]["setup"]["seed"] == match_seed(block_seed(whole["seed"], 0), 0, 0)
    forged = changed(whole, put(("matches", 0, "attempt"), 1), resealed=True)
    assert "matches[0].record" in refusal(forged)


def test_a_fault_that_was_made_up_is_refused(whole: Archive) -> None:
    forged = changed(whole, put(("matches", 0, "faults"), [{"late": 9}, {}]), resealed=True)
    assert refusal(forged).startswith("matches[0].faults[0]: is {'late': 9}, but the record has {}")


def test_more_refused_answers_than_the_settings_allow_are_refused(whole: Archive) -> None:
    decision = whole["matches"][3]["record"]["actions"][5]["decision"]
    refusals = [{"decision": decision, "fault": "illegal", "reason": "It was wrong."}]
    forged = changed(whole, put(("matches", 3, "record", "refusals"), refusals), resealed=True)
    assert refusal(forged).startswith("matches[3].record.refusals: has 1 answers to")
    assert _is_sound(changed(forged, put(("settings", "attempts"), 2), resealed=True))


def test_a_commitment_other_than_the_published_one_is_refused(whole: Archive, small: Archive) -> None:
    assert "the one that was published" in refusal(whole, commitment=small["commitment"])


@pytest.mark.parametrize("value", [None, [], 3, "x", {}, {"format": "montego-bay-record/1"}])
def test_what_is_no_tournament_is_refused(value: object) -> None:
    assert refusal(value)


def test_members_that_a_later_version_adds_are_no_reason_to_refuse(small: Archive) -> None:
    def add(archive: Archive) -> None:
        archive["news"] = {"of": "a later version"}
        archive["settings"]["colour"] = None
        archive["standings"][0]["mood"] = 1.5

    assert verify(changed(small, add, resealed=True)).games == 2
