"""The charts of a report, as SVG texts. Names of bots are drawn as they are."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK = "#1d2733"
ACCENT = "#1f6f8b"
QUIET = "#9aa5b1"
#: Colours of the kinds of fault that people with colour-blindness can also tell apart (Okabe and Ito).
FAULT_COLOURS = {
    "late": "#e69f00",
    "unreachable": "#56b4e9",
    "bad_status": "#009e73",
    "bad_body": "#cc79a7",
    "illegal": "#d55e00",
}
#: Above so many bots the cells of the heat map are too small for numbers.
MAX_NUMBERED = 24
MAX_LABELLED = 80


def ratings_chart(ratings: Sequence[Mapping[str, Any]]) -> str:
    """Ratings with their 95 % intervals, the strongest at the top."""
    with _style():
        figure = Figure(figsize=(8.0, 1.1 + 0.32 * len(ratings)), layout="constrained")
        axes = figure.add_subplot()
        for row, rating in enumerate(ratings):
            if rating["interval"] is not None:
                low, high = rating["interval"]
                axes.plot([low, high], [row, row], color=ACCENT, linewidth=2.2, solid_capstyle="butt", alpha=0.55)
            axes.plot([rating["rating"]], [row], marker="o", color=ACCENT, markersize=6)
        axes.set_yticks(range(len(ratings)), [rating["name"] for rating in ratings])
        axes.set_ylim(len(ratings) - 0.4, -0.6)
        axes.set_xlabel("rating (Elo; the mean of all is 1500)")
        axes.grid(axis="x", color=QUIET, alpha=0.35, linewidth=0.7)
        axes.axvline(1500, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)))
        return _svg(figure)


def crosstable_chart(names: Sequence[str], matches: Sequence[Sequence[Any]], score: Sequence[Sequence[Any]]) -> str:
    """Share of matches in which the row's bot was placed above the column's, ties half; blank if they never met."""
    size = len(names)
    share = np.full((size, size), np.nan)
    for row in range(size):
        for column in range(size):
            if matches[row][column]:
                share[row, column] = score[row][column] / matches[row][column]
    with _style():
        side = 1.8 + min(size, MAX_LABELLED) * (0.44 if size <= MAX_NUMBERED else 0.14)
        figure = Figure(figsize=(side + 1.2, side), layout="constrained")
        axes = figure.add_subplot()
        image = axes.imshow(np.ma.masked_invalid(share), cmap="RdYlBu", vmin=0.0, vmax=1.0, interpolation="nearest")
        if size <= MAX_LABELLED:
            font = 9 if size <= MAX_NUMBERED else 6
            axes.set_xticks(range(size), names, rotation=60, ha="right", rotation_mode="anchor", fontsize=font)
            axes.set_yticks(range(size), names, fontsize=font)
        if size <= MAX_NUMBERED:
            for row, column in zip(*np.nonzero(~np.isnan(share)), strict=True):
                value = share[row, column]
                colour = "white" if value < 0.15 or value > 0.85 else INK
                axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7.5, color=colour)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        figure.colorbar(image, ax=axes, shrink=0.8, label="row above column")
        return _svg(figure)


def faults_chart(rows: Sequence[Mapping[str, Any]]) -> str:
    """Faults per match, stacked by kind, of the bots that made any."""
    guilty = [row for row in rows if row["matches"] and sum(row["faults"].values())]
    with _style():
        figure = Figure(figsize=(8.0, 1.3 + 0.32 * len(guilty)), layout="constrained")
        axes = figure.add_subplot()
        left = np.zeros(len(guilty))
        for kind, colour in FAULT_COLOURS.items():
            width = np.array([row["faults"].get(kind, 0) / row["matches"] for row in guilty])
            if width.any():
                axes.barh(range(len(guilty)), width, left=left, color=colour, label=kind, height=0.62)
            left += width
        axes.set_yticks(range(len(guilty)), [row["name"] for row in guilty])
        axes.invert_yaxis()
        axes.set_xlabel("faults per match")
        axes.grid(axis="x", color=QUIET, alpha=0.35, linewidth=0.7)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
        return _svg(figure)


def _style() -> AbstractContextManager[None]:
    """The style of one chart: the same data give the same file, and no text is taken for a formula."""
    return matplotlib.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "montego",
            "text.parse_math": False,
            "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans", "Segoe UI", "Helvetica Neue", "Arial", "sans-serif"],
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": QUIET,
            "xtick.color": INK,
            "ytick.color": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "font.size": 9,
        }
    )


def _svg(figure: Figure) -> str:
    FigureCanvasSVG(figure)
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return out.getvalue()
