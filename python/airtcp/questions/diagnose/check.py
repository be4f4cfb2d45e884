"""How near replays come to the transfer: each statistic beside its prediction interval.

The replays have the law of the sender, and a simulation writes a capture of each, which is measured
as the capture of the transfer was. The interval holds 99 % of new replays (from the draws of the
link, without any fit), widened by a tolerance for what the model leaves out. A law's replay cannot
show what this law does not feel, so the check does not replace the tests for other links.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

from airtcp.questions.diagnose.predict import quantile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.questions.diagnose.document import Replay, Statistic

_TOLERANCES: Final = {
    "goodput_bps": 0.15,
    "rtt_p50_s": 0.1,
    "link_losses": 0.5,
    "drop_episodes": 0.5,
}
"""Tolerance of each statistic, as a share of the ends of its interval [choice]."""
_EVENTS: Final = 3.0
"""Tolerance of a count, in events of the transfer [choice]."""
_TAIL: Final = 0.005


def checked(
    observed: Mapping[str, float], replays: Sequence[Mapping[str, float]], duration_s: float
) -> Replay:
    """Compare the statistics of the transfer with those of replays."""
    statistics = [_statistic(name, observed[name], replays, duration_s) for name in _TOLERANCES]
    return {
        "replications": len(replays),
        "statistics": statistics,
        "reproduces": all(statistic["inside"] for statistic in statistics),
    }


def _statistic(
    name: str, seen: float, replays: Sequence[Mapping[str, float]], duration_s: float
) -> Statistic:
    values = sorted(replay[name] for replay in replays)
    part = _TOLERANCES[name]
    events = _EVENTS / duration_s if name in {"link_losses", "drop_episodes"} else 0.0
    low = max(quantile(values, _TAIL) / (1 + part) - events, 0.0)
    high = quantile(values, 1 - _TAIL) * (1 + part) + events
    return {
        "name": name,
        "observed": seen,
        "mean": fmean(values),
        "low": low,
        "high": high,
        "inside": low <= seen <= high,
    }
