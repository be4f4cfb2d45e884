"""Rate, queue and origin of the losses, by matching replays with the capture.

The method of simulated moments (McFadden, Econometrica 57(5), 1989) simulates the transfer over
candidate links and keeps those whose statistics agree with the observed ones. A candidate is a rate
and a part of the losses that the link itself causes; the overflow of the queue causes the others.

The distance of a candidate is the sum over statistics k of

    (s_k - mean_k)^2 / (sd_k^2 (1 + 1/m) + a_k^2)

with the observed s_k, mean and standard deviation over m replays, and an allowance a_k for what
the model leaves out. Candidates within 3.84 of the least distance form the interval: the 95 %
point of chi-square with one degree of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import fmean, pvariance
from typing import TYPE_CHECKING, Final

from airtcp.diagnosis.model import LEAST_QUEUE, path_of
from airtcp.diagnosis.replay import SCALES, Replayed, Replayer, observed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.diagnose_document import LossFit
    from airtcp.diagnosis.model import Path

INTERVAL: Final = 3.84
_NEAR: Final = 20.0
"""Distance above the least up to which a candidate gets more replays."""
_FAR: Final = 50.0
_ENOUGH: Final = 2
_FACTORS: Final = (1.0, 1.07, 1.15, 1.25, 1.37, 1.55, 1.8, 2.2, 3.0, 4.5, 8.0, 16.0, 50.0)
"""Candidate rates as multiples of the least rate that explains the goodput."""
_LOWER: Final = (0.6, 0.7, 0.8, 0.9)
"""Further multiples above a known least rate. The goodput of a short transfer counts data in flight
at its end, and can be more than the rate."""
_FIRST: Final = 2
"""Replays of each candidate."""
_ALL: Final = 6
"""Replays of the candidates near the best."""
PARTS: Final = (0.0, 0.1, 0.4, 1.0)
"""Parts of the losses that the link causes."""
ALLOWED: Final = {
    "goodput_bps": 0.05,
    "lost": 0.5,
    "timeouts": 0.5,
    "rtt_p50_s": 0.05,
    "rtt_p95_s": 0.5,
}
"""Allowance a_k on the scale of each statistic [choice]. The 95 % quantile of the RTT depends on
whether slow start overshot, which is chance."""


@dataclass(frozen=True)
class Known:
    """What replays need not find: an option tells it, or the air shows it."""

    rate_bps: float | None = None
    least_rate_bps: float | None = None
    """A rate at which data arrived steadily."""
    delivered_bps: float = 0.0
    """The largest rate at which they arrived; the upper end of the interval is no less."""
    loss: float | None = None
    """Loss of the link itself."""
    mean_burst: float = 1.0
    queue_packets: int | None = None


@dataclass
class Candidate:
    """A link that may be that of the transfer, with its replays."""

    part: float
    """Part of the losses that the link causes."""
    factor: float
    path: Path
    replays: list[Replayed] = field(default_factory=list[Replayed])
    distance: float = 0.0


@dataclass(frozen=True)
class Match:
    """The candidates, and the one chosen."""

    candidates: list[Candidate]
    best: Candidate
    """The candidate with the least distance."""
    chosen: Path
    rate_low_bps: float
    rate_high_bps: float | None
    """None if no candidate rate is too high."""

    def near(self, part: float) -> float:
        """Return the least distance of a part, above the least of all."""
        own = [c.distance for c in self.candidates if c.part == part]
        return min(own, default=float("inf")) - self.best.distance

    def parts(self) -> tuple[float, float]:
        """Return the interval of the part, which ends halfway to the excluded parts."""
        if len({candidate.part for candidate in self.candidates}) == 1:
            return self.best.part, self.best.part
        inside = [PARTS.index(candidate.part) for candidate in self.possible()]
        low, high = min(inside), max(inside)
        below, above = max(low - 1, 0), min(high + 1, len(PARTS) - 1)
        return (PARTS[low] + PARTS[below]) / 2, (PARTS[high] + PARTS[above]) / 2

    def possible(self) -> list[Candidate]:
        """Return the candidates that the capture does not exclude."""
        return [c for c in self.candidates if c.distance <= self.best.distance + INTERVAL]


def least_rate(replayer: Replayer) -> float:
    """Return the rate that the goodput needs, with headers.

    Packets that the queue dropped took no time of the link, so they do not count.
    """
    transfer = replayer.transfer
    return transfer.goodput_bps * transfer.packet_bytes / transfer.payload_bytes


def match(
    replayer: Replayer,
    losses: LossFit,
    known: Known | None,
    tell: Callable[[int, int], None],
) -> Match:
    """Find the links whose replays agree with the capture.

    Args:
        replayer: Makes the replays.
        losses: The loss process.
        known: What is known of the link, if anything.
        tell: Called with the number of replays done and planned.
    """
    known = known or Known()
    candidates = _screened(replayer, losses, known, tell)
    _measure(replayer, candidates)
    least = min(c.distance for c in candidates)
    near = [c for c in candidates if c.distance <= least + _NEAR]
    planned = len(near) * (_ALL - _FIRST)
    for done, candidate in enumerate(near):
        tell(done * (_ALL - _FIRST), planned)
        _replay(replayer, candidate, _ALL)
    _measure(replayer, candidates)
    # A candidate with few replays is none of the best, whatever its distance.
    best = min(near, key=lambda c: c.distance)
    return _chosen(replayer, losses, near, best, known)


def _screened(
    replayer: Replayer,
    losses: LossFit,
    known: Known,
    tell: Callable[[int, int], None],
) -> list[Candidate]:
    """Replay the candidates, rates upwards, until higher rates are excluded.

    With the rate, the goodput of a replay grows. After two rates that are far from the capture and
    give more goodput, no higher rate is tried.
    """
    tried: list[Candidate] = []
    planned = _candidates(replayer, losses, known)
    far = 0
    for done, candidate in enumerate(planned):
        tell(done, len(planned))
        if tried and candidate.part != tried[-1].part:
            far = 0
        if far >= _ENOUGH:
            continue
        _replay(replayer, candidate, _FIRST)
        _measure(replayer, [candidate])
        tried.append(candidate)
        goodput = fmean(replay.values["goodput_bps"] for replay in candidate.replays)
        above = goodput > replayer.transfer.goodput_bps
        far = far + 1 if above and candidate.distance > _FAR else 0
    return tried


def _candidates(replayer: Replayer, losses: LossFit, known: Known) -> list[Candidate]:
    transfer = replayer.transfer
    least = least_rate(replayer)
    factors = _grid(replayer, known)
    # Away from the sender, the wait in the queue is unknown, and so is its overflow.
    parts = PARTS if losses["lost"] and transfer.rtt is not None else (1.0,)
    if losses["overshoot"] == losses["lost"] > 0:
        parts = (0.0,)
    if known.loss is not None:
        parts = (_part(known.loss, losses),)
    return [
        Candidate(part, factor, _path(replayer, losses, part, factor * least, known))
        for part in parts
        for factor in factors
    ]


def _part(loss: float, losses: LossFit) -> float:
    """Return the part of the transfer's losses that a loss of the link causes."""
    return min(loss / losses["steady_share"], 1.0) if losses["steady_share"] else float(loss > 0)


def _path(replayer: Replayer, losses: LossFit, part: float, rate_bps: float, known: Known) -> Path:
    overflowed = losses["lost"] > 0 and replayer.transfer.rtt is not None
    loss, burst = losses["steady_share"] * part, 1.0
    if known.loss is not None:
        loss, burst = known.loss, known.mean_burst
    elif losses["bursty"]:
        burst = losses["mean_burst"] or 1.0
    path = path_of(replayer.transfer, rate_bps, loss, burst, overflowed=overflowed)
    if known.queue_packets is None:
        return path
    return replace(path, queue_packets=max(known.queue_packets, LEAST_QUEUE))


def _replay(replayer: Replayer, candidate: Candidate, number: int) -> None:
    while len(candidate.replays) < number:
        candidate.replays.append(replayer.replay(candidate.path, len(candidate.replays)))


def _measure(replayer: Replayer, candidates: Sequence[Candidate]) -> None:
    """Set the distance of each candidate.

    Few replays may show too little scatter, so the variance is at least the mean of the candidates
    with the same part.
    """
    seen = observed(replayer.transfer, replayer.duration_s)
    for part in {candidate.part for candidate in candidates}:
        group = [candidate for candidate in candidates if candidate.part == part]
        scatter = {key: fmean(_variance(each, key) for each in group) for key in seen}
        for candidate in group:
            candidate.distance = _distance(candidate, seen, scatter)


def _distance(
    candidate: Candidate, seen: Mapping[str, float], scatter: Mapping[str, float]
) -> float:
    number = len(candidate.replays)
    total = 0.0
    for key, value in seen.items():
        scale = SCALES[key]
        mean = fmean(scale(replay.values[key]) for replay in candidate.replays)
        variance = max(_variance(candidate, key), scatter[key])
        allowed = ALLOWED[key] ** 2
        total += (scale(value) - mean) ** 2 / (variance * (1 + 1 / number) + allowed)
    return total


def _variance(candidate: Candidate, key: str) -> float:
    values = [SCALES[key](replay.values[key]) for replay in candidate.replays]
    return pvariance(values) * len(values) / (len(values) - 1)


def _chosen(
    replayer: Replayer,
    losses: LossFit,
    candidates: list[Candidate],
    best: Candidate,
    known: Known,
) -> Match:
    """Choose the rate: the middle of the rates near the best, or the least if none is too high."""
    least = least_rate(replayer)
    inside = sorted(c.factor for c in candidates if c.distance <= best.distance + INTERVAL)
    same = sorted(
        c.factor for c in candidates if c.part == best.part and c.distance <= best.distance + 1
    )
    # Without round-trip times, a link that is always busy explains any goodput.
    is_known = known.rate_bps is not None
    grid = _grid(replayer, known)
    open_end = replayer.transfer.rtt is None and not is_known
    unbounded = inside[-1] == _FACTORS[-1] or open_end
    factor = same[0] if unbounded else sqrt(same[0] * same[-1])
    low = inside[0] if is_known else max(_halfway(grid, inside[0], -1), _least_factor(replayer))
    if known.least_rate_bps is not None:
        low = max(low, known.least_rate_bps / least)
    high = None if unbounded else inside[-1] if is_known else _halfway(grid, inside[-1], 1)
    if high is not None:
        high = max(high, known.delivered_bps / least)
    return Match(
        candidates=candidates,
        best=best,
        chosen=_path(replayer, losses, best.part, factor * least, known),
        rate_low_bps=least * low,
        rate_high_bps=None if high is None else least * high,
    )


def _grid(replayer: Replayer, known: Known) -> tuple[float, ...]:
    """Return the candidate rates as multiples of that of the goodput, upwards."""
    if known.rate_bps is not None:
        return (known.rate_bps / least_rate(replayer),)
    if known.least_rate_bps is None:
        return _FACTORS
    least = known.least_rate_bps / least_rate(replayer)
    return (least, *(factor for factor in (*_LOWER, *_FACTORS) if factor > least))


def _halfway(grid: tuple[float, ...], factor: float, step: int) -> float:
    """Return the middle between a candidate and its neighbour, which is excluded."""
    place = grid.index(factor) + step
    if place < 0:
        return factor * sqrt(_FACTORS[0] / _FACTORS[1])
    return sqrt(factor * grid[min(place, len(grid) - 1)])


def _least_factor(replayer: Replayer) -> float:
    """Return the least rate, as a multiple of that of the goodput.

    The goodput counts data that were still in flight at the end.
    """
    transfer = replayer.transfer
    return max(1 - transfer.flight_bytes / max(transfer.unique_bytes, 1), 0.0)
