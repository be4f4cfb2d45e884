"""The sentences around the tables: findings, notes on the traces, and files that were skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

    from airtcp.words.sentences import Finding


def put_finding(console: Console, finding: Finding, before: str = "") -> None:
    """Print a finding: its conclusion in bold, then its evidence.

    Args: console: Where to print. finding: The finding. before: Text before it.
    """
    from rich.text import Text

    console.print(Text.assemble((f"{before}{finding.headline}: ", "bold"), finding.text))


def put_findings(console: Console, findings: Iterable[Finding]) -> None:
    """Print findings as a list."""
    for finding in findings:
        put_finding(console, finding, "- ")


def put_notes(console: Console, links: Sequence[Mapping[str, object]]) -> None:
    """Print the notes on the traces."""
    from airtcp.words.notes import notes

    put_lines(console, notes(links))


def put_lines(console: Console, lines: Iterable[str]) -> None:
    """Print notes, one per line."""
    from rich.text import Text

    for line in lines:
        console.print(Text.assemble(("- Note: ", "bold"), line))


def put_remarks(console: Console, remarks: Iterable[str]) -> None:
    """Print notes on the table above."""
    from rich.text import Text

    for remark in remarks:
        console.print(Text(f"- {remark}", style="dim"))


def put_unread(console: Console, skipped: Sequence[Mapping[str, object]]) -> None:
    """Print the number of skipped files, and the reason of the first."""
    from rich.text import Text

    from airtcp.words import sentences as words

    if skipped:
        first = f"{skipped[0]['path']} ({skipped[0]['reason']})"
        console.print(Text(f"- {words.unread(len(skipped))}: {first}"))
