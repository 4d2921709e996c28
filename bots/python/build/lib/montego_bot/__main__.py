"""`python -m montego_bot` is `montego-bot`."""

import sys

from montego_bot.cli import main

sys.exit(main())
