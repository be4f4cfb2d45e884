"""The table of remedies, for `compare` and `study`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare import quantities
from airtcp.questions.compare.tables_columns import against, means, places, plain
from airtcp.words import columns as metrics
from airtcp.words.grid import Grid

if TYPE_CHECKING:
    from airtcp.data.documents import Remedies


def grid(remedies: Remedies, title: str | None = None) -> Grid:
    """Return the table of remedies on one scenario or link, with every column.

    Args:
        remedies: The remedies.
        title: The title of the table; by default what the remedies are against.
    """
    outcomes = remedies["outcomes"]
    values, units = zip(*(quantities.goodput(outcome) for outcome in outcomes), strict=True)
    columns = [
        means(f"goodput\n({units[0]})", values, 1.0),
        against(remedies["reference"], outcomes),
        places(remedies),
        *(plain(metric, outcomes) for metric in metrics.remedies()),
    ]
    names = [outcome["variant"] for outcome in outcomes]
    title = remedies_words.TITLES[remedies["aim"]] if title is None else title
    return Grid("remedy", names, [column for column in columns if column is not None], title)
