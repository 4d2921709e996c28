"""Headers of every response: request id, security, CORS, compression."""

from __future__ import annotations

import gzip
import re
import uuid

from flask import Flask, Request, Response, g, request
from flask_cors import CORS

from service.api import parsing, responses
from service.api.call import context
from service.api.openapi import DOCS_PATH

REQUEST_ID = "X-Request-ID"
MIN_COMPRESSED_BYTES = 8 * 1024
"""Shorter bodies are sent as they are: records, long lists and the OpenAPI document are compressed, views of a running
game are not."""

_LEVEL = 6
_COMPRESSED_TYPES = (
    "application/json",
    "application/problem+json",
    "text/css",
    "text/html",
    "text/javascript",
    "text/plain",
)
_REQUEST_ID_PATTERN = re.compile(r"[A-Za-z0-9._~+/=-]{1,128}")
_EXPOSED_HEADERS = (
    "Allow",
    "ETag",
    responses.REPLAYED,
    "Link",
    "Location",
    responses.PREFERENCE_APPLIED,
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
    REQUEST_ID,
)
_ALLOWED_HEADERS = (
    "Accept",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "Last-Event-ID",
    "Prefer",
    REQUEST_ID,
)
_DOCS_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; worker-src blob:; "
    "frame-ancestors 'none'"
)
_SECURITY = (("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"))
_API_SECURITY = (*_SECURITY, ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"))
_DOCS_SECURITY = (*_SECURITY, ("Content-Security-Policy", _DOCS_POLICY))


def register(app: Flask, cors_origins: tuple[str, ...]) -> None:
    """Registers the hooks that set the headers."""
    _add_request_ids(app)
    _add_security_headers(app)
    _drain_bodies(app)
    if cors_origins:
        CORS(
            app,
            origins=list(cors_origins),
            allow_headers=list(_ALLOWED_HEADERS),
            expose_headers=list(_EXPOSED_HEADERS),
            methods=["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"],
            max_age=600,
        )
    _compress(app)


def _add_request_ids(app: Flask) -> None:
    @app.before_request
    def set_request_id() -> None:
        given = request.headers.get(REQUEST_ID, "")
        g.request_id = given if _REQUEST_ID_PATTERN.fullmatch(given) else uuid.uuid4().hex

    @app.after_request
    def add_request_id(response: Response) -> Response:
        response.headers[REQUEST_ID] = g.get("request_id") or uuid.uuid4().hex
        return response


def _add_security_headers(app: Flask) -> None:
    @app.after_request
    def add_security_headers(response: Response) -> Response:
        docs = request.path == DOCS_PATH or request.path.startswith(f"{DOCS_PATH}/")
        # Pages have headers of their own (`service.web.pages`).
        if "Content-Security-Policy" not in response.headers:
            response.headers.extend(_DOCS_SECURITY if docs else _API_SECURITY)
        if not docs and "Cache-Control" not in response.headers:
            response.headers.add("Cache-Control", "no-store")
        return response


def _drain_bodies(app: Flask) -> None:
    @app.after_request
    def drain_body(response: Response) -> Response:
        if response.status_code >= 400:
            parsing.drain(request)
        return response


def _compress(app: Flask) -> None:
    @app.after_request
    def compress(response: Response) -> Response:
        response.headers.add("Vary", "Accept-Encoding")
        # The events of a stream would be held back in a compressor; assets of pages were compressed once for all.
        if response.is_streamed or "Content-Encoding" in response.headers:
            return response
        body = response.get_data()
        if len(body) < MIN_COMPRESSED_BYTES or response.mimetype not in _COMPRESSED_TYPES:
            return response
        if prefers_gzip(request):
            response.set_data(context().offload(lambda: gzip.compress(body, _LEVEL, mtime=0)))
            response.content_encoding = "gzip"
        return response


def prefers_gzip(request: Request) -> bool:
    """Whether `Accept-Encoding` allows gzip, and does not prefer the body as it is (RFC 9110, 12.5.3)."""
    accepted = request.accept_encodings
    return accepted["gzip"] > 0 and accepted["gzip"] >= accepted["identity"]
