"""Headers that every answer has, or can have: request id, security, CORS, compression."""

from __future__ import annotations

import re
import uuid

from flask import Flask, Response, g, request
from flask_compress import Compress
from flask_cors import CORS

from service.api import parsing
from service.api.openapi import REFERENCE

REQUEST_ID = "X-Request-ID"
COMPRESSED_FROM = 8 * 1024
"""Bodies of so many bytes are compressed: records, long lists, the document; not the small ones of a running game."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._~+/=-]{1,128}")
_EXPOSED = (
    "Allow",
    "ETag",
    "Idempotency-Replayed",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
    REQUEST_ID,
)
_ACCEPTED = (
    "Accept",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "Last-Event-ID",
    REQUEST_ID,
)
_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
_PAGE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "frame-ancestors 'none'"
)


def mind(app: Flask, cors_origins: tuple[str, ...]) -> None:
    """Registers what every answer gets."""
    _name_requests(app)
    _secure(app)
    _drop_bodies(app)
    if cors_origins:
        CORS(
            app,
            origins=list(cors_origins),
            allow_headers=list(_ACCEPTED),
            expose_headers=list(_EXPOSED),
            methods=["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"],
            max_age=600,
        )
    app.config.update(
        COMPRESS_ALGORITHM=["gzip"],
        COMPRESS_MIMETYPES=[
            "application/json",
            "application/problem+json",
            "text/css",
            "text/html",
            "text/javascript",
            "text/plain",
        ],
        COMPRESS_MIN_SIZE=COMPRESSED_FROM,
        # Streams of events go out as they are: a compressor would hold them back.
        COMPRESS_STREAMS=False,
        COMPRESS_EVALUATE_CONDITIONAL_REQUEST=False,
    )
    Compress(app)


def _name_requests(app: Flask) -> None:
    @app.before_request
    def name() -> None:
        given = request.headers.get(REQUEST_ID, "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex

    @app.after_request
    def say(response: Response) -> Response:
        response.headers[REQUEST_ID] = g.get("request_id") or uuid.uuid4().hex
        return response


def _secure(app: Flask) -> None:
    @app.after_request
    def secure(response: Response) -> Response:
        for header, value in _SECURITY.items():
            response.headers[header] = value
        page = request.path == REFERENCE or request.path.startswith(f"{REFERENCE}/")
        response.headers["Content-Security-Policy"] = _PAGE_POLICY if page else _DATA_POLICY
        if "Cache-Control" not in response.headers and not page:
            response.headers["Cache-Control"] = "no-store"
        return response


def _drop_bodies(app: Flask) -> None:
    @app.after_request
    def drop(response: Response) -> Response:
        if response.status_code >= 400:
            parsing.drop_rest(request)
        return response
