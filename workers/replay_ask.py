"""`python -m workers.replay_ask URL --round R --seat S`: asks a push bot what a seat was asked in a finished game.

The record, a sound one, comes by standard input; what the bot answers now, and what was answered then, goes out as
JSON. MONTEGO_BOT_SECRET has the bot's secret (several, separated by spaces). Whoever runs this may call any address.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from service.addresses import UrlRefused, check_url
from service.engine.actions import action_to_json
from service.operations.bots.faults import Fault
from service.operations.games.records import Asked, rebuild
from workers.conformance.caller import dump
from workers.conformance.operator import EVERYWHERE, BadSecret, known_secrets, new_secret
from workers.judging import ask_id, verdict_on
from workers.outbound import Outbound


def ask_again(outbound: Outbound, url: str, secrets: Sequence[str], asked: Asked) -> dict[str, Any]:
    """What the bot answers now, beside what was answered then."""
    exchange = outbound.post(
        url.rstrip("/") + "/act",
        dump(asked.ask),
        webhook_id=ask_id(asked.ask["game"], asked.decision),
        secrets=secrets,
        timeout_s=asked.ask["budget_ms"] / 1000,
    )
    verdict = verdict_on(exchange, asked.game, asked.decision)
    fault = verdict if isinstance(verdict, Fault) else None
    action = None if isinstance(verdict, Fault) else action_to_json(verdict)
    return {
        "decision": asked.decision,
        "then": {"action": asked.action, "by": asked.by, "fault": asked.fault},
        "now": {
            "action": action,
            "fault": fault.kind if fault else None,
            "detail": fault.detail if fault else None,
            "elapsed_ms": exchange.elapsed_ms,
        },
        "same": action == asked.action,
    }


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Prints the answers, in the order asked. 0: it was asked, whatever it answered; 2: URL or secret is none."""
    parser = argparse.ArgumentParser(prog="python -m workers.replay_ask", description=__doc__)
    parser.add_argument("url", metavar="URL")
    parser.add_argument("--round", type=int, required=True)
    parser.add_argument("--seat", type=int, required=True)
    parser.add_argument("--budget-ms", type=int, required=True)
    given = parser.parse_args(arguments)
    try:
        check_url(given.url)
        secrets = known_secrets(environ) or (new_secret(),)
    except UrlRefused as error:
        print(f"the URL cannot be called: {error}", file=sys.stderr)
        return 2
    except BadSecret as error:
        print(error, file=sys.stderr)
        return 2
    record = json.load(sys.stdin)
    now_ms = time.time_ns() // 1_000_000
    asks = rebuild(record, round_=given.round, seat=given.seat, budget_ms=given.budget_ms, time_ms=now_ms)
    outbound = Outbound(EVERYWHERE)
    try:
        answers = [ask_again(outbound, given.url, secrets, asked) for asked in asks]
    finally:
        outbound.close()
    print(json.dumps({"asks": answers}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
