"""The points of kernel.csv simulated: writes simulated.csv and the tables of docs/models/kernel.md.

    .venv/bin/python docs/figures/kernel/compare.py [--tables] [flows ...]

Reads kernel.csv beside it, which `run` made on a Linux host; with --tables our own numbers, too,
come from the simulated.csv of an earlier run; with names of flows (`cubic`, `bbr+cubic`) only those
are run and printed. Profile `linux`, 10 Mb/s, a queue of 100 packets, random losses behind it, 60 s.
"""

from __future__ import annotations

import sys
from pathlib import Path

import airtcp
import polars as pl

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "models" / "kernel.md"
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


def simulate(points: pl.DataFrame) -> pl.DataFrame:
    """Run every point that the kernel ran."""
    rows = []
    for flows, rtt, loss, mark, seconds in points.iter_rows():
        text = scenario(flows, rtt, loss, mark, seconds)
        table = airtcp.run("kernel", text=text).flows
        names = table["name"].unique(maintain_order=True)
        for law, name in zip(flows.split("+"), names, strict=True):
            own = table.filter(pl.col("name") == name)
            for run, (goodput, timeouts) in enumerate(own["goodput_bps", "timeouts"].iter_rows()):
                rows.append((flows, law, rtt, loss, mark, run, round(goodput), timeouts))
    return pl.DataFrame(rows, schema=[*POINT, "run", "goodput_bps", "timeouts"], orient="row")


def tables(kernel: pl.DataFrame, ours: pl.DataFrame) -> str:
    """Goodput here and in the kernel by point, and the ratios' means."""
    mean = (pl.col("goodput_bps") / 1e6).mean
    both = (
        kernel.group_by(POINT)
        .agg(kernel=mean(), spread=(pl.col("goodput_bps") / 1e6).std())
        .join(ours.group_by(POINT).agg(here=mean()), on=POINT)
        .with_columns(ratio=pl.col("here") / pl.col("kernel"))
        .sort(POINT)
    )
    lines = []
    for flows in ("reno", "cubic", "bbr"):
        own = both.filter((pl.col("flows") == flows) & (pl.col("mark") == 0))
        if own.is_empty():
            continue
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
    if not special.is_empty():
        lines += ["| | RTT | model | kernel | ratio |", "|---|---|---|---|---|"]
        for row in special.iter_rows(named=True):
            other = row["flows"].replace("bbr", "bbr1")
            what = f"`{LAWS[row['law']]}` of `{other}`" if "+" in other else f"`{other}`, marks"
            lines.append(
                f"| {what} | {row['rtt_ms']:g} ms | **{row['here']:.2f}** | {row['kernel']:.2f} "
                f"| {row['ratio']:.2f} |"
            )
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Run, write, print."""
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    kernel = pl.read_csv(HERE / "kernel.csv", schema_overrides={"rtt_ms": float, "loss": float})
    if names:
        kernel = kernel.filter(pl.col("flows").is_in(names))
    if "--tables" in sys.argv:
        ours = pl.read_csv(HERE / "simulated.csv", schema_overrides={"rtt_ms": float})
    else:
        columns = ["flows", "rtt_ms", "loss", "mark", "seconds"]
        ours = simulate(kernel.select(columns).unique().sort(columns))
    text = tables(kernel, ours)
    if names:
        print(text)
        return
    ours.write_csv(HERE / "simulated.csv")
    page = PAGE.read_text()
    before, rest = page.split("<!-- tables -->\n")
    _, after = rest.split("<!-- end of tables -->")
    PAGE.write_text(f"{before}<!-- tables -->\n\n{text}\n<!-- end of tables -->{after}")


if __name__ == "__main__":
    main()
