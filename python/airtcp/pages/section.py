"""What a page shows below its answer: sections of plots, tables and text, as values.

A result lists its sections; one template lays all of them out. A page of a result therefore needs
no template and no script of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp.pages import sent
from airtcp.pages.first_screen import laid
from airtcp.pages.page import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.pages.sent import Rows
    from airtcp.words.answer import Answer
    from airtcp.words.grid import Grid
    from airtcp.words.sentences import Finding

MOST: Final = 2500
"""Rows of one data of a thinned plot that are drawn at once."""
_GROUP: Final = 16
"""Items that are packed together."""


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
    def rows(self) -> Rows:
        """The rows of the CSV file; without any, the plot is left out."""
        none: Rows = []
        return next(iter(self.data.values()), none)

    @property
    def charts(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Name and specification of each chart: its own, and the others of the same data."""
        return [(self.name, self.spec), *((name, spec) for name, _, spec in self.views)]

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Name and label of each chart, if there are several."""
        others = tuple((name, label) for name, label, _ in self.views)
        return ((self.name, self.label), *others) if others else ()

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
class Item:
    """One of many things of a kind: what a page shows of the one that a reader chooses."""

    name: str
    plots: tuple[Plot, ...]
    """The same plots for each item, with data and heading of its own."""
    about: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    grid: Grid | None = None
    notes: tuple[str, ...] = ()


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
    items: Sequence[Item] = ()
    """Things of which a reader chooses one: in a list, in a row of a table, at a dot of a chart.
    One section of a page has them. Dots that choose have the field `index`, their charts the
    parameter `chosen`."""
    first: int = 0
    """The item that is shown at first."""

    def shown(self, chosen: int | None = None) -> Sequence[Plot]:
        """Return the plots with data, with those of an item; by default of the first one."""
        item = self.items[self.first if chosen is None else chosen].plots if self.items else ()
        return [plot for plot in (*self.plots, *item) if plot.rows]

    @property
    def places(self) -> Sequence[Plot]:
        """The plots that have data, or have them for one of the items at least."""
        drawn = {plot.name for item in self.items for plot in item.plots if plot.rows}
        of_items = self.items[self.first].plots if self.items else ()
        return [
            *filter(lambda plot: plot.rows, self.plots),
            *(p for p in of_items if p.name in drawn),
        ]


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
        tables = sent.Tables()
        places = [plot for section in self.sections for plot in section.places]
        fixed = [plot for section in self.sections for plot in section.plots if plot.rows]
        payload: dict[str, Any] = {
            "charts": {name: spec for plot in places for name, spec in plot.charts},
            "data": {
                plot.name: {name: tables.place(rows) for name, rows in plot.data.items()}
                for plot in fixed
            },
        }
        if thinned := {plot.name: plot.thinned for plot in fixed if plot.thinned is not None}:
            payload |= {"thinned": thinned, "most": MOST}
        beside = next((plot for plot in places if self.answer and plot.name == self.chart), None)
        for section in self.sections:
            if section.items:
                payload["items"] = {
                    "id": section.id,
                    "names": [item.name for item in section.items],
                    "first": section.first,
                    "group": _GROUP,
                    "packed": _items(section.items),
                    "plots": [plot.name for plot in section.places if plot not in section.plots],
                }
        grid = self.whole or (self.answer.table if self.answer is not None else None)
        values: dict[str, Any] = {
            "answer_grid": None if grid is None else laid(grid, tables),
            "sections": [
                {
                    "of": section,
                    "plots": [plot for plot in section.places if plot is not beside],
                    "grids": [
                        laid(grid, tables) for grid in (section.grid, *section.tables) if grid
                    ],
                }
                for section in self.sections
                if _has_content(section, beside)
            ],
        }
        payload["tables"] = tables.packed()
        return render(
            payload,
            self.document,
            answer=self.answer,
            beside=beside,
            title=self.title,
            lead=self.lead,
            facts=self.facts,
            findings=self.findings,
            command=self.command,
            banners=self.banners,
            **values,
        )

    def charts(self, chosen: int | None = None) -> dict[str, tuple[Plot, Mapping[str, Any]]]:
        """Return each chart that has data by its name, with its plot, in the order of the page.

        Args:
            chosen: The item that is shown; by default the first one of its section.
        """
        return {
            name: (plot, spec)
            for section in self.sections
            for plot in section.shown(chosen)
            for name, spec in plot.charts
        }

    @property
    def items(self) -> Sequence[Item]:
        """The things of which a reader chooses one."""
        return next((section.items for section in self.sections if section.items), ())


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


def _has_content(section: Section, beside: Plot | None) -> bool:
    said = section.notes or section.terms or section.code or section.link or section.items
    return bool(
        said or section.grid or section.tables or any(plot is not beside for plot in section.places)
    )


def _items(shown: Sequence[Item]) -> list[Any]:
    """Return the items of a section in packed groups."""
    return [
        sent.packed([_item(one) for one in shown[start : start + _GROUP]])
        for start in range(0, len(shown), _GROUP)
    ]


def _item(item: Item) -> Mapping[str, Any]:
    heads = [] if item.grid is None else [item.grid.head, *(c.heading for c in item.grid.columns)]
    return {
        "about": item.about,
        "facts": [list(fact) for fact in item.facts],
        "notes": list(item.notes),
        "heads": heads,
        "grid": None if item.grid is None else sent.grid(item.grid),
        "plots": {
            plot.name: [
                plot.heading,
                {name: sent.columns(rows) for name, rows in plot.data.items()},
            ]
            for plot in item.plots
            if plot.rows
        },
    }
