"""Tables of remedies for `compare` and `study`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.cli.remarks import put_finding, put_findings, put_remarks

if TYPE_CHECKING:
    from rich.console import Console

    from airtcp.cli.tables import Column
    from airtcp.data.documents import Remedies


def section(console: Console, remedies: Remedies) -> None:
    """Print the table of remedies and the findings about them.

    Args: console: Where to print. remedies: The remedies on one scenario or link.
    """
    from rich.text import Text

    from airtcp.questions.compare import findings_remedies as remedies_words

    findings = remedies_words.findings(remedies)
    console.print(Text(remedies_words.TITLES[remedies["aim"]], style="bold"))
    put_finding(console, findings[0])
    _rows(console, remedies)
    put_findings(console, findings[1:])
    put_remarks(console, remedies["notes"])
    console.print()


def table(console: Console, remedies: Remedies) -> None:
    """Print the table of remedies under a heading."""
    from rich.text import Text

    from airtcp.questions.compare import findings_remedies as remedies_words

    console.print(Text(remedies_words.TITLES[remedies["aim"]], style="bold"))
    _rows(console, remedies)


def _rows(console: Console, remedies: Remedies) -> None:
    from airtcp.cli.tables import put

    names = [outcome["variant"] for outcome in remedies["outcomes"]]
    put(console, "remedy", names, _columns(remedies))


def _columns(remedies: Remedies) -> list[Column]:
    from airtcp.questions.compare import findings as compare
    from airtcp.questions.compare.tables_columns import against, means, plain
    from airtcp.words import columns as metrics

    outcomes = remedies["outcomes"]
    values, units = zip(*(compare.goodput(outcome) for outcome in outcomes), strict=True)
    columns = [
        means(f"goodput\n({units[0]})", values, 1.0),
        against(remedies["reference"], outcomes),
        *(plain(metric, outcomes) for metric in metrics.remedies()),
    ]
    return [column for column in columns if column is not None]
