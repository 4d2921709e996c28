"""The core on its own, its playouts and the checked interface play the same games."""

from __future__ import annotations

from tests.benchmarks.engine import Playouts


def test_core_playouts_and_checked_interface_agree_on_every_game() -> None:
    # Raises AssertionError at the first game that two of the ways end differently.
    assert Playouts(4).decisions > 100
