"""Types of the JSON document of a diagnosis (`airtcp.diagnose/1`)."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypedDict

from airtcp.document_part import Part

LEAST_SEGMENTS: Final = 50
"""Segments below which a transfer shows too little of its link [choice]."""


class Fitted(TypedDict):
    """An estimate with its 95 % interval."""

    value: float
    """The estimate."""
    low: float | None
    """Lower end of the interval; null if the capture does not bound it."""
    high: float | None
    """Upper end of the interval; null if the capture does not bound it."""


class BurstFit(TypedDict):
    """The bursts of lost packets."""

    mean_burst: float | None
    """Mean number of packets lost in a row; null if too few were lost for a fit."""
    mean_burst_low: float | None
    """Lower end of its 95 % interval."""
    mean_burst_high: float | None
    """Upper end of its 95 % interval."""
    p_independent: float | None
    """Probability of as many neighbouring losses if losses were independent."""
    bursty: bool
    """True if this probability is below 5 %."""


class LossFit(BurstFit):
    """The loss process of the transfer: packets of data that were lost."""

    sent: int
    """Packets of data that were sent, retransmissions included."""
    lost: int
    """Retransmissions that were needed: each repairs a lost packet."""
    share: float
    """Lost packets by sent packets."""
    share_low: float
    """Lower end of its 95 % interval."""
    share_high: float
    """Upper end of its 95 % interval."""
    overshoot: int
    """Packets lost in the window in which slow start overshot; all other fields of the steady state
    and of bursts leave them out."""
    steady_share: float
    """Lost packets by sent packets without the overshoot."""
    steady_low: float
    """Lower end of its 95 % interval."""
    steady_high: float
    """Upper end of its 95 % interval."""
    lost_first: int
    """Packets whose first transmission was lost."""
    bursts: int
    """Runs of neighbouring packets whose first transmission was lost."""
    longest_burst: int
    """Packets of the longest run."""
    lost_again: int
    """Retransmissions that were lost."""
    lower_bound: bool
    """True if the capture was not taken at the sender: lost copies are seen as gaps only."""


class Observed(TypedDict):
    """The transfer, as the capture shows it."""

    connection: int
    """Number of its connection in the document of the capture."""
    point: int | None
    """Point of the path at which it was captured, if the files are of several."""
    sender: str
    """Address and port of the sender."""
    receiver: str
    """Address and port of the receiver."""
    place: str
    """Where the capture was taken: `sender`, `receiver`, `middle` or `unknown`."""
    duration_s: float
    """Time from the first to the last data."""
    unique_bytes: int
    """Bytes of data, each counted once."""
    segments: int
    """Full segments of these bytes."""
    payload_bytes: int
    """Bytes of payload of a full segment."""
    goodput_bps: float
    """Unique bytes by the time from the first to the last data."""
    retransmissions: int
    """Packets of data that were sent again."""
    spurious: int
    """Those of them whose original had arrived."""
    timeouts: int
    """Retransmission timeouts."""
    zero_windows: int
    """Times that the receiver closed its window."""
    largest_flight_bytes: int
    """Most bytes in flight."""
    rtt_min_s: float | None
    """Least round-trip time of the path."""
    rtt_from: str
    """Where the least round-trip time comes from."""
    rtt_p50_s: float | None
    """Median round-trip time; null away from the sender."""
    rtt_p95_s: float | None
    """95th percentile of the round-trip time; null away from the sender."""
    rtt_max_s: float | None
    """Largest round-trip time; null away from the sender."""
    delivery_bps: float | None
    """Largest rate, with headers, at which data arrived over two least round-trip times; null away
    from the sender, without SACK, or for very long captures."""
    delivery_p95_bps: float | None
    """95th percentile of these rates over the transfer."""
    limited_by: dict[str, float]
    """Shares of the time by what limited the sender."""


class Origin(TypedDict):
    """A part of the losses that the link may cause."""

    part: float
    """The part; the queue causes the others."""
    distance: float
    """Distance of the best replay above that of the best of all."""
    possible: bool
    """True if the capture does not exclude the part."""


class Sources(TypedDict):
    """Where each parameter of the link comes from.

    `air`: measured on the air. `tcp`: retransmissions. `rtt`: round-trip times. `replays`: replays
    that agree with the capture. `delivery`: these replays and the steady rate at which data
    arrived, which is the lower end of the interval. `option`: told.
    """

    rate_bps: str
    """Source of the rate: `option`, `air`, `delivery` or `replays`."""
    delay_s: str
    """Source of the delay: `option` or `rtt`."""
    queue_packets: str
    """Source of the queue: `air` or `rtt`."""
    link_loss: str
    """Source of the loss: `air` or `tcp`."""
    mean_burst: str
    """Source of the bursts: `air` or `tcp`."""


class LinkFit(TypedDict):
    """The link behind the transfer."""

    rate_bps: Fitted
    """Rate."""
    delay_s: Fitted
    """One-way delay, without transmission and queue."""
    queue_packets: Fitted
    """Packets that the queue holds."""
    link_loss: Fitted
    """Share of the packets that the link itself loses, without the overflow of the queue."""
    sources: Sources
    """Where each parameter comes from."""
    origins: list[Origin]
    """Parts of the losses that the link may cause."""
    utilisation: float
    """Goodput with headers by the fitted rate."""
    distance: float
    """Distance of the best replay from the capture."""
    rate_told: bool
    """True if an option told the rate."""


class Statistic(TypedDict):
    """A statistic of the transfer beside its prediction interval over the replays (99 %)."""

    name: str
    """Its name; the unit is at the end."""
    observed: float
    """Its value in the capture."""
    mean: float
    """Its mean over the replays."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    inside: bool
    """True if the observed value is in the interval, widened by the tolerance."""


class Replay(TypedDict):
    """The replay of the transfer over the fitted link."""

    replications: int
    """Number of replays."""
    duration_s: float
    """Time that a replay simulates."""
    statistics: list[Statistic]
    """The statistics of the transfer beside those of the replays."""
    queue_drops: float
    """Mean number of packets that the queue drops."""
    link_losses: float
    """Mean number of packets that the link loses."""
    reproduces: bool
    """True if goodput, losses and the median round-trip time agree."""


class Window(TypedDict):
    """The gain of a larger receive window."""

    factor: float
    """How many times the observed window."""
    receive_buffer_bytes: int
    """The window."""
    rate_bps: float
    """Rate of the link in this replay."""
    goodput_bps: float
    """Mean goodput with this window."""
    gain: Fitted
    """Goodput by that with the observed window, paired."""


class Air(TypedDict):
    """The 802.11 link with the most attempts."""

    transmitter: str
    """Address of the transmitter."""
    receiver: str
    """Address of the receiver."""
    attempts: int
    """Captured attempts."""
    packets: int
    """Packets of which at least one attempt was captured."""
    raw_loss: float | None
    """Share of the attempts without MAC ACK, corrected for what the sniffer missed."""
    residual_loss: float | None
    """Share of the packets without MAC ACK for any attempt, corrected likewise."""
    mean_attempts: float | None
    """Attempts a packet."""
    latency_p50_s: float | None
    """Median time from the first attempt to the MAC ACK."""


class AirLoss(TypedDict):
    """The loss process of the transfer's packets on the air."""

    packets: int
    """Packets with data whose fate is known."""
    lost: int
    """Packets that the link gave up after the last attempt."""
    loss: Fitted
    """Lost packets by packets."""
    mean_burst: Fitted | None
    """Mean number of packets lost in a row; null if too few were lost."""
    bursty: bool
    """True if independent losses have as many neighbours with less than 5 % probability."""


class AirFit(AirLoss):
    """The link of the transfer, measured on the air beside a host."""

    transmitter: str
    """Address of the transmitter."""
    receiver: str
    """Address of the receiver."""
    missed_share: float
    """Share of the attempts, or of the MAC ACKs if greater, that the sniffer missed."""
    not_used: str | None
    """Why the fit does not use the air: `missed` (by the sniffer), `few` (packets)."""
    not_on_air: int | None
    """Segments of the host that did not come to the air; null if the host received the data."""
    waiting_packets: int
    """Most packets that an arriving one found before their first attempt."""
    rate_bps: Fitted | None
    """Rate of the service; null if too few packets waited, or another place has the queue."""
    queue_packets: Fitted | None
    """Packets that the queue before the air holds; null as for the rate."""
    queue_elsewhere: bool
    """True if round-trip times grow by a queue that is not the one before the air."""


class SeenAt(TypedDict):
    """A capture that shows the same transfer."""

    point: int
    """Point of the path."""
    connection: int
    """Number of its connection in the document of the capture."""
    place: str
    """Where the capture was taken: `sender`, `receiver`, `middle` or `unknown`."""
    files: list[str]
    """Files of the capture."""


class Answers(TypedDict):
    """What other TCPs and remedies deliver over the link."""

    trusted: bool
    """False if the replay does not reproduce the transfer, or if there is a doubt."""
    reference: str
    """Congestion law of the transfer."""
    duration_s: float
    """Time that each run simulates."""
    tcps: Annotated[dict[str, Any], Part("compare", "Subject")]
    """The congestion laws, as a subject of `airtcp.compare/1`."""
    remedies: Annotated[dict[str, Any], Part("compare", "Subject")] | None
    """The remedies, likewise; null if Ctrl-C stopped their comparison."""


class DiagnoseDocument(TypedDict):
    """The document of `airtcp diagnose`. Parts that a capture cannot give are null."""

    schema: str
    """Name and version of this format: `airtcp.diagnose/1`."""
    airtcp_version: str
    """Version of airtcp."""
    seed: int
    """Root seed."""
    replications: int
    """Number of replays, and of replications of the comparisons."""
    paths: list[str]
    """The captures as given."""
    files: list[Annotated[dict[str, Any], Part("capture", "FileReport")]]
    """The files that were read, as in `airtcp.capture/1`."""
    tcp: str
    """Congestion law of the sender."""
    tcp_told: bool
    """True if an option told the law; otherwise it is a guess."""
    observed: Observed | None
    """The transfer; null if the capture has none."""
    losses: LossFit | None
    """Its losses."""
    seen_at: list[SeenAt]
    """The captures that show the transfer, that of `observed` first; empty if there is only one."""
    air: Air | None
    """The 802.11 link with the most attempts; null without a capture of the air."""
    air_fit: AirFit | None
    """The air beside a host; null without both, or if no packet of the transfer is on the air."""
    link: LinkFit | None
    """The fitted link."""
    scenario: str | None
    """The fitted link and the transfer as a scenario in TOML."""
    replay: Replay | None
    """The replay over the fitted link."""
    windows: list[Window]
    """Replays with larger receive windows, if the receive window is a limit."""
    answers: Answers | None
    """The comparisons over the fitted link."""
    obstacle: str | None
    """Why the transfer was not replayed: `no-data`, `short`, `application`, `no-rtt`."""
    doubts: list[str]
    """Why a replay that agrees may have the wrong link: `place` (not captured at the sender, and no
    rate told), `reordering` (the path delays or duplicates packets)."""
    interrupted: bool
    """True if Ctrl-C stopped the work."""
