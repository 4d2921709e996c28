"""The templates of the pages."""

from __future__ import annotations

from functools import partial

from service.presentation import rendering

render = partial(rendering.render, "service.web")
"""A template of this package, or one that it shares, as markup: `render(template, language, **values)`."""
