"""Has mu converged: prefixes and chunks of true chains, and of links that change."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import altair as alt
import laws
import polars as pl
import simulate
import style

import airtcp

PACKETS: Final = 100_000
CHUNK: Final = 6000


def _stats(home: str) -> dict[str, Any]:
    return {link["name"]: link for link in airtcp.stats(home)["links"]}


def _changing(path: Path, mus: tuple[float, float], prrs: tuple[float, float], seed: int) -> None:
    """Write a link that changes every 20 000 packets between two chains."""
    parts = []
    for part in range(PACKETS // 20_000):
        piece = path.with_suffix(".part")
        airtcp.synth(piece, prr=prrs[part % 2], mu=mus[part % 2], packets=20_000, seed=seed + part)
        parts.extend(line for line in piece.read_text().splitlines() if not line.startswith("#"))
        piece.unlink()
    path.write_text("\n".join(parts) + "\n")


def _prefixes() -> tuple[Any, pl.DataFrame]:
    prr, mu, lines = 0.5, 0.6, []
    with simulate.folder() as home:
        for seed in range(20):
            airtcp.synth(
                Path(home) / f"{seed:02}.txt", prr=prr, mu=mu, packets=PACKETS, seed=seed + 1
            )
        links = _stats(home)
    for name, link in links.items():
        lines.extend(
            {"chain": name, "packets": packets, "mu": value}
            for packets, value in link["convergence"]["prefix"]
        )
    frame = pl.DataFrame(lines)
    edge = [
        {
            "packets": n,
            "low": mu - 1.96 * laws.mu_error(n, prr, mu),
            "high": mu + 1.96 * laws.mu_error(n, prr, mu),
        }
        for n in range(1000, PACKETS + 1, 1000)
    ]
    inside = frame.with_columns(
        z=pl.struct("packets", "mu").map_elements(
            lambda row: abs(row["mu"] - mu) / laws.mu_error(row["packets"], prr, mu),
            return_dtype=pl.Float64,
        )
    )
    share = (inside["z"] < 1.96).mean()
    x = alt.X(
        "packets:Q",
        title="packets from the start",
        axis=alt.Axis(format="~s", grid=False, tickCount=6),
    )
    scale = alt.Scale(domain=[0.54, 0.66], nice=False, zero=False)
    y = alt.Y("mu:Q", title="mu of the prefix", scale=scale)
    band = (
        alt.Chart(alt.InlineData(values=edge))
        .mark_area(color=style.ORANGE, opacity=0.22, clip=True)
        .encode(x=x, y=alt.Y("low:Q", title="mu of the prefix", scale=scale), y2="high:Q")
    )
    curves = (
        alt.Chart(style.rows(frame))
        .mark_line(strokeWidth=0.9, color=style.BLUE, opacity=0.55, clip=True)
        .encode(x=x, y=y, detail="chain:N")
    )
    chart = (band + curves).properties(
        width=380,
        height=290,
        title=alt.Title(
            "20 chains, PRR 0.5, mu 0.6",
            subtitle=f"band: ±1.96 standard errors; {100 * share:.1f} % of all points lie in it",
        ),
    )
    return chart, frame


def _chunk_numbers() -> pl.DataFrame:
    """mu over chunks of chains, and of links that change."""
    table = []
    with simulate.folder() as home:
        kinds = {}
        for prr in [0.3, 0.5, 0.7, 0.9]:
            for mu in [0.0, 0.2, 0.4, 0.6, 0.8, 0.9]:
                name = f"chain {prr} {mu}"
                airtcp.synth(
                    Path(home) / f"{name}.txt", prr=prr, mu=mu, packets=PACKETS, seed=len(kinds) + 1
                )
                kinds[name] = "Gilbert-Elliott chain"
        for number, (mus, prrs) in enumerate(
            [
                ((0.0, 0.4), (0.5, 0.5)),
                ((0.2, 0.6), (0.5, 0.5)),
                ((0.3, 0.9), (0.5, 0.5)),
                ((0.2, 0.2), (0.9, 0.1)),
                ((0.6, 0.6), (0.8, 0.3)),
            ]
        ):
            name = f"changing {number}"
            _changing(Path(home) / f"{name}.txt", mus, prrs, 100 + 10 * number)
            kinds[name] = "changes every 20 000 packets"
        for name, link in _stats(home).items():
            table.append(
                {
                    "link": name,
                    "kind": kinds[name],
                    "prr": link["prr"],
                    "mu": link["mu"],
                    "chunk_rms": link["convergence"]["chunk_rms"],
                    "ratio": link["convergence"]["nonstationarity_ratio"],
                    "converged": link["converged"],
                    "chain_expects": laws.mu_error(CHUNK, link["prr"], link["mu"]),
                }
            )
    return pl.DataFrame(table)


def _chunks() -> tuple[Any, pl.DataFrame]:
    frame = _chunk_numbers()
    lines = [
        {"mu": mu / 100, "rms": laws.mu_error(CHUNK, prr, mu / 100), "prr": str(prr)}
        for prr in [0.5, 0.9]
        for mu in range(96)
    ]
    x = alt.X(
        "mu:Q",
        title="mu of the whole trace",
        scale=alt.Scale(domain=[-0.05, 1], nice=False),
        axis=alt.Axis(grid=False),
    )
    y = alt.Y(
        "chunk_rms:Q",
        **style.log_axis(
            "RMS deviation of mu over chunks of 6000",
            [0.003, 0.01, 0.03, 0.1, 0.3],
            domain=[0.003, 0.6],
            nice=False,
        ),
    )
    theory = (
        alt.Chart(alt.InlineData(values=lines))
        .mark_line(color=style.MUTED, strokeWidth=1.3)
        .encode(
            x=x,
            y=alt.Y("rms:Q"),
            strokeDash=alt.StrokeDash(
                "prr:N",
                title="closed form, PRR",
                scale=alt.Scale(domain=["0.5", "0.9"], range=[[1, 0], [5, 4]]),
            ),
        )
    )
    domain = ["Gilbert-Elliott chain", "changes every 20 000 packets"]
    marks = (
        alt.Chart(style.rows(frame))
        .mark_point(size=55)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "kind:N", title="link", scale=alt.Scale(domain=domain, range=style.SERIES[:2])
            ),
            shape=alt.Shape(
                "kind:N",
                title="link",
                scale=alt.Scale(domain=domain, range=["circle", "triangle-up"]),
            ),
        )
    )
    chart = (theory + marks).properties(
        width=380,
        height=290,
        title=alt.Title(
            "Chunks of 6000 packets", subtitle="100 000 packets a link; after S1, figure 16"
        ),
    )
    return chart, frame


def draw() -> dict[str, Any]:
    """Both pictures side by side."""
    left, prefix = _prefixes()
    right, chunks = _chunks()
    chart = alt.hconcat(left, right, spacing=30)
    return style.drawn("convergence", chart, chunks) | {"convergence-prefix.csv": prefix}
