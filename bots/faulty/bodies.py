"""Bad bots whose answers are bad: they take the time they should, and say what they should not."""

from __future__ import annotations

import gzip
import json

from bots.faulty.server import Bad, Behaviour, Exchange

RUDE = "\x1b[2J\x1b]0;owned\x07<script>alert(1)</script>\r\n\u202e"
"""What must neither clear a terminal nor run in a browser when it is shown."""

_CHUNK = b"ffff\r\n" + b" " * 0xFFFF + b"\r\n"
_ENDLESS_CHUNKS = 4096


def _says(body: bytes, status: int = 200, headers: tuple[str, ...] = ()) -> Behaviour:
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
    # Parts packed one by one make one file, so that 40 MB take no time. It has some 40 KB: within the limit of a body,
    # as long as nobody unpacks it.
    parts = b'{"index":0,"thoughts":"', b" " * 1_000_000, b'"}'
    head, space, tail = (gzip.compress(part) for part in parts)
    return head + space * 40 + tail


def _gzip_bomb(exchange: Exchange) -> None:
    exchange.reply(_bomb(), headers=("Content-Encoding: gzip",))


def _not_on_the_list(exchange: Exchange) -> object:
    kind = exchange.raw["decision"]["type"]
    # Of the right shape, never legal: the pilot boat carries no barrel, and Jack is nobody's to hire beside himself.
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
    # At once: of a second answer that comes later nobody can tell that it does not belong to the next question.
    body = json.dumps(exchange.honest()).encode()
    exchange.send((b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)) * 2)


BODIES = (
    Bad("huge", "answers 2 MB of JSON", "bad_body", _says(b'{"index":0,"thoughts":"' + b"x" * 2_000_000 + b'"}')),
    Bad("endless", "answers chunk after chunk", "bad_body", _endless),
    Bad("gzip-bomb", "answers 40 MB packed into 40 KB", "bad_body", _gzip_bomb),
    Bad("junk", "answers text full of ANSI codes and HTML", "bad_body", _says(RUDE.encode())),
    Bad("not-utf8", "answers bytes that are no UTF-8", "bad_body", _says(b'{"index":0,"x":"\xff\xfe"}')),
    Bad("truncated", "promises 400 bytes and hangs up after 10", "bad_body", _truncated),
    Bad(
        "wrong-type",
        "answers JSON of the wrong types",
        "bad_body",
        _each_in_turn(
            b'{"index":"0"}', b'{"index":true}', b'{"index":0.0}', b'{"action":[]}', b"[0]", b'{"index":null}'
        ),
    ),
    Bad("nan", "answers NaN", "bad_body", _each_in_turn(b'{"index":NaN}', b'{"index":0,"x":-Infinity}')),
    Bad(
        "deep-nesting",
        "answers 30,000 lists in one another",
        "bad_body",
        _says(b'{"index":0,"x":' + b"[" * 30_000 + b"]" * 30_000 + b"}"),
    ),
    Bad("huge-number", "answers a number of 5,000 digits", "bad_body", _says(b'{"index":' + b"9" * 5000 + b"}")),
    Bad("duplicate-members", "answers two indexes", "bad_body", _says(b'{"index":0,"index":1}')),
    Bad("both", "answers an index and an action", "bad_body", _says(b'{"index":0,"action":{"type":"decline"}}')),
    Bad("neither", "answers an empty object", "bad_body", _says(b"{}")),
    Bad("empty", "answers nothing at all", "bad_body", _says(b"")),
    Bad("illegal", "every third answer is not on the list", "illegal", _illegal),
    Bad(
        "repeated-illegal",
        "no answer is on the list",
        "illegal",
        lambda exchange: exchange.reply(_not_on_the_list(exchange)),
    ),
    Bad("redirecting", "answers 307", "bad_status", _redirecting),
    Bad("server-error", "answers 500", "bad_status", _says(b"<h1>oops</h1>", 500)),
    Bad("created", "answers 201", "bad_status", lambda exchange: exchange.reply(exchange.honest(), 201)),
    Bad("wrong-content-type", "answers well, as image/png", None, _wrong_content_type),
    Bad("talkative", "answers well, with members that nobody asked for", None, _with_more),
    Bad("answering-twice", "sends each answer twice", None, _twice),
)
