from __future__ import annotations

import subprocess
import sys

import pytest

from service.lazy_import import lazily


def test_reading_ratings_does_not_load_what_only_computing_them_needs() -> None:
    code = """
import sys
from service.tournament import rating, standings
before = "scipy.linalg" in sys.modules
rating.choix.ilsr_pairwise_dense
print(before, "scipy.linalg" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]


def test_a_library_that_is_not_there_is_missed_at_once() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        lazily("no_such_library")
