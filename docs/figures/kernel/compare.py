"""The points of kernel.csv, which `run` made on a Linux host, simulated.

Profile `linux`, 10 Mb/s, a queue of 100 packets, random losses behind it, 60 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

RUNS = 8
LAWS = {"reno": "reno", "cubic": "cubic", "bbr": "bbr1"}
"""Kernel's name of a law, and ours."""
POINT = ["flows", "law", "rtt_ms", "loss", "mark"]
FAR = 0.15
"""A difference above this share is marked."""


def scenario(flows: str, rtt: float, loss: float, mark: int, seconds: float) -> str:
    """Write the link of link.c and its flows as a scenario."""
    queue = 'kind = "drop-tail", packets = 100'
    if mark:
        # A mark for every packet that finds so many or more waiting.
        queue = f'kind = "jersey", instantaneous = true, threshold = {mark - 0.5}, limit = 100'
    text = (
        f'duration = "{seconds:.0f} s"\nreplications = {RUNS}\n'
        f'[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "{500 * rtt:.0f} us"\n'
        f'queue = {{ {queue} }}\nloss = {{ model = "bernoulli", probability = {loss} }}\n'
        'reverse = { queue = { kind = "drop-tail" }, loss = { model = "none" } }\n'
    )
    for law in flows.split("+"):
        text += (
            f'[[flows]]\nfrom = "a"\nto = "b"\ntcp = {{ profile = "linux", '
            f'congestion = "{LAWS[law]}", ecn = {str(mark > 0).lower()} }}\n'
        )
    return text


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run every point that the kernel ran."""
    columns = ["flows", "rtt_ms", "loss", "mark", "seconds"]
    points = numbers["kernel/kernel.csv"].select(columns).unique().sort(columns)
    rows = []
    for flows, rtt, loss, mark, seconds in points.iter_rows():
        table = airtcp.run(
            "kernel", text=scenario(flows, rtt, loss, mark, seconds)
        ).flows.to_polars()
        names = table["name"].unique(maintain_order=True)
        for law, name in zip(flows.split("+"), names, strict=True):
            own = table.filter(pl.col("name") == name)
            for run, (goodput, timeouts) in enumerate(own["goodput_bps", "timeouts"].iter_rows()):
                rows.append((flows, law, float(rtt), loss, mark, run, round(goodput), timeouts))
    names = [*POINT, "run", "goodput_bps", "timeouts"]
    return {"kernel/simulated.csv": pl.DataFrame(rows, schema=names, orient="row").write_csv()}


def _both(numbers: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Mean goodput of each point in Mb/s, in the kernel and here, and their ratio."""
    mbps = pl.col("goodput_bps").mean() / 1e6
    kernel, here = (
        numbers[f"kernel/{name}.csv"]
        .cast({"rtt_ms": pl.Float64})
        .group_by(POINT)
        .agg(mbps.alias(name))
        for name in ("kernel", "simulated")
    )
    both = kernel.join(here.rename({"simulated": "here"}), on=POINT)
    return both.with_columns(ratio=pl.col("here") / pl.col("kernel")).sort(POINT)


def tables(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Goodput here and in the kernel by point, and the ratios' means."""
    both = _both(numbers)
    lines = []
    for flows in ("reno", "cubic", "bbr"):
        own = both.filter((pl.col("flows") == flows) & (pl.col("mark") == 0))
        losses = own["loss"].unique().sort()
        title = " | ".join(f"{100 * x:g} %" for x in losses)
        lines += [f"| `{LAWS[flows]}` | {title} | mean |", "|---" * (len(losses) + 2) + "|"]
        for rtt in own["rtt_ms"].unique().sort():
            cells, row = [], own.filter(pl.col("rtt_ms") == rtt).sort("loss")
            for here, kernel_mean, ratio in row["here", "kernel", "ratio"].iter_rows():
                far = "!" if abs(ratio - 1) > FAR else ""
                cells.append(f"**{here:.2f}** {kernel_mean:.2f}{far}")
            middle = row["ratio"].log().mean()
            cells.append(f"{2.718281828**middle:.2f}")
            lines.append(f"| {rtt:g} ms | " + " | ".join(cells) + " |")
        lines.append("")
    special = both.filter((pl.col("mark") > 0) | pl.col("flows").str.contains("+", literal=True))
    lines += ["| | RTT | model | kernel | ratio |", "|---|---|---|---|---|"]
    for row in special.iter_rows(named=True):
        other = row["flows"].replace("bbr", "bbr1")
        what = f"`{LAWS[row['law']]}` of `{other}`" if "+" in other else f"`{other}`, marks"
        lines.append(
            f"| {what} | {row['rtt_ms']:g} ms | **{row['here']:.2f}** | {row['kernel']:.2f} "
            f"| {row['ratio']:.2f} |"
        )
    return "\n".join(lines).rstrip()
