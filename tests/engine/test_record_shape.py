"""What a record may look like at all, before anything in it is replayed."""

import random
from typing import Any

import pytest

from service.engine.errors import DamagedRecord
from service.engine.record import shape_of, verify
from tests.engine.games import finish, record_of, started


@pytest.mark.parametrize(
    "value", [None, [], "record", {}, {"format": "montego-bay-record/2"}, {"format": 1.5}, {"format": "\ud800"}]
)
def test_what_is_no_record_is_refused(value: object) -> None:
    with pytest.raises(DamagedRecord):
        shape_of(value)


def test_fractions_huge_numbers_deep_nesting_and_foreign_letters_have_no_single_form_and_are_refused() -> None:
    record = record_of(finish(started(2, "plain"), random.Random(1)), "plain")
    deep: list[Any] = []
    for _ in range(40):
        deep = [deep]
    for extra in (0.5, 2**53, -(2**53), deep, {"ä": 1}, "\udfff", float("nan")):
        with pytest.raises(DamagedRecord, match="extra"):
            verify({**record, "extra": extra})


@pytest.mark.parametrize("leaf", [0, "x", None, True, 1.5])
def test_no_value_stands_deeper_than_32_levels_whatever_it_is(leaf: object) -> None:
    record = record_of(finish(started(2, "deep"), random.Random(1)), "deep")
    deep: object = leaf
    for _ in range(31):
        deep = [deep]
    if leaf != 1.5:
        shape_of({**record, "extra": deep})
    with pytest.raises(DamagedRecord, match="nested too deep"):
        shape_of({**record, "extra": {"deeper": deep}})
