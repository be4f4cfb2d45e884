"""A replay of a transfer in simulation, measured as the capture was.

The simulation writes a capture, and the analysis of captures reads it. Both sides of a comparison
therefore have the same definitions, for instance of a round-trip time or a retransmission.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.api.packet_captures import capture
from airtcp.api.scenarios import run
from airtcp.diagnosis.losses import fit_losses
from airtcp.diagnosis.model import LINK, Sender, scenario
from airtcp.diagnosis.model import Path as Link
from airtcp.diagnosis.transfer import transfer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from airtcp.diagnosis.transfer import Transfer

RTTS: Final = ("rtt_p50_s", "rtt_p95_s")
_ROOT: Final = 0.375
"""Anscombe's constant: the square root of a Poisson count plus 3/8 has a variance of 1/4."""


class Stopped(Exception):  # noqa: N818 - not an error
    """Ctrl-C stopped a replay."""


@dataclass(frozen=True)
class Replayed:
    """The statistics of one replay."""

    values: Mapping[str, float]
    """Goodput, counts in `of_s`, and round-trip times."""
    queue_drops: int
    link_losses: int


@dataclass(frozen=True)
class Replayer:
    """Replays a transfer over links."""

    transfer: Transfer
    sender: Sender
    seed: int
    duration_s: float
    """The time that a replay simulates, at most that of the transfer."""

    def text(self, link: Link, title: str = "replay") -> str:
        """Return the scenario of a replay."""
        return scenario(link, self.sender, self.duration_s, title)

    def replay(self, link: Link, number: int) -> Replayed:
        """Replay the transfer once.

        Args:
            link: The link.
            number: The replay; equal numbers have equal seeds.

        Raises:
            Stopped: If Ctrl-C stopped it.
        """
        with tempfile.TemporaryDirectory(prefix="airtcp-") as folder:
            place = Path(folder) / "replay.pcapng"
            done = run(
                "replay",
                text=self.text(link),
                seed=(self.seed + number) % (1 << 63),
                replications=1,
                pcap=place,
                workers=1,
            )
            if done.interrupted:
                raise Stopped
            document = capture(place, events=True).json
        if document["interrupted"]:
            raise Stopped
        links = done.json["replications"][0]["links"]
        drops = next(x["drops"] for x in links if x["name"] == LINK)
        return Replayed(
            _measured(document), drops["queue_full"] + drops["queue_early"], drops["loss"]
        )


def _measured(document: Mapping[str, Any]) -> dict[str, float]:
    """Return the statistics of the capture of a replay; zero if no data arrived."""
    transfer = transfer_of(document, None)
    if transfer is None or transfer.rtt is None:
        return dict.fromkeys(("goodput_bps", "lost", "timeouts", *RTTS), 0.0)
    return observed(transfer, transfer.duration_s)


def observed(transfer: Transfer, duration_s: float) -> dict[str, float]:
    """Return the statistics of a transfer, for the time of a replay.

    Losses in the overshoot of slow start happen once, or not at all, and are left out.
    """
    part = min(duration_s / transfer.duration_s, 1.0) if transfer.duration_s else 1.0
    values = {
        "goodput_bps": transfer.goodput_bps,
        "lost": (transfer.lost - fit_losses(transfer)["overshoot"]) * part,
        "timeouts": transfer.timeouts * part,
    }
    if transfer.rtt is not None:
        values |= {"rtt_p50_s": transfer.rtt["p50"], "rtt_p95_s": transfer.rtt["p95"]}
    return values


SCALES: Final[Mapping[str, Callable[[float], float]]] = {
    "goodput_bps": lambda x: log(max(x, 1.0)),
    "lost": lambda x: 2 * sqrt(max(x, 0.0) + _ROOT),
    "timeouts": lambda x: 2 * sqrt(max(x, 0.0) + _ROOT),
    "rtt_p50_s": lambda x: log(max(x, 1e-6)),
    "rtt_p95_s": lambda x: log(max(x, 1e-6)),
}
"""Scales on which the scatter of a statistic hardly depends on its size."""
