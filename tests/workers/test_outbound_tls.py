"""https: certificates are checked against the name of the URL, and TLS has no time of its own."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.workers.outbound_setup import LOOPBACK, answer, ask, failure
from tests.workers.raw_bots import GOOD_BODY, RawBot, drips, http, says
from workers.outbound import OutboundClient
from workers.outbound.lookup import Endpoint

LIMIT_S = 0.25
AMPLE_S = 1.0
"""Seconds in which a handshake ends even where the machine stalls: only then can an answer be late."""


@dataclass(frozen=True)
class Certified:
    """A certificate for bot.test that is its own authority, as a file that callers may trust and for the server."""

    ca_file: str
    server: ssl.SSLContext


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bot.test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("bot.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    both: Path = tmp_path_factory.mktemp("tls") / "bot.pem"
    both.write_bytes(pem + secret)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(both)
    return Certified(str(both), server)


def loopback(host: str, port: int) -> Sequence[Endpoint]:
    return (Endpoint(socket.AF_INET, ("127.0.0.1", port)),)


def test_a_certificate_of_the_right_name_is_accepted_and_the_connection_kept(certified: Certified) -> None:
    asked_for: list[str | None] = []
    certified.server.sni_callback = lambda _socket, name, _context: asked_for.append(name)
    with RawBot(says(http()), tls=certified.server) as bot:
        outbound = OutboundClient(LOOPBACK, resolve=loopback, ca_file=certified.ca_file)
        for _ in range(3):
            answer(ask(outbound, f"https://bot.test:{bot.port}"))
    assert asked_for == ["bot.test"], "the name, though an address was connected to"
    assert bot.received[0].headers["host"] == f"bot.test:{bot.port}"
    assert bot.connections == 1


def test_a_connection_on_which_more_came_than_the_answer_is_not_used_again(certified: Certified) -> None:
    # More than is read at once: what is left waits in the TLS layer, where no look at the socket finds it.
    with RawBot(says(http() + http(b" " * 12_000)), tls=certified.server) as bot:
        outbound = OutboundClient(LOOPBACK, resolve=loopback, ca_file=certified.ca_file)
        for _ in range(3):
            assert answer(ask(outbound, f"https://bot.test:{bot.port}")).body == GOOD_BODY
    assert bot.connections == 3


@pytest.mark.parametrize(
    ("host", "trusted", "words"),
    [("bot.test", False, "self-signed certificate"), ("other.test", True, "not valid for 'other.test'")],
)
def test_a_bad_certificate_is_unreachable(certified: Certified, host: str, trusted: bool, words: str) -> None:
    with RawBot(says(http()), tls=certified.server) as bot:
        outbound = OutboundClient(LOOPBACK, resolve=loopback, ca_file=certified.ca_file if trusted else None)
        failed = failure(ask(outbound, f"https://{host}:{bot.port}"))
    assert (failed.kind, failed.status) == ("unreachable", None)
    assert words in failed.detail
    assert bot.received == [], "nothing is sent to whoever that is"
    assert bot.connections == 1, "it would not be better the second time"


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """The https URL of a server that does this with each connection, in a thread of its own, and then closes it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError):  # the listener has ended, or the caller has hung up
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"https://bot.test:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def _wait(ended: threading.Event) -> None:
    ended.wait(5)


def test_a_handshake_that_hangs_is_unreachable_and_not_late() -> None:
    ended = threading.Event()
    with listening(lambda _: _wait(ended)) as url:
        began = time.monotonic()
        failed = failure(ask(OutboundClient(LOOPBACK, resolve=loopback), url, timeout_s=LIMIT_S))
        took = time.monotonic() - began
        ended.set()
    assert (failed.kind, failed.detail) == ("unreachable", "no TLS connection: no answer in time")
    assert took < 2 * LIMIT_S


def test_a_server_that_does_not_speak_tls_is_unreachable() -> None:
    with listening(lambda connection: connection.sendall(b"HTTP/1.1 400 Speak up\r\n\r\n")) as url:
        failed = failure(ask(OutboundClient(LOOPBACK, resolve=loopback), url))
    assert (failed.kind, failed.status) == ("unreachable", None)
    assert failed.detail.startswith("no TLS connection: ")


def test_a_body_that_drips_through_tls_is_late(certified: Certified) -> None:
    with RawBot(drips(b"a" * 2000, after=http(b"", length=2000)), tls=certified.server) as bot:
        outbound = OutboundClient(LOOPBACK, resolve=loopback, ca_file=certified.ca_file)
        began = time.monotonic()
        failed = failure(ask(outbound, f"https://bot.test:{bot.port}", timeout_s=AMPLE_S))
    assert failed.kind == "late"
    assert AMPLE_S <= time.monotonic() - began < 4 * AMPLE_S


def test_a_bot_that_reads_too_slowly_through_tls_is_late(certified: Certified) -> None:
    ended = threading.Event()

    def reads_slowly(connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        with certified.server.wrap_socket(connection, server_side=True) as stream:
            while not ended.wait(0.005) and stream.recv(65_536):  # a record of 16 KiB at a time
                pass

    with listening(reads_slowly) as url:
        outbound = OutboundClient(LOOPBACK, resolve=loopback, ca_file=certified.ca_file)
        began = time.monotonic()
        failed = failure(ask(outbound, url, timeout_s=AMPLE_S, body=b" " * 20_000_000))
        took = time.monotonic() - began
        ended.set()
    assert failed.kind == "late"
    assert took < 4 * AMPLE_S, "at this pace all of it would take over six seconds"
