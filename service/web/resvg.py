"""A program: an SVG on standard input becomes a PNG on standard output. Its argument is the width in pixels.

It is a process of its own since resvg holds Python's lock while it draws, about a tenth of a second, in which the
process that serves the pages could do nothing else. It imports no more than it needs, so that it starts quickly.
"""

from __future__ import annotations

import sys
from importlib.resources import files

from resvg_py import svg_to_bytes


def main() -> None:
    """The texts are drawn in Lato, which comes with the service: a server may have no fonts."""
    fonts = files("font_lato") / "files"
    sys.stdout.buffer.write(
        svg_to_bytes(
            svg_string=sys.stdin.buffer.read().decode(),
            width=int(sys.argv[1]),
            skip_system_fonts=True,
            font_files=[str(fonts / name) for name in ("Lato-Regular.ttf", "Lato-Bold.ttf")],
            font_family="Lato",
        )
    )


if __name__ == "__main__":
    main()
