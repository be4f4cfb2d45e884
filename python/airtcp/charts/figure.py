"""A figure: one chart of a result, for paper."""

from __future__ import annotations

import base64
import math
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.charts import draw
from airtcp.data.plain import printable
from airtcp.files import atomic_write

if TYPE_CHECKING:
    import os

FORMATS: Final = ("svg", "pdf", "png")
_DPI: Final = 300


class Figure:
    """One chart of a result, light and opaque, in the width of a journal.

    The same result gives the same SVG and the same PNG. In a PDF, the order of objects may differ.
    A notebook shows the figure.
    """

    def __init__(
        self,
        name: str,
        heading: str,
        caption: str,
        chart: dict[str, Any],
        data: dict[str, Any],
        width: draw.Width,
    ) -> None:
        """Hold the chart and its data."""
        if width not in draw.WIDTHS:
            message = f'width is "{width}"; expected {" or ".join(draw.WIDTHS)}'
            raise _core.AirtcpError(message)
        self.name = name
        self.heading = heading
        self.caption = caption
        self.width: draw.Width = width
        self._chart = chart
        self._data = data

    @cached_property
    def _drawn(self) -> str:
        # A lane of a timeline is as high as its marks, and a map shows distances.
        fixed = self.name.endswith(("-medium", "-map"))
        shrinks = not fixed and draw.has_free_height(self._chart)
        return draw.svg_of(self._chart, self._data, self.width, shrinks=shrinks)

    def svg(self, *, embed_font: bool = True) -> str:
        """Return the figure as SVG.

        Args:
            embed_font: Whether the SVG contains the font (50 kB).

        Raises:
            AirtcpError: If vl-convert is not installed (`pip install "airtcp[figures]"`).
        """
        return draw.sized(self._drawn, self.heading, embed=embed_font)

    def pdf(self) -> bytes:
        """Return the figure as PDF, which contains the letters of the font that it uses.

        Raises:
            AirtcpError: As for `svg`.
        """
        return draw.library().svg_to_pdf(draw.in_points(self._drawn))

    def png(self, dpi: float = _DPI) -> bytes:
        """Return the figure as PNG.

        Args:
            dpi: Pixels per inch.

        Raises:
            AirtcpError: As for `svg`; or if `dpi` is not above 0.
        """
        if not 0 < dpi < math.inf:
            message = f"dpi is {dpi}; expected a number above 0"
            raise _core.AirtcpError(message)
        return draw.library().svg_to_png(self._drawn, scale=72 / 96, ppi=dpi)

    def bytes_of(self, form: str) -> bytes:
        """Return the content of a file in a format.

        Args:
            form: `svg`, `pdf` or `png`.

        Raises:
            AirtcpError: As for `svg`; or if there is no such format.
        """
        if form not in FORMATS:
            message = f'no figure format "{form}"; expected {", ".join(FORMATS)}'
            raise _core.AirtcpError(message)
        return self.svg().encode() if form == "svg" else self.pdf() if form == "pdf" else self.png()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure, and replace an existing file.

        Args:
            path: The file to write; its ending gives the format: `.svg`, `.pdf` or `.png`.

        Returns:
            The file written.

        Raises:
            AirtcpError: If the ending names no format, or vl-convert is not installed.
        """
        target = Path(path)
        content = self.bytes_of(target.suffix.lower().removeprefix("."))
        with atomic_write.staged() as files:
            files.file(target, live=False).write_bytes(content)
        return target

    def _repr_html_(self) -> str:
        """Show the figure in a notebook, on white whatever the theme."""
        return image(self)

    def __repr__(self) -> str:
        """Name the figure."""
        return f"Figure({self.name!r}, {printable(self.heading)!r})"


def image(figure: Figure) -> str:
    """Return an HTML element that shows a figure.

    The SVG stands in an image of its own, where it runs no script and its names meet no others.
    """
    from html import escape

    drawn = base64.b64encode(figure.svg(embed_font=False).encode()).decode("ascii")
    style = "background:#fff;padding:6px;border-radius:6px;max-width:100%"
    source = f"data:image/svg+xml;base64,{drawn}"
    return f'<img alt="{escape(figure.heading)}" style="{style}" src="{source}"/>'
