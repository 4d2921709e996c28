"""A small threaded web server for a push bot: HTTP/1.1 with kept connections, one thread a connection.

The WSGI servers of the standard library and of many frameworks close the connection after each answer, but a bot is
asked a thousand times in a row.
"""

from __future__ import annotations

import io
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from wsgiref.simple_server import ServerHandler, WSGIRequestHandler, WSGIServer

from montego_bot.push import MAX_BODY

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

IDLE_S = 120.0
"""Seconds after which an idle connection is closed."""


class CannotListen(OSError):
    """The server cannot listen at the address; the text says why in one line."""


class _Response(ServerHandler):
    http_version = "1.1"
    server_software = ""

    def close(self) -> None:
        """Skips the access log of the base class, which would have a line for every ask."""
        super(ServerHandler, self).close()


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S
    # Headers and body are two writes. Without this, the second would wait about 40 ms for an acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1

    def handle(self) -> None:
        """Serves request after request; the base class serves one."""
        with suppress(ConnectionError):
            BaseHTTPRequestHandler.handle(self)

    def serve(self) -> None:
        """Hands one request to the application. Its body is read first, so that the next request starts after it."""
        body = self._body()
        if body is None:
            return
        server = self.server
        assert isinstance(server, BotServer)
        app = server.get_app()
        assert app is not None
        response = _Response(io.BytesIO(body), cast(BinaryIO, self.wfile), sys.stderr, self.get_environ())
        response.run(app)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = serve  # noqa: N815  (http.server's names)

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "0")
        status = 411 if "Transfer-Encoding" in self.headers else 400 if not length.isdecimal() else 413
        if status != 413 or int(length[:12]) > MAX_BODY:
            self.close_connection = True
            self.send_error(status)
            return None
        return self.rfile.read(int(length))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (http.server's name)
        """Logs nothing."""


class BotServer(ThreadingMixIn, WSGIServer):
    """Listens as soon as it is made. `serve_forever` answers requests; `close` ends it and all its connections."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, app: WSGIApplication, host: str, port: int) -> None:
        """Port 0 takes a free one. Raises CannotListen if the address is unknown or in use."""
        self._connections: set[socket.socket] = set()
        try:
            self.address_family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            super().__init__(address[:2], _Handler)  # type: ignore[arg-type]
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CannotListen(f"cannot listen at {host} port {port}: {reason}") from None
        self.set_app(app)

    @property
    def url(self) -> str:
        """The URL of the server, such as http://127.0.0.1:9001."""
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def server_bind(self) -> None:
        """Binds without asking a name server for the machine's own name, as the base class does."""
        TCPServer.server_bind(self)
        host, port = self.server_address[:2]
        self.server_name, self.server_port = str(host), int(port)
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remembers the connection, so that it can be closed."""
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forgets a connection that is over."""
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of the bot's."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stops listening and drops all connections. `serve_forever` must have ended."""
        self.server_close()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def running(app: WSGIApplication, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serves in a thread while the block runs and gives the URL, for tests or several bots in one process."""
    server = BotServer(app, host, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.close()
        thread.join()
