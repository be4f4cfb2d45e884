"""Scenarios of the criteria, made from the keys of a scenario.

A scene is a scenario for one law. Rates are in Mb/s, times in ms unless a name says otherwise, and
a queue is in bandwidth-delay products (BDP) of packets of 1500 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Table = dict[str, Any]
PACKET: Final = 1500
"""Bytes of a packet on a link."""
PAYLOAD: Final = 1448 / PACKET
"""Share of a full packet that is payload: 52 bytes are IP, TCP and timestamps."""
LAW: Final = "law"
"""Name of the flows of the law that is evaluated."""
LINK: Final = "link"
"""Name of the bottleneck."""
_ACCESS_MS: Final = 1.0
"""One-way delay of an access link; a path has two."""


@dataclass(frozen=True)
class Scene:
    """A scenario, with the files that it reads."""

    name: str
    scenario: Table
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """The text of each file by name, relative to the scenario."""
    series: bool = False
    """Whether windows, round-trip times and queues are recorded, in the first replication."""
    fresh: bool = False
    """Whether it runs in a process of its own, which only tells what the run left: no rows."""
    again: bool = False
    """Whether it runs twice in one process, and the second run counts: a law that keeps something
    outside its objects then differs from its first run."""


def number(value: float) -> str:
    """Write a number of a key.

    >>> number(20.0), number(0.25)
    ('20', '0.25')
    """
    return f"{value:g}"


def queue(mbps: float, rtt_ms: float, bdp: float) -> Table:
    """Return a drop-tail queue of this many BDP, of two packets at least."""
    packets = round(mbps * 1e3 * rtt_ms / 8 / PACKET * bdp)
    return {"kind": "drop-tail", "packets": max(2, packets)}


def link(mbps: float, rtt_ms: float, waiting: Table, **more: Any) -> Table:
    """Return a link from a to z.

    Args: mbps: Its rate. rtt_ms: Round-trip time of the path. waiting: Its queue. **more: Further
        keys.
    """
    return {
        "name": LINK,
        "from": "a",
        "to": "z",
        "rate": f"{number(mbps)} Mb/s",
        "delay": f"{number(rtt_ms / 2)} ms",
        "queue": waiting,
        **more,
    }


def flow(tcp: Table, name: str = LAW, *, at: int | None = None, **more: Any) -> Table:
    """Return a flow over the link, or over pair `at` of a dumbbell.

    Starts are spread, so that replications differ where nothing else is random.
    """
    ends = {"from": "a", "to": "z"} if at is None else {"from": f"s{at}", "to": f"r{at}"}
    return {"name": name, **ends, "start_spread": "200 ms", "tcp": tcp, **more}


def alone(tcp: Table, path: Table, *, seconds: float, warmup: float, **more: Any) -> Table:
    """Return a scenario of one flow, or `count` of them, over a link."""
    return scenario(seconds, warmup, links=[path], flows=[flow(tcp, **more)])


def shared(
    flows: Sequence[Table],
    mbps: float,
    rtt_ms: float,
    waiting: Table,
    *,
    seconds: float,
    warmup: float,
) -> Table:
    """Return a scenario of flows over one link.

    Args: flows: The flows. mbps: Rate of the link. rtt_ms: Round-trip time of all. waiting: Its
        queue. seconds: Duration. warmup: Seconds that means leave out.
    """
    return scenario(seconds, warmup, links=[link(mbps, rtt_ms, waiting)], flows=list(flows))


def dumbbell(
    flows: Sequence[Table],
    mbps: float,
    rtt_ms: float,
    waiting: Table,
    *,
    seconds: float,
    warmup: float,
    delays: Sequence[float] = (_ACCESS_MS,),
) -> Table:
    """Return a scenario of flows over one bottleneck.

    Args: flows: Flows, the i-th over pair i. mbps: Rate of the bottleneck. rtt_ms: Round-trip time
        of the pair with the first delay. waiting: Queue of the bottleneck. seconds: Duration.
        warmup: Seconds that means leave out. delays: One-way delays of the access links.
    """
    middle = rtt_ms / 2 - 2 * _ACCESS_MS - (delays[0] - _ACCESS_MS)
    return scenario(
        seconds,
        warmup,
        topology={
            "kind": "dumbbell",
            "pairs": len(flows),
            "bottleneck": {
                "rate": f"{number(mbps)} Mb/s",
                "delay": f"{number(middle)} ms",
                "queue": waiting,
            },
            "access_delays": [f"{number(delay)} ms" for delay in delays],
        },
        flows=list(flows),
    )


def scenario(seconds: float, warmup: float, **parts: Any) -> Table:
    """Return a scenario of this duration, with what else it has."""
    return {"duration": f"{number(seconds)} s", "warmup": f"{number(warmup)} s", **parts}
