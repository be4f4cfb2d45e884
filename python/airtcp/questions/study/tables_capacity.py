"""Tables of links of varying capacity, for `study` and `trace stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from airtcp.data.documents import CapacityLink
    from airtcp.words.grid import Grid

_ROWS = 30


def table(console: Console, links: Sequence[Mapping[str, Any]]) -> None:
    """Print the capacity of each link, with notes."""
    from rich.text import Text

    from airtcp.cli.remarks import put_remarks
    from airtcp.cli.tables import Column, put
    from airtcp.words import sentences as words

    if not links:
        return
    shown = links[:_ROWS]

    def each(key: str, scale: float) -> list[str]:
        return [words.number(link[key] * scale) for link in shown]

    columns = [
        Column("mean\n(Mb/s)", each("mean_bps", 1e-6)),
        Column("5 %\n(Mb/s)", each("p5_bps", 1e-6)),
        Column("median\n(Mb/s)", each("p50_bps", 1e-6), rank=2),
        Column("95 %\n(Mb/s)", each("p95_bps", 1e-6), rank=1),
        Column("longest\noutage (ms)", each("longest_outage_s", 1e3)),
        Column("duration\n(s)", each("duration_s", 1.0), rank=3),
    ]
    put(console, "link", [link["name"] for link in shown], columns)
    if len(links) > _ROWS:
        console.print(f"{_ROWS} of {words.count(len(links))}; all are in --json")
    window = words.number(shown[0]["window_s"])
    legend = f"Capacity over time; 5 %, median and 95 % of windows of {window} s."
    console.print(Text(legend, style="dim"))
    put_remarks(console, dict.fromkeys(note for link in shown for note in link["notes"]))


def compared(links: Sequence[CapacityLink]) -> list[Grid]:
    """Return the tables of TCPs and remedies over one link, or an overview of several links."""
    from airtcp.questions.compare import tables as compare_tables
    from airtcp.questions.compare import tables_remedies as remedies

    cases = [(link["name"], case) for link in links if (case := link["compared"]) is not None]
    helped = links[0]["remedies"] if len(cases) == 1 else None
    return [*compare_tables.choices(cases), *([] if helped is None else [remedies.grid(helped)])]
