"""What Python adds to the document of a run: trials of the changes that the answer may advise."""

from __future__ import annotations

from typing import TypedDict


class TrialFlow(TypedDict):
    """A flow without and with a change: means over the replications of the trial."""

    flow: str
    """Name of the flow."""
    goodput_bps: float | None
    """Goodput as the scenario is, in b/s."""
    with_bps: float | None
    """Goodput with the change, in b/s."""
    rtt_s: float | None
    """Mean round-trip time as the scenario is, in seconds; null if the flow measures none."""
    rtt_with_s: float | None
    """Mean round-trip time with the change, in seconds; null if the flow measures none."""


class Trial(TypedDict):
    """A change that the answer may advise, run with the seeds of the first replications."""

    change: list[str]
    """Arguments of `--set`."""
    replications: int
    """Number of replications of the trial."""
    measured_s: float
    """Measured time of each replication, in seconds: that of the run, or of the search."""
    slowest_bps: float | None
    """Mean goodput of the slowest endless flow of each replication; null if none is endless."""
    slowest_with_bps: float | None
    """The same with the change; it may be another flow."""
    flows: list[TrialFlow]
    """Every flow of the run, in its order."""
