"""`python -m workers.conformance URL`: checks a push bot without a service, and prints the report as JSON.

MONTEGO_BOT_SECRET has the bot's secret (several, separated by spaces). Whoever runs this may call any address.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence

from service.addresses import UrlRefused, check_url
from workers.conformance.caller import Target
from workers.conformance.operator import EVERYWHERE, BadSecret, known_secrets, new_secret
from workers.conformance.push import check_push
from workers.outbound import Outbound


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Prints the report. 0: it was made, whatever is in it; 2: the URL or the secret is none."""
    parser = argparse.ArgumentParser(prog="python -m workers.conformance", description=__doc__)
    parser.add_argument("url", metavar="URL")
    url = str(parser.parse_args(arguments).url)
    try:
        check_url(url)
        target = Target(url, known_secrets(environ), new_secret(), f"check{secrets.token_hex(4)}")
    except UrlRefused as error:
        print(f"the URL cannot be called: {error}", file=sys.stderr)
        return 2
    except BadSecret as error:
        print(error, file=sys.stderr)
        return 2
    outbound = Outbound(EVERYWHERE)
    try:
        report = check_push(outbound, target)
    finally:
        outbound.close()
    print(json.dumps(report.to_json(), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
