"""What LT-TCP and SACK get of 10 Mb/s under independent losses (S0 figures 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt
import polars as pl
import simulate
import style

if TYPE_CHECKING:
    from collections.abc import Mapping

RUNS: Final = 8
LOSSES: Final = [0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
ROUND_TRIPS: Final = [10, 80, 200]
TRANSPORTS: Final = {"LT-TCP": style.ORANGE, "SACK": style.GREEN}


def _cell(transport: str, rtt_ms: int, loss: float) -> dict[str, object]:
    link = (
        f'rate = "10 Mb/s"\ndelay = "{rtt_ms / 2:g} ms"\n'
        'queue = { kind = "red", min = 25, max = 90, limit = 100, ecn = true }\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}'
    )
    text = simulate.transfer(link, "ecn = true", seconds=100, runs=RUNS)
    if transport == "LT-TCP":
        text += 'transport = "lt-tcp"\n'
    at = {"transport": transport, "rtt_ms": rtt_ms, "loss": loss}
    return at | simulate.goodput(text, RUNS)


def draw() -> dict[str, Any]:
    """Goodput over the losses of the link, a panel for each round trip."""
    rows = pl.DataFrame(
        [_cell(t, rtt, loss) for t in TRANSPORTS for rtt in ROUND_TRIPS for loss in LOSSES]
    )
    colour = alt.Color(
        "transport:N",
        title=None,
        scale=alt.Scale(domain=list(TRANSPORTS), range=list(TRANSPORTS.values())),
    )
    base = alt.Chart(style.rows(rows)).encode(
        x=alt.X("loss:Q", title="packets lost", axis=alt.Axis(format="%")), color=colour
    )
    bars = base.mark_rule().encode(y=alt.Y("low:Q", title="goodput (Mb/s)"), y2="high:Q")
    panels = [
        (bars + base.mark_line(point=True).encode(y="mbps:Q"))
        .transform_filter(f"datum.rtt_ms == {rtt}")
        .properties(width=215, height=220, title=alt.Title(f"{rtt} ms", fontSize=12, offset=4))
        for rtt in ROUND_TRIPS
    ]
    chart = alt.hconcat(*panels).properties(
        title=alt.Title(
            "LT-TCP keeps most of what the losses leave",
            subtitle="10 Mb/s, independent losses, RED that marks; 8 runs of 100 s; bars: 95 %",
        )
    )
    return style.drawn("lt-tcp-losses", chart, rows)


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Means by transport and round trip."""
    lines = [
        "| loss | " + " | ".join(f"{100 * loss:.0f} %" if loss else "0" for loss in LOSSES) + " |",
        "|---" * (len(LOSSES) + 1) + "|",
    ]
    for key, own in numbers["lt-tcp-losses.csv"].group_by(
        "transport", "rtt_ms", maintain_order=True
    ):
        transport, rtt = key
        name = f"{transport}, {rtt} ms" if rtt == ROUND_TRIPS[0] else f"{rtt} ms"
        cells = [f"{x:.3f}" if x < 0.01 else f"{x:.2f}" for x in own["mbps"]]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
