"""S1's finding on synthetic links: what bursts do to TCP at equal packet reception ratio."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import altair as alt
import polars as pl
import simulate
import style

import airtcp

PACKETS: Final = 100_000
OPTIONS: Final[dict[str, Any]] = {"slot": "10 ms", "seed": 1}


def gain() -> dict[str, Any]:
    """TCP over chains less TCP over independent links, against mu (S1, figure 8)."""
    table = []
    with simulate.folder() as home:
        for prr in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]:
            for mu in [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]:
                airtcp.synth(
                    Path(home) / f"{prr} {mu}.txt", prr=prr, mu=mu, packets=PACKETS, seed=11
                )
        links = airtcp.study(home, replicas=20, **OPTIONS).json["links"]
    for link in links:
        prr, mu = (float(part) for part in link["name"].split())
        tcp = link["tcp"]
        bursty, even = tcp["gilbert_elliott"], tcp["independent"]
        rate = [ensemble["packets_per_second"] for ensemble in (bursty, even)]
        # Replicas that deliver next to nothing have no interval.
        halves = [None if r["ci_high"] is None else r["ci_high"] - r["mean"] for r in rate]
        half = None if None in halves else sum(h * h for h in halves) ** 0.5
        difference = rate[0]["mean"] - rate[1]["mean"]
        table.append(
            {
                "prr": prr,
                "mu": mu,
                "bursty": rate[0]["mean"],
                "independent": rate[1]["mean"],
                "difference": difference,
                "low": None if half is None else difference - half,
                "high": None if half is None else difference + half,
                "percent": 100 * difference / rate[1]["mean"],
                "timeouts_bursty": bursty["timeouts"]["mean"],
                "timeouts_independent": even["timeouts"]["mean"],
            }
        )
    frame = pl.DataFrame(table, infer_schema_length=None).sort("prr", "mu")
    return style.drawn("burst-gain", _gain_chart(frame), frame)


def _gain_chart(frame: pl.DataFrame) -> alt.HConcatChart:
    x = alt.X(
        "mu:Q",
        title="burstiness (mu)",
        scale=alt.Scale(domain=[-0.03, 0.95], nice=False),
        axis=alt.Axis(grid=False),
    )
    colour = alt.Color(
        "prr:Q",
        title="PRR",
        scale=alt.Scale(domain=[0, 1], range=style.RAMP),
        legend=alt.Legend(type="gradient", gradientLength=150, format=".1f"),
    )
    zero = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(color=style.MUTED, strokeDash=[4, 3])
        .encode(y=alt.datum(0))
    )
    base = alt.Chart(style.rows(frame))
    bars = alt.Chart(style.rows(frame.drop_nulls("low")))
    left = (
        zero
        + base.mark_line(strokeWidth=1.2).encode(
            x=x, y="difference:Q", color=colour, detail="prr:N"
        )
        + bars.mark_rule().encode(x=x, y="low:Q", y2="high:Q", color=colour)
        + base.mark_point().encode(
            x=x, y=alt.Y("difference:Q", title="bursty less independent (packets/s)"), color=colour
        )
    ).properties(width=330, height=310)
    # Below a PRR of 0.3 a run delivers a handful of packets: too few for a ratio.
    ratios = frame.filter(pl.col("prr") > 0.25).with_columns(
        ratio=pl.col("bursty") / pl.col("independent")
    )
    ratio = alt.Chart(style.rows(ratios))
    y = alt.Y(
        "ratio:Q",
        **style.log_axis(
            "bursty / independent", [0.5, 1, 2, 5, 10, 20, 50], domain=[0.5, 80], nice=False
        ),
    )
    one = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(color=style.MUTED, strokeDash=[4, 3])
        .encode(y=alt.datum(1))
    )
    right = (
        one
        + ratio.mark_line(strokeWidth=1.2, clip=True).encode(x=x, y=y, color=colour, detail="prr:N")
        + ratio.mark_point(clip=True).encode(x=x, y=y, color=colour)
    ).properties(width=310, height=310)
    return alt.hconcat(left, right, spacing=30).properties(
        title=alt.Title(
            "What bursts give TCP: Gilbert-Elliott links against independent ones of the same PRR",
            subtitle="100 000 packets in slots of 10 ms, NewReno with S1's timers, "
            "20 Gilbert-Elliott and 20 independent links a point; bars: 95 %",
        )
    )


def _write_links(home: Path) -> None:
    """Write links with rare long bursts, and chains."""
    for prr in [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]:
        for mu in [0.3, 0.5, 0.7, 0.9]:
            for seed in [1, 2]:
                b = (1 - prr) * (1 - mu)
                share = 0.01
                # Long runs hold three tenths of all packets received.
                long = 0.3 / b / share
                short = (1 / b - share * long) / (1 - share)
                if short < 1:
                    continue
                parts = [
                    {"weight": 1 - share, "of": {"lengths": "geometric", "mean": short}},
                    {"weight": share, "of": {"lengths": "geometric", "mean": long}},
                ]
                model = {
                    "model": "semi-markov",
                    "success": {"lengths": "mixture", "parts": parts},
                    "loss": {"lengths": "geometric", "mean": 1 / (prr * (1 - mu))},
                }
                airtcp.synth(
                    home / f"long {prr} {mu} {seed}.txt",
                    model=model,
                    packets=PACKETS,
                    seed=seed,
                )
    for prr in [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]:
        for mu in [0.3, 0.5, 0.7, 0.9]:
            airtcp.synth(
                home / f"chain {prr} {mu} 1.txt",
                prr=prr,
                mu=mu,
                packets=PACKETS,
                seed=round(100 * (prr + 10 * mu)),
            )


def rare_long_bursts() -> dict[str, Any]:
    """Links with rare long bursts against chains of the same PRR and mu (S1, figures 19, 20)."""
    table = []
    with simulate.folder() as home:
        _write_links(Path(home))
        links = airtcp.study(home, replicas=10, **OPTIONS).json["links"]
    for link in links:
        kind = link["name"].split()[0]
        tcp = link["tcp"]
        chain = tcp["gilbert_elliott"]
        table.append(
            {
                "link": "rare long bursts" if kind == "long" else "Gilbert-Elliott chain",
                "prr": link["prr"],
                "mu": link["mu"],
                "tcp": tcp["empirical"]["packets_per_second"],
                "tcp_chain": chain["packets_per_second"]["mean"],
                "low": chain["packets_per_second"]["ci_low"],
                "high": chain["packets_per_second"]["ci_high"],
                "longest": link["longest_success_burst"],
                "longest_chain": chain["longest_success_burst"]["mean"],
                "closed_form": link["ge_expected_longest_success_burst"],
            }
        )
    frame = pl.DataFrame(table)
    panels = [
        _against(
            frame,
            "tcp",
            "TCP over the link (packets/s)",
            "TCP over chains of its PRR and mu (packets/s)",
            [0.001, 0.01, 0.1, 1, 10, 100],
        ),
        _against(
            frame,
            "longest",
            "longest success burst of the link (packets)",
            "longest of chains of its PRR and mu",
            [10, 100, 1000, 10000],
        ),
    ]
    chart = alt.hconcat(*panels, spacing=36).properties(
        title=alt.Title(
            "What a Gilbert-Elliott chain of the same PRR and mu makes of a link",
            subtitle="100 000 packets a link; mean of 10 chains; on the diagonal the chain says the same as the link",
        )
    )
    return style.drawn("rare-long-bursts", chart, frame)


def _against(
    frame: pl.DataFrame, field: str, x_title: str, y_title: str, values: list[float]
) -> Any:
    domain = [values[0], 1.3 * values[-1]]
    diagonal = (
        alt.Chart(alt.InlineData(values=[{"v": values[0]}, {"v": values[-1]}]))
        .mark_line(color=style.MUTED, strokeDash=[4, 3], strokeWidth=1.3)
        .encode(x="v:Q", y="v:Q")
    )
    names = ["rare long bursts", "Gilbert-Elliott chain"]
    marks = (
        alt.Chart(style.rows(frame))
        .mark_point(size=42, opacity=0.85)
        .encode(
            x=alt.X(f"{field}:Q", **style.log_axis(x_title, values, domain=domain, nice=False)),
            y=alt.Y(
                f"{field}_chain:Q", **style.log_axis(y_title, values, domain=domain, nice=False)
            ),
            color=alt.Color(
                "link:N",
                title="link",
                scale=alt.Scale(domain=names, range=[style.ORANGE, style.BLUE]),
            ),
            shape=alt.Shape(
                "link:N",
                title="link",
                scale=alt.Scale(domain=names, range=["triangle-up", "circle"]),
            ),
        )
    )
    return (diagonal + marks).properties(width=310, height=310)
