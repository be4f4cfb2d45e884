"""What is done about losses, compared: TCP, LT-TCP, link protocols and our sliding transport.

The runs are those of `crates/sim/examples/remedies`, which is built and run here; the intervals are
95 % over seeds (Student's t), for percentiles of transfers by order statistics.
"""

from __future__ import annotations

import io
import math
from typing import Any, Final

import altair as alt
import clairvoyant
import polars as pl
import simulate
import style

KEYS: Final = ["scheme", "channel", "case", "loss", "quantity"]
#: Student's t for 95 % by number of runs.
STUDENT: Final = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 15: 2.145}
CHANNELS: Final = {"independent": None, "bursts of 10 ms": 10.0, "bursts of 50 ms": 50.0}
BOUND: Final = "told of losses at once (bound)"
SHOWN: Final = {
    "sliding": style.BLUE,
    "LT-TCP": style.ORANGE,
    "LT-TCP over LL-HARQ": "#e8a33d",
    "SACK over LL-HARQ": style.GREEN,
    "SACK over LL-ARQ": "#7fae8c",
    "BBR version 1": style.PURPLE,
    "CUBIC": "#8b96a3",
    "TCP with 30 % of FEC": "#5c4033",
}


def measure(*parts: str) -> pl.DataFrame:
    """Run parts of the example; one row for each quantity of each run."""
    printed = simulate.example("airtcp-sim", "remedies", *parts)
    return pl.read_csv(io.StringIO(printed), schema_overrides={"loss": pl.Float64})


def means(raw: pl.DataFrame) -> pl.DataFrame:
    """Means with intervals."""
    table = raw.group_by(KEYS, maintain_order=True).agg(
        value=pl.col("value").mean(), deviation=pl.col("value").std(), runs=pl.len()
    )
    student = pl.col("runs").replace_strict(STUDENT, default=1.96)
    half = (student * pl.col("deviation") / pl.col("runs").sqrt()).fill_null(0.0)
    return table.select(
        *KEYS, "value", low=pl.col("value") - half, high=pl.col("value") + half, runs="runs"
    )


def _transfers(raw: pl.DataFrame) -> pl.DataFrame:
    """90th percentiles of transfers, in seconds and over those without loss of the same scheme."""
    times = raw.filter(pl.col("quantity") == "completion_s")
    rows = []
    clean: dict[str, float] = {}
    for key, group in times.group_by("scheme", "channel", "case", "loss", maintain_order=True):
        scheme, channel, case, loss = key
        values = group["value"].sort()
        n = len(values)
        spread = 1.96 * math.sqrt(0.09 * n)
        ranks = [int(0.9 * n), int(0.9 * n - spread), min(int(0.9 * n + spread) + 1, n - 1)]
        p90, low, high = (float(values[r]) for r in ranks)
        clean.setdefault(str(scheme), p90)
        for quantity, unit in [("short_p90_s", 1.0), ("short_p90_ratio", clean[str(scheme)])]:
            at = (scheme, channel, case, loss, quantity)
            rows.append(
                dict(zip(KEYS, at, strict=True))
                | {"value": p90 / unit, "low": low / unit, "high": high / unit, "runs": n}
            )
    carried = means(raw.filter(pl.col("quantity") == "link_bytes")).with_columns(
        quantity=pl.lit("short_link_bytes")
    )
    return pl.concat([pl.DataFrame(rows), carried], how="vertical_relaxed")


def _bounds() -> pl.DataFrame:
    rows = []
    for channel, burst in CHANNELS.items():
        for loss in [0.0, 0.1, 0.2, 0.3, 0.5]:
            seconds, ratio = clairvoyant.percentile90(loss, burst)
            for quantity, value in [("short_p90_s", seconds), ("short_p90_ratio", ratio)]:
                at = (BOUND, channel, "forward", loss, quantity)
                rows.append(
                    dict(zip(KEYS, at, strict=True))
                    | {"value": value, "low": value, "high": value, "runs": clairvoyant.TRANSFERS}
                )
    return pl.DataFrame(rows)


#: Aim: quantity, least or greatest value, at which losses.
AIMS: Final = {
    "bulk, of (1-p)C": ("goodput_share", 0.9, None, [0.1, 0.3, 0.5]),
    "standing queue (ms)": ("queue_ms", None, 10.0, [0.1, 0.3, 0.5]),
    "left to CUBIC": ("second", 0.4, None, [0.0]),
    "p90 of 100 kB over loss-free": ("short_p90_ratio", None, 1.5, [0.1, 0.2, 0.3]),
    "link bytes, bulk": ("link_bytes", None, 1.3, [0.1, 0.3, 0.5]),
    "link bytes, 100 kB": ("short_link_bytes", None, 1.3, [0.1, 0.3, 0.5]),
}


def aims(table: pl.DataFrame) -> pl.DataFrame:
    """Of each aim and scheme what was found, and whether that meets it."""
    rows = []
    for aim, (quantity, least, most, losses) in AIMS.items():
        of = table.filter((pl.col("quantity") == quantity) & pl.col("loss").is_in(losses))
        if quantity == "second":
            of = of.filter(pl.col("case") == "CUBIC")
        for row in of.iter_rows(named=True):
            met = (least is None or row["value"] >= least) and (
                most is None or row["value"] <= most
            )
            rows.append(
                {"aim": aim, "limit": least or most, "scheme": row["scheme"]}
                | {k: row[k] for k in ["channel", "case", "loss", "value", "low", "high"]}
                | {"met": met}
            )
    return pl.DataFrame(rows)


def _panel(table: pl.DataFrame, quantity: str, title: str, scale: alt.Scale) -> alt.HConcatChart:
    """A row of the figure: a quantity over loss, by channel."""
    colours = SHOWN | ({BOUND: style.INK} if quantity == "short_p90_ratio" else {})
    rows = table.filter(
        (pl.col("quantity") == quantity)
        & (pl.col("case") == "forward")
        & pl.col("scheme").is_in(list(colours))
    )
    # Without loss the channels are one.
    clean = rows.filter((pl.col("loss") == 0) & (pl.col("channel") == "independent"))
    panels = []
    for channel in CHANNELS:
        lossy = rows.filter((pl.col("channel") == channel) & (pl.col("loss") > 0))
        points = pl.concat([clean, lossy]).with_columns(x=100 * pl.col("loss"))
        base = alt.Chart(style.rows(points)).encode(
            x=alt.X("x:Q", title="loss (%)", axis=alt.Axis(grid=False, values=[0, 10, 20, 30, 50])),
            color=alt.Color(
                "scheme:N",
                title="",
                scale=alt.Scale(domain=[*SHOWN, BOUND], range=[*SHOWN.values(), style.INK]),
            ),
        )
        y = alt.Y("value:Q", title=title if channel == "independent" else None, scale=scale)
        line = base.mark_line(clip=True).encode(y=y)
        bars = base.mark_rule(clip=True).encode(y="low:Q", y2="high:Q")
        panels.append(
            (line + bars + base.mark_point(clip=True, size=30).encode(y=y)).properties(
                width=215, height=190, title=alt.Title(channel, fontSize=12, offset=4)
            )
        )
    return alt.hconcat(*panels)


def compare() -> dict[str, Any]:
    """Bulk, queue and short transfers of every scheme; the aims and whether they are met."""
    bulk, short, beside = measure("bulk"), measure("short"), measure("beside")
    table = pl.concat(
        [means(bulk), _transfers(short), _bounds(), means(beside)], how="vertical_relaxed"
    )
    rows = [
        ("goodput_share", "bulk, of (1-p)C", alt.Scale(domain=[0, 1])),
        ("queue_ms", "mean queue (ms)", alt.Scale(type="symlog", constant=10, domain=[0, 200])),
        ("short_p90_ratio", "p90 of 100 kB / loss-free", alt.Scale(type="log", domain=[1, 100])),
    ]
    chart = alt.vconcat(*(_panel(table, *row) for row in rows)).properties(
        title=alt.Title(
            "What is done about losses on a link of 10 Mb/s and 80 ms",
            subtitle="queue of 100 packets that only drops; bursts: everything is lost for exponential times "
            "of that mean; 5 runs of 60 s, 300 transfers; bars: 95 % intervals",
        )
    )
    return {"remedies-aims.csv": aims(table)} | style.drawn("remedies", chart, table)
