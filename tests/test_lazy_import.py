"""What only some calls need is not loaded before: it costs half a second and 90 MB."""

from __future__ import annotations

import subprocess
import sys

import pytest

from service.lazy_import import lazily

HEAVY = ("choix", "numpy", "scipy")
LOADED = f"""
import sys
# A module that is to be loaded later stands there already, but without what it imports.
print("loaded:", [name for name in {HEAVY!r} if type(sys.modules.get(name)).__name__ == "module"])
"""


def printed(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "code",
    [
        "from service.cli.main import cli; cli(['--help'], standalone_mode=False)",
        """
from service.api.app import create_app
from service.config import Settings
from service.wiring import build
app = create_app(build(Settings(redis_url="redis://127.0.0.1:1")))
assert app.test_client().get("/openapi.json").status_code == 200
""",
        "import workers.jobs, workers.steward, workers.rq_worker",
    ],
    ids=["the command line", "the API", "a worker"],
)
def test_a_process_that_computes_no_ratings_has_not_loaded_what_they_need(code: str) -> None:
    assert printed(code + LOADED).splitlines()[-1] == "loaded: []"


def test_the_first_tables_load_what_they_need() -> None:
    code = "from service.tournament.tables import tables; tables(['a', 'b'], [], 'seed')"
    assert printed(code + LOADED) == "loaded: ['choix', 'numpy', 'scipy']\n"


def test_a_library_that_is_not_there_is_missed_at_once() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        lazily("no_such_library")
