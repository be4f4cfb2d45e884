"""The table of remedies, for `compare` and `study`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import findings as compare
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare.tables_columns import against, means, plain
from airtcp.words import columns as metrics
from airtcp.words.grid import Grid

if TYPE_CHECKING:
    from airtcp.data.documents import Remedies


def grid(remedies: Remedies) -> Grid:
    """Return the table of remedies on one scenario or link, with every column.

    Args:
        remedies: The remedies.
    """
    outcomes = remedies["outcomes"]
    values, units = zip(*(compare.goodput(outcome) for outcome in outcomes), strict=True)
    columns = [
        means(f"goodput\n({units[0]})", values, 1.0),
        against(remedies["reference"], outcomes),
        *(plain(metric, outcomes) for metric in metrics.remedies()),
    ]
    names = [outcome["variant"] for outcome in outcomes]
    title = remedies_words.TITLES[remedies["aim"]]
    return Grid("remedy", names, [column for column in columns if column is not None], title)
