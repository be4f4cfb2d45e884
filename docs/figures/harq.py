"""Link protocols that always have frames to send: what they trade, and where capacity goes."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import polars as pl
import remedies
import style

GOES: Final = {
    "goodput_mbps": "delivered",
    "pfec_wasted_mbps": "parity ahead, not needed",
    "rfec_wasted_mbps": "repair, not needed",
    "rest_mbps": "filling, and frames given up",
}


def hidden() -> dict[str, Any]:
    """What S2's comparison hides: selective repeat carries more than LL-HARQ, later."""
    table = remedies.means(remedies.measure("arq"))
    busy = table.filter(pl.col("case") == "always busy")
    wide = busy.pivot(on="quantity", index=["scheme", "loss"], values="value").with_columns(
        label=pl.format("{} %", (100 * pl.col("loss")).round().cast(pl.Int64))
    )
    base = alt.Chart(style.rows(wide)).encode(
        x=alt.X(
            "in_order_ms:Q",
            title="mean latency until a frame goes up in order (ms)",
            scale=alt.Scale(type="log", domain=[10, 250]),
            axis=alt.Axis(values=[10, 20, 50, 100, 200]),
        ),
        y=alt.Y(
            "goodput_mbps:Q", title="goodput of the link (Mb/s)", scale=alt.Scale(domain=[0, 10])
        ),
        color=alt.Color(
            "scheme:N",
            title="",
            sort=wide["scheme"].unique(maintain_order=True).to_list(),
            scale=alt.Scale(range=style.SERIES[:3]),
        ),
    )
    chart = (
        base.mark_line(strokeWidth=1.2).encode(order="loss:Q")
        + base.mark_point()
        + base.mark_text(dx=8, dy=-8, fontSize=11).encode(text="label:N")
    ).properties(
        width=480,
        height=300,
        title=alt.Title(
            "What S2's comparison hides: sending only what is missing carries more, and later",
            subtitle="one link of 10 Mb/s and 10 ms that is always busy, frames of 1028 B, 20 units; "
            "labels: units lost",
        ),
    )
    return style.drawn("link-protocols", chart, table)


def parts() -> dict[str, Any]:
    """Where the capacity goes at 50 %, LL-HARQ and with its rules switched off."""
    table = remedies.means(remedies.measure("parts"))
    shown = table.filter(
        (pl.col("case") == "always busy")
        & (pl.col("loss") == 0.5)
        & pl.col("quantity").is_in(list(GOES))
    ).with_columns(
        goes=pl.col("quantity").replace_strict(GOES),
        rank=pl.col("quantity").replace_strict({quantity: i for i, quantity in enumerate(GOES)}),
    )
    order = shown["scheme"].unique(maintain_order=True).to_list()
    chart = (
        alt.Chart(style.rows(shown))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title="Mb/s of the 5 that arrive"),
            y=alt.Y("scheme:N", title=None, sort=order),
            color=alt.Color(
                "goes:N",
                title="",
                scale=alt.Scale(
                    domain=list(GOES.values()), range=[style.BLUE, *style.RAMP[:2], "#cccccc"]
                ),
            ),
            order="rank:Q",
        )
        .properties(
            width=460,
            height=290,
            title=alt.Title(
                "Where LL-HARQ's capacity goes at 50 % loss, and with its rules switched off",
                subtitle="one link of 10 Mb/s and 10 ms that is always busy",
            ),
        )
    )
    return style.drawn("harq-parts", chart, table)
