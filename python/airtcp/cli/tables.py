"""Tables of headings, names and columns for the terminal; `airtcp.cli.show` lays them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.cli import show
from airtcp.words.grid import STAY, Column, Grid, broken, elided, metric_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table


def fitted(
    console: Console, head: str, names: Sequence[str], columns: Sequence[Column]
) -> tuple[Table, list[str]]:
    """Lay a table out for the width of the console.

    Args: console: The console. head: Heading of the column of names. names: A name for each row.
        columns: The other columns, in order.

    Returns: The table, and the headings of the dropped columns.
    """
    return show.fitted(console, Grid(head, names, columns), console.width)


def put(console: Console, head: str, names: Sequence[str], columns: Sequence[Column]) -> None:
    """Print a table laid out for the console's width, and name the dropped columns.

    Args:
        console: Where to print.
        head: As for `fitted`.
        names: As for `fitted`.
        columns: As for `fitted`.
    """
    show.put_grid(console, Grid(head, names, columns), wide=console.width)


__all__ = ["STAY", "Column", "broken", "elided", "fitted", "metric_column", "put"]
