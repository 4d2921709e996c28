"""The bare Flask view that the API is held against: one read of Redis, one append, a JSON body of the same size.

gunicorn serves it with the settings that the API is shipped with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import redis
from flask import Flask, Response, json, jsonify, request


def create_app(redis_url: str, body_file: str) -> Flask:
    """The application; what it answers stands in that file."""
    app = Flask(__name__)
    client = redis.Redis.from_url(redis_url)
    body: Any = json.loads(Path(body_file).read_text("utf-8"))

    @app.get("/readyz")
    def ready() -> str:
        return "ready"

    @app.post("/v1/games/<game>/actions")
    def act(game: str) -> Response:
        client.get(f"bare:{game}")
        client.rpush(f"bare:log:{game}", request.get_data())
        return jsonify(body)

    return app
