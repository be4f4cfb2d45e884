"""Types of the JSON document of a diagnosis (`airtcp.diagnose/1`)."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypedDict

from airtcp.data.document_part import Part

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
    """Unique bytes by the time from the first to the last data, of all `connections` together."""
    retransmissions: int
    """Packets of data that were sent again."""
    spurious: int
    """Those of them whose original had arrived."""
    timeouts: int
    """Retransmission timeouts."""
    zero_windows: int
    """Times that the receiver closed its window."""
    closed_to_end_s: float | None
    """Seconds for which it has been closed at the end; None if it is open."""
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
    connections: int
    """Connections between the two hosts that share the bottleneck."""
    limited_by: dict[str, float]
    """Shares of the time by what limited the sender."""


class RateFit(Fitted):
    """The rate of the bottleneck, in bit/s of IP packets."""

    kind: str
    """`steady`; `varying`; `weak` (too few packets waited: a lower bound); `none` (no two packets
    waited: the largest rate of arrivals)."""
    support: float
    """Part of the pairs of arrivals, by weight, that agree with the rate."""
    busy_packets: int
    """Packets that found others waiting, and whose arrivals show the rate."""


class QueueFit(Fitted):
    """The packets that the queue holds."""

    level_drops: int
    """Losses that show the length; 0 if the queue was never seen full, and `low` is a bound."""


class Sources(TypedDict):
    """Where each parameter of the link comes from.

    `air`: measured on the air. `timing`: times of packets and ACKs. `backlog`: backlog at losses.
    `option`: told.
    """

    rate_bps: str
    """Source of the rate: `option` or `timing`."""
    delay_s: str
    """Source of the delay: `option` or `timing`."""
    queue_packets: str
    """Source of the queue: `backlog`."""
    link_loss: str
    """Source of the loss: `air` or `backlog`."""


class LinkFit(TypedDict):
    """The link behind the transfer."""

    rate_bps: RateFit
    """Rate."""
    delay_s: Fitted
    """One-way delay, without transmission and queue."""
    queue_packets: QueueFit
    """Packets that the queue holds."""
    link_loss: Fitted
    """Share of the packets that the link itself loses, without the overflow of the queue."""
    mean_burst: float
    """Mean number of packets that the link loses in a row."""
    sources: Sources
    """Where each parameter comes from."""
    utilisation: float
    """Goodput with headers by the rate; at most 1. A rate that is a lower bound may be smaller, and
    the last packets of a short transfer, which were sent but not yet delivered, count as well."""
    busy_share: float
    """Part of the transfer in which packets waited at the bottleneck."""


class LostPacket(TypedDict):
    """A transmission that was lost."""

    time_s: float
    """When it was sent, in s since 1970-01-01."""
    origin: str
    """`queue`, `link`, or `unknown`."""
    backlog_packets: int
    """Packets that waited at the bottleneck when it came to the queue."""


class PolicerFound(TypedDict):
    """A token bucket without a queue."""

    rate_bps: float
    """Rate of IP packets."""
    burst_bytes: float
    """Bytes that it passes at once."""
    drops: int
    """Losses that it explains."""
    most_goodput_bps: float
    """What no TCP exceeds."""


class CodelRule(TypedDict):
    """How drops follow the rule of CoDel (5 ms, 100 ms)."""

    due: int
    """Drops that were due."""
    not_due: int
    """Drops at waits above the target that were not."""
    above_s: float
    """Time of waits above the target."""
    overdue_s: float
    """Part of it in which a drop was overdue."""
    found: bool
    """True if the drops follow the rule."""


class AqmFound(TypedDict):
    """A queue that drops early."""

    losses: int
    """Losses that were tested; neighbours are one."""
    lost_without_queue: int
    """Those of them that found no queue."""
    sent_without_queue: int
    """Transmissions that found no queue."""
    chance_of_backlogs: float
    """Probability that the backlogs at losses are as high by chance."""
    chance_of_queue: float
    """Probability that as many losses found a queue by chance."""
    codel: CodelRule
    """Whether the discipline is CoDel; otherwise the capture does not tell which it is."""


class SharedFound(TypedDict):
    """Other traffic in the queue, which the capture does not have."""

    drops: int
    """Drops that were compared."""
    wait_spread: float | None
    """Quartile range of the wait at the drops, by its median; null with few drops."""
    backlog_spread: float | None
    """Quartile range of the own backlog at the drops, by its median; null with few drops."""
    alone: int
    """Packets that found no other one of this transfer in the queue."""
    waited_alone: int
    """Those of them that waited for the service of three packets or more all the same."""


class ReturnPathFound(TypedDict):
    """ACKs that wait on their way, and data that does not."""

    wait_s: float
    """Median wait of an ACK."""
    excess_s: float
    """Median excess of the round trips over the least one."""
    share: float
    """Median share of the wait in the excess."""


class StandStillsFound(TypedDict):
    """Times in which the link served nothing though packets waited."""

    count: int
    """Their number."""
    total_s: float
    """Their time together."""


class ApplicationFound(TypedDict):
    """An application that wrote less than the transfer could carry."""

    share: float
    """Share of the time that the sender waited for it."""
    rate_bps: float
    """Its rate."""
    message_bytes: float
    """Median bytes between two pauses."""
    kind: str
    """`steady`: it writes at one rate, and is replayed. `varies`: it limits at times."""


class ReceiveWindowFound(TypedDict):
    """A receive window that limited the transfer."""

    share: float
    """Share of the time."""
    largest_flight_bytes: int
    """Most bytes in flight."""


class OtherLink(TypedDict):
    """What one rate and one drop-tail queue do not describe; null where nothing was found."""

    policer: PolicerFound | None
    """A policer: nothing is predicted."""
    aqm: AqmFound | None
    """An active queue management, replayed as CoDel."""
    shared: SharedFound | None
    """A shared queue: nothing is predicted."""
    return_path: ReturnPathFound | None
    """A return path on which ACKs wait: nothing is predicted."""
    stand_stills: StandStillsFound | None
    """Stand-stills, replayed as they were."""
    application: ApplicationFound | None
    """The application, replayed if it has one rate."""
    receive_window: ReceiveWindowFound | None
    """The receive window, replayed."""


class Statistic(TypedDict):
    """A statistic of the transfer beside its prediction interval over the replays (99 %)."""

    name: str
    """Its name; the unit is at the end, and counts are for a second."""
    observed: float
    """Its value in the capture."""
    mean: float
    """Its mean over the replays."""
    low: float
    """Lower end of the interval, with its tolerance."""
    high: float
    """Upper end of the interval, with its tolerance."""
    inside: bool
    """True if the observed value is in the interval."""


class Replay(TypedDict):
    """The replays of the transfer with its own law."""

    replications: int
    """Number of replays."""
    statistics: list[Statistic]
    """The statistics of the transfer beside those of the replays."""
    reproduces: bool
    """True if all agree."""


class Prediction(TypedDict):
    """What a new transfer over this link would get with a TCP or a remedy."""

    variant: str
    """The law, transport, or law with a link protocol."""
    goodput_bps: float | None
    """Median goodput; null if the link may be faster than the capture shows."""
    low: float | None
    """Lower end of the 90 % predictive interval."""
    high: float | None
    """Upper end; null if the capture leaves it open."""
    p_better: float
    """Probability of at least 3 % more goodput than that of the captured transfer."""


class Limit(TypedDict):
    """What limits the transfer: taking it away raises the goodput by 10 % or more."""

    cause: str
    """`link-losses`, `link-rate`, `queue`, or `receive-window`."""
    goodput_bps: float
    """Median goodput of replays with the law of the sender."""
    without_bps: float
    """The same without the cause."""
    ratio: float
    """The second by the first."""


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
    interfaces: list[str]
    """Its interfaces, if a file has several points; else empty."""


class CheckedLaw(TypedDict):
    """A congestion law of the sender that was replayed."""

    tcp: str
    """The law."""
    agrees: bool
    """True if its replays agree with the transfer in all checks."""


class DiagnoseDocument(TypedDict):
    """The document of `airtcp diagnose`. Parts that a capture cannot give are null."""

    schema: str
    """Name and version of this format: `airtcp.diagnose/1`."""
    airtcp_version: str
    """Version of airtcp."""
    seed: int
    """Root seed."""
    replications: int
    """Number of links that were to be drawn; each is replayed once with each TCP."""
    paths: list[str]
    """The captures as given."""
    interface: str | None
    """The only interface that was read, if it was asked for."""
    files: list[Annotated[dict[str, Any], Part("capture", "FileReport")]]
    """The files that were read, as in `airtcp.capture/1`."""
    tcp: str
    """Congestion law of the sender."""
    tcp_told: bool
    """True if an option told the law; otherwise it is a guess, which replays may correct."""
    tcp_checked: list[CheckedLaw]
    """The laws that were checked, the first guess first."""
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
    """The link, as the timing of packets shows it; null without a capture at the sender."""
    lost_packets: list[LostPacket]
    """Each lost transmission that the capture shows."""
    other_link: OtherLink | None
    """What one rate and one drop-tail queue do not describe; null without a link."""
    scenario: str | None
    """The most likely link and the transfer as a scenario in TOML."""
    replay: Replay | None
    """How near replays with the law of the sender come to the transfer."""
    predictions: list[Prediction]
    """What each TCP would get, the best first; empty if the capture cannot tell."""
    limits: list[Limit]
    """What limits the transfer, the largest effect first; empty if nothing single does, or if
    nothing is predicted."""
    obstacle: str | None
    """Why nothing is predicted: `no-data`, `short`, `place` (not captured at the sender),
    `no-rtt`, `policer`, `return-path` (ACKs wait there), `shared`, `application` (it limits the
    transfer at times), `idle` (the application may limit it, at an unknown rate), `no-sack` (losses
    were repaired without SACK), `check` (no replay reproduces the transfer)."""
    doubts: list[str]
    """What the predictions rest on: `law` (a guess), `place` (unknown), `rate` (a lower bound),
    `varying` (what the link left to this transfer), `queue` (never seen full), `lucky` (running
    the same TCP again will likely give less), `cut` (only the beginning was kept), `discipline`
    (the queue drops early, by an unknown rule, and is replayed as CoDel). With `sharing` (others
    may share the queue), `batches` (the link serves many packets at once) or `no-sack`,
    only the TCP of the sender is predicted."""
    interrupted: bool
    """True if Ctrl-C stopped the work."""
