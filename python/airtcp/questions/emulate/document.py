"""Types of the JSON document of emulated runs (`airtcp.emulate/1`), which `airtcp-live` writes."""

from __future__ import annotations

from typing import Literal, TypedDict


class Lateness(TypedDict):
    """How late frames were written, counted from their time in the model."""

    frames: int
    """Frames written."""
    p50_s: float
    """The lateness that half of them do not exceed, at most 0.8 % too high."""
    p99_s: float
    """The lateness that 99 % of them do not exceed."""
    p99_9_s: float
    """The lateness that 99.9 % of them do not exceed."""
    max_s: float
    """The greatest lateness."""
    bound_s: float
    """The greatest `p99_s` of a valid run."""
    bound_99_9_s: float
    """The greatest `p99_9_s` of a valid run."""
    peak_bps: int
    """Most bits of IP packets a second that one node got within 10 ms: it chooses the bounds."""


class Packets(TypedDict):
    """Numbers of packets."""

    entered: int
    """Packets that entered the model."""
    delivered: int
    """Packets that left it at a node, copies included."""
    marked: int
    """Of these, packets that got a mark of congestion."""
    dropped: int
    """Packets that it dropped, copies included."""
    copied: int
    """Copies that links made."""
    beside: int
    """Frames that passed beside the model: ARP and neighbour discovery."""
    stray: int
    """Frames for none of the nodes."""
    clamped: int
    """Packets that were read after the model had run past their arrival."""
    cut: int
    """Frames that were longer than the interfaces allow, and were not read."""
    lost_by_rings: int
    """Frames that the rings of the interfaces had no room for."""
    refused: int
    """Frames that an interface did not take."""


class Port(TypedDict):
    """What a node with real traffic received."""

    node: str
    """Its name."""
    frames: int
    """Frames that were written to it."""
    bytes: int
    """Their bytes, with the header of Ethernet."""
    rate_bps: float
    """These bytes over the duration of the run."""


class FateCount(TypedDict):
    """Packets with one fate."""

    fate: str
    """`delivered`, `marked`, or the reason of a drop."""
    place: str
    """The node where they left, or the link or station that dropped them."""
    packets: int
    """Their number."""


class EmulatedFlow(TypedDict):
    """A direction of a flow."""

    node: str
    """The node where its packets enter."""
    protocol: Literal["tcp", "udp", "other"]
    """`other` is for all packets without a flow that enter there."""
    source: str | None
    """Address and port of the sender; null for packets without a flow."""
    destination: str | None
    """Address and port of the receiver."""
    packets: int
    """Packets that ended: delivered or dropped."""
    bytes: int
    """Their bytes, IP headers included."""
    delivered: int
    """Packets delivered."""
    delivered_bytes: int
    """Their bytes."""
    marked: int
    """Of these, packets with a mark of congestion from the model."""
    dropped: int
    """Packets dropped."""
    delay_mean_s: float | None
    """Mean time in the model of the packets that were delivered."""
    delay_max_s: float | None
    """The longest of these times."""
    duration_s: float
    """From the first packet to the end of the last."""


class Moment(TypedDict):
    """What happened in an interval."""

    t_s: float
    """End of the interval, after the start of the run."""
    duration_s: float
    """Its duration."""
    rate_bps: list[float]
    """Rate of the frames written, in the order of `ports`."""
    dropped: int
    """Packets dropped."""
    waiting: int
    """Packets in queues of links and in stations at its end, simulated ones included."""
    late_max_s: float
    """The greatest lateness of a frame."""
    airtime_share: list[float]
    """Share of the time in which frames were on the air, in the order of `cells`."""


class Change(TypedDict):
    """A change of the scenario, by `--control`."""

    t_s: float
    """When, after the start of the run."""
    key: str
    """Such as `links[0].rate`."""
    value: str
    """Its new value."""


class EmulateDocument(TypedDict):
    """The document that `airtcp emulate --json FILE` writes."""

    schema: str
    """Name and version of this format: `airtcp.emulate/1`."""
    airtcp_version: str
    """Version of airtcp."""
    scenario: str
    """The file of the scenario."""
    title: str | None
    """Its title."""
    seed: int
    """Root seed."""
    command: list[str]
    """The program that ran at the client's side, and its arguments; empty if there was none."""
    ended: Literal["command-ended", "time-over", "interrupted", "stopped", "failed"]
    """Why the run ended; `stopped` if the process or the machine slept for more than a second."""
    duration_s: float
    """Duration of the run."""
    valid: bool
    """Whether frames left in time, and all of them entered."""
    problem: str | None
    """Why it is not valid."""
    priority: str
    """How the program was scheduled."""
    lateness: Lateness
    """How late frames were written."""
    base_rtt_s: float
    """Round-trip time of the path without a queue."""
    packets: Packets
    """Numbers of packets."""
    ports: list[Port]
    """The nodes with real traffic."""
    fates: list[FateCount]
    """What became of the packets, the most frequent first."""
    flows: list[EmulatedFlow]
    """Directions of flows, those with the most bytes first, at most 1000."""
    flows_left_out: int
    """Directions that are not listed."""
    cells: list[str]
    """Names of the cells."""
    series: list[Moment]
    """What happened over time; intervals of 0.1 s, longer in long runs."""
    changes: list[Change]
    """Changes of the scenario while it ran, the first 1000."""
