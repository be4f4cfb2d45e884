"""The first screen of a page: the answer, one chart, one table; every other section is folded.

Works on the page that its template has made, in which all text of results is escaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.plain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.words.grid import Grid
    from airtcp.words.sentences import Finding

ROWS: Final = 10
"""Rows of the table before a reader asks for the others."""
CARD_WORDS: Final = 30
"""Most words of a card before a reader asks for the rest."""
CHART: Final = "<!-- chart -->"
"""Where the chart beside the answer stands."""

_SECTION: Final = re.compile(
    r'<section id="(?P<id>[^"]*)">\s*<div class="head">(?P<head>.*?)</div>'
    r"(?P<body>.*?)</section>\n?",
    re.DOTALL,
)
_NO_PLOTS: Final = re.compile(r'<div class="plots">\s*</div>\n?')
_CONTENT: Final = re.compile(r"<(?:figure|table|dl|pre|article|p|ul)\b")


def with_chart(page: str, name: str) -> str:
    """Move a chart of the page beside the answer.

    Args:
        page: The page.
        name: The name of the chart; a page without it has none there.
    """
    figure = re.search(
        rf'<figure class="plot[^>]*data-chart="{re.escape(name)}".*?</figure>\n?', page, re.DOTALL
    )
    if figure is None:
        return page.replace(CHART, "", 1)
    rest = page.replace(figure[0], "", 1)
    return rest.replace(CHART, figure[0].replace('class="plot', 'class="first plot', 1), 1)


def folded(page: str) -> str:
    r"""Fold every section into a line; one without content goes.

    Args:
        page: The page.

    >>> folded('<section id="a"><div class="head"><h2>A</h2></div><p>x</p></section>')
    '<details class="part" id="a"><summary><h2>A</h2></summary><p>x</p></details>\n'
    """

    def fold(found: re.Match[str]) -> str:
        body = _NO_PLOTS.sub("", found["body"])
        if not _CONTENT.search(body):
            return ""
        summary = f"<summary>{found['head']}</summary>"
        return f'<details class="part" id="{found["id"]}">{summary}{body}</details>\n'

    return _SECTION.sub(fold, page)


@dataclass(frozen=True)
class Card:
    """A finding on a card: as many words as one reads at a glance, and the rest behind them."""

    tone: str
    headline: str
    text: str
    rest: str


def card(finding: Finding) -> Card:
    """Lay a finding out on a card.

    Args:
        finding: The finding.
    """
    words = finding.text.split(" ")
    room = max(CARD_WORDS - len(finding.headline.split()), 0)
    if len(words) <= room:
        return Card(finding.tone, finding.headline, finding.text, "")
    return Card(finding.tone, finding.headline, "", finding.text)


def laid(grid: Grid) -> Mapping[str, Any]:
    """Lay a table out for the page: cells with what sorts them, and rows beyond the first.

    Args:
        grid: The table, with all rows.
    """
    rows = [
        [(printable(name), name)]
        + [
            (column.cells[row], column.keys[row] if column.keys else column.cells[row])
            for column in grid.columns
        ]
        for row, name in enumerate(grid.names)
    ]
    return {
        "title": grid.title,
        "head": [(grid.head, True), *((column.heading, column.left) for column in grid.columns)],
        "first": rows[:ROWS],
        "rest": rows[ROWS:],
    }
