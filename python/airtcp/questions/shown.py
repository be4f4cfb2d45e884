"""What every result shows beside its page: figures, and itself in a notebook."""

from __future__ import annotations

from abc import abstractmethod
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.data import table_text
from airtcp.data.plain import printable
from airtcp.files import atomic_write
from airtcp.questions.paged import Paged

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    import polars as pl

    from airtcp.charts.draw import Width
    from airtcp.charts.figure import Figure
    from airtcp.data.table import Table
    from airtcp.words.answer import Answer
    from airtcp.words.grid import Grid

_ROWS: Final = 8
_LARGEST: Final = 150_000
"""Bytes of a picture in a notebook; a larger one is left out."""
_TRIED: Final = 4


def not_pickled(result: object) -> TypeError:
    """Return the error of a result that cannot be pickled."""
    message = (
        f"{type(result).__name__} is not pickled: pickle its `json`, or the tables that you need "
        "(result.table(NAME), to_pandas()); result.write(FOLDER) keeps all of it"
    )
    return TypeError(message)


class Shown(Paged):
    """The common part: it needs the page and the tables of the result."""

    @abstractmethod
    def _frames(self) -> Iterator[tuple[str, Table]]:
        """Every table, with the name of its file without the ending."""

    def _one(self, table: str | None) -> Table:
        """Return a table by name, or the first."""
        for name, frame in self._frames():
            if table in {None, name}:
                return frame
        names = ", ".join(name for name, _ in self._frames())
        message = f'no table "{printable(table or "")}" (there are {names})'
        raise KeyError(message)

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """Return a table as a polars frame; needs polars.

        Args:
            table: The name of a table; by default the first.

        Raises:
            KeyError: If no table has this name.
        """
        return self._one(table).to_polars()

    def to_pandas(self, table: str | None = None) -> Any:
        """Return a table as a pandas frame; needs pandas.

        Args:
            table: As for `to_polars`.

        Raises:
            KeyError: As for `to_polars`.
        """
        return self._one(table).to_pandas()

    def to_arrow(self, table: str | None = None) -> Any:
        """Return a table as a pyarrow table; needs pyarrow.

        Args:
            table: As for `to_polars`.

        Raises:
            KeyError: As for `to_polars`.
        """
        return self._one(table).to_arrow()

    def _charts(self, link: int | None = None) -> dict[str, tuple[str, str, Any, Any]]:
        """Return heading, caption, chart and data of each chart that has data."""
        return {
            name: (plot.heading, plot.caption, spec, plot.drawn)
            for name, (plot, spec) in self._page.charts(link).items()
        }

    @property
    def plots(self) -> list[str]:
        """The names of the figures: the charts of the page that have data, in its order."""
        return list(self._charts())

    def figure(
        self, name: str | None = None, *, width: Width = "column", link: str | int | None = None
    ) -> Figure:
        """Return a chart of the page as a figure for paper.

        Args:
            name: One of `plots`; by default the first.
            width: `column` (88 mm) or `page` (180 mm).
            link: The link of a study that the charts `link-...` show: its name or its number from
                0; by default the one that the page shows first.

        Raises:
            KeyError: If there is no figure, or none of this name, or no such link.
        """
        from airtcp.charts.figure import Figure

        placed = self._charts(self._number_of(link))
        if name is None and not placed:
            message = "there is no figure: the page has no chart with data"
            raise KeyError(message)
        chosen = next(iter(placed)) if name is None else name
        if chosen not in placed:
            known = ", ".join(placed) or "none: the page has no chart with data"
            message = f'no figure "{printable(chosen)}" (there are {known})'
            raise KeyError(message)
        return Figure(chosen, *placed[chosen], width)

    def _number_of(self, link: str | int | None) -> int | None:
        if link is None:
            return None
        names = [item.name for item in self._page.items]
        if isinstance(link, str) and link in names:
            return names.index(link)
        if isinstance(link, int) and 0 <= link < len(names):
            return link
        if not names:
            message = f"{link!r} names no link: this result has no charts of one link"
            raise KeyError(message)
        message = f"no link {link!r} (there are {', '.join(names[:20])})"
        raise KeyError(message)

    def save_figures(
        self,
        folder: str | os.PathLike[str],
        *,
        width: Width = "column",
        formats: Iterable[str] = ("svg", "pdf"),
    ) -> list[Path]:
        """Write every figure of the page, and replace existing files.

        Args:
            folder: The folder to write to; made if it does not exist.
            width: As for `figure`.
            formats: `svg`, `pdf`, `png`.

        Returns:
            The files written: the name of each figure with the format as its ending.

        Raises:
            AirtcpError: If vl-convert is not installed (`pip install "airtcp[figures]"`).
        """
        home, endings = Path(folder), list(formats)
        paths: list[Path] = []
        with atomic_write.staged() as files:
            for name in self.plots:
                figure = self.figure(name, width=width)
                for ending in endings:
                    paths.append(home / f"{name}.{ending}")
                    part = files.file(paths[-1], live=False)
                    part.write_bytes(figure.bytes_of(ending))
        return paths

    def _repr_html_(self) -> str:
        """Show the answer and the first figure in a notebook; without an answer, what it is."""
        answer = self.answer()
        if answer is not None:
            return answer_html(answer, self._picture(), repr(self))
        title, said = (escape(printable(text)) for text in (self._page.title, repr(self)))
        return f"<p><b>{title}</b></p><p>{said}</p>"

    def _picture(self) -> str:
        """Show the first figure that is small enough."""
        from airtcp.charts.figure import image

        try:
            pictures = (image(self.figure(name)) for name in self.plots[:_TRIED])
            picture = next((p for p in pictures if len(p) <= _LARGEST), "")
        except _core.AirtcpError as error:
            return f"<p><small>{escape(str(error))}</small></p>"
        return f"<p>{picture}</p>" if picture else ""


def answer_html(answer: Answer, rest: str, said: str) -> str:
    """Lay an answer out for a notebook.

    Args:
        answer: The answer.
        rest: What follows its table, as HTML.
        said: One line about the result.
    """
    head, *others = (escape(printable(sentence)) for sentence in answer.sentences)
    grid = answer.table
    table = "" if grid is None else _grid(grid)
    return (
        f'<div style="max-width:60em"><p><b>{head}</b></p>'
        + "".join(f"<p>{sentence}</p>" for sentence in others)
        + f"{table}{rest}<p><small>{escape(printable(said))}</small></p></div>"
    )


def _grid(grid: Grid) -> str:
    """Lay the first rows of a table out for a notebook."""
    short = grid.first(_ROWS)
    columns = {short.head: [printable(name) for name in short.names]}
    columns |= {column.heading: [printable(c) for c in column.cells] for column in short.columns}
    size = f"and {short.more} more" if short.more else ""
    return table_text.grid(columns, size)
