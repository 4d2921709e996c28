"""Heavy libraries, loaded when something of them is first used.

Every process of the service can read ratings, few ever compute one: what scipy and choix need (about 90 MB, half a
second) is not paid by the others. The loader is the standard library's own; nothing is hidden in functions.
"""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import Any


def lazily(name: str) -> Any:
    """The module of that name, loaded by the first use of an attribute. Raises ModuleNotFoundError at once."""
    if name in sys.modules:
        return sys.modules[name]
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    loader = LazyLoader(spec.loader)
    spec.loader = loader
    module = module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module
