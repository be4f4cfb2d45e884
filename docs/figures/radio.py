"""Frame error rates over the SNR: the program's laws against the numbers of ns-3."""

from __future__ import annotations

import io
from typing import Any, Final

import altair as alt
import polars as pl
import simulate
import style

NS3: Final = simulate.ROOT / "crates/wifi/tests/data/ns3-success.csv"
LAWS: Final = {"nist": "OFDM, nist (default)", "yans": "OFDM, yans", "dsss": "DSSS and CCK"}
RATES: Final = [1, 2, 5.5, 11, 6, 9, 12, 18, 24, 36, 48, 54]
COLOURS: Final = [
    *style.RAMP,
    "#7a1f0a",
    "#b3441a",
    "#e08a3c",
    "#c9a227",
    "#7fae8c",
    "#2b7f97",
    "#1d3f72",
    "#5b2a78",
]


def frame_errors() -> dict[str, Any]:
    """Draw every law and rate, with what ns-3 gives at five SNR each."""
    printed = simulate.example("airtcp-wifi", "frame_errors")
    curves = pl.read_csv(io.StringIO(printed), infer_schema_length=None)
    theirs = pl.read_csv(NS3, comment_prefix="#").select(
        law="model", kbps="kbps", snr_db="snr_db", frame_error=1 - pl.col("success")
    )
    named = pl.col("law").replace_strict(LAWS)
    rate = pl.col("kbps") / 1000

    shown = curves.filter(pl.col("frame_error").is_between(1e-5, 1 - 1e-6))
    lines = alt.Chart(style.rows(shown.with_columns(law=named, rate=rate)))
    points = alt.Chart(style.rows(theirs.with_columns(law=named, rate=rate)))
    x = alt.X("snr_db:Q", title="SNR (dB)", scale=alt.Scale(domain=[-6, 26], nice=False))
    y = alt.Y("frame_error:Q", title="frame error rate", scale=alt.Scale(domain=[0, 1]))
    colour = alt.Color(
        "rate:N",
        title="Mb/s",
        sort=RATES,
        scale=alt.Scale(domain=RATES, range=COLOURS),
        legend=alt.Legend(columns=1),
    )
    line = lines.mark_line(clip=True).encode(x=x, y=y, color=colour)
    point = points.mark_point(clip=True, size=28).encode(x=x, y=y, color=colour)
    panels = [
        (
            line.transform_filter(alt.datum.law == name)
            + point.transform_filter(alt.datum.law == name)
        ).properties(width=520, height=150, title=alt.Title(name, fontSize=12.5))
        for name in LAWS.values()
    ]
    chart = alt.vconcat(*panels).properties(
        title=alt.Title(
            "Frames of 1500 bytes: lines as computed here, points as computed by ns-3.37",
            subtitle="five SNR for each rate, where 1 to 99.99 % of frames come through",
        )
    )
    table = curves.filter((pl.col("snr_db") * 2).round(6) == (pl.col("snr_db") * 2).round(0))
    return style.drawn("frame-errors", chart, table)
