"""Types of the JSON document of a diagnosis (`airtcp.diagnose/1`)."""

from __future__ import annotations

from typing import Any, TypedDict


class BurstFit(TypedDict):
    """The bursts of lost packets; null if too few were lost for a fit."""

    mean_burst: float | None
    mean_burst_low: float | None
    mean_burst_high: float | None
    p_independent: float | None
    """Probability of as many neighbouring losses if losses were independent."""
    bursty: bool


class LossFit(BurstFit):
    """The loss process of the transfer: packets of data that were lost."""

    sent: int
    lost: int
    share: float
    share_low: float
    share_high: float
    overshoot: int
    """Packets lost in the window in which slow start overshot; all other fields of the steady state
    and of bursts leave them out."""
    steady_share: float
    steady_low: float
    steady_high: float
    lost_first: int
    """Packets whose first transmission was lost."""
    bursts: int
    longest_burst: int
    lost_again: int
    """Retransmissions that were lost."""
    lower_bound: bool
    """True if the capture was not taken at the sender: lost copies are seen as gaps only."""


class Observed(TypedDict):
    """The transfer, as the capture shows it."""

    connection: int
    sender: str
    receiver: str
    place: str
    duration_s: float
    unique_bytes: int
    segments: int
    payload_bytes: int
    goodput_bps: float
    retransmissions: int
    spurious: int
    timeouts: int
    zero_windows: int
    largest_flight_bytes: int
    rtt_min_s: float | None
    rtt_from: str
    rtt_p50_s: float | None
    rtt_p95_s: float | None
    rtt_max_s: float | None
    limited_by: dict[str, float]


class Fitted(TypedDict):
    """An estimate with its 95 % interval; an end that the capture does not bound is null."""

    value: float
    low: float | None
    high: float | None


class Origin(TypedDict):
    """A part of the losses that the link may cause; the queue causes the others."""

    part: float
    distance: float
    """Distance of the best replay above that of the best of all."""
    possible: bool


class LinkFit(TypedDict):
    """The link behind the transfer."""

    rate_bps: Fitted
    delay_s: Fitted
    """One-way delay, without transmission and queue."""
    queue_packets: Fitted
    link_loss: Fitted
    """Loss of the link itself, without the overflow of the queue."""
    origins: list[Origin]
    utilisation: float
    """Goodput with headers by the fitted rate."""
    distance: float
    """Distance of the best replay from the capture."""
    rate_told: bool


class Statistic(TypedDict):
    """A statistic of the transfer beside its prediction interval over the replays (99 %)."""

    name: str
    observed: float
    mean: float
    low: float
    high: float
    inside: bool


class Replay(TypedDict):
    """The replay of the transfer over the fitted link."""

    replications: int
    duration_s: float
    statistics: list[Statistic]
    queue_drops: float
    """Mean number of packets that the queue drops."""
    link_losses: float
    reproduces: bool


class Window(TypedDict):
    """The gain of a larger receive window."""

    factor: float
    receive_buffer_bytes: int
    rate_bps: float
    """Rate of the link in this replay."""
    goodput_bps: float
    gain: Fitted
    """Goodput by that with the observed window, paired."""


class Air(TypedDict):
    """The 802.11 link with the most attempts."""

    transmitter: str
    receiver: str
    attempts: int
    packets: int
    raw_loss: float | None
    residual_loss: float | None
    mean_attempts: float | None
    latency_p50_s: float | None


class Answers(TypedDict):
    """What other TCPs and remedies deliver over the link."""

    trusted: bool
    """False if the replay does not reproduce the transfer, or if there is a doubt."""
    reference: str
    duration_s: float
    tcps: dict[str, Any]
    """A subject of `airtcp.compare/1`."""
    remedies: dict[str, Any] | None


class DiagnoseDocument(TypedDict):
    """The document `airtcp.diagnose/1`; parts that a capture cannot give are null."""

    schema: str
    airtcp_version: str
    seed: int
    replications: int
    paths: list[str]
    files: list[dict[str, Any]]
    tcp: str
    tcp_told: bool
    observed: Observed | None
    losses: LossFit | None
    air: Air | None
    link: LinkFit | None
    scenario: str | None
    replay: Replay | None
    windows: list[Window]
    answers: Answers | None
    obstacle: str | None
    """Why the transfer was not replayed: `no-data`, `short`, `application`, `no-rtt`."""
    doubts: list[str]
    """Why a replay that agrees may have the wrong link: `place` (not captured at the sender, and no
    rate told), `reordering` (the path delays or duplicates packets)."""
    interrupted: bool
