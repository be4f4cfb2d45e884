"""The tables of docs/models/sliding.md and docs/models/lt-tcp.md that follow from remedies.csv and sharing.csv."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    Numbers = Mapping[str, pl.DataFrame]

CHANNELS: Final = ["independent", "bursts of 10 ms", "bursts of 50 ms"]
LOSSES: Final = [0.1, 0.2, 0.3, 0.5]
#: Title, quantity, digits, least or greatest value, greatest loss for which the aim holds, and what stands in brackets.
AIMS: Final = [
    ("bulk, of (1-p)C: at least 0.90", "goodput_share", 2, (0.9, None), 0.5, None),
    ("mean queue, ms: below 10 (95 %)", "queue_ms", 1, (None, 10.0), 0.5, "queue_p95_ms"),
    (
        "p90 of 100 kB over its loss-free time: at most 1.5 up to 30 %",
        "short_p90_ratio",
        2,
        (None, 1.5),
        0.3,
        None,
    ),
    (
        "link bytes per byte, times (1-p): at most 1.3, bulk",
        "link_bytes",
        2,
        (None, 1.3),
        0.5,
        None,
    ),
    (
        "link bytes per byte, times (1-p): at most 1.3, 100 kB",
        "short_link_bytes",
        2,
        (None, 1.3),
        0.5,
        None,
    ),
]
BOUND: Final = "told of losses at once (bound)"
#: Of the page and of the file.
SCHEMES: Final = {
    "sliding": "sliding",
    'sliding, `coding = "off"`': "sliding, no coding",
    "LT-TCP": "LT-TCP",
    "LT-TCP, the queue marks (RED 25, 90)": "LT-TCP, marks",
    "LT-TCP over LL-HARQ": "LT-TCP over LL-HARQ",
    "LT-TCP over LL-HARQ, the queue marks": "LT-TCP over LL-HARQ, marks",
    "SACK over LL-HARQ": "SACK over LL-HARQ",
    "SACK over LL-ARQ, missing fragments again": "SACK over LL-ARQ",
    "TCP with 30 % of FEC": "TCP with 30 % of FEC",
    "SACK": "SACK",
    "CUBIC": "CUBIC",
    "BBR (version 1)": "BBR version 1",
    "BBR (version 3)": "BBR version 3",
}
DELAYS: Final = {
    "independent": ("sliding", "independent"),
    "bursts of 10 ms": ("sliding", "bursts of 10 ms"),
    "bursts of 50 ms": ("sliding", "bursts of 50 ms"),
    "LT-TCP over LL-HARQ, independent": ("LT-TCP over LL-HARQ", "independent"),
    "SACK over LL-HARQ, independent": ("SACK over LL-HARQ", "independent"),
    "LT-TCP, independent": ("LT-TCP", "independent"),
}
#: A transfer that takes longer is counted with this, in seconds.
LONGEST: Final = 120.0
PAIRS: Final = {
    "LT-TCP and SACK, RED with ECN": ("LT-TCP, queue marks", "SACK"),
    "LT-TCP and SACK, drop-tail": ("LT-TCP, queue drops", "SACK"),
    "LT-TCP and SACK, ECN not negotiated": ("LT-TCP, ECN not agreed on", "SACK"),
    "LT-TCP and CUBIC, RED with ECN": ("LT-TCP, queue marks", "CUBIC"),
    "LT-TCP and CUBIC, drop-tail": ("LT-TCP, queue drops", "CUBIC"),
    "LT-TCP and CUBIC, ECN not negotiated": ("LT-TCP, ECN not agreed on", "CUBIC"),
    "LT-TCP with CUBIC's law and CUBIC, RED with ECN": (
        "LT-TCP with CUBIC's law, queue marks",
        "CUBIC",
    ),
    "LT-TCP with CUBIC's law and CUBIC, drop-tail": (
        "LT-TCP with CUBIC's law, queue drops",
        "CUBIC",
    ),
    "LT-TCP with the papers' response and SACK, without ECN": (
        "LT-TCP of the papers, no ECN",
        "SACK",
    ),
    "SACK and SACK, drop-tail": ("SACK, queue drops", "SACK"),
    "SACK and CUBIC, drop-tail": ("SACK, queue drops", "CUBIC"),
}
TRIPS: Final = {
    "LT-TCP, RED with ECN": "LT-TCP, queue marks",
    "LT-TCP, drop-tail": "LT-TCP, queue drops",
    "LT-TCP with CUBIC's law, RED with ECN": "LT-TCP with CUBIC's law, queue marks",
    "SACK, RED with ECN": "SACK, queue marks",
    "SACK, drop-tail": "SACK, queue drops",
    "CUBIC, RED with ECN": "CUBIC, queue marks",
    "CUBIC, drop-tail": "CUBIC, queue drops",
    "[sliding](sliding.md)": "sliding",
}

Found = dict[str, float]


class _Rows:
    """Rows of a file by what they are about."""

    def __init__(self, frame: pl.DataFrame, *keys: str) -> None:
        # Losses of bulk and of rivals are the same numbers, but not always the same kind.
        self._rows = {
            tuple(row[k] if k != "loss" else round(float(row[k]), 6) for k in keys): row
            for row in frame.iter_rows(named=True)
        }

    def __call__(self, *at: str | float) -> Found:
        return self._rows[at]


def _part(numbers: Numbers, name: str) -> pl.DataFrame:
    return numbers["sharing.csv"].filter(pl.col("part") == name)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        f"|{'|'.join(cells)}|" if cells[0] == "---" else f"| {' | '.join(cells)} |"
        for cells in lines
    )


def _misses(value: float, limits: tuple[float | None, float | None]) -> bool:
    least, most = limits
    return (least is not None and value < least) or (most is not None and value > most)


def _verdict(
    found: dict[float, Found], limits: tuple[float | None, float | None], digits: int
) -> str:
    """Say where the aim is missed, and the intervals that have the limit in them."""
    missed = [f"{100 * p:.0f}" for p, row in found.items() if _misses(row["value"], limits)]
    limit = limits[0] if limits[0] is not None else limits[1]
    assert limit is not None
    near = [
        f"{row['low']:.{digits}f} to {row['high']:.{digits}f} at {100 * p:.0f} %"
        for p, row in found.items()
        if row["low"] < limit < row["high"]
    ]
    said = f"missed at {', '.join(missed)} %" if missed else "met"
    return said + (f" ({', '.join(near)})" if near else "")


def aims(numbers: Numbers) -> str:
    """What sliding reaches of each aim, and what a sender told of losses at once would."""
    at = _Rows(numbers["remedies.csv"], "scheme", "quantity", "channel", "case", "loss")
    rows = []
    for title, quantity, digits, limits, up_to, more in AIMS:
        first = title
        for case in ["forward", "both ways"]:
            for channel in CHANNELS:
                found = {p: at("sliding", quantity, channel, case, p) for p in LOSSES}
                cells = []
                for p, row in found.items():
                    text = f"{row['value']:.{digits}f}"
                    if p <= up_to and _misses(row["value"], limits):
                        text = f"**{text}**"
                    if more:
                        text += f" ({at('sliding', more, channel, case, p)['value']:.0f})"
                    cells.append(text)
                held = {p: row for p, row in found.items() if p <= up_to}
                where = channel + (", both" if case == "both ways" else "")
                rows.append([first, where, *cells, _verdict(held, limits, digits)])
                first = ""
        if quantity == "short_p90_ratio":
            first = "*bound*, losses of data"
            for channel in CHANNELS:
                bound = [at(BOUND, quantity, channel, "forward", p)["value"] for p in LOSSES]
                rows.append([first, channel, *(f"{b:.2f}" for b in bound), ""])
                first = ""
    return _table(["aim", "", "10 %", "20 %", "30 %", "50 %", ""], rows)


def delays(numbers: Numbers) -> str:
    """How long bytes of bulk data take from leaving first to delivery in order."""
    at = _Rows(numbers["remedies.csv"], "scheme", "quantity", "channel", "case", "loss")
    rows = []
    for name, (scheme, channel) in DELAYS.items():
        cells = [
            " / ".join(
                f"{at(scheme, f'delay_{share}_ms', channel, 'forward', p)['value']:.0f}"
                for share in ("p50", "p99")
            )
            for p in LOSSES
        ]
        rows.append([name, *cells])
    return _table(["", "10 %", "20 %", "30 %", "50 %"], rows)


def _seconds(value: float) -> str:
    if value >= LONGEST:
        return f"over {LONGEST:.0f}"
    return f"{value:.2f}" if value < 2 else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def schemes(numbers: Numbers) -> str:
    """Of every scheme bulk, queue, short transfers and what is left to CUBIC."""
    at = _Rows(numbers["remedies.csv"], "scheme", "quantity", "channel", "case", "loss")
    rows = []
    for title, scheme in SCHEMES.items():
        bulk = [
            " / ".join(
                f"{at(scheme, 'goodput_share', channel, 'forward', p)['value']:.2f}"
                for p in [0.1, 0.3, 0.5]
            )
            for channel in ["independent", "bursts of 50 ms"]
        ]
        queue = at(scheme, "queue_ms", "independent", "forward", 0.0)["value"]
        short = " / ".join(
            _seconds(at(scheme, "short_p90_s", "independent", "forward", p)["value"])
            for p in [0.0, 0.1, 0.3, 0.5]
        )
        left = at(scheme, "second", "none", "CUBIC", 0.0)["value"]
        rows.append([title, *bulk, f"{queue:.0f}", short, f"{left:.2f}"])
    head = ["", "bulk 10 / 30 / 50 %", "bulk, bursts of 50 ms", "queue (ms)"]
    return _table([*head, "p90 of 100 kB, 0 / 10 / 30 / 50 %", "CUBIC"], rows)


def beside(numbers: Numbers) -> str:
    """Shares of the first flow and of the one beside it."""
    at = _Rows(_part(numbers, "beside"), "scheme", "case", "quantity")
    names = ["sliding", "BBR (version 3)", "BBR (version 1)", "CUBIC", "SACK"]
    rows = [
        [
            name,
            *(
                " and ".join(
                    f"{at(SCHEMES[name], case, flow)['value']:.2f}" for flow in ("first", "second")
                )
                for case in ["CUBIC", "SACK", "itself"]
            ),
        ]
        for name in names
    ]
    return _table(["first flow", "second: CUBIC", "second: SACK", "second: the same kind"], rows)


def pairs(numbers: Numbers) -> str:
    """Shares of LT-TCP and of a TCP beside it, by losses."""
    at = _Rows(_part(numbers, "lt"), "scheme", "case", "quantity", "loss")
    rows = [
        [
            name,
            *(
                ", ".join(f"{at(*pair, flow, p)['value']:.2f}" for flow in ("first", "second"))
                for p in [0.0, 0.01, 0.1]
            ),
        ]
        for name, pair in PAIRS.items()
    ]
    return _table(["pair", "0", "1 %", "10 %"], rows)


def round_trips(numbers: Numbers) -> str:
    """Goodput of the shorter round trip over that of the longer one."""
    at = _Rows(_part(numbers, "rtt"), "scheme", "case", "quantity", "loss")
    cases = ["40 and 80 ms", "40 and 160 ms", "80 and 160 ms"]
    rows = []
    for name, scheme in TRIPS.items():
        cells = [[at(scheme, case, "ratio", p)["value"] for p in (0.0, 0.1)] for case in cases]
        rows.append([name, *(f"{clean:.1f} ({lossy:.1f})" for clean, lossy in cells)])
    return _table(["", *cases], rows)
