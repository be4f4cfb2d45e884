"""How flows share a bottleneck of 10 Mb/s: beside SACK and CUBIC, and with other round trips."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import polars as pl
import remedies
import style

ROUND_TRIPS: Final = {
    "sliding": style.BLUE,
    "LT-TCP, queue marks": style.ORANGE,
    "LT-TCP, queue drops": "#e8a33d",
    "SACK, queue drops": style.GREEN,
    "CUBIC, queue drops": "#8b96a3",
}


def _points(rows: pl.DataFrame, colour: Any, x: alt.X, y: alt.Y, width: int) -> alt.LayerChart:
    base = alt.Chart(style.rows(rows)).encode(y=y, color=colour, yOffset=colour.shorthand)
    bars = base.mark_rule(clip=True).encode(x=alt.X("low:Q"), x2="high:Q")
    return (bars + base.mark_point(size=45, clip=True).encode(x=x)).properties(
        width=width, height=alt.Step(9)
    )


def draw() -> dict[str, Any]:
    """Shares beside SACK and CUBIC, and ratios of two round trips."""
    raw = remedies.measure("beside", "lt", "rtt")
    parts = {
        part: remedies.means(raw.filter(pl.col("part") == part)).with_columns(part=pl.lit(part))
        for part in ["beside", "lt", "rtt"]
    }
    left = parts["beside"].filter(
        (pl.col("quantity") == "second") & pl.col("case").is_in(["CUBIC", "SACK"])
    )
    order = left["scheme"].unique(maintain_order=True).to_list()
    shares = _points(
        left,
        alt.Color(
            "case:N",
            title="left to",
            scale=alt.Scale(domain=["CUBIC", "SACK"], range=[style.BLUE, style.ORANGE]),
        ),
        alt.X("value:Q", title="share of the link", scale=alt.Scale(domain=[0, 0.8])),
        alt.Y("scheme:N", title=None, sort=order),
        260,
    ).properties(title=alt.Title("Left to a TCP beside it, no loss", fontSize=12, offset=4))
    right = parts["rtt"].filter(
        (pl.col("quantity") == "ratio")
        & (pl.col("loss") == 0)
        & pl.col("scheme").is_in(list(ROUND_TRIPS))
    )
    trips = _points(
        right,
        alt.Color(
            "scheme:N",
            title="two of a kind",
            scale=alt.Scale(domain=list(ROUND_TRIPS), range=list(ROUND_TRIPS.values())),
        ),
        alt.X("value:Q", title="goodput, shorter / longer round trip", scale=alt.Scale(type="log")),
        alt.Y("case:N", title=None, sort=["40 and 80 ms", "40 and 160 ms", "80 and 160 ms"]),
        260,
    ).properties(title=alt.Title("Two round trips, no loss", fontSize=12, offset=4))
    chart = (
        alt.hconcat(shares, trips, spacing=40)
        .resolve_scale(color="independent", y="independent")
        .properties(
            title=alt.Title(
                "Sharing 10 Mb/s with a queue of 100 packets",
                subtitle="means over 100 s with 95 % intervals; beside: 15 runs, either or neither first",
            )
        )
    )
    return style.drawn("sharing", chart, pl.concat(list(parts.values())))
