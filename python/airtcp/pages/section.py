"""What a page shows below its answer: sections of plots, tables and text, as values.

A result lists its sections; one template lays all of them out. A page of a result therefore needs
no template and no script of its own.
"""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from airtcp.pages import first_screen
from airtcp.pages.page import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.words.answer import Answer
    from airtcp.words.grid import Grid
    from airtcp.words.sentences import Finding

Rows: TypeAlias = list[dict[str, Any]]
MOST: Final = 2500
"""Rows of one data of a thinned plot that are drawn at once."""


@dataclass(frozen=True)
class Plot:
    """A chart with its data. Without rows in the first of them, it is left out."""

    name: str
    heading: str
    caption: str
    spec: Mapping[str, Any]
    """The chart, in Vega-Lite, with its data by name."""
    data: Mapping[str, Rows]
    """Rows by the name of the data in the chart; the first are those of its CSV file."""
    views: tuple[tuple[str, str, Mapping[str, Any]], ...] = ()
    """Other charts of the same data: name, label, and specification."""
    label: str = ""
    """The label of the first chart among several."""
    wide: bool = False
    thinned: Mapping[str, tuple[str, ...]] | None = None
    """If there are many rows: for each data, sorted by `t`, the fields that a row which stands for
    a group takes from the last of the group. A reader who zooms gets the rows in view."""

    @property
    def drawn(self) -> Mapping[str, Rows]:
        """The rows that are drawn at first, and in a figure."""
        if self.thinned is None:
            return self.data
        return {name: _few(rows, self.thinned[name]) for name, rows in self.data.items()}


@dataclass(frozen=True)
class Link:
    """An address outside the page."""

    id: str
    address: str
    words: str
    about: str = ""
    """What follows its words."""


@dataclass(frozen=True)
class Section:
    """A part of a page, folded into a line."""

    id: str
    heading: str
    about: str = ""
    """One sentence beside the heading."""
    plots: tuple[Plot, ...] = ()
    grid: Grid | None = None
    tables: tuple[Grid, ...] = ()
    """Further tables, each with its title."""
    notes: tuple[str, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    """Terms of the method, each with its meaning."""
    code: str = ""
    """Text to copy, such as a scenario."""
    link: Link | None = None
    unfolded: bool = False
    """Whether the part is open at first."""
    joined: bool = False
    """Whether the charts touch, as those with one axis of time do."""


@dataclass(frozen=True)
class Page:
    """The page of a result: its answer, which is the first screen, and its sections."""

    answer: Answer | None
    sections: Sequence[Section]
    """What stands below, in order; the last tells the method."""
    document: Mapping[str, Any]
    """The document of the result."""
    title: str
    command: str = ""
    """The command that makes the page again, if there is one."""
    chart: str = ""
    """The name of the plot beside the answer."""
    facts: Sequence[tuple[str, str]] = ()
    """Further facts of the result."""
    findings: Sequence[Finding] = ()
    """Findings, a card each."""
    whole: Grid | None = None
    """The table of the answer with all rows."""
    lead: str = ""
    """The sentence below the title of a page without an answer."""
    banners: Sequence[str] = ()
    """What the page does not show, each a sentence above the sections."""

    def html(self) -> str:
        """Return a complete HTML document. Equal values give equal pages."""
        charts = self.charts()
        shown = {plot.name: plot for plot, _ in charts.values()}
        payload: dict[str, Any] = {
            "charts": {name: spec for name, (_, spec) in charts.items()},
            "data": {name: _sent(plot) for name, plot in shown.items()},
        }
        if thinned := {name: p.thinned for name, p in shown.items() if p.thinned is not None}:
            payload |= {"thinned": thinned, "most": MOST}
        return render(
            "sections.html.j2",
            "data.js",
            payload,
            self.document,
            self.facts,
            answer=self.answer,
            chart=self.chart,
            whole=self.whole,
            title=self.title,
            lead=self.lead,
            findings=self.findings,
            sections=[_laid(section) for section in self.sections if _has_content(section)],
            command=self.command,
            banners=self.banners,
        )

    def charts(self) -> dict[str, tuple[Plot, Mapping[str, Any]]]:
        """Return each chart that has data by its name, with its plot, in the order of the page."""
        return {
            name: (plot, spec)
            for section in self.sections
            for plot in section.plots
            if _rows(plot)
            for name, spec in _views(plot)
        }


def some(lines: Sequence[str], most: int = 200) -> tuple[str, ...]:
    """Return the first lines as notes, and how many there are beside them.

    >>> some(["a", "b", "c"], most=2)
    ('a', 'b', 'and 1 more')
    """
    more = len(lines) - most
    return (*lines[:most], *((f"and {more} more",) if more > 0 else ()))


def _few(rows: Rows, last: tuple[str, ...]) -> Rows:
    """Return rows for consecutive groups, so many that they can be drawn.

    >>> rows = [{"t": t, "end": t + 1} for t in range(2 * MOST)]
    >>> _few(rows, ("end",))[:2]
    [{'t': 0, 'end': 2}, {'t': 2, 'end': 4}]
    """
    size = max(1, -(-len(rows) // MOST))
    ends = ((at, rows[min(at + size, len(rows)) - 1]) for at in range(0, len(rows), size))
    return [rows[at] | {name: end[name] for name in last} for at, end in ends]


def _sent(plot: Plot) -> Mapping[str, Any]:
    """Return the data of a plot as they stand in the page; many rows are packed as columns."""
    if plot.thinned is None:
        return plot.data
    columns = {
        name: {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
        for name, rows in plot.data.items()
    }
    text = json.dumps(columns, separators=(",", ":"))
    # For `Page.unpack`: JSON, gzip, base64. Equal values give equal text.
    return {"packed": base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()}


def _views(plot: Plot) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the charts of a plot: its own, and the others of the same data."""
    return [(plot.name, plot.spec), *((name, spec) for name, _, spec in plot.views)]


def _rows(plot: Plot) -> Rows:
    for rows in plot.data.values():
        return rows
    return []


def _has_content(section: Section) -> bool:
    said = section.notes or section.terms or section.code or section.link
    return bool(said or section.grid or section.tables or any(map(_rows, section.plots)))


def _laid(section: Section) -> dict[str, Any]:
    """Lay a section out for the template, without plots that have nothing to show."""
    return {
        "of": section,
        "plots": [
            (plot, ((plot.name, plot.label), *((name, label) for name, label, _ in plot.views)))
            for plot in section.plots
            if _rows(plot)
        ],
        "grids": [
            first_screen.laid(grid) for grid in (section.grid, *section.tables) if grid is not None
        ],
    }
