"""The points of kernel.csv, which `run` made on a Linux host, simulated.

Profile `linux`, 10 Mb/s, losses behind a drop-tail queue, 60 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

LAWS = {"reno": "reno", "cubic": "cubic", "bbr": "bbr1"}
"""Kernel's name of a law, and ours."""
POINT = ["flows", "law", "rtt_ms", "loss", "ack_loss", "burst_ms", "queue", "mark"]
LINK = [name for name in POINT if name != "law"]
FAR = 0.15
"""A difference above this share is marked."""
SHORT_QUEUE = 25
"""Two flows share a queue of this length, with round-trip times of 20 ms and `LONG` times as much."""
SHORT_MS = 20.0
LONG = 4
JITTERS = (0, 600)
"""Mean jitter of the way back of these two flows, in us. Uniform: at most a packet's transmission time."""


class Point(NamedTuple):
    """What a run of link.c is told."""

    flows: str
    rtt_ms: float
    loss: float
    ack_loss: float
    burst_ms: float
    queue: int
    mark: int

    @property
    def runs(self) -> int:
        """Runs of a simulation: the goodput under many losses varies most."""
        return 64 if self.ack_loss > 0.2 else 32 if "bbr" in self.flows and self.loss > 0.15 else 8


def _losses(loss: float, burst_ms: float) -> str:
    if burst_ms == 0:
        return f'{{ model = "bernoulli", probability = {loss} }}'
    good = burst_ms * (1 - loss) / loss
    times = f'mean_bad = "{1000 * burst_ms:.0f} us", mean_good = "{1000 * good:.0f} us"'
    return f'{{ model = "gilbert-elliott", {times} }}'


def scenario(point: Point, jitter_us: int = 0) -> str:
    """Write the link of link.c and its flows as a scenario."""
    queue = f'kind = "drop-tail", packets = {point.queue}'
    if point.mark:
        # A mark for every packet that finds so many or more waiting.
        queue = f'kind = "jersey", instantaneous = true, threshold = {point.mark - 0.5}, limit = {point.queue}'
    jitter = f', jitter = {{ mean = "{jitter_us} us" }}' if jitter_us else ""
    back = f'queue = {{ kind = "drop-tail" }}, loss = {_losses(point.ack_loss, 0)}{jitter}'
    text = (
        f'duration = "60 s"\nreplications = {point.runs}\n'
        f'[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "{500 * point.rtt_ms:.0f} us"\n'
        f"queue = {{ {queue} }}\nloss = {_losses(point.loss, point.burst_ms)}\nreverse = {{ {back} }}\n"
    )
    ends = ["b"] * len(point.flows.split("+"))
    if point.queue == SHORT_QUEUE:
        ends[1] = "c"
        more = f"{500 * point.rtt_ms * (LONG - 1):.0f} us"
        text += (
            f'[[links]]\nfrom = "b"\nto = "c"\nrate = "10 Gb/s"\ndelay = "{more}"\n'
            'queue = { kind = "drop-tail", packets = 100000 }\n'
        )
    for law, end in zip(point.flows.split("+"), ends, strict=True):
        text += (
            f'[[flows]]\nfrom = "a"\nto = "{end}"\ntcp = {{ profile = "linux", '
            f'congestion = "{LAWS[law]}", ecn = {str(point.mark > 0).lower()} }}\n'
        )
    return text


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run every point that the kernel ran."""
    kernel = _kernel(numbers)
    # The long one of two flows with unlike round-trip times belongs to the point of the short one.
    kernel = kernel.filter((pl.col("queue") != SHORT_QUEUE) | (pl.col("rtt_ms") == SHORT_MS))
    rows = []
    for values in kernel.select(LINK).unique().sort(LINK).iter_rows():
        point = Point(*values)
        for jitter in JITTERS if point.queue == SHORT_QUEUE else (0,):
            table = airtcp.run("kernel", text=scenario(point, jitter)).flows.to_polars()
            names = table["name"].unique(maintain_order=True)
            for at, (law, name) in enumerate(zip(point.flows.split("+"), names, strict=True)):
                own = table.filter(pl.col("name") == name)
                rtt = point.rtt_ms * (LONG if at and point.queue == SHORT_QUEUE else 1)
                link = (point.flows, law, rtt, *values[2:], jitter)
                for run, (goodput, timeouts) in enumerate(
                    own["goodput_bps", "timeouts"].iter_rows()
                ):
                    rows.append((*link, run, round(goodput), timeouts))
    names = [*POINT, "jitter_us", "run", "goodput_bps", "timeouts"]
    return {"kernel/simulated.csv": pl.DataFrame(rows, schema=names, orient="row").write_csv()}


def _kernel(numbers: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    real = {name: pl.Float64 for name in ("rtt_ms", "loss", "ack_loss", "burst_ms")}
    return numbers["kernel/kernel.csv"].cast(real)


def _both(numbers: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Mean goodput of each point in Mb/s, in the kernel and here, and their ratio."""
    mbps = (pl.col("goodput_bps").mean() / 1e6).alias
    kernel = _kernel(numbers)
    here = numbers["kernel/simulated.csv"].cast(
        {n: t for n, t in kernel.schema.items() if n in POINT}
    )
    kernel = kernel.group_by(POINT).agg(mbps("kernel"), pl.len().alias("runs"))
    both = here.group_by([*POINT, "jitter_us"]).agg(mbps("here")).join(kernel, on=POINT)
    return both.with_columns(ratio=pl.col("here") / pl.col("kernel")).sort([*POINT, "jitter_us"])


def _row(title: str, row: pl.DataFrame) -> str:
    cells = []
    for here, kernel_mean, ratio in row["here", "kernel", "ratio"].iter_rows():
        far = "!" if abs(ratio - 1) > FAR else ""
        digits = 2 if kernel_mean >= 0.05 else 4
        cells.append(f"**{here:.{digits}f}** {kernel_mean:.{digits}f}{far}")
    middle = row["ratio"].log().mean()
    return f"| {title} | " + " | ".join([*cells, f"{2.718281828**middle:.2f}"]) + " |"


def _head(title: str, losses: pl.Series) -> list[str]:
    shares = " | ".join(f"{100 * x:g} %" for x in losses)
    return [f"| {title} | {shares} | mean |", "|---" * (len(losses) + 2) + "|"]


def tables(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Goodput here and in the kernel by point, and the ratios' means."""
    both = _both(numbers).filter(
        pl.col("queue") != SHORT_QUEUE, pl.col("ack_loss") == 0, pl.col("burst_ms") == 0
    )
    lines = []
    for flows in ("reno", "cubic", "bbr"):
        own = both.filter((pl.col("flows") == flows) & (pl.col("mark") == 0))
        lines += _head(f"`{LAWS[flows]}`", own["loss"].unique().sort())
        for rtt in own["rtt_ms"].unique().sort():
            lines.append(_row(f"{rtt:g} ms", own.filter(pl.col("rtt_ms") == rtt).sort("loss")))
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


def hard_paths(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Losses in both directions, losses in bursts, and two flows with unlike round-trip times."""
    both = _both(numbers)
    lines = []
    for title, part in (
        ("losses in both directions", both.filter(pl.col("ack_loss") > 0)),
        ("bursts of 50 ms", both.filter(pl.col("burst_ms") > 0)),
    ):
        lines += _head(title, part["loss"].unique().sort())
        for law in ("reno", "cubic", "bbr"):
            own = part.filter(pl.col("law") == law)
            for rtt in own["rtt_ms"].unique().sort():
                row = own.filter(pl.col("rtt_ms") == rtt).sort("loss")
                lines.append(_row(f"`{LAWS[law]}`, {rtt:g} ms", row))
        lines.append("")
    lines += [
        "| two flows, 20 and 80 ms, queue of 25 | model | with jitter | kernel |",
        "|---|---|---|---|",
    ]
    pairs = both.filter(pl.col("queue") == SHORT_QUEUE)
    for (law, rtt), rows in pairs.group_by(["law", "rtt_ms"], maintain_order=True):
        plain, jittered = rows.sort("jitter_us")["here"]
        kernel = rows["kernel"][0]
        lines.append(
            f"| `{law}`, {rtt:g} ms | **{plain:.2f}** | **{jittered:.2f}** | {kernel:.2f} |"
        )
    return "\n".join(lines)
