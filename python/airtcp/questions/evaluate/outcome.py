"""What a replication of a scene measured, by flow and link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.run.result import RunResult

Row = dict[str, Any]
_SERIES: Final = ("window_series", "rtt_series", "queue_series", "delivered_series")


@dataclass(frozen=True)
class Rep:
    """A replication."""

    flows: Sequence[Row]
    links: Sequence[Row]
    duration_s: float
    fingerprint: str
    series: dict[str, list[Row]] = field(default_factory=dict[str, Any])
    """What was recorded over time, in the first replication of a scene that asks for it."""

    def of(self, name: str) -> list[Row]:
        """Return the flows of a name: the flow itself, or all that its `count` made."""
        return [row for row in self.flows if row["name"].rstrip("0123456789") == name]

    def total(self, name: str, key: str) -> float:
        """Return the sum of a quantity over the flows of a name."""
        return sum(row[key] or 0.0 for row in self.of(name))

    def goodput(self, name: str) -> float:
        """Return the goodput of the flows of a name together, b/s."""
        return self.total(name, "goodput_bps")

    def sent_again(self, name: str) -> float:
        """Return retransmitted segments as a share of all that the flows of a name sent."""
        sent = self.total(name, "segments_sent")
        return self.total(name, "retransmissions") / sent if sent else 0.0

    def link(self, name: str) -> Row:
        """Return a link by name."""
        return next(row for row in self.links if row["name"] == name)


def reps_of(result: RunResult, duration_s: float, *, series: bool) -> list[Rep]:
    """Return the replications of a run.

    Args: result: The run. duration_s: Its simulated time. series: Whether it recorded series.
    """
    flows, links = result.flows.rows(), result.links.rows()
    recorded = {name: result.table(name).rows() for name in _SERIES} if series else {}
    return [
        Rep(
            [row for row in flows if row["replication"] == number],
            [row for row in links if row["replication"] == number],
            duration_s,
            fingerprint,
            {} if number else recorded,
        )
        for number, fingerprint in enumerate(result.fingerprints)
    ]
