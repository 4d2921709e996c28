"""The table of places, and the style sheet that is made from it."""

from __future__ import annotations

import re

from service.web import assets, places


def test_no_two_places_have_one_name() -> None:
    names = [place.name for place in places.all_places()]
    assert len(names) == len(set(names))


def test_every_place_lies_inside_both_drawings() -> None:
    inside = [place for place in places.all_places() if place.name[0] in "srtviodb"]
    for place in inside:
        assert 0 <= place.wide[0] <= places.WIDE[0]
        assert 0 <= place.wide[1] <= places.WIDE[1]
        assert 0 <= place.upright[0] <= places.UPRIGHT[0]
        assert 0 <= place.upright[1] <= places.UPRIGHT[1]


def test_opposite_stops_lie_on_two_sides_of_one_warehouse() -> None:
    for warehouses in places.BOARDS:
        for number in range(warehouses):
            upper, lower = places.stop(warehouses, number), places.stop(warehouses, 2 * warehouses - 1 - number)
            assert upper.wide[0] == lower.wide[0]
            assert upper.upright[1] == lower.upright[1]


def test_the_attribute_and_the_style_sheet_say_the_same() -> None:
    sheet = assets.style_sheet()
    for place in places.all_places():
        rule = re.search(rf"\.{re.escape(place.name)}\{{transform:([^}}]+)\}}", sheet)
        assert rule is not None
        assert rule[1].replace("px", "") == place.transform
