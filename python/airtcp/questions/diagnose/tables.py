"""The tables of a diagnosis: what each TCP would get, the link, the check, and the transfer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.diagnose import findings as words
from airtcp.questions.diagnose.findings import SOURCES, STATISTICS
from airtcp.words.grid import Column, Grid, elided
from airtcp.words.sentences import count, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.diagnose.document import DiagnoseDocument, Fitted, Prediction, Statistic

ROWS: Final = 6
"""Predictions in the table of an answer, beside that of the sender's own TCP."""
DIGITS: Final = 2
"""Digits of a goodput in an answer: predictions are not known better."""
_WHOLE: Final = 10.0
_NAME: Final = 24
_WIDE: Final = 3.0
"""Upper by lower end of an interval of goodputs that refutes nothing [choice]."""


def mbps(bps: float | None, digits: int = DIGITS) -> str:
    """Write a rate in Mb/s.

    >>> mbps(9.32e6), mbps(123.4e6), mbps(None)
    ('9.3', '120', 'unknown')
    """
    return number(None if bps is None else bps * 1e-6, digits)


def is_sharp(statistic: Statistic) -> bool:
    """Return whether the interval of a statistic is narrow enough to refute the replays.

    An interval from a third of the value to three times it agrees with nearly any transfer.
    """
    return statistic["high"] < _WIDE * statistic["low"]


def title(document: DiagnoseDocument) -> str:
    """Write which transfer is diagnosed, and where it was captured."""
    seen: Any = document["observed"]
    ends = f"{elided(seen['sender'], _NAME)} -> {elided(seen['receiver'], _NAME)}"
    flows = f", {seen['connections']} connections" if seen["connections"] > 1 else ""
    took = f"{number(seen['duration_s'])} s{flows}"
    return f"{ends}: {_size(seen['unique_bytes'])} in {took}, {words.PLACES[seen['place']]}"


def _size(sent: float) -> str:
    return f"{number(sent / 1e6)} MB" if sent >= 100_000 else f"{number(sent / 1e3)} kB"  # noqa: PLR2004


def predictions(document: DiagnoseDocument, most: int = ROWS, *, every: bool = False) -> Grid:
    """Return this transfer, what the best TCPs would get, and its own TCP again.

    Args:
        document: The document of a diagnosis.
        most: Most predictions beside that of its own TCP.
        every: Whether TCPs are listed that need something which the path may lack.
    """
    rows = document["predictions"]
    named = [row for row in rows if every or row["variant"] not in words.NEEDS]
    shown = [
        row for place, row in enumerate(named) if place < most or row["variant"] == document["tcp"]
    ]
    seen: Any = document["observed"]
    grid = _predictions(document, shown, DIGITS)
    first = [mbps(seen["goodput_bps"]), "", ""]
    columns = [
        Column(column.head, [cell, *column.cells], left=column.left)
        for cell, column in zip(first, grid.columns, strict=True)
    ]
    goodputs = [seen["goodput_bps"], *(row["goodput_bps"] or row["low"] for row in shown)]
    columns[0] = replace(columns[0], keys=goodputs)
    names = ["this transfer", *grid.names]
    return Grid("TCP", names, columns, title(document), len(rows) - len(shown))


def all_predictions(document: DiagnoseDocument) -> Grid:
    """Return what each TCP and remedy would get."""
    grid = _predictions(document, document["predictions"], 3)
    return Grid("TCP", grid.names, grid.columns, "All predictions")


def _predictions(document: DiagnoseDocument, rows: Sequence[Prediction], digits: int) -> Grid:
    columns = [
        Column("goodput (Mb/s)", [_middle(row, digits) for row in rows]),
        Column("90 % interval", [_ends(row, digits) for row in rows], left=True),
        Column("against this transfer", [words.verdict(document, row) for row in rows], left=True),
    ]
    return Grid("TCP", [row["variant"] for row in rows], columns)


def _middle(row: Prediction, digits: int) -> str:
    """Write the median; nothing if the link may be faster than the capture shows."""
    return "" if row["goodput_bps"] is None else mbps(row["goodput_bps"], digits)


def _ends(row: Prediction, digits: int) -> str:
    low = mbps(row["low"], digits)
    return f"{low} or more" if row["high"] is None else f"{low} to {mbps(row['high'], digits)}"


def link(document: DiagnoseDocument) -> Grid | None:
    """Return the measured link; none without a capture at the sender."""
    found = document["link"]
    if found is None:
        return None
    sources = found["sources"]
    rows: list[tuple[str, Fitted, float, str]] = [
        ("rate (Mb/s)", found["rate_bps"], 1e-6, sources["rate_bps"]),
        ("one-way delay (ms)", found["delay_s"], 1e3, sources["delay_s"]),
        ("queue (packets)", found["queue_packets"], 1.0, sources["queue_packets"]),
        ("loss of the link (%)", found["link_loss"], 100.0, sources["link_loss"]),
    ]
    columns = [
        Column("measured", [_number(fit["value"], scale) for _, fit, scale, _ in rows]),
        Column("95 % interval", [_interval(fit, scale) for _, fit, scale, _ in rows], left=True),
        Column("from", [SOURCES[source] for _, _, _, source in rows], left=True),
    ]
    return Grid("link", [name for name, _, _, _ in rows], columns, "The link")


def _number(value: float | None, scale: float) -> str:
    if value is not None and scale == 1.0:
        # A number of packets, of events or of losses: decimals only if it is small.
        return count(value) if value >= _WHOLE else number(value, 2)
    return number(None if value is None else value * scale)


def _interval(fit: Fitted, scale: float) -> str:
    low = _number(fit["low"], scale)
    return f"{low} or more" if fit["high"] is None else f"{low} to {_number(fit['high'], scale)}"


def _agreement(statistic: Statistic) -> str:
    if not statistic["inside"]:
        return "differs"
    if statistic["name"] == "goodput_bps" and not is_sharp(statistic):
        return "too wide to tell"
    return "agrees"


def check(document: DiagnoseDocument, name: str) -> Grid | None:
    """Return the statistics of the transfer beside those of its replays; none without replays."""
    replay = document["replay"]
    if replay is None:
        return None
    rows = [(STATISTICS[each["name"]], each) for each in replay["statistics"]]
    ends = [
        f"{number(each['low'] * scale)} to {number(each['high'] * scale)}"
        for (_, _, scale), each in rows
    ]
    columns = [
        Column("capture", [number(each["observed"] * scale) for (_, _, scale), each in rows]),
        Column("replays (99 %)", ends, left=True),
        Column("", [_agreement(each) for _, each in rows], left=True),
    ]
    return Grid("statistic", [head for (head, _, _), _ in rows], columns, name)


def transfer(document: DiagnoseDocument) -> Grid | None:
    """Return the transfer of which nothing is predicted; none if the capture has none."""
    seen = document["observed"]
    if seen is None:
        return None
    columns = [
        Column("MB", [number(seen["unique_bytes"] / 1e6)]),
        Column("time (s)", [number(seen["duration_s"])]),
        Column("goodput (Mb/s)", [mbps(seen["goodput_bps"])]),
        Column("captured", [words.PLACES[seen["place"]].removeprefix("captured ")], left=True),
    ]
    name = f"{elided(seen['sender'], 21)} -> {elided(seen['receiver'], 21)}"
    return Grid("transfer", [name], columns)
