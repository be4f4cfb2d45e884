"""One run of an 802.11 cell for several drivers: rates of flows, frames and losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from airtcp_papers.drivers import variants

COUNTS: Final = {
    "frames": "mac_delivered_bps",
    "packets": "ip_delivered_bps",
    "payload": "goodput_bps",
}
"""What the throughput of a flow may count: data frames with MAC header, LLC and FCS; IP packets
with payload, headers included; application bytes."""


@dataclass(frozen=True)
class CellRun(variants.Run):
    """One replication of a scenario with a cell."""

    @property
    def stations(self) -> list[dict[str, Any]]:
        """Stations of the first cell, its access point among them."""
        return self.document["cells"][0]["stations"]

    @property
    def rates(self) -> list[float]:
        """Throughput of each flow in Mb/s, in the unit of `counts`; by default of packets.

        >>> flow = {"mac_delivered_bps": 614e3, "ip_delivered_bps": 576e3, "goodput_bps": 536e3}
        >>> [CellRun({"flows": [flow]}, {"counts": counts}).rates for counts in COUNTS]
        [[0.614], [0.576], [0.536]]
        """
        return self.counted(self.parameters.get("counts", "packets"))

    def counted(self, counts: str) -> list[float]:
        """Throughput of each flow in Mb/s, of frames, packets or payload."""
        return [flow[COUNTS[counts]] / 1e6 for flow in self.document["flows"]]

    def summed(self, name: str) -> float:
        """Add up a measure of the stations."""
        return sum(station[name] for station in self.stations)

    def frames(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The counts of the frames of a class, or of all, by station."""
        return [
            counts
            for station in self.stations
            for name, counts in station["frames"].items()
            if kind is None or name == kind
        ]

    def sent(self, kind: str) -> int:
        """Count the frames of a class that were sent."""
        return sum(counts["sent"] for counts in self.frames(kind))

    def lost(self, kind: str, cause: str | None = None) -> float | None:
        """Return the share of the frames of a class that was lost, to a cause or at all, in %.

        >>> counts = {"data": {"sent": 40, "lost": {"noise": 3, "captured": 1}}}
        >>> run = CellRun({"cells": [{"stations": [{"frames": counts}]}]}, {})
        >>> run.lost("data"), run.lost("data", "captured"), run.lost("rts")
        (10.0, 2.5, None)
        """
        frames = self.frames(kind)
        sent = self.sent(kind)
        if not sent:
            return None
        chosen = [
            n
            for counts in frames
            for name, n in counts["lost"].items()
            if cause is None or name == cause
        ]
        return 100 * sum(chosen) / sent

    @property
    def given_up(self) -> tuple[int, int]:
        """Packets given up by stations that send more data than TCP ACKs, and all of their packets.

        >>> counts = {"data": {"sent": 40, "lost": {"noise": 3}}}
        >>> CellRun({"cells": [{"stations": [{"frames": counts, "retry_drops": 3}]}]}, {}).given_up
        (3, 40)
        """
        given = packets = 0
        for station in self.stations:
            none: dict[str, Any] = {"sent": 0, "lost": {}}
            data, acks = (station["frames"].get(kind, none) for kind in ("data", "tcp_ack"))
            if data["sent"] > acks["sent"]:
                given += station["retry_drops"]
                packets += station["retry_drops"] + data["sent"] - sum(data["lost"].values())
        return given, packets

    @property
    def frames_per_second(self) -> float:
        """Frames of all classes that were sent in a second."""
        seconds = self.document["flows"][0]["active_s"]
        return sum(counts["sent"] for counts in self.frames()) / seconds
