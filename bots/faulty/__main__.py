"""`python -m bots.faulty NAME --port P` serves one faulty bot, to try a harness by hand; without NAME it lists them."""

from __future__ import annotations

import argparse
import threading
from contextlib import suppress

from bots.faulty import FAULTY_BOTS, start


def main() -> None:
    """Serves until Ctrl-C."""
    bots = "\n".join(f"  {bot.name:<20}{bot.what} ({bot.fault or 'no fault'})" for bot in FAULTY_BOTS.values())
    parser = argparse.ArgumentParser(
        prog="python -m bots.faulty", epilog=bots, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", choices=FAULTY_BOTS, metavar="NAME")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    if given.name is None:
        print(bots)
        return
    with start(given.name, given.port) as bot, suppress(KeyboardInterrupt):
        print(f"{given.name} listens at {bot.url}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
