"""Heavy modules, loaded when something of them is first used.

Every process can show ratings and few ever compute one: numpy, scipy and choix (about 90 MB, half a second) are not
loaded by the others. The loader is the standard library's own.
"""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import Any


def lazily(name: str) -> Any:
    """The module of that name, loaded by the first use of an attribute. Raises ModuleNotFoundError at once. The
    packages above it are loaded at once, too: name the topmost one that is heavy."""
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
