"""LT-TCP on drop-tail queues: alone with losses, beside another flow, and with many of its kind.

Each run has a seed of its own; rates are in Mb/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

LT: Final = 'transport = "lt-tcp"'
DEAF: Final = f"{LT}\nlt = {{ ecn = false }}"
CUBIC: Final = 'tcp = { congestion = "cubic" }'
LOSSES: Final = [0.0, 0.01, 0.1, 0.3, 0.5]
ALONE: Final = {"drop-tail": LT, "ECN not negotiated": DEAF}
PAIRS: Final = {
    "LT-TCP and SACK": (LT, ""),
    "LT-TCP and CUBIC": (LT, CUBIC),
    "LT-TCP with CUBIC's law and CUBIC": (f"{LT}\n{CUBIC}", CUBIC),
    "LT-TCP and LT-TCP": (LT, LT),
    "SACK and CUBIC": ("", CUBIC),
}
MANY: Final = [
    # Flows, Mb/s, round trip in ms, packets of queue
    (1, 10, 80, 5),
    (1, 100, 20, 20),
    (5, 10, 80, 20),
    (10, 10, 80, 100),
    (20, 10, 80, 100),
    (20, 10, 80, 20),
    (40, 10, 80, 100),
]
SHORT: Final = [1, 2, 5, 10]
"""Packets of queue."""
ROUND_TRIPS: Final = [2, 10, 20, 80]
KINDS: Final = {"LT-TCP": LT, "timer alone": f'{LT}\nlt = {{ outages = "timeout" }}', "SACK": ""}


def _link(head: str, rate: int = 10, rtt: int = 80, packets: int = 100, loss: float = 0.0) -> str:
    return (
        f'{head}\n[[links]]\nfrom = "a"\nto = "b"\nrate = "{rate} Mb/s"\ndelay = "{rtt // 2} ms"\n'
        f'queue = {{ kind = "drop-tail", packets = {packets} }}\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}\n'
    )


def _flow(keys: str) -> str:
    return f'[[flows]]\nfrom = "a"\nto = "b"\n{keys}\n'


def _row(case: str, kind: str, runs: int, text: str) -> dict[str, object]:
    """Run each seed; means, the greatest sent and the least index of Jain."""
    found = []
    for seed in range(1, runs + 1):
        # Milliseconds tell runs apart that have no chance in them.
        result = simulate.run(f"seed = {seed}\n{text.replace('START', str(37 * seed))}")
        got = result.flows.to_polars()["goodput_bps"] / 1e6
        found.append(
            {
                "sent": result.flows.to_polars()["throughput_bps"].sum() / 1e6,
                "got": got.sum(),
                "jain": got.sum() ** 2 / (len(got) * (got**2).sum()),
                "queued": result.links.to_polars()["mean_queue_packets"][0],
                "timeouts": result.flows.to_polars()["timeouts"].sum(),
                "first": got[0],
                "second": got[1] if len(got) > 1 else None,
            }
        )
    frame = pl.DataFrame(found)
    more = {"sent_max": frame["sent"].max(), "jain_min": frame["jain"].min()}
    return {"case": case, "kind": kind, "runs": runs} | frame.mean().row(0, named=True) | more


def alone() -> dict[str, pl.DataFrame]:
    """One flow on 100 packets, with losses of the link."""
    rows = [
        _row(str(loss), kind, 8, _link('duration = "100 s"', loss=loss) + _flow(keys))
        for kind, keys in ALONE.items()
        for loss in LOSSES
    ]
    return {"lt-alone.csv": pl.DataFrame(rows, infer_schema_length=None)}


def pairs(_: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Two flows on 100 packets; the second begins within 0.2 s."""
    later = 'app = { kind = "bulk", start = "START ms" }\n'
    rows = []
    for name, pair in PAIRS.items():
        for kind, lt in ALONE.items():
            first, second = (keys.replace(LT, lt) for keys in pair)
            text = (
                _link('duration = "200 s"\nwarmup = "20 s"') + _flow(first) + _flow(second) + later
            )
            rows.append(_row(name, kind, 5, text))
    return {"lt-pairs-drop-tail.csv": pl.DataFrame(rows)}


def many() -> dict[str, pl.DataFrame]:
    """Several flows that begin within 5 s."""
    rows = []
    for count, rate, rtt, packets in MANY:
        link = _link('duration = "40 s"\nwarmup = "10 s"', rate, rtt, packets)
        for kind, keys in KINDS.items():
            flows = _flow(f'count = {count}\nstart_spread = "5 s"\n{keys}')
            name = f"{count}, {rate} Mb/s, {rtt} ms, {packets} packets"
            rows.append(_row(name, kind, 10, link + flows))
    return {"lt-many.csv": pl.DataFrame(rows, infer_schema_length=None)}


def short() -> dict[str, pl.DataFrame]:
    """One flow on a few packets."""
    rows = []
    for kind in ("LT-TCP", "SACK"):
        for rtt in ROUND_TRIPS:
            for packets in SHORT:
                link = _link('duration = "60 s"\nwarmup = "10 s"', 10, rtt, packets)
                rows.append(_row(f"{rtt} ms", kind, 5, link + _flow(KINDS[kind])))
    return {"lt-short-queues.csv": pl.DataFrame(rows, infer_schema_length=None)}


def alone_table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Goodput by loss, and the packets that wait."""
    lines = [
        "| | " + " | ".join(f"{100 * loss:.0f} %" if loss else "0" for loss in LOSSES) + " |",
        "|---" * (len(LOSSES) + 1) + "|",
    ]
    for (kind,), own in numbers["lt-alone.csv"].group_by("kind", maintain_order=True):
        for name, column, digits in (
            (f"{kind}", "got", 2),
            (f"{kind}: packets queued on average", "queued", 0),
        ):
            lines.append(f"| {name} | " + " | ".join(f"{x:.{digits}f}" for x in own[column]) + " |")
    return "\n".join(lines)


def pairs_table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Goodput of the first and the second, behind RED and on drop-tail queues."""
    marks = {row["pair"]: row for row in numbers["lt-pairs.csv"].iter_rows(named=True)}
    lines = [f"| pair | RED with ECN | {' | '.join(ALONE)} |", "|---|---|---|---|"]
    for (name,), own in numbers["lt-pairs-drop-tail.csv"].group_by("case", maintain_order=True):
        row = marks[name]
        cells = [
            (row["first_mbps"], row["second_mbps"]),
            *own.select("first", "second").iter_rows(),
        ]
        lines.append(f"| {name} | " + " | ".join(f"{a:.2f}, {b:.2f}" for a, b in cells) + " |")
    return "\n".join(lines)


def many_table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Sent, goodput, Jain's index with the least, and timeouts."""
    lines = [
        "| flows, link, round trip, queue | "
        + " | ".join(f"{kind}: sent, goodput, Jain (minimum), timeouts" for kind in KINDS)
        + " |",
        "|---|---|---|---|",
    ]
    for (name,), own in numbers["lt-many.csv"].group_by("case", maintain_order=True):
        cells = []
        for row in own.iter_rows(named=True):
            jain = "" if name.startswith("1,") else f", {row['jain']:.2f} ({row['jain_min']:.2f})"
            cells.append(f"{row['sent']:.1f}, {row['got']:.1f}{jain}, {row['timeouts']:.0f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def short_table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Sent and received of LT-TCP, received of SACK."""
    lines = [
        f"| | {' | '.join(f'{n} packet' + 's' * (n > 1) for n in SHORT)} |",
        "|---|" + "---|" * len(SHORT),
    ]
    frame = numbers["lt-short-queues.csv"]
    for (kind, case), own in frame.group_by("kind", "case", maintain_order=True):
        columns = ["sent", "got"] if kind == "LT-TCP" else ["got"]
        name = f"{kind}, {case}" if kind == "LT-TCP" else f"{kind} (received), {case}"
        cells = (", ".join(f"{x:.1f}" for x in row) for row in own.select(columns).iter_rows())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
