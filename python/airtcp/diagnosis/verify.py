"""How near the replay comes to the transfer: each statistic beside its prediction interval.

The interval is that of one more transfer over the fitted link: Student's t over the replays, on
the scale of the statistic, with the factor sqrt(1 + 1/n) for a single new value. Each of the five
intervals is a 99 % interval, so that all hold together at 95 % (Bonferroni). A tolerance [choice]
is added for what the model leaves out.
"""

from __future__ import annotations

from math import exp, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final

from airtcp.diagnosis.exact import student
from airtcp.diagnosis.replay import SCALES, Replayed, Replayer, observed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from airtcp.diagnose_document import Replay, Statistic
    from airtcp.diagnosis.model import Path

_SHARES: Final = {"goodput_bps": 0.1, "rtt_p50_s": 0.1, "rtt_p95_s": 0.1}
"""Tolerance of a statistic, as a share of the ends of its interval [choice]."""
_NORMAL: Final = 2.5758293035489004
"""Quantile of the normal distribution for 99 %."""
_EVENTS: Final = 1.0
"""Tolerance of a count, in events [choice]."""
NEEDED: Final = ("goodput_bps", "lost", "rtt_p50_s")
"""Statistics that must be inside for the replay to reproduce the transfer [choice]."""


def replayed(
    replayer: Replayer, path: Path, replications: int, tell: Callable[[int, int], None]
) -> Replay:
    """Replay the transfer over the fitted link.

    Args:
        replayer: Makes the replays.
        path: The link.
        replications: Number of replays.
        tell: Called with the number of replays done and planned.
    """
    # Other seeds than those of the fit.
    first = 1000
    runs: list[Replayed] = []
    for number in range(replications):
        tell(number, replications)
        runs.append(replayer.replay(path, first + number))
    seen = observed(replayer.transfer, replayer.duration_s)
    statistics = [_statistic(name, value, runs) for name, value in seen.items()]
    return {
        "replications": replications,
        "duration_s": replayer.duration_s,
        "statistics": statistics,
        "queue_drops": fmean(run.queue_drops for run in runs),
        "link_losses": fmean(run.link_losses for run in runs),
        "reproduces": all(s["inside"] for s in statistics if s["name"] in NEEDED),
    }


def _statistic(name: str, seen: float, runs: list[Replayed]) -> Statistic:
    values = [run.values[name] for run in runs]
    scale, back = SCALES[name], BACK[name]
    scaled = [scale(value) for value in values]
    middle = fmean(scaled)
    number = len(values)
    half = student(_NORMAL, number - 1) * stdev(scaled) * sqrt(1 + 1 / number)
    low, high = back(middle - half), back(middle + half)
    part = _SHARES.get(name)
    if part is None:
        inside = low - _EVENTS <= seen <= high + _EVENTS
    else:
        inside = low * (1 - part) <= seen <= high * (1 + part)
    return {
        "name": name,
        "observed": seen,
        "mean": fmean(values),
        "low": low,
        "high": high,
        "inside": inside,
    }


def _count(scaled: float) -> float:
    return max((max(scaled, 0.0) / 2) ** 2 - 0.375, 0.0)


BACK: Final[Mapping[str, Callable[[float], float]]] = {
    "goodput_bps": exp,
    "lost": _count,
    "timeouts": _count,
    "rtt_p50_s": exp,
    "rtt_p95_s": exp,
}
"""The inverses of `SCALES`."""
