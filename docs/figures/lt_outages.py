"""What LT-TCP, CUBIC and SACK get where a link loses everything for a while.

10 Mb/s, a drop-tail queue of 100 packets, six runs of 100 s: blackouts in every period, and bursts of
1 ms slots (Gilbert-Elliott).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

RUNS: Final = 6
COLUMNS: Final = {
    "LT-TCP": 'transport = "lt-tcp"',
    '`outages = "timeout"`': 'transport = "lt-tcp"\nlt = { outages = "timeout" }',
    "CUBIC": 'tcp = { congestion = "cubic" }',
    "SACK": "",
}
BLACKOUTS: Final = [
    (20, "250 ms", "2 s", False),
    (80, "100 ms", "2 s", False),
    (80, "250 ms", "2 s", False),
    (80, "1 s", "10 s", False),
    (80, "2 s", "10 s", False),
    (200, "250 ms", "2 s", False),
    (200, "1 s", "10 s", False),
    (200, "2 s", "10 s", False),
    (80, "400 ms", "10 s", True),
    (80, "1 s", "10 s", True),
]
BURSTS: Final = [(80, 10, 0.1), (80, 10, 0.3), (80, 50, 0.1), (80, 50, 0.3), (20, 50, 0.1)]


def _cases() -> list[tuple[str, int, str, str]]:
    """Name of a row, its round trip, and the losses there and back."""
    cases = []
    for rtt, lost, period, both in BLACKOUTS:
        # The two directions fail at the same time; one alone at a time of each run's own.
        phase = ', phase = "1 s"' if both else ""
        loss = f'{{ model = "blackout", period = "{period}", duration = "{lost}"{phase} }}'
        name = f"{rtt} ms, {lost} of {period}" + (", both ways" if both else "")
        cases.append((name, rtt, loss, loss if both else '{ model = "none" }'))
    for rtt, burst, share in BURSTS:
        loss = (
            f'{{ model = "gilbert-elliott", mean_loss = {share}, mean_burst = {burst}.0, '
            'slot = "1 ms", stepping = "slot" }'
        )
        name = f"{rtt} ms, bursts of {burst} ms, {share:.0%}".replace("%", " %")
        cases.append((name, rtt, loss, '{ model = "none" }'))
    return cases


def measure() -> dict[str, str]:
    """Run every case."""
    rows = []
    for name, rtt, forward, back in _cases():
        for transport, keys in COLUMNS.items():
            text = (
                f'duration = "100 s"\nreplications = {RUNS}\n[[links]]\nfrom = "a"\nto = "b"\n'
                f'rate = "10 Mb/s"\ndelay = "{rtt // 2} ms"\n'
                'queue = { kind = "drop-tail", packets = 100 }\n'
                f"loss = {forward}\nreverse = {{ loss = {back} }}\n"
                f'[[flows]]\nfrom = "a"\nto = "b"\n{keys}\n'
            )
            at = {"case": name, "transport": transport}
            rows.append(at | simulate.goodput(text, RUNS))
    return {
        "lt-outages.csv": pl.DataFrame(rows)
        .with_columns(pl.col("mbps", "low", "high").round(3))
        .write_csv()
    }


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """The rows as the page has them."""
    lines = ["| round trip, losses | " + " | ".join(COLUMNS) + " |", "|---" * 5 + "|"]
    for (name,), own in numbers["lt-outages.csv"].group_by("case", maintain_order=True):
        lines.append(f"| {name} | " + " | ".join(f"{x:.2f}" for x in own["mbps"]) + " |")
    return "\n".join(lines)
