"""Tables in terminals of any width: names stay readable, numbers stay whole."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from airtcp.cli.show import fitted
from airtcp.words.grid import Column, Grid, elided

NAMES = ["measured-over-the-river-1", "measured-over-the-river-2"]
COLUMNS = [
    Column("packets", ["100 000", "300"], rank=2),
    Column("PRR", ["0.370 [0.349, 0.392]", "0.5 [0.4, 0.6]"], ["0.370", "0.5"]),
    Column("class", ["intermediate", "good"], rank=1, left=True),
]


def _shown(width: int) -> tuple[list[str], list[str]]:
    out = io.StringIO()
    console = Console(file=out, width=width)
    table, gone = fitted(console, Grid("link", NAMES, COLUMNS), console.width)
    console.print(table)
    return out.getvalue().splitlines(), gone


@pytest.mark.parametrize(
    ("width", "gone"),
    [(100, []), (60, []), (45, ["packets"]), (30, ["packets", "class"])],
)
def test_detail_goes_before_columns_and_columns_before_names(width: int, gone: list[str]) -> None:
    lines, left_out = _shown(width)
    assert left_out == gone
    assert max(map(len, lines)) <= width
    # A row per link, with complete numbers and distinct names.
    rows = [line for line in lines if "0.370" in line or "0.5" in line]
    assert len(rows) == 2
    assert [row.split()[0][-3:] for row in rows] == ["r-1", "r-2"]


def test_a_wide_terminal_shows_intervals() -> None:
    assert any("[0.349, 0.392]" in line for line in _shown(100)[0])
    assert not any("[" in line for line in _shown(60)[0])


@pytest.mark.parametrize("width", range(3, 30))
def test_elided_names_have_the_width_asked_for(width: int) -> None:
    assert len(elided(NAMES[0], width)) == min(width, len(NAMES[0]))
    assert elided(NAMES[0], width)[-1] == NAMES[0][-1]
