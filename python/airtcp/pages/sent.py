"""The data of a page as they travel in it: columns instead of rows, many of them packed.

Rows that several charts share stand once. The script of the page makes rows of the columns again.
"""

from __future__ import annotations

import base64
import gzip
import json
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from airtcp.data.plain import is_printable_json, printable_values

if TYPE_CHECKING:
    from airtcp.words.grid import Grid

Rows: TypeAlias = list[dict[str, Any]]
_PLAIN: Final = 4000
"""Characters of JSON that are not worth packing."""
_AT_ONCE: Final = 50_000
"""Characters of the tables of a page that are not packed."""


class Tables:
    """Rows that are sent, each table once."""

    def __init__(self) -> None:
        """Begin without a table."""
        self._sent: list[Any] = []
        self._places: dict[int, int] = {}
        self._kept: list[Rows] = []

    def place(self, rows: Rows) -> int:
        """Return the place of a table, which is sent once."""
        if id(rows) not in self._places:
            self._places[id(rows)] = self.add(columns(rows))
            # While it is kept, no other table has its identity.
            self._kept.append(rows)
        return self._places[id(rows)]

    def add(self, value: Any) -> int:
        """Send a value, and return its place."""
        self._sent.append(value)
        return len(self._sent) - 1

    def packed(self) -> Any:
        """Return all tables as they stand in the page."""
        # A page is drawn as it loads if nothing has to be unpacked.
        return packed(self._sent, _AT_ONCE)


def columns(rows: Rows) -> Any:
    """Return rows as columns, which name each field once, if all have the same fields.

    >>> columns([{"t": 0, "rate": 1.5}, {"t": 1, "rate": 1.0}])
    {'t': [0, 1], 'rate': [1.5, 1.0]}
    >>> columns([{"t": 0}, {}])
    [{'t': 0}, {}]
    """
    fields = rows[0].keys() if rows else ()
    if not fields or any(row.keys() != fields for row in rows):
        return rows
    return {key: [row[key] for row in rows] for key in fields}


def packed(value: Any, plain: int = _PLAIN) -> Any:
    """Encode a value for `Page.unpack`: if it is large, JSON, compressed, in base64.

    Equal values give equal text. Level 9 takes four times as long as level 6 for 4 % less.
    """
    text = _json(value)
    if not is_printable_json(text):
        text = _json(printable_values(value))
    if len(text) < plain:
        return value
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def grid(table: Grid, start: int = 0) -> dict[str, Any]:
    """Return the rows of a table from one on, for the script of the page."""
    found: list[dict[str, Any]] = [{"cells": list(table.names[start:]), "left": True}]
    for column in table.columns:
        cells = list(column.cells[start:])
        sent: dict[str, Any] = {"cells": cells, "left": column.left}
        if column.keys is not None:
            sent["keys"] = [key if _finite(key) else None for key in column.keys[start:]]
        tones = [getattr(cell, "tone", "") for cell in cells]
        found.append(sent | ({"tones": tones} if any(tones) else {}))
    picks = {} if table.picks is None else {"picks": list(table.picks[start:])}
    return {"columns": found, **picks}


def _finite(key: float | str | None) -> bool:
    return not isinstance(key, float) or isfinite(key)
