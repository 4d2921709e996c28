"""The optional compiled build: with `MONTEGO_COMPILE=1` the rules' core and the bots' search are compiled by mypyc,
from the same source.

All else about the package is in pyproject.toml. mypy must be installed where the build runs, so without isolation:
`MONTEGO_COMPILE=1 pip install --no-build-isolation .`
"""

import os
import sys
from pathlib import Path

from setuptools import setup

COMPILED = (Path("service/engine/core"), Path("bots/search"))
# What has hardly anything to do, and would have to bring the bots' kit along.
LEFT = {"__init__.py", "bot.py", "rungs.py"}
modules = []
if os.environ.get("MONTEGO_COMPILE") == "1":
    from mypyc.build import mypycify

    # The search names types of the bots' kit, which is a project of its own.
    os.environ["MYPYPATH"] = str(Path("bots/python").absolute())
    sources = sorted(str(path) for folder in COMPILED for path in folder.glob("*.py") if path.name not in LEFT)
    # What these import is checked by `make check`; here its own dependencies may be missing.
    modules = mypycify(["--follow-imports=silent", *sources], opt_level="3", group_name="montego_bay")
    if sys.platform != "win32":
        # A product and a sum in one rounding would be quicker on some processors, and give other answers than Python's.
        for module in modules:
            module.extra_compile_args.append("-ffp-contract=off")

setup(ext_modules=modules)
