"""A poll bot in Python, with nothing but the standard library.

MONTEGO_BOT_TOKEN=… python poll.py http://127.0.0.1:8000
"""

import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

TOKEN = os.environ.get("MONTEGO_BOT_TOKEN", "").strip()


def choose(ask):
    """Your idea goes here: return one of ask["legal_actions"]. This example picks one at random."""
    return random.choice(ask["legal_actions"])


def call(url, body=None):
    """GET, or POST of a JSON body. Waits and tries again while the service is down or busy."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            problem = error.read().decode(errors="replace")
            if error.code == 401:
                sys.exit(f"the token is refused: {problem}")
            if error.code != 429 and error.code < 500:
                # The answer does not count, and the problem says why. The bot goes on with the next decision.
                print(error.code, problem, file=sys.stderr)
                return None
            time.sleep(int(error.headers.get("Retry-After") or 1))
        except OSError as error:
            print(error, file=sys.stderr)
            time.sleep(1)


def main(url):
    query = {"version": "1"}
    answered = set()
    while True:
        found = call(f"{url}/v1/bots/me/decisions?{urllib.parse.urlencode(query)}")
        if found is None:
            sys.exit("the service refuses to list the open decisions")
        query |= {"after": found["cursor"], "wait": 25}
        listed = {(ask["game"], ask["decision"]["id"]): ask for ask in found["decisions"]}
        for key, ask in listed.items():
            if key not in answered:
                body = {"decision": ask["decision"]["id"], "action": choose(ask)}
                call(f"{url}/v1/games/{ask['game']}/actions", body)
        answered = set(listed)


if __name__ == "__main__":
    if not re.fullmatch("[!-~]+", TOKEN):
        sys.exit("MONTEGO_BOT_TOKEN has no token")
    main(sys.argv[1].rstrip("/"))
