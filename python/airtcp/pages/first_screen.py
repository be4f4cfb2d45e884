"""The first screen of a page, as its template reads it: cards of findings, and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.plain import printable
from airtcp.pages import sent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.words.grid import Grid
    from airtcp.words.sentences import Finding

ROWS: Final = 10
"""Rows of a table before a reader asks for the others, which the script of the page adds."""
CARD_WORDS: Final = 30
"""Most words of a card before a reader asks for the rest."""


@dataclass(frozen=True)
class Card:
    """A finding on a card: as many words as one reads at a glance, and the rest behind them."""

    tone: str
    headline: str
    text: str
    rest: str


def card(finding: Finding) -> Card:
    """Lay a finding out on a card."""
    words = finding.text.split(" ")
    room = max(CARD_WORDS - len(finding.headline.split()), 0)
    if len(words) <= room:
        return Card(finding.tone, finding.headline, finding.text, "")
    return Card(finding.tone, finding.headline, "", finding.text)


def laid(grid: Grid, tables: sent.Tables) -> Mapping[str, Any]:
    """Lay a table out for the page: cells with what sorts them, and the place of the other rows."""
    short = grid.first(ROWS)
    rows = [
        [(printable(name), name)]
        + [
            (column.cells[row], column.keys[row] if column.keys else column.cells[row])
            for column in short.columns
        ]
        for row, name in enumerate(short.names)
    ]
    more = len(grid.names) - len(rows)
    return {
        "title": grid.title,
        "head": [(grid.head, True), *((column.heading, column.left) for column in grid.columns)],
        "rows": rows,
        "picks": grid.picks,
        "more": more,
        "rest": tables.add(sent.grid(grid, ROWS)) if more else "",
    }
