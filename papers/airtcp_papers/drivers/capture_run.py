"""One run with its captures for the driver `captures`: what they show, and the run's counters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers import variants
from airtcp_papers.loss_clusters import LossClusters, clusters

if TYPE_CHECKING:
    from collections.abc import Mapping

WINDOW: Final = "flows[0].tcp.max_window"
"""The setting of the window, in segments."""
_ADDRESS: Final = "02:00:00:00:00:{:02x}"
"""Address of a station in the captures, by its number in the cell."""


@dataclass(frozen=True)
class CaptureRun(variants.Run):
    """One run: `document` has its counters, `host` and `air` what its captures show."""

    host: Mapping[str, Any]
    air: Mapping[str, Any]
    changes: Mapping[str, Any]
    at: Mapping[str, str | float]

    @property
    def flow(self) -> Mapping[str, Any]:
        """The counters of the first flow."""
        return self.document["flows"][0]

    @property
    def station(self) -> Mapping[str, Any]:
        """The counters of the station that sends the data, `transmitter`."""
        return self._of(self.parameters["transmitter"])

    @property
    def receiver(self) -> Mapping[str, Any]:
        """The counters of the station that receives the data, `receiver`."""
        return self._of(self.parameters["receiver"])

    def _of(self, name: str) -> Mapping[str, Any]:
        return next(one for one in self._stations if one["name"] == name)

    @property
    def _stations(self) -> list[dict[str, Any]]:
        return self.document["cells"][0]["stations"]

    @property
    def link(self) -> Mapping[str, Any] | None:
        """The link of the transmitter in the capture of the radio."""
        names = [one["name"] for one in self._stations]
        return self.air.get(_ADDRESS.format(names.index(self.parameters["transmitter"])))

    @cached_property
    def clusters(self) -> LossClusters:
        """The loss events of the capture at the sender."""
        return clusters(self.host["retransmission_rows"], self.host["largest_segment_bytes"])

    @property
    def throughput(self) -> float | None:
        """Application bytes by the time from the first data to the last ACK, Mb/s."""
        rate = self.host["goodput_bps"]
        return None if rate is None else rate / 1e6

    @property
    def true_throughput(self) -> float:
        """Application bytes that arrived, by the time of the transfer, Mb/s."""
        seconds = self.flow["completion_s"] or self.document["measured_s"]
        return 8e-6 * self.flow["delivered_bytes"] / seconds

    @property
    def rtt_s(self) -> float | None:
        """The mean round-trip time of the capture."""
        return self.host["rtt_s"]["mean"]

    def rtt(self, of: str) -> float | None:
        """Return a statistic of the round-trip times of the capture, ms."""
        value = self.host["rtt_s"][of]
        return None if value is None else 1e3 * value

    @property
    def window_over_rtt(self) -> float | None:
        """The window by the mean round-trip time, Mb/s."""
        window = self.changes.get(WINDOW)
        if window is None or self.rtt_s is None:
            return None
        return 8e-6 * window * self.host["largest_segment_bytes"] / self.rtt_s

    @property
    def excess(self) -> float | None:
        """The window by the round-trip time, over the throughput."""
        if self.window_over_rtt is None or not self.throughput:
            return None
        return self.window_over_rtt / self.throughput

    @property
    def flight(self) -> float | None:
        """The mean of the data in flight by Little's law, in segments."""
        if self.rtt_s is None or self.throughput is None:
            return None
        return 1e6 * self.throughput * self.rtt_s / (8 * self.host["largest_segment_bytes"])

    @property
    def acknowledged(self) -> float:
        """Attempts of the transmitter whose MAC ACK it received."""
        acks = self.receiver["frames"].get("mac_ack", {"sent": 0, "error_rate": 0.0})
        return acks["sent"] * (1 - (acks["error_rate"] or 0.0))

    @property
    def attempts(self) -> int:
        """Attempts of the transmitter to send data."""
        frames = self.station["frames"]
        return sum(frames[kind]["sent"] for kind in ("data", "tcp_ack") if kind in frames)

    def shares(self) -> dict[int, float]:
        """Return the share of the attempts at each rate in the capture, by Mb/s."""
        if self.link is None:
            return {}
        return {
            round(one["rate_bps"] / 1e6): one["share"]
            for one in self.link["rates"]
            if one["rate_bps"] is not None
        }

    def true_shares(self) -> dict[int, float]:
        """Return the share of the attempts at each rate by the run's counters, by Mb/s."""
        rates = self.station["rates"]
        whole = sum(one["sent"] for one in rates)
        return {round(one["rate_bps"] / 1e6): one["sent"] / whole for one in rates} if whole else {}
