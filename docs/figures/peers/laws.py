"""Tables of single laws beside their peers, from the numbers of `table.py`: goodput by random loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    Numbers = Mapping[str, pl.DataFrame]


def _row(name: str, frame: pl.DataFrame, at: dict[str, object], column: str, losses: int) -> str:
    """A line of means in Mb/s, at the first so many losses."""
    own = frame.filter(*(pl.col(key) == value for key, value in at.items()))
    means = own.group_by("loss").agg(pl.mean(column)).sort("loss")[column][:losses]
    scale = 1e6 if column == "goodput_bps" else 1
    return f"| {name} | " + " | ".join(f"{mean / scale:.2f}" for mean in means) + " |"


def _table(
    numbers: Numbers, rows: list[tuple[str, str, str]], losses: int, rtts: tuple[int, ...] = (80,)
) -> str:
    """Lay out rows of a name, the file it is in (ours, ns2 or ns3), and the name there."""
    shown = numbers["peers/goodput.csv"]["loss"].unique().sort()[:losses]
    titles = [f"{100 * loss:g} %" if loss else "0" for loss in shown]
    first = ["", "RTT"] if len(rtts) > 1 else [""]
    lines = [f"| {' | '.join([*first, *titles])} |", "|---" * (len(first) + losses) + "|"]
    for rtt in rtts:
        for name, file, there in rows:
            column = "airtcp_mbps" if file == "goodput" else "goodput_bps"
            label = f"{name} | {rtt} ms" if len(rtts) > 1 else name
            at = {"tcp": there, "rtt_ms": rtt}
            lines.append(_row(label, numbers[f"peers/{file}.csv"], at, column, losses))
    return "\n".join(lines)


def hybla(numbers: Numbers) -> str:
    """Hybla and Linux's in ns-2."""
    rows = [("`hybla`", "goodput", "hybla"), ("ns-2's TCP/Linux", "ns2", "linux:hybla")]
    return _table(numbers, rows, 7)


def veno(numbers: Numbers) -> str:
    """Veno, Linux's in ns-2, and that of ns-3."""
    rows = [
        ("`veno`", "goodput", "veno"),
        ("ns-2's TCP/Linux", "ns2", "linux:veno"),
        ("ns-3 (reset count, decrease without SACKed data)", "ns3", "TcpVeno"),
    ]
    return _table(numbers, rows, 7)


def vegas(numbers: Numbers) -> str:
    """Both sets of parameters, ns-2's own and Linux's in ns-2."""
    rows = [
        ("`1995`", "goodput", "vegas"),
        ("ns-2's Vegas", "ns2", "Vegas"),
        ("`linux`", "goodput", "vegas-linux"),
        ("Linux 2.6.22 in ns-2", "ns2", "linux:vegas"),
    ]
    return _table(numbers, rows, 7)


def cubic(numbers: Numbers) -> str:
    """CUBIC and that of 2008, Linux's in ns-2, and that of ns-3."""
    rows = [
        ("`cubic`", "goodput", "cubic"),
        ("`cubic-2008`", "goodput", "cubic-2008"),
        ("Linux in ns-2", "ns2", "linux:cubic"),
        ("ns-3", "ns3", "TcpCubic"),
    ]
    return _table(numbers, rows, 6, (80, 200))
