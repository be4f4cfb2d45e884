"""Gilbert-Elliott chains: longest bursts, and what a channel asked for gives."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Final

import altair as alt
import laws
import polars as pl
import simulate
import style

import airtcp

PACKETS: Final = 100_000
REPLICAS: Final = 20


def longest_burst() -> dict[str, Any]:
    """Longest success burst of true chains against the closed form."""
    table = []
    for prr in [0.2, 0.4, 0.6, 0.8]:
        for mu in [0.0, 0.2, 0.4, 0.6, 0.8, 0.9]:
            with simulate.folder() as home:
                for seed in range(REPLICAS):
                    path = Path(home) / f"{seed:02}.txt"
                    airtcp.synth(path, prr=prr, mu=mu, packets=PACKETS, seed=seed + 1)
                links = airtcp.stats(home)["links"]
            longest = pl.Series([link["longest_success_burst"] for link in links])
            mode, mean, deviation = laws.longest_success(PACKETS, prr, mu)
            table.append(
                {
                    "prr": prr,
                    "mu": mu,
                    "mean": longest.mean(),
                    "deviation": longest.std(),
                    "least": longest.min(),
                    "greatest": longest.max(),
                    "closed_form_mode": mode,
                    "closed_form_mean": mean,
                    "closed_form_deviation": deviation,
                }
            )
    frame = pl.DataFrame(table)
    return style.drawn("longest-burst", _longest_chart(frame), frame)


def _longest_chart(frame: pl.DataFrame) -> alt.LayerChart:
    lines = pl.DataFrame(
        [
            {
                "prr": f"{prr:.1f}",
                "mu": mu / 100,
                "mode": laws.longest_success(PACKETS, prr, mu / 100)[0],
            }
            for prr in [0.2, 0.4, 0.6, 0.8]
            for mu in range(93)
        ]
    )
    points = frame.with_columns(
        prr=pl.col("prr").round(1).cast(pl.String),
        low=pl.col("mean") - pl.col("deviation"),
        high=pl.col("mean") + pl.col("deviation"),
    )
    colour = alt.Color(
        "prr:N",
        title="PRR",
        sort="descending",
        scale=alt.Scale(domain=["0.8", "0.6", "0.4", "0.2"], range=style.RAMP[::-1]),
    )
    x = alt.X("mu:Q", title="burstiness (mu)", axis=alt.Axis(grid=False))
    y = style.log_axis(
        "longest success burst (packets)",
        [5, 10, 20, 50, 100, 200, 500],
        domain=[5, 600],
        nice=False,
    )
    line = (
        alt.Chart(style.rows(lines)).mark_line().encode(x=x, y=alt.Y("mode:Q", **y), color=colour)
    )
    base = alt.Chart(style.rows(points))
    bars = base.mark_rule().encode(x=x, y="low:Q", y2="high:Q", color=colour)
    marks = base.mark_point().encode(x=x, y="mean:Q", color=colour)
    return (line + bars + marks).properties(
        width=480,
        height=320,
        title=alt.Title(
            "Longest success burst of a Gilbert-Elliott chain of 100 000 packets",
            subtitle="points: mean and standard deviation of 20 chains; lines: 1 + ln(n PRR b) / −ln(1 − b)",
        ),
    )


def _fates(loss: str, slots: int, folder: Path) -> list[bool]:
    """What a link does to a packet every millisecond.

    The packets are acknowledgements: data pass one a slot without loss, each is answered at
    once, and the capture at the sender shows which answers came through.
    """
    size = 48
    tcp = (
        f"mss = {size}, ack_every = 1, initial_window = 100000, dsack = false, "
        'rto_initial = "1000 s", rto_min = "1000 s", rto_max = "1000 s", receive_buffer = "64 MB"'
    )
    text = (
        f'duration = "{slots + 2000} ms"\n[[links]]\nfrom = "a"\nto = "b"\n'
        f'queue = {{ kind = "drop-tail", packets = 100000 }}\nreverse = {{ loss = {loss} }}\n'
        f'[[flows]]\nfrom = "a"\nto = "b"\ntcp = {{ {tcp} }}\n'
        f'app = {{ kind = "constant-rate", rate = "{8 * size} kb/s", message = "{size} B" }}\n'
    )
    path = folder / "run.pcapng"
    seed, seen = 0, set[int]()
    while len(seen) <= 1:
        # A lost SYN-ACK would not be repeated before its timer of 1000 s: take the next channel.
        seed += 1
        simulate.run(text, pcap=path, seed=seed)
        seen = simulate.acknowledged(path)
    return [1 + size * (n + 1) in seen for n in range(slots)]


def _achieved(received: list[bool]) -> dict[str, float]:
    lost = [not got for got in received]
    starts = sum(now and not before for before, now in itertools.pairwise(lost)) + lost[0]
    return {"loss": sum(lost) / len(lost), "burst": sum(lost) / max(starts, 1)}


def asked_and_achieved() -> dict[str, Any]:
    """Mean loss and mean burst of the link's channel against what was asked for."""
    slots, table = 100_000, []
    with simulate.folder() as home:
        for loss in [0.01, 0.03, 0.1, 0.3]:
            for burst in [2, 5, 20]:
                for stepping in ["time", "slot"]:
                    model = (
                        f'{{ model = "gilbert-elliott", mean_loss = {loss}, mean_burst = {burst}, '
                        f'slot = "1 ms", stepping = "{stepping}" }}'
                    )
                    got = _achieved(_fates(model, slots, Path(home)))
                    g = 1 / burst
                    b = g * loss / (1 - loss)
                    mu = 1 - g - b
                    # Standard errors: of a share with correlation mu^k, of a mean of geometric lengths.
                    spread = (loss * (1 - loss) / slots * (1 + mu) / (1 - mu)) ** 0.5
                    runs = slots * loss / burst
                    table.append(
                        {
                            "stepping": stepping,
                            "loss_asked": loss,
                            "loss": got["loss"],
                            "loss_error": spread,
                            "burst_asked": burst,
                            "burst": got["burst"],
                            "burst_error": (burst * (burst - 1) / runs) ** 0.5,
                        }
                    )
    frame = pl.DataFrame(table)
    panels = [
        _panel(frame, "loss", "mean loss (%)", 100, [0.7, 40], "burst_asked"),
        _panel(frame, "burst", "mean loss burst (packets)", 1, [1.4, 32], "loss_asked"),
    ]
    chart = alt.hconcat(*panels, spacing=36).properties(
        title=alt.Title(
            "Gilbert-Elliott channel on a link: asked for and achieved",
            subtitle="100 000 packets each, one a slot; bars: 1.96 standard errors around what was achieved",
        )
    )
    return style.drawn("gilbert-elliott", chart, frame)


def _panel(
    frame: pl.DataFrame, what: str, title: str, factor: int, domain: list[float], other: str
) -> Any:
    # Points of one abscissa stand side by side: by the other parameter, then by stepping.
    ranks = {value: rank for rank, value in enumerate(sorted(set(frame[other])))}
    rank = pl.col(other).replace_strict(ranks, return_dtype=pl.Float64) - (len(ranks) - 1) / 2
    step = (pl.col("stepping") == "slot").cast(pl.Float64) - 0.5
    points = frame.select(
        "stepping",
        asked=pl.col(f"{what}_asked") * factor,
        x=pl.col(f"{what}_asked") * factor * (1 + 0.11 * rank + 0.05 * step),
        y=pl.col(what) * factor,
        low=(pl.col(what) - 1.96 * pl.col(f"{what}_error")) * factor,
        high=(pl.col(what) + 1.96 * pl.col(f"{what}_error")) * factor,
    )
    values = sorted(set(points["asked"]))
    ticks = alt.Chart(
        style.rows(
            pl.DataFrame(
                {"v": values, "l": [v * 0.78 for v in values], "h": [v * 1.28 for v in values]}
            )
        )
    )
    level = ticks.mark_rule(color=style.MUTED, strokeDash=[4, 3]).encode(x="l:Q", x2="h:Q", y="v:Q")
    base = alt.Chart(style.rows(points))
    scale = alt.Scale(type="log", domain=domain, nice=False)
    axis = alt.Axis(values=values, format="~g")
    x = alt.X("x:Q", title=f"{title} asked for", scale=scale, axis=axis)
    y = alt.Y("y:Q", title=f"{title} achieved", scale=scale, axis=axis)
    colour = alt.Color(
        "stepping:N",
        title="stepping",
        scale=alt.Scale(domain=["time", "slot"], range=style.SERIES[:2]),
    )
    bars = base.mark_rule().encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
    marks = base.mark_point(size=30).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape(
            "stepping:N", scale=alt.Scale(domain=["time", "slot"], range=["circle", "triangle-up"])
        ),
    )
    return (level + bars + marks).properties(width=310, height=290)
