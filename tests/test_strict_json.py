"""What strangers send is JSON without the liberties that `json.loads` takes."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.strict_json import MAX_DEPTH, StrictJsonError, parse_strict

BAD_BODIES = {
    b"": "not JSON",
    b"   ": "not JSON",
    b"{": "not JSON",
    b"{}{}": "not JSON",
    b'{"a":1} x': "not JSON",
    b'{"a":1}\x00': "not JSON",
    b"{'a':1}": "not JSON",
    b'{"a":1,}': "not JSON",
    b"[1,]": "not JSON",
    b"{a:1}": "not JSON",
    b"01": "not JSON",
    b"+1": "not JSON",
    b".5": "not JSON",
    b"1.": "not JSON",
    b"0x10": "not JSON",
    b"True": "not JSON",
    b'"a\nb"': "not JSON",
    b'"\\x41"': "not JSON",
    b'"\\u12"': "not JSON",
    b"\xc2\xa0{}": "not JSON",
    b"\xef\xbb\xbf\xef\xbb\xbf{}": "not JSON",
    b'"\xff"': "not UTF-8 at byte 1",
    b'"\xed\xa0\x80"': "not UTF-8",
    b'"\xc0\x80"': "not UTF-8",
    '{"index":0}'.encode("utf-16"): "not UTF-8",
    '{"index":0}'.encode("utf-16-le"): "not JSON",
    b"NaN": "NaN",
    b'{"index":NaN}': "NaN",
    b"[Infinity]": "Infinity",
    b"[-Infinity]": "-Infinity",
    b"[1e400]": "too large",
    b"[-1e400]": "too large",
    b'{"index":0,"index":1}': "'index' is there twice",
    b'{"a":{"b":0,"\\u0062":1}}': "'b' is there twice",
    b"1" * 41: "more than 40 characters",
    b"[-" + b"1" * 5000 + b"]": "more than 40 characters",
    b"[0." + b"1" * 5000 + b"]": "more than 40 characters",
    b"[1e" + b"0" * 5000 + b"1]": "more than 40 characters",
    b'"\\ud800"': "surrogate",
    b'{"\\uDC00":1}': "surrogate",
    b'["\\ude00\\ud83d"]': "surrogate",
    b"[" * 200_000: "33 levels",
    b'{"a":' * 200_000: "33 levels",
    b"[" * 33 + b"]" * 33: "33 levels",
    b'["\\\\",' * 33: "33 levels",
    b"]" * 100 + b"[" * 100: "not JSON",
}


@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: repr(body[:24]))
def test_what_is_not_strict_json_is_refused_with_the_reason(body: bytes) -> None:
    with pytest.raises(StrictJsonError) as refused:
        parse_strict(body)
    assert BAD_BODIES[body].replace("33 levels", "more than 32 levels deep") in refused.value.reason


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"index":4}', {"index": 4}),
        (b' \r\n\t{"action" : {"type":"hire","worker":"big"}} \n', {"action": {"type": "hire", "worker": "big"}}),
        (b'"\\ud83d\\ude00 \\u00e9"', "😀 é"),
        ('{"näme":"ü"}'.encode(), {"näme": "ü"}),
        (b"18446744073709551615", 2**64 - 1),
        (b"[-0,0.5,1E3,true,false,null]", [0, 0.5, 1000.0, True, False, None]),
        (b"[" * 32 + b"]" * 32, json.loads("[" * 32 + "]" * 32)),
        (b"[" + b",".join([b"[]"] * 100) + b"]", [[]] * 100),
        (b'["' + b"[{" * 100 + b'"]', ["[{" * 100]),
        (b'["\\"' + b"[{" * 100 + b'\\\\"]', ['"' + "[{" * 100 + "\\"]),
    ],
)
def test_strict_json_is_read_as_it_is(body: bytes, value: object) -> None:
    assert parse_strict(body) == value


def test_true_stays_apart_from_one() -> None:
    assert parse_strict(b'{"index":true}') == {"index": True}
    index = parse_strict(b"true")
    assert index is True, "whoever takes an index has to look: True == 1 in Python"


def test_the_depth_can_be_set() -> None:
    assert parse_strict(b"[[1]]", max_depth=2) == [[1]]
    with pytest.raises(StrictJsonError, match="more than 1 levels"):
        parse_strict(b"[[1]]", max_depth=1)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans())
def test_what_json_writes_is_read_back(value: object, ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert parse_strict(body, max_depth=100) == value


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\ud8 0123456789eE+-.tfn', max_size=60).map(str.encode))
def test_what_is_read_is_what_json_reads_and_nothing_else_is_ever_raised(body: bytes) -> None:
    try:
        value = parse_strict(body)
    except StrictJsonError:
        return
    assert json.loads(body) == value


@pytest.mark.parametrize(
    "body", [b"[" * 65_536, b'["' + b"\\" * 65_000, b'{"":' * 13_000, b'["[{",' * 10_000, b"[1," * 20_000]
)
def test_hostile_bodies_of_64_kib_cost_little(body: bytes) -> None:
    began = time.process_time()
    with pytest.raises(StrictJsonError):
        parse_strict(body)
    assert time.process_time() - began < 0.2


def test_the_deepest_allowed_nesting_is_far_from_the_limit_of_the_interpreter() -> None:
    assert MAX_DEPTH < 100
