"""Tables as values: names and columns, in full and in short, for terminal, page and notebook.

A table that is too wide for its place uses the short cells; if these are too wide, it drops
columns, the highest rank first. Rows that are left out are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from airtcp.data.plain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.metrics import Metric

    Sorted = float | str | None

Tone = Literal["faint", "good", "bad", "warn"]

STAY: Final = 2
"""Number of metrics that stay in the narrowest table."""
_LONG_HEAD: Final = 14
"""Length of a heading above which it takes two lines."""


class Toned(str):
    """The text of a cell that is shown in a tone: faint if it carries no weight."""

    __slots__ = ("tone",)
    tone: Tone

    @classmethod
    def of(cls, text: str, tone: Tone) -> Toned:
        """Give a text a tone.

        >>> Toned.of("+3 %", "faint"), Toned.of("+3 %", "faint").tone
        ('+3 %', 'faint')
        """
        made = cls(text)
        made.tone = tone
        return made


@dataclass(frozen=True)
class Column:
    """A column, with the cells in full and in short."""

    head: str
    cells: Sequence[str]
    short: Sequence[str] | None = None
    rank: int = 0
    """The column of the highest rank is left out first; rank 0 stays."""
    left: bool = False
    keys: Sequence[Sorted] | None = None
    """What a page sorts the rows by; by default the texts of the cells."""

    @property
    def heading(self) -> str:
        r"""The heading on one line.

        >>> Column("dropped\nafter retries", []).heading
        'dropped after retries'
        """
        return self.head.replace("-\n", "-").replace("\n", " ")

    def extended(self, cells: Sequence[str], keys: Sequence[Sorted]) -> Column:
        """Return the column with more rows."""
        own = None if self.keys is None else [*self.keys, *keys]
        short = None if self.short is None else [*self.short, *cells]
        return replace(self, cells=[*self.cells, *cells], short=short, keys=own)


@dataclass(frozen=True)
class Grid:
    """A table: a row a thing, the worst or best first, the rest counted."""

    head: str
    """Heading of the column of names."""
    names: Sequence[str]
    columns: Sequence[Column]
    title: str = ""
    more: int = 0
    """Number of rows that are left out."""
    sort: str | None = None
    """Heading of the column by which the rows are sorted, if there is one."""
    picks: Sequence[int] | None = None
    """For each row, the thing that a page shows when a reader chooses the row."""

    @property
    def rest(self) -> str | None:
        """What is said below a table that leaves rows out.

        >>> Grid("flow", ["a"], [], more=627).rest
        'and 627 more: --details'
        """
        return f"and {self.more} more: --details" if self.more else None

    def first(self, rows: int) -> Grid:
        """Return the table with its first rows; the rest is counted.

        >>> Grid("flow", ["a", "b", "c"], [Column("n", ["1", "2", "3"])]).first(1).more
        2
        """
        if len(self.names) <= rows:
            return self
        columns = [
            replace(
                column,
                cells=column.cells[:rows],
                short=None if column.short is None else column.short[:rows],
                keys=None if column.keys is None else column.keys[:rows],
            )
            for column in self.columns
        ]
        more = self.more + len(self.names) - rows
        picks = None if self.picks is None else self.picks[:rows]
        return replace(self, names=self.names[:rows], columns=columns, more=more, picks=picks)

    def text(self) -> list[str]:
        """Return the lines of the table in full, in columns of equal width, as in a terminal.

        >>> Grid("flow", ["a"], [Column("Mb/s", ["8.9"])], more=2).text()
        ['', ' flow  Mb/s ', ' ────────── ', ' a      8.9 ', '', 'and 2 more: --details']
        """
        names = Column(self.head, [printable(name) for name in self.names], left=True)
        heads = [column.head.split("\n") for column in (names, *self.columns)]
        height = max(map(len, heads))
        laid: list[list[str]] = []
        for head, column in zip(heads, (names, *self.columns), strict=True):
            cells = [*head, *[""] * (height - len(head)), *column.cells]
            wide = max(map(len, cells))
            laid.append([c.ljust(wide) if column.left else c.rjust(wide) for c in cells])
        lines = [f" {'  '.join(row)} " for row in zip(*laid, strict=True)]
        rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (len(lines[0]) - 2)
        lines.insert(height, f" {rule} ")
        title = ["", self.title] if self.title else []
        return [*title, "", *lines, "", *([self.rest] if self.rest else [])]

    def within(self, wide: int = 100) -> Grid:
        """Return the table without the columns that do not fit, the highest rank first.

        A program that reads the table of an answer gets one block of columns, as a person does.

        Args:
            wide: Characters of a line.

        >>> columns = [Column("goodput", ["8.9"]), Column("queue", ["1"], rank=1)]
        >>> [column.head for column in Grid("flow", ["a"], columns).within(20).columns]
        ['goodput']
        """
        columns = list(self.columns)
        while self._width(columns) > wide and any(column.rank for column in columns):
            columns.remove(max(columns, key=lambda column: column.rank))
        return replace(self, columns=columns)

    @property
    def width(self) -> int:
        """The characters of a line.

        >>> Grid("flow", ["a"], [Column("goodput", ["8.9"])]).width
        15
        """
        return self._width(self.columns)

    def _width(self, columns: Sequence[Column]) -> int:
        """Return the characters of a line: two blanks before each column, one at each end."""
        each = [[self.head, *self.names]]
        each += [[*column.head.split("\n"), *column.cells] for column in columns]
        return 2 * len(each) + sum(max(map(len, texts)) for texts in each)

    def rows(self) -> list[dict[str, str]]:
        """Return the rows as dictionaries by heading, with the cells in full.

        >>> Grid("flow", ["a"], [Column("Mb/s", ["8.9"])]).rows()
        [{'flow': 'a', 'Mb/s': '8.9'}]
        """
        return [
            {self.head: name} | {column.heading: column.cells[row] for column in self.columns}
            for row, name in enumerate(self.names)
        ]


def metric_column(metric: Metric, rows: Sequence[Mapping[str, Any]]) -> Column:
    """Make the column of a catalogue metric: means with intervals, or in short without.

    Args:
        metric: The metric.
        rows: Estimates by key, row by row.
    """
    from airtcp.words.sentences import estimate

    values = [row.get(metric.key) for row in rows]
    return Column(
        broken(metric.label),
        [estimate(value, metric.scale, metric.limits) for value in values],
        [estimate(value, metric.scale, short=True) for value in values],
        max(metric.rank - STAY, 0),
        keys=[None if value is None else value["mean"] for value in values],
    )


def broken(head: str) -> str:
    r"""Write a heading on two lines if it is long.

    >>> broken("dropped after retries"), broken("RTT (ms)"), broken("Gilbert-Elliott")
    ('dropped\nafter retries', 'RTT (ms)', 'Gilbert-\nElliott')
    """
    places = [i for i, letter in enumerate(head) if letter == " "] or [head.find("-") + 1]
    if len(head) <= _LONG_HEAD or not any(places):
        return head
    at = min(places, key=lambda i: max(i, len(head) - i - 1))
    return f"{head[:at]}\n{head[at:].removeprefix(' ')}"


def elided(name: str, width: int) -> str:
    """Shorten a name in its middle.

    >>> elided("synthetic-independent-35", 16), elided("short", 16)
    ('synthet…ndent-35', 'short')
    """
    if len(name) <= width:
        return name
    tail = max(width // 2, 1)
    return name[: width - tail - 1] + "\N{HORIZONTAL ELLIPSIS}" + name[-tail:]


def cut(title: str, width: int) -> str:
    """Shorten a title at its end, after a whole word.

    >>> cut("Ten uploads, and an access point whose queue overflows", 36), cut("short", 36)
    ('Ten uploads, and an access point…', 'short')
    """
    if len(title) <= width:
        return title
    head = title[:width].rpartition(" ")[0].rstrip(" ,;:-") or title[: width - 1]
    return f"{head}\N{HORIZONTAL ELLIPSIS}"
