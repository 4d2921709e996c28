"""What is wrong with a file that does not hold together."""

from __future__ import annotations

from service.engine.errors import Misfit


class DamagedArchive(Misfit):
    """The first thing in the file that does not fit, and why."""
