"""Tables as text: for a terminal, for a notebook, and as CSV."""

from __future__ import annotations

import html
import math
import re
from decimal import Decimal
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.plain import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_ROWS: Final = 10
_WIDTH: Final = 100
_LONGEST: Final = 32
_HTML_ROWS: Final = 60
_HTML_LONGEST: Final = 200
_MISSING: Final = "-"
_ELLIPSIS: Final = "…"
_LEAST_DECIMAL: Final = 1e-5
_LEAST_REPR: Final = 1e-4
_NEEDS_QUOTES: Final = re.compile(r'[",\r\n]')


def _short(value: Any, longest: int) -> str:
    if value is None:
        return _MISSING
    if isinstance(value, float):
        return f"{value:.6g}"
    text = printable(str(value))
    return text if len(text) <= longest else text[: longest - 1] + _ELLIPSIS


def _is_number(values: Sequence[Any]) -> bool:
    return not any(isinstance(value, str) for value in values)


def described(columns: Mapping[str, Sequence[Any]], rows: int) -> str:
    """Return the first rows, aligned, for a terminal.

    Args:
        columns: The first values of each column, at least ten if there are so many.
        rows: Number of rows of the whole table.
    """
    names = list(columns)
    lines = [""] * (min(rows, _ROWS) + 1)
    shown = 0
    for name, values in columns.items():
        cells = [_short(name, _LONGEST), *(_short(value, _LONGEST) for value in values[:_ROWS])]
        width = max(map(len, cells))
        if shown and len(lines[0]) + 2 + width > _WIDTH:
            break
        place = str.rjust if _is_number(values) else str.ljust
        gap = "  " if shown else ""
        lines = [line + gap + place(cell, width) for line, cell in zip(lines, cells, strict=True)]
        shown += 1
    if rows > _ROWS:
        lines.append(_ELLIPSIS)
    if shown < len(names):
        rest = ", ".join(map(printable, names[shown:]))
        lines.append(f"and {len(names) - shown} more columns: {rest}")
    head = f"Table: {_counted(rows, 'row')}, {_counted(len(names), 'column')}"
    return "\n".join(line.rstrip() for line in [head, *lines]).rstrip("\n")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def grid(columns: Mapping[str, Sequence[Any]], said: str) -> str:
    """Return columns as an HTML table with a line below it, every text escaped.

    Args:
        columns: The values of each column.
        said: The line.
    """

    def cell(tag: str, text: str, *, number: bool) -> str:
        return f'<{tag} style="text-align:{"right" if number else "left"}">{text}</{tag}>'

    def shown(value: Any) -> str:
        return html.escape(_short(value, _HTML_LONGEST))

    numeric = [_is_number(values) for values in columns.values()]
    head = "".join(
        cell("th", shown(name), number=number)
        for name, number in zip(columns, numeric, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            cell("td", shown(value), number=number)
            for value, number in zip(row, numeric, strict=True)
        )
        + "</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    return (
        f'<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table><p>{html.escape(said)}</p></div>"
    )


def as_html(columns: Mapping[str, Sequence[Any]], rows: int) -> str:
    """Return at most 60 rows as an HTML table, every text escaped.

    Args:
        columns: The first values of each column, at least 60 if there are so many.
        rows: Number of rows of the whole table.
    """
    count = f"{_counted(rows, 'row')}, {_counted(len(columns), 'column')}"
    if rows > _HTML_ROWS:
        count = f"the first {_HTML_ROWS} of {count}"
    return grid({name: values[:_HTML_ROWS] for name, values in columns.items()}, count)


def as_csv(
    columns: Mapping[str, Sequence[Any]], text: Callable[[str], str] = lambda value: value
) -> str:
    """Return all rows as CSV (RFC 4180, but lines end without a carriage return).

    A missing value is an empty cell, an empty text a pair of quotes. A number is the shortest text
    that gives the same number when it is read.

    Args:
        columns: All values of each column.
        text: Replaces a text before it is quoted.
    """

    def cell(value: Any) -> str:
        return _quoted(text(value)) if isinstance(value, str) else _number(value)

    cells = [list(map(cell, values)) for values in columns.values()]
    lines = [",".join(map(_quoted, columns)), *starmap(_line, zip(*cells, strict=True))]
    return "\n".join(lines) + "\n"


def _line(*cells: str) -> str:
    return ",".join(cells)


def _quoted(text: str) -> str:
    if text and not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if _LEAST_DECIMAL <= abs(value) < _LEAST_REPR:
        return format(Decimal(repr(value)), "f")
    return repr(value).replace("e-0", "e-")
