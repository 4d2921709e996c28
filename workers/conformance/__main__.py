"""`python -m workers.conformance URL`: checks a push bot without a service, and prints the report as JSON.

MONTEGO_BOT_SECRET has the bot's secrets, separated by spaces.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence

from service.addresses import UrlRefused
from workers.conformance import check_bot_at
from workers.operator_calls import InvalidSecret, known_secrets


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Prints the report. Returns 0 whatever is in it, or 2 for a URL or a secret that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m workers.conformance", description=__doc__)
    parser.add_argument("url", metavar="URL")
    try:
        report = check_bot_at(str(parser.parse_args(arguments).url), known_secrets(environ))
    except UrlRefused as error:
        print(f"the URL cannot be called: {error}", file=sys.stderr)
        return 2
    except InvalidSecret as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(report.to_json(), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
