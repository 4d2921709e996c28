"""The optional compiled build: with `MONTEGO_COMPILE=1` the rules' core is compiled by mypyc, from the same source.

All else about the package is in pyproject.toml. mypy must be installed where the build runs, so without isolation:
`MONTEGO_COMPILE=1 pip install --no-build-isolation .`
"""

import os
from pathlib import Path

from setuptools import setup

CORE = Path("service/engine/core")
modules = []
if os.environ.get("MONTEGO_COMPILE") == "1":
    from mypyc.build import mypycify

    sources = sorted(str(path) for path in CORE.glob("*.py") if path.name != "__init__.py")
    modules = mypycify(sources, opt_level="3")

setup(ext_modules=modules)
