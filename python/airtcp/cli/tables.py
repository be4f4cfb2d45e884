"""Tables that fit the terminal: they drop detail first, then columns, but never names.

A table has its columns in full and in short. If the full columns are too wide, it uses the short
ones; if these are too wide, it drops columns, the highest rank first. Names keep their beginning
and their end, since names of measured links often differ only at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from airtcp.cli.console import ungrouped
from airtcp.data.plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from airtcp.data.metrics import Metric

_LONG_HEAD: Final = 14
"""Length of a heading above which it takes two lines."""
STAY: Final = 2
"""Number of metrics that stay in the narrowest terminal."""
_LEAST_NAME: Final = 20
"""Characters of a name that are shown before a column is left out."""


@dataclass(frozen=True)
class Column:
    """A column, with the cells in full and in short."""

    head: str
    cells: Sequence[str | Text]
    short: Sequence[str | Text] | None = None
    rank: int = 0
    """The column of the highest rank is left out first; rank 0 stays."""
    left: bool = False


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
    )


def broken(head: str) -> str:
    r"""Write a heading for the terminal: on two lines if it is long.

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


def fitted(
    console: Console, head: str, names: Sequence[str], columns: Sequence[Column]
) -> tuple[Table, list[str]]:
    """Lay a table out for the width of the console.

    Args: console: The console. head: Heading of the column of names. names: A name for each row.
        columns: The other columns, in order.

    Returns: The table, and the headings of the dropped columns.
    """
    names = [printable(name) for name in names]
    if not console.is_terminal:
        columns = [_ungrouped(column) for column in columns]
    longest = max(map(len, names), default=0)
    least = min(longest, _LEAST_NAME)
    chosen, short, spare = list(columns), False, 0
    for chosen, short in _choices(columns):
        width = _width(console, _lay(head, [least * "x"] * len(names), chosen, short=short))
        spare = console.width - width
        if spare >= 0:
            break
    limit = min(longest, least + max(spare, 0))
    shown = [elided(name, limit) for name in names]
    gone = [
        column.head.replace("-\n", "-").replace("\n", " ")
        for column in columns
        if column not in chosen
    ]
    return _lay(head, shown, chosen, short=short), gone


def put(console: Console, head: str, names: Sequence[str], columns: Sequence[Column]) -> None:
    """Print a table laid out for the console's width, and name the dropped columns.

    Args:
        console: Where to print.
        head: As for `fitted`.
        names: As for `fitted`.
        columns: As for `fitted`.
    """
    from rich.text import Text

    table, gone = fitted(console, head, names, columns)
    console.print(table)
    if gone:
        console.print(Text(f"Left out for width: {', '.join(gone)}.", style="dim"))


def _ungrouped(column: Column) -> Column:
    """Return a column for programs, without blanks between digits."""
    from rich.text import Text

    def cell(of: str | Text) -> str | Text:
        if isinstance(of, Text):
            return Text(ungrouped(of.plain), style=of.style)
        return ungrouped(of)

    short = None if column.short is None else [cell(x) for x in column.short]
    return replace(column, cells=[cell(x) for x in column.cells], short=short)


def _choices(columns: Sequence[Column]) -> Iterator[tuple[list[Column], bool]]:
    left = list(columns)
    yield left, False
    yield left, True
    for column in sorted((c for c in columns if c.rank), key=lambda c: -c.rank):
        left = [c for c in left if c is not column]
        yield left, True


def _lay(head: str, names: Sequence[str], columns: Sequence[Column], *, short: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column(head, no_wrap=True)
    parts: list[Sequence[str | Text]] = []
    for column in columns:
        table.add_column(column.head, justify="left" if column.left else "right", no_wrap=True)
        parts.append(column.short if short and column.short is not None else column.cells)
    for row, name in enumerate(names):
        cells = (part[row] for part in parts)
        table.add_row(Text(name), *(c if isinstance(c, Text) else Text(c) for c in cells))
    return table


def _width(console: Console, table: Table) -> int:
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=1 << 20), table).maximum
