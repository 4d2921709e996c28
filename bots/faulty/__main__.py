"""`python -m bots.faulty NAME --port P`: one bad bot, to try a harness by hand. Without NAME: which there are."""

from __future__ import annotations

import argparse
import threading
from contextlib import suppress

from bots.faulty import BAD_BOTS, NAMES, start


def main() -> None:
    """Serves until Ctrl-C."""
    bots = "\n".join(f"  {bad.name:<20}{bad.what} ({bad.fault or 'no fault'})" for bad in BAD_BOTS.values())
    parser = argparse.ArgumentParser(
        prog="python -m bots.faulty", epilog=bots, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", choices=NAMES, metavar="NAME")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    if given.name is None:
        print(bots)
        return
    with start(given.name, given.port) as handle, suppress(KeyboardInterrupt):
        print(f"{handle.name} misbehaves at {handle.url}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
