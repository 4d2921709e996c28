"""A push bot in Python, with nothing but the standard library.

MONTEGO_BOT_SECRET=whsec_… python push.py 9001
(Without the secret, anybody who can reach the port may ask.)
"""

import base64
import hashlib
import hmac
import json
import os
import random
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

INFORMATION = {"protocol": "montego-bay/1", "name": "python-push", "version": "1", "author": "you"}


def choose(ask):
    """Your idea goes here: return one of ask["legal_actions"]. This example picks one at random."""
    return random.choice(ask["legal_actions"])


def is_signed(headers, body):
    """Standard Webhooks: HMAC-SHA256 over id, time and body, not older than five minutes."""
    secret = os.environ.get("MONTEGO_BOT_SECRET", "").strip()
    if not secret:
        return True
    try:
        sent, at = headers["webhook-id"], headers["webhook-timestamp"]
        if abs(time.time() - int(at)) > 300:
            return False
        key = base64.b64decode(secret.removeprefix("whsec_"))
        good = base64.b64encode(hmac.digest(key, f"{sent}.{at}.".encode() + body, hashlib.sha256)).decode()
        # After a rotation there are two signatures, one for each valid secret.
        return any(hmac.compare_digest(one, f"v1,{good}") for one in headers["webhook-signature"].split())
    except (TypeError, ValueError, AttributeError):
        return False


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without this, the second half of an answer waits 40 ms until the first is acknowledged.
    disable_nagle_algorithm = True

    def do_GET(self):
        self.reply(200 if self.path == "/" else 404, INFORMATION)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_signed(self.headers, body):
            self.reply(401, {"title": "the signature does not fit"})
        elif self.path == "/act":
            try:
                ask = json.loads(body)
            except ValueError as error:
                self.reply(400, {"title": str(error)})
            else:
                self.reply(200, {"action": choose(ask)})
        else:
            self.reply(200 if self.path in ("/start", "/end") else 404, {})

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    host = os.environ.get("MONTEGO_BOT_HOST", "127.0.0.1")  # in a container: 0.0.0.0
    server = ThreadingHTTPServer((host, int(sys.argv[1])), Handler)
    print(f"listening at http://{host}:{server.server_port}", flush=True)
    server.serve_forever()
