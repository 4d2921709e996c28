"""Bots that answer in time, with a body, status or header that is wrong or unusual."""

from __future__ import annotations

import gzip
import json

from bots.faulty.server import Behaviour, Exchange, FaultyBot

RUDE = "\x1b[2J\x1b]0;owned\x07<script>alert(1)</script>\r\n\u202e"
"""Text that must neither clear a terminal nor run in a browser when it is shown."""

_CHUNK = b"ffff\r\n" + b" " * 0xFFFF + b"\r\n"
_ENDLESS_CHUNKS = 4096


def _reply(body: bytes, status: int = 200, headers: tuple[str, ...] = ()) -> Behaviour:
    return lambda exchange: exchange.reply(body, status, headers)


def _each_in_turn(*bodies: bytes) -> Behaviour:
    return lambda exchange: exchange.reply(bodies[exchange.number % len(bodies)])


def _truncated(exchange: Exchange) -> None:
    exchange.send(b'HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{"index":0')
    exchange.hang_up()


def _endless(exchange: Exchange) -> None:
    if exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"):
        for _ in range(_ENDLESS_CHUNKS):
            if exchange.server.stopped.is_set() or not exchange.send(_CHUNK):
                break
    exchange.hang_up()


def _bomb() -> bytes:
    # Gzip members can be concatenated, so 40 MB take no time to make. The 40 KB are within the limit of a body as long
    # as nobody decompresses them.
    parts = b'{"index":0,"thoughts":"', b" " * 1_000_000, b'"}'
    head, space, tail = (gzip.compress(part) for part in parts)
    return head + space * 40 + tail


def _gzip_bomb(exchange: Exchange) -> None:
    exchange.reply(_bomb(), headers=("Content-Encoding: gzip",))


def _not_on_the_list(exchange: Exchange) -> object:
    kind = exchange.raw["decision"]["type"]
    # Well formed, but never legal: there are three ways to answer `hire`, and the pilot boat carries no barrels.
    return {
        "hire": {"index": 3},
        "play": {"index": 100_000},
        "load": {"action": {"type": "load", "ships": {"pilot": 1}}},
        "unload": {"action": {"type": "unload", "ships": {"pilot": 1}}},
    }[kind]


def _illegal(exchange: Exchange) -> None:
    exchange.reply(_not_on_the_list(exchange) if exchange.number % 3 == 0 else exchange.honest())


def _redirecting(exchange: Exchange) -> None:
    exchange.reply({}, 307, ("Location: /elsewhere",), "Temporary Redirect")


def _wrong_content_type(exchange: Exchange) -> None:
    exchange.send(
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: "
        + (b"%d\r\n\r\n%s" % (len(body := json.dumps(exchange.honest()).encode()), body))
    )


def _with_more(exchange: Exchange) -> None:
    exchange.reply({**exchange.honest(), "thoughts": RUDE, "index_": None, "confidence": 0.5})


def _twice(exchange: Exchange) -> None:
    # In one write: a second answer that came later could not be told from the answer to the next ask.
    body = json.dumps(exchange.honest()).encode()
    exchange.send((b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)) * 2)


FAULTY_BODIES = (
    FaultyBot(
        "huge", "answers 2 MB of JSON", "bad_body", _reply(b'{"index":0,"thoughts":"' + b"x" * 2_000_000 + b'"}')
    ),
    FaultyBot("endless", "answers chunk after chunk without end", "bad_body", _endless),
    FaultyBot("gzip-bomb", "answers 40 MB compressed to 40 KB", "bad_body", _gzip_bomb),
    FaultyBot("junk", "answers with text full of ANSI codes and HTML", "bad_body", _reply(RUDE.encode())),
    FaultyBot("not-utf8", "answers bytes that are not UTF-8", "bad_body", _reply(b'{"index":0,"x":"\xff\xfe"}')),
    FaultyBot("truncated", "announces 400 bytes and hangs up after 10", "bad_body", _truncated),
    FaultyBot(
        "wrong-type",
        "answers JSON of the wrong types",
        "bad_body",
        _each_in_turn(
            b'{"index":"0"}', b'{"index":true}', b'{"index":0.0}', b'{"action":[]}', b"[0]", b'{"index":null}'
        ),
    ),
    FaultyBot("nan", "answers NaN", "bad_body", _each_in_turn(b'{"index":NaN}', b'{"index":0,"x":-Infinity}')),
    FaultyBot(
        "deep-nesting",
        "answers 30,000 nested lists",
        "bad_body",
        _reply(b'{"index":0,"x":' + b"[" * 30_000 + b"]" * 30_000 + b"}"),
    ),
    FaultyBot(
        "huge-number", "answers a number with 5,000 digits", "bad_body", _reply(b'{"index":' + b"9" * 5000 + b"}")
    ),
    FaultyBot(
        "duplicate-members", "answers with two members named index", "bad_body", _reply(b'{"index":0,"index":1}')
    ),
    FaultyBot("both", "answers an index and an action", "bad_body", _reply(b'{"index":0,"action":{"type":"decline"}}')),
    FaultyBot("neither", "answers an empty object", "bad_body", _reply(b"{}")),
    FaultyBot("empty", "answers with an empty body", "bad_body", _reply(b"")),
    FaultyBot("illegal", "every third answer is not a legal action", "illegal", _illegal),
    FaultyBot(
        "repeated-illegal",
        "no answer is a legal action",
        "illegal",
        lambda exchange: exchange.reply(_not_on_the_list(exchange)),
    ),
    FaultyBot("redirecting", "answers 307", "bad_status", _redirecting),
    FaultyBot("server-error", "answers 500", "bad_status", _reply(b"<h1>oops</h1>", 500)),
    FaultyBot("created", "answers 201", "bad_status", lambda exchange: exchange.reply(exchange.honest(), 201)),
    FaultyBot("wrong-content-type", "gives good answers as image/png", None, _wrong_content_type),
    FaultyBot("talkative", "gives good answers with extra members", None, _with_more),
    FaultyBot("answering-twice", "sends each answer twice", None, _twice),
)
