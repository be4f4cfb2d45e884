"""Which flows Jain's index of a run is over, in words.

It is over the endless flows (bulk without size or stop, not UDP), or over all flows if none is
endless. Where a cell has endless flows in both directions, each direction has its own index too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.run import groups
from airtcp.words.sentences import SHARE, estimate

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument


def of_flows(document: RunDocument) -> str:
    """Name the flows that the index is over."""
    endless, every = _endless(document), len(document["summary"]["flows"])
    return f"the {endless} endless flows" if 0 < endless < every else f"the {every} flows"


def by_direction(document: RunDocument) -> str:
    """Write the index of each direction of a cell; empty where a cell has one direction."""
    summary = document["summary"]
    ways = (("up", summary.get("jain_index_up")), ("down", summary.get("jain_index_down")))
    said = [
        f"{name} {estimate(of, 1.0, SHARE)}" for name, of in ways if of and of["mean"] is not None
    ]
    return f" ({', '.join(said)})" if said else ""


def _endless(document: RunDocument) -> int:
    """Count the endless flows of the scenario as it was run."""
    flows = document["scenario"].get("flows", [])
    return sum(int(flow.get("count", 1)) for flow in flows if groups.is_endless(flow))
