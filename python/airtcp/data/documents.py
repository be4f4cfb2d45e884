"""Shapes of the JSON documents that airtcp writes: study, run, compare and schemes.

The documents come from the extension module; nothing here computes. Keys carry their unit
(`_s`, `_bps`, `_packets`); a value that does not exist for a link is null, never a magic number.
This file is generated from the schemas: `make generated` writes it.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AnswerDocument(TypedDict):
    """The answer in words: what a person reads first."""

    headline: str
    help: str | None
    doubt: str | None
    next: str | None


class Estimate(TypedDict):
    """A mean with its 95 % confidence interval over replications.

    Student's t, on a scale that keeps the interval within the range of the quantity. For counts
    and for shares of counted packets the interval also contains the exact one if there are few
    events, and that of a goodput what few timeouts cost. With fewer than two replications there
    is no interval.
    """

    ci_high: float | None
    ci_low: float | None
    mean: float | None


class Source(TypedDict):
    """Where a link's trace came from."""

    layout: str
    path: str


class Skipped(TypedDict):
    """A skipped file."""

    path: str
    reason: str


class FailedTcp(TypedDict):
    """A TCP whose congestion law failed."""

    reason: str
    variant: str


class PairedDifference(TypedDict):
    """A paired difference."""

    absolute: Estimate
    percent: Estimate | None
    standing: Literal["more", "less", "equal", "undecided"]


class Outcome(TypedDict):
    """The results of one variant: means with 95 % intervals."""

    bytes_per_byte: Estimate
    completion_s: Estimate
    delivery_mean_s: Estimate
    delivery_p50_s: Estimate
    delivery_p95_difference: PairedDifference | None
    delivery_p95_s: Estimate
    difference: PairedDifference | None
    ecn_reactions: Estimate
    exchange_mean_s: Estimate
    fast_retransmits: Estimate
    goodput_bps: Estimate
    jain_index: Estimate
    jain_index_down: Estimate | None
    jain_index_up: Estimate | None
    less_than_best_bps: Estimate | None
    others_goodput_bps: Estimate | None
    packets_per_second: Estimate | None
    queue_delay_s: Estimate
    residual_loss: Estimate
    retransmission_ratio: Estimate
    retransmissions: Estimate
    rival_difference: PairedDifference | None
    rival_goodput_bps: Estimate | None
    rtt_mean_s: Estimate
    rtt_p95_s: Estimate
    share: Estimate | None
    share_difference: PairedDifference | None
    timeouts: Estimate
    variant: str
    waste_difference: PairedDifference | None


Criterion = Literal["goodput", "delay", "waste", "share"]
"""The criteria of a verdict."""


class Measure(TypedDict):
    """The quantity that measures a criterion, and the least difference that matters."""

    criterion: Criterion
    matters: float
    more_is_better: bool
    quantity: str
    relative: bool


class Compared(TypedDict):
    """A variant compared with another."""

    better: list[Criterion]
    than: str
    variant: str
    worse: list[Criterion]


class NotRanked(TypedDict):
    """A variant that is not ranked."""

    error: NotRequired[str | None]
    lacks: NotRequired[list[Literal["ecn", "queue"]]]
    queue: NotRequired[str | None]
    reason: Literal["delivers-nothing", "unmet", "refused"]
    variant: str


class Verdict(TypedDict):
    """The conclusion from a case: variants compared by goodput, delay, waste and share."""

    alternatives: list[Compared]
    equivalent: list[str]
    first: str | None
    measures: list[Measure]
    needed: int | None
    not_distinguishable: list[str]
    not_ranked: list[NotRanked]
    replications: int
    worse: list[Compared]


class Ranking(TypedDict):
    """Variants by mean goodput, and which differences are significant."""

    not_distinguishable: list[str]
    order: list[str]
    worse: list[str]


class CompareRun(TypedDict):
    """One variant in one replication."""

    carried_bps: float | None
    completion_s: float | None
    delivery_mean_s: float | None
    delivery_p50_s: float | None
    delivery_p95_s: float | None
    ecn_reactions: int | None
    exchange_mean_s: float | None
    fast_retransmits: int
    goodput_bps: float
    jain_index: float | None
    jain_index_down: float | None
    jain_index_up: float | None
    link_bps: float | None
    lossy_packets: int | None
    lossy_packets_lost: int | None
    others_goodput_bps: float | None
    packets_per_second: float | None
    queue_delay_s: float | None
    replication: int
    retransmission_ratio: float
    retransmissions: int
    rival_goodput_bps: float | None
    rtt_mean_s: float | None
    rtt_p95_s: float | None
    segments_sent: int
    share: float | None
    timeouts: int
    variant: str


class VariantWindow(TypedDict):
    """The congestion window of a variant over time."""

    cwnd_packets: list[float]
    t_s: list[float]
    variant: str


class CompareCase(TypedDict):
    """All variants over one channel."""

    channel: Literal["scenario", "trace", "independent", "gilbert-elliott"]
    outcomes: list[Outcome]
    over: Literal["replications", "stretches"]
    ranking: Ranking
    replications: int
    runs: list[CompareRun]
    verdict: Verdict
    windows: list[VariantWindow]


class VariantTcp(TypedDict):
    """A variant's parameters on a subject."""

    law: str
    parameters: dict[str, Any]
    recovery: str
    transport: str
    variant: str


class Remedies(TypedDict):
    """Remedies beside plain TCP.

    Against losses they are transports with erasure coding and link protocols; against the wait
    in the queue of a link of varying capacity, queue disciplines.
    """

    aim: Literal["losses", "delay"]
    channel: Literal["scenario", "trace", "independent", "gilbert-elliott"]
    notes: list[str]
    outcomes: list[Outcome]
    over: Literal["replications", "stretches"]
    ranking: Ranking
    reference: str
    replications: int
    runs: list[CompareRun]
    tcp: list[VariantTcp]
    verdict: Verdict
    windows: list[VariantWindow]


class CompareSubject(TypedDict):
    """One scenario or link."""

    cases: list[CompareCase]
    duration_s: float
    flows: list[str]
    kind: Literal["scenario", "trace", "trace-as-link", "capacity"]
    name: str
    notes: list[str]
    remedies: Remedies | None
    scenario: dict[str, Any]
    seed: int
    slot_assumed: bool
    slot_s: float | None
    source: Source | None
    tcp: list[VariantTcp]
    title: str | None


class CompareDocument(TypedDict):
    """Everything a comparison reports."""

    airtcp_version: str
    failed: NotRequired[list[FailedTcp]]
    interrupted: bool
    options: dict[str, Any]
    reference: str
    rival: str | None
    schema: str
    seed: int
    skipped: list[Skipped]
    subjects: list[CompareSubject]
    variants: list[str]
    answer: NotRequired[AnswerDocument]


class Bursts(TypedDict):
    """Bursts of one kind in a trace."""

    count: int
    histogram: list[tuple[int, int]]
    longest: int
    mean: float | None
    packets: int


class Convergence(TypedDict):
    """Whether mu has converged over a trace, and why."""

    chunk: int
    chunk_rms: float | None
    converged: bool
    needed_packets: int | None
    nonstationarity_ratio: float | None
    prefix: list[tuple[int, float]]
    reason: str
    standard_error: float | None


class Conditional(TypedDict):
    """One point of the conditional packet delivery function."""

    k: int
    probability: float
    samples: int


class ReceptionOverTime(TypedDict):
    """Windowed packet reception ratio."""

    prr: list[float]
    window_packets: int


class Window(TypedDict):
    """The congestion window over time, thinned for drawing."""

    cwnd_packets: list[float]
    t_s: list[float]


class Empirical(TypedDict):
    """TCP's result in one run."""

    cwnd: Window | None
    delivered_packets: float
    duration_s: float
    fast_retransmits: int
    packets_per_second: float
    retransmission_ratio: float
    retransmissions: int
    sent_packets: int
    slot_use: float
    timeouts: int


class Ensemble(TypedDict):
    """TCP over several synthetic links of one kind: means with 95 % intervals over the replicas."""

    fast_retransmits: Estimate
    longest_loss_burst: Estimate
    longest_success_burst: Estimate
    packets_per_second: Estimate
    replica_packets_per_second: list[float]
    replicas: int
    retransmission_ratio: Estimate
    timeouts: Estimate


class Difference(TypedDict):
    """Empirical minus synthetic.

    The trace is one run and the ensemble many runs. The record therefore gives the distance of
    the trace from the ensemble's mean, and whether that distance exceeds those between
    synthetic links.
    """

    beyond_chance: bool | None
    packets_per_second: Estimate
    percent: Estimate | None
    prediction: tuple[float, float] | None


class Differences(TypedDict):
    """Differences between the link itself and the synthetic ones."""

    gilbert_elliott: Difference | None
    independent: Difference


class LinkTcp(TypedDict):
    """TCP over one link and over its synthetic links."""

    difference: Differences
    empirical: Empirical
    gilbert_elliott: Ensemble | None
    gilbert_elliott_note: str | None
    independent: Ensemble
    profile: str
    slot_assumed: bool
    slot_s: float


class StartEffect(TypedDict):
    """A start of the trace that differs from the rest, and TCP's throughput without it."""

    packets: int
    packets_per_second_without: float
    prr: float
    rest_prr: float


_LinkClass = TypedDict(
    "_LinkClass",
    {"class": Literal["very poor", "poor", "intermediate", "good", "very good", "perfect"]},
)


class Link(_LinkClass):
    """One link."""

    autocorrelation: list[tuple[int, float]]
    b: float | None
    beta: float | None
    compared: CompareCase | None
    converged: bool
    convergence: Convergence
    cpdf: list[Conditional]
    g: float | None
    ge_expected_longest_loss_burst: float | None
    ge_expected_longest_success_burst: float | None
    interval_s: float | None
    isolated_loss_packet_share: float | None
    isolated_loss_share: float | None
    labels: dict[str, str]
    longest_loss_burst: int | None
    longest_success_burst: int | None
    loss_bursts: Bursts | None
    loss_excess: float | None
    mu: float | None
    mu_ci: tuple[float, float] | None
    name: str
    notes: list[str]
    order_known: bool
    packets: int
    pairs: dict[str, Any] | None
    prr: float
    prr_ci: tuple[float, float] | None
    prr_over_time: ReceptionOverTime
    received: int
    remedies: Remedies | None
    residual_loss_burst: float | None
    residual_success_burst: float | None
    source: Source
    start: StartEffect | None
    success_bursts: Bursts | None
    success_excess: float | None
    tcp: LinkTcp


class CapacityOverTime(TypedDict):
    """A capacity over time."""

    bps: list[float]
    window_s: float


class CapacityLink(TypedDict):
    """One link of varying capacity."""

    around: dict[str, Any]
    compared: CompareCase | None
    duration_s: float
    entries: int
    longest_outage_s: float
    mean_bps: float
    name: str
    notes: list[str]
    opportunity_bytes: int | None
    over_time: CapacityOverTime
    p50_bps: float
    p5_bps: float
    p95_bps: float
    remedies: Remedies | None
    source: Source
    window_s: float


class StudyDocument(TypedDict):
    """Everything a study reports."""

    airtcp_version: str
    capacities: list[CapacityLink]
    interrupted: bool
    links: list[Link]
    options: dict[str, Any]
    schema: str
    seed: int
    skipped: list[Skipped]
    answer: NotRequired[AnswerDocument]


class RunDocument(TypedDict):
    """A run and what limits its flows."""

    airtcp_version: str
    delays: NotRequired[dict[str, Any]]
    failed: NotRequired[dict[str, Any] | None]
    interrupted: bool
    limits: list[dict[str, Any]]
    replications: list[dict[str, Any]]
    scenario: dict[str, Any]
    schema: str
    seed: int
    summary: dict[str, Any]
    warnings: NotRequired[list[str]]
    why: dict[str, Any]
    answer: NotRequired[AnswerDocument]
    trials: NotRequired[list[dict[str, Any]]]


SchemeAspect = Literal["goodput", "fairness", "slowest-flow", "latency"]
"""What schemes are asked for."""


class SchemeLag(TypedDict):
    """How far a variant is behind the best of a ranking."""

    behind: Estimate
    variant: str


class SchemeQuestion(TypedDict):
    """The answer to one question: the variants in order, and against the reference."""

    aspect: SchemeAspect
    better: list[str]
    equivalent: list[str]
    lags: list[SchemeLag]
    matters: float
    more_is_better: bool
    needed: int | None
    quantity: str
    ranking: Ranking
    relative: bool
    undecided: list[str]
    worse: list[str]


class SchemeTradeOff(TypedDict):
    """A variant that gains one thing and costs another."""

    better: list[SchemeAspect]
    variant: str
    worse: list[SchemeAspect]


class StationChanges(TypedDict):
    """The stations whose goodput a variant changes."""

    gain: list[str]
    lose: list[str]
    variant: str


class SchemesVerdict(TypedDict):
    """What to conclude: the questions, the trade-offs, and whom a variant costs."""

    not_ranked: list[NotRanked]
    questions: list[SchemeQuestion]
    replications: int
    stations: list[StationChanges]
    trade_offs: list[SchemeTradeOff]


class SchemeVariant(TypedDict):
    """A variant, and what it sets."""

    sets: list[str]
    variant: str


class SchemeOutcome(TypedDict):
    """What one variant gave: means with 95 % intervals."""

    access_point_queue_delay_s: Estimate
    access_point_service_s: Estimate
    ack_error: Estimate
    airtime_jain_index: Estimate
    data_error: Estimate
    differences: dict[str, PairedDifference]
    exchange_mean_s: Estimate
    exchange_p50_s: Estimate
    exchange_p95_s: Estimate
    exchange_p99_s: Estimate
    jain_index: Estimate
    jain_index_down: Estimate
    jain_index_up: Estimate
    max_difference_bps: Estimate
    residual_loss: Estimate
    slowest_flow_bps: Estimate
    station_queue_delay_s: Estimate
    station_service_s: Estimate
    total_goodput_bps: Estimate
    variant: str


class SchemeStation(TypedDict):
    """What one station got under one variant."""

    airtime_difference: PairedDifference | None
    airtime_share: Estimate
    cell: str
    goodput_bps: Estimate
    goodput_difference: PairedDifference | None
    is_access_point: bool
    station: str
    variant: str


class SchemeRun(TypedDict):
    """One variant in one replication."""

    access_point_queue_delay_s: float | None
    access_point_service_s: float | None
    ack_error: float | None
    airtime_jain_index: float | None
    data_error: float | None
    data_frames: float
    exchange_mean_s: float | None
    exchange_p50_s: float | None
    exchange_p95_s: float | None
    exchange_p99_s: float | None
    jain_index: float | None
    jain_index_down: float | None
    jain_index_up: float | None
    max_difference_bps: float | None
    packets: float
    replication: int
    residual_loss: float | None
    slowest_flow_bps: float | None
    station_queue_delay_s: float | None
    station_service_s: float | None
    tcp_acks: float
    total_goodput_bps: float
    variant: str


class SchemesSubject(TypedDict):
    """One scenario under every variant."""

    duration_s: float
    flows: list[str]
    name: str
    notes: list[str]
    outcomes: list[SchemeOutcome]
    replications: int
    runs: list[SchemeRun]
    scenario: dict[str, Any]
    seed: int
    stations: list[SchemeStation]
    title: str | None
    variants: list[SchemeVariant]
    verdict: SchemesVerdict


class SchemesDocument(TypedDict):
    """Everything a comparison of schemes reports."""

    airtcp_version: str
    interrupted: bool
    options: dict[str, Any]
    reference: str
    schema: str
    seed: int
    subjects: list[SchemesSubject]
    answer: NotRequired[AnswerDocument]
