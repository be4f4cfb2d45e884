"""Types of the JSON document of a measurement (`airtcp.measure/1`)."""

from __future__ import annotations

from typing import TypedDict


class Delays(TypedDict):
    """How a time is spread."""

    least_s: float
    """The least."""
    median_s: float
    """Half are below."""
    p95_s: float
    """95 % are below."""
    p99_s: float
    """99 % are below."""
    most_s: float
    """The most."""


class Idle(TypedDict):
    """Echoes while nothing else passed."""

    asked: int
    """Echoes that were asked for."""
    answered: int
    """Echoes that were answered."""
    rtt: Delays | None
    """Round-trip time; null without an answer."""
    jitter_s: float | None
    """Mean difference of two round-trip times in a row; null without two."""


class Clocks(TypedDict):
    """How the system clocks of the two hosts differ, by the echo with the least round trip."""

    offset_s: float
    """Time of the server's clock less that of this host's."""
    offset_error_s: float
    """The offset is wrong by this at most: half of that round trip."""
    drift_ppm: float | None
    """Microseconds that the server's clock gains in a second; null if no packets tell."""
    drift_error_ppm: float | None
    """The drift is wrong by about this, if the least delay of each direction stays the same."""


class LossesNow(TypedDict):
    """Small packets of an interval of time."""

    t_s: float
    """Start of the interval, since the first packet."""
    sent: int
    """Packets that were sent in it."""
    lost: int
    """Packets of these that were lost."""
    delay_median_s: float | None
    """Median of the delays above the least; null if all were lost."""
    delay_most_s: float | None
    """The greatest of these delays; null if all were lost."""


class LossRuns(TypedDict):
    """Runs of losses of one length."""

    packets: int
    """Packets that were lost one after the other."""
    count: int
    """Runs of this length."""


class Burst(TypedDict):
    """A burst that arrived."""

    t_s: float
    """When it arrived, since the first of its direction."""
    bps: float
    """Bits of IP packets in a second."""


class LoadNow(TypedDict):
    """A TCP connection in an interval of time."""

    t_s: float
    """Start of the interval, since the connection began to send."""
    goodput_bps: float
    """Bits that were acknowledged in a second."""
    rtt_s: float
    """Its smoothed round-trip time."""


class Losses(TypedDict):
    """What small packets at fixed times met in a direction."""

    interval_s: float
    """Time between two packets."""
    sent: int
    """Packets whose fate is known."""
    arrived: int
    """Packets that arrived."""
    loss: float
    """Share of lost packets."""
    loss_low: float
    """Lower end of its 95 % interval."""
    loss_high: float
    """Upper end of its 95 % interval."""
    memory: str
    """`constant` if all arrived or none, `independent`, `bursty`, `oscillating`, or `undecided`."""
    mu: float | None
    """Burstiness mu; null if it does not exist."""
    bursts: int
    """Runs of losses."""
    mean_burst: float | None
    """Mean length of a run of losses, in packets; null without one."""
    longest_burst: int
    """Length of the longest run of losses, in packets."""
    duplicates: int
    """Packets that arrived again."""
    late: int
    """Packets that arrived after one that was sent later."""
    pauses: int
    """Times that a program stood still, so that packets were sent later than they should."""
    delay: Delays | None
    """One-way delay above the least, without the drift of the clocks; null if nothing arrived."""
    runs: list[LossRuns]
    """How many packets were lost one after the other."""
    over_time: list[LossesNow]
    """A row a tenth of a second."""


class Capacity(TypedDict):
    """What bursts met in a direction."""

    bps: float
    """Bits of IP packets that the narrowest link carries in a second; what TCP got, if the bursts
    vary and TCP got more."""
    kind: str
    """`steady`; `varying` if it differs between bursts, or if these arrive in batches; `at least`
    if nothing spread the bursts."""
    low_bps: float
    """Lower end: of an interval if steady, of the range of nine tenths of the bursts if varying."""
    high_bps: float | None
    """Upper end, at least what TCP got if varying; null if open."""
    support: float
    """Share of the weight of all pairs of packets that agree within 3 %."""
    bursts: int
    """Bursts of which enough arrived."""
    sent_bps: float
    """Rate at which the sender sent the bursts."""
    over_time: list[Burst]
    """The bursts."""


class Load(TypedDict):
    """A TCP connection of the hosts that sent as fast as it could."""

    duration_s: float
    """How long it sent."""
    goodput_bps: float
    """Bits that were acknowledged in a second."""
    retransmissions: int
    """Segments that were sent again."""
    busy_s: float
    """Time with data under way."""
    rwnd_limited_s: float
    """Of this, time in which the receiver's window held the sender."""
    sndbuf_limited_s: float
    """Of this, time in which the sender's buffer held it."""
    rtt: Delays | None
    """Round-trip time of echoes beside it; null without an answer."""
    over_time: list[LoadNow]
    """A row for each time that it was looked at."""


class Queue(TypedDict):
    """The queue of a direction, by what TCP added to the round-trip time."""

    bytes: int
    """Its length on the wire."""
    source: str
    """`level` if it overflowed; `at least` if it did not; `assumed` without a TCP connection."""


class Replay(TypedDict):
    """A TCP connection that is simulated over the scenario."""

    name: str
    """`cubic` as the path is, `no losses` without them, `bbr`, or the coded transport `sliding`."""
    goodput_bps: float
    """Bits that were delivered in a second, mean of the replications."""
    low_bps: float
    """Lower end of the 95 % interval."""
    high_bps: float
    """Upper end of the 95 % interval."""


class Way(TypedDict):
    """A direction; null is what was not measured."""

    losses: Losses | None
    """By small packets at fixed times."""
    capacity: Capacity | None
    """By bursts."""
    load: Load | None
    """By a TCP connection."""
    queue: Queue | None
    """The queue of the scenario; null without a capacity."""
    replays: list[Replay]
    """TCP over the scenario; empty without one, and above 500 Mb/s."""


class MeasureDocument(TypedDict):
    """The document that `airtcp measure --json` prints."""

    schema: str
    """Name and version of this format: `airtcp.measure/1`."""
    airtcp_version: str
    """Version of airtcp."""
    host: str
    """The server, as it was asked for."""
    address: str
    """Its address."""
    cut: str | None
    """`interrupted` by the user, or the server fell `silent`; null if every phase ended."""
    idle: Idle
    """The path without load."""
    clocks: Clocks | None
    """The clocks of the two hosts; null without an answer to an echo."""
    up: Way
    """To the server."""
    down: Way
    """From the server."""
    scenario: str | None
    """The path as a scenario in TOML; null if capacity or losses are not known both ways."""
    files: str | None
    """What the names of the files begin with, if they were asked for."""
