"""Shapes of the JSON documents that airtcp writes: study, run and compare.

The documents come from the extension module; nothing here computes. Keys carry their unit
(`_s`, `_bps`, `_packets`); a value that does not exist for a link is null, never a magic number.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Labels: TypeAlias = dict[str, str]
"""What a data set says of a link beside its outcomes: channel, rate, sender, receiver."""


class Estimate(TypedDict):
    """A mean with its 95 % confidence interval; one value alone has no interval."""

    mean: float | None
    ci_low: float | None
    ci_high: float | None


class Bursts(TypedDict):
    """Runs of one outcome; the histogram holds `[length, runs of that length]`."""

    count: int
    packets: int
    longest: int
    mean: float | None
    histogram: list[tuple[int, int]]


class Source(TypedDict):
    """Where a link was read from, and in which layout."""

    path: str
    layout: str


class Convergence(TypedDict):
    """Whether the trace is long enough for its mu, and why."""

    reason: str
    needed_packets: int | None
    chunk: int
    chunk_rms: float | None
    standard_error: float | None
    nonstationarity_ratio: float | None
    prefix: list[tuple[int, float]]


class Conditional(TypedDict):
    """One point of the conditional delivery function; k < 0 counts losses, k > 0 successes."""

    k: int
    probability: float
    samples: int


class ReceptionOverTime(TypedDict):
    """Share of packets received in consecutive windows."""

    window_packets: int
    prr: list[float]


class Window(TypedDict):
    """The congestion window over time."""

    t_s: list[float]
    cwnd_packets: list[float]


class Empirical(TypedDict):
    """TCP over the trace itself."""

    packets_per_second: float
    delivered_packets: float
    duration_s: float
    sent_packets: int
    retransmissions: int
    retransmission_ratio: float
    timeouts: int
    fast_retransmits: int
    slot_use: float
    cwnd: Window | None


class Ensemble(TypedDict):
    """TCP over replicas of a model of the link."""

    replicas: int
    packets_per_second: Estimate
    timeouts: Estimate
    fast_retransmits: Estimate
    retransmission_ratio: Estimate
    longest_success_burst: Estimate
    longest_loss_burst: Estimate
    replica_packets_per_second: list[float]


class Difference(TypedDict):
    """The trace less a model of it, in packets per second and in percent of the model.

    The trace is a single draw: `beyond_chance` says whether it differs from the model's links by
    more than they do from one another (zero lies outside the prediction interval).
    """

    packets_per_second: Estimate
    percent: Estimate | None
    prediction: tuple[float, float] | None
    beyond_chance: bool | None


class Differences(TypedDict):
    """The trace against each model of it."""

    independent: Difference
    gilbert_elliott: Difference | None


class LinkTcp(TypedDict):
    """What TCP gets over the link and over links that look like it."""

    profile: str
    slot_s: float
    slot_assumed: bool
    empirical: Empirical
    independent: Ensemble
    gilbert_elliott: Ensemble | None
    gilbert_elliott_note: str | None
    difference: Differences


# The functional form, because `class` is a word of the language.
_LinkClass = TypedDict("_LinkClass", {"class": str})


class StartEffect(TypedDict):
    """A start of a trace that differs from the rest, and TCP's rate without it."""

    packets: int
    prr: float
    rest_prr: float
    packets_per_second_without: float


class Link(_LinkClass):
    """One link: what it is, and what TCP gets over it."""

    name: str
    source: Source
    labels: Labels
    notes: list[str]
    order_known: bool
    interval_s: float | None
    packets: int
    received: int
    prr: float
    prr_ci: tuple[float, float] | None
    g: float | None
    b: float | None
    mu: float | None
    mu_ci: tuple[float, float] | None
    beta: float | None
    isolated_loss_share: float | None
    isolated_loss_packet_share: float | None
    longest_success_burst: int | None
    longest_loss_burst: int | None
    ge_expected_longest_success_burst: float | None
    ge_expected_longest_loss_burst: float | None
    residual_success_burst: float | None
    residual_loss_burst: float | None
    success_excess: float | None
    loss_excess: float | None
    converged: bool
    convergence: Convergence
    cpdf: list[Conditional]
    loss_bursts: Bursts | None
    success_bursts: Bursts | None
    autocorrelation: list[tuple[int, float]]
    start: NotRequired[StartEffect | None]
    prr_over_time: ReceptionOverTime
    tcp: LinkTcp
    compared: NotRequired[CompareCase | None]
    remedies: NotRequired[Remedies | None]


class Skipped(TypedDict):
    """A file that was not studied, and why."""

    path: str
    reason: str


class CapacityOverTime(TypedDict):
    """A capacity, window by window."""

    window_s: float
    bps: list[float]


class CapacityLink(TypedDict):
    """A link of varying capacity: what it can carry, and what TCPs get of it."""

    name: str
    source: Source
    notes: list[str]
    duration_s: float
    entries: int
    opportunity_bytes: int | None
    mean_bps: float
    window_s: float
    p5_bps: float
    p50_bps: float
    p95_bps: float
    longest_outage_s: float
    over_time: CapacityOverTime
    around: dict[str, Any]
    compared: CompareCase | None
    remedies: Remedies | None


class StudyDocument(TypedDict):
    """What `airtcp study --json` prints."""

    schema: str
    airtcp_version: str
    seed: int
    options: dict[str, Any]
    links: list[Link]
    capacities: list[CapacityLink]
    skipped: list[Skipped]
    interrupted: bool


class RunDocument(TypedDict):
    """What `airtcp run --json` prints.

    Flows and links are open sets of measures: `airtcp schema run` names each with its unit.
    """

    schema: str
    airtcp_version: str
    seed: int
    scenario: dict[str, Any]
    replications: list[dict[str, Any]]
    summary: dict[str, Any]
    warnings: NotRequired[list[str]]
    interrupted: bool


class PairedDifference(TypedDict):
    """Goodput less the reference's, paired by replication, and what its interval says."""

    absolute: Estimate
    percent: Estimate | None
    standing: Literal["more", "less", "equal", "undecided"]


class Outcome(TypedDict):
    """What one TCP got: means with 95 % intervals."""

    variant: str
    goodput_bps: Estimate
    packets_per_second: Estimate | None
    difference: PairedDifference | None
    less_than_best_bps: Estimate | None
    rtt_mean_s: Estimate
    rtt_p95_s: Estimate
    delivery_mean_s: Estimate
    delivery_p50_s: Estimate
    delivery_p95_s: Estimate
    delivery_p95_difference: PairedDifference | None
    queue_delay_s: Estimate
    residual_loss: Estimate
    bytes_per_byte: Estimate
    retransmissions: Estimate
    retransmission_ratio: Estimate
    timeouts: Estimate
    fast_retransmits: Estimate
    ecn_reactions: Estimate
    completion_s: Estimate
    exchange_mean_s: Estimate
    jain_index: Estimate
    others_goodput_bps: Estimate | None
    waste_difference: PairedDifference | None
    share_difference: PairedDifference | None
    share: Estimate | None
    rival_goodput_bps: Estimate | None
    rival_difference: PairedDifference | None


Criterion = Literal["goodput", "delay", "waste", "share"]
"""What variants are weighed by."""


class Measure(TypedDict):
    """The quantity that stands for a criterion, and the difference from which it counts."""

    criterion: Criterion
    quantity: str
    matters: float
    relative: bool
    more_is_better: bool


class Compared(TypedDict):
    """A variant held against another: in what it is better, in what worse."""

    variant: str
    than: str
    better: list[Criterion]
    worse: list[Criterion]


class NotRanked(TypedDict):
    """A variant that is not ranked, and why."""

    variant: str
    why: str


class Verdict(TypedDict):
    """What to conclude: variants weighed by goodput, delay, waste and share."""

    measures: list[Measure]
    replications: int
    first: str | None
    as_good: list[str]
    alternatives: list[Compared]
    behind: list[Compared]
    not_ranked: list[NotRanked]


class Ranking(TypedDict):
    """Variants by mean goodput alone: which may equal the first, and which have less."""

    order: list[str]
    as_good: list[str]
    behind: list[str]


class CompareRun(TypedDict):
    """One TCP in one replication."""

    variant: str
    replication: int
    goodput_bps: float
    packets_per_second: float | None
    rtt_mean_s: float | None
    rtt_p95_s: float | None
    delivery_mean_s: float | None
    delivery_p50_s: float | None
    delivery_p95_s: float | None
    queue_delay_s: float | None
    lossy_packets: int | None
    lossy_packets_lost: int | None
    link_bps: float | None
    carried_bps: float | None
    segments_sent: int
    retransmissions: int
    retransmission_ratio: float
    timeouts: int
    fast_retransmits: int
    ecn_reactions: int | None
    completion_s: float | None
    exchange_mean_s: float | None
    jain_index: float | None
    others_goodput_bps: float | None
    share: float | None
    rival_goodput_bps: float | None


class VariantWindow(Window):
    """The congestion window of a TCP over time."""

    variant: str


class CompareCase(TypedDict):
    """All TCPs over one channel."""

    channel: Literal["scenario", "trace", "independent", "gilbert-elliott"]
    over: Literal["replications", "stretches"]
    replications: int
    outcomes: list[Outcome]
    ranking: Ranking
    verdict: Verdict
    runs: list[CompareRun]
    windows: list[VariantWindow]


class VariantTcp(TypedDict):
    """A TCP's parameters on a subject."""

    variant: str
    transport: str
    law: str
    recovery: str
    parameters: dict[str, Any]


class Remedies(CompareCase):
    """What would help against losses, or against delay: each remedy beside the TCP without one."""

    aim: Literal["losses", "delay"]
    reference: str
    tcp: list[VariantTcp]
    notes: list[str]


class CompareSubject(TypedDict):
    """A scenario or link on which TCPs were compared."""

    name: str
    kind: Literal["scenario", "trace", "trace-as-link", "capacity"]
    title: str | None
    source: Source | None
    seed: int
    duration_s: float
    slot_s: float | None
    slot_assumed: bool
    flows: list[str]
    tcp: list[VariantTcp]
    scenario: dict[str, Any] | None
    notes: list[str]
    cases: list[CompareCase]
    remedies: Remedies | None


class CompareDocument(TypedDict):
    """What `airtcp compare --json` prints."""

    schema: str
    airtcp_version: str
    seed: int
    options: dict[str, Any]
    variants: list[str]
    reference: str
    rival: str | None
    subjects: list[CompareSubject]
    skipped: list[Skipped]
    interrupted: bool
