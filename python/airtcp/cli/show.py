"""Lays an answer and its tables out for a console.

A table takes at most 100 columns, less in a narrower terminal, and the width in `COLUMNS` if it is
set. A terminal drops detail first, then columns, and names them. A file or a pipe drops nothing: a
table that is too wide goes on in a second block of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.cli.console import PIPED_WIDTH, columns_asked, screen, ungrouped
from airtcp.data.plain import printable
from airtcp.words.grid import Column, Grid, Toned, elided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from airtcp.words.answer import Answer

_LEAST_NAME: Final = 20
"""Characters of a name that are shown before a column is left out."""
_STYLES: Final = {"faint": "dim", "good": "green", "bad": "bold red", "warn": "yellow"}


def width(console: Console) -> int:
    """Return the width of an answer: at most 100 columns, unless `COLUMNS` says otherwise.

    A terminal that takes no width from the environment keeps its own.
    """
    asked = columns_asked()
    if asked is not None and not console.is_terminal:
        return asked
    return min(console.width, asked or PIPED_WIDTH)


def as_text(answer: Answer) -> Text:
    """Return an answer without details, as it is printed.

    Args:
        answer: The answer.
    """
    from rich.text import Text

    console = screen()
    with console.capture() as printed:
        put_answer(answer, details=False, console=console)
    return Text.from_ansi(printed.get())


def put_answer(answer: Answer, *, details: bool, console: Console | None = None) -> None:
    """Print an answer.

    Args:
        answer: The answer.
        details: Whether its details follow.
        console: Where to print; by default on standard output.
    """
    from rich.text import Text

    console = screen() if console is None else console
    wide = width(console)
    sentences = answer.sentences
    console.print(Text(sentences[0], style="bold"), width=wide)
    for sentence in sentences[1:]:
        console.print(Text(sentence), width=wide)
    if answer.table is not None:
        put_grid(console, answer.table)
    if details:
        for part in answer.details:
            if isinstance(part, Grid):
                put_grid(console, part, whole=True)
            else:
                end = f" {part.text}" if part.text else ""
                head = part.headline.removesuffix(".")
                console.print(Text.assemble((f"{head}.", "bold"), end), width=wide)
    for line in answer.next_lines(wide):
        # A command stays on one line, however long, so that it can be pasted.
        console.print(Text(line), soft_wrap=True)


def put_grid(console: Console, grid: Grid, *, whole: bool = False, wide: int | None = None) -> None:
    """Print a table, and what it leaves out.

    Args:
        console: Where to print.
        grid: The table.
        whole: Whether every column is shown in full, in several blocks if need be.
        wide: The width; by default that of an answer.
    """
    from rich.text import Text

    wide = width(console) if wide is None else wide
    if grid.title:
        console.print(Text(f"\n{grid.title}", style="bold"), width=wide)
    if whole or not console.is_terminal:
        for table in _blocks(console, grid, wide, full=whole):
            console.print(table, width=wide)
        gone: list[str] = []
    else:
        table, gone = fitted(console, grid, wide)
        console.print(table, width=wide)
    said = [grid.rest] if grid.rest else []
    said += [f"Left out for width: {', '.join(gone)}."] if gone else []
    for line in said:
        console.print(Text(line, style="dim"), width=wide)


def fitted(console: Console, grid: Grid, wide: int) -> tuple[Table, list[str]]:
    """Lay a table out for a width: in full, in short, or with fewer columns.

    Returns: The table, and the headings of the dropped columns.
    """
    names = [printable(name) for name in grid.names]
    columns = _columns(console, grid)
    longest = max(map(len, names), default=0)
    least = min(longest, _LEAST_NAME)
    chosen, short, spare = columns, False, 0
    for chosen, short in _choices(columns):
        used = _width(console, _lay(grid.head, [least * "x"] * len(names), chosen, short=short))
        spare = wide - used
        if spare >= 0:
            break
    limit = min(longest, least + max(spare, 0))
    shown = [elided(name, limit) for name in names]
    gone = [column.heading for column in columns if column not in chosen]
    return _lay(grid.head, shown, chosen, short=short), gone


def _blocks(console: Console, grid: Grid, wide: int, *, full: bool) -> Iterator[Table]:
    """Lay a table out in blocks of columns, each with the names; no column is left out."""
    names = [printable(name) for name in grid.names]
    columns = _columns(console, grid)
    longest = max(map(len, names), default=0)
    short = not full and _width(console, _lay(grid.head, names, columns, short=False)) > wide
    while True:
        count = len(columns)
        while count > 1:
            used = _width(console, _lay(grid.head, names, columns[:count], short=short))
            if used <= wide:
                break
            count -= 1
        table = _lay(grid.head, names, columns[:count], short=short)
        over = _width(console, table) - wide
        if over > 0:
            limit = max(longest - over, 1)
            cut = [elided(name, limit) for name in names]
            table = _lay(grid.head, cut, columns[:count], short=short)
        yield table
        columns = columns[count:]
        if not columns:
            return


def _columns(console: Console, grid: Grid) -> list[Column]:
    """Return the columns; for programs without blanks between digits."""
    if console.is_terminal:
        return list(grid.columns)

    def plain(cells: Sequence[str]) -> list[str]:
        return [cell if isinstance(cell, Toned) else ungrouped(cell) for cell in cells]

    return [
        Column(
            column.head,
            plain(column.cells),
            None if column.short is None else plain(column.short),
            column.rank,
            column.left,
        )
        for column in grid.columns
    ]


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
    parts: list[Sequence[str]] = []
    for column in columns:
        table.add_column(column.head, justify="left" if column.left else "right", no_wrap=True)
        parts.append(column.short if short and column.short is not None else column.cells)
    for row, name in enumerate(names):
        table.add_row(Text(name), *(_text(part[row]) for part in parts))
    return table


def _text(cell: str) -> Text:
    from rich.text import Text

    return Text(cell, style=_STYLES[cell.tone] if isinstance(cell, Toned) else "")


def _width(console: Console, table: Table) -> int:
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=1 << 20), table).maximum


def put_result(
    answer: Answer | None, rest: Callable[[], None] | None = None, *, details: bool
) -> None:
    """Print a result: its answer, and with `--details` everything else.

    Args:
        answer: The answer; None if nothing is finished.
        rest: Prints what follows the answer with `--details`.
        details: Whether `--details` was given.
    """
    if answer is not None:
        put_answer(answer, details=details)
    if rest is not None and (answer is None or details):
        rest()


def put_seed(document: Mapping[str, Any]) -> None:
    """Print what a result can be repeated with."""
    screen().print(f"\nseed {document['seed']}, airtcp {document['airtcp_version']}")


__all__ = ["fitted", "put_answer", "put_grid", "put_result", "put_seed", "width"]
