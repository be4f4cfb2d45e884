"""Window and round-trip time over time on five paths: pictures without a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.evaluate import paths, scenes
from airtcp.questions.evaluate.scenes import Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.work import Work

_SECONDS: Final = 30.0
_POINTS: Final = 120
"""Points of a line: each has the last window and the longest round-trip time of its part."""


def _path(rtt_ms: float, bdp: float, **keys: Any) -> Callable[[Law], dict[str, Any]]:
    def made(law: Law) -> dict[str, Any]:
        link = scenes.link(20, rtt_ms, scenes.queue(20, rtt_ms, bdp)) | keys
        return scenes.alone(law.tcp(), link, seconds=_SECONDS, warmup=0)

    return made


_LOSSY: Final = {"loss": {"model": "bernoulli", "probability": 0.01}, "reverse": {}}
_PATHS: Final = {
    "40 ms, 1 BDP": _path(40, 1),
    "40 ms, 4 BDP": _path(40, 4),
    "40 ms, 1 % lost": _path(40, 1, **_LOSSY),
    "600 ms, 1 BDP": _path(600, 1),
    "40 ms, 2 BDP, 5 Mb/s after 20 s": _path(40, 2, rate=paths.RATES),
}


def _scenes(law: Law) -> list[Scene]:
    return [Scene(name, made(law), series=True) for name, made in _PATHS.items()]


def _laws(plan: Plan) -> list[Law]:
    """Return the laws that the pictures show: the law and the first yardstick."""
    return [plan.law, *plan.yardsticks[:1]]


def ask(plan: Plan, work: Work) -> None:
    """Note the scenes of the pictures."""
    for law in _laws(plan):
        for scene in _scenes(law):
            work.ask(scene, 1)


def series(plan: Plan, work: Work) -> list[dict[str, Any]]:
    """Return what the pictures show, thinned; paths that did not run are left out."""
    found: list[dict[str, Any]] = []
    for law in _laws(plan):
        for scene in _scenes(law):
            reps = work.of(scene, 1)
            if reps:
                found += [
                    {"path": scene.name, "law": law.label, **point}
                    for point in thinned(reps[0].series)
                ]
    return found


def thinned(recorded: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return points at equal distances: the last window and the longest round-trip time of each.

    >>> rows = [{"side": "client", "t_s": t, "cwnd_bytes": 10 * t} for t in (0, 1, 40)]
    >>> thinned({"window_series": rows, "rtt_series": []})[-1]
    {'t_s': 30.0, 'cwnd_bytes': 10, 'rtt_s': None}
    """
    step = _SECONDS / _POINTS
    windows: dict[int, int] = {}
    times: dict[int, float] = {}
    for row in recorded["window_series"]:
        if row["side"] == "client":
            windows[int(row["t_s"] / step)] = row["cwnd_bytes"]
    for row in recorded["rtt_series"]:
        if row["side"] == "client":
            at = int(row["t_s"] / step)
            times[at] = max(times.get(at, 0.0), row["rtt_s"])
    points: list[dict[str, Any]] = []
    window: int | None = None
    for at in range(_POINTS):
        window = windows.get(at, 0) or window
        if window is not None:
            end = round((at + 1) * step, 6)
            points.append({"t_s": end, "cwnd_bytes": window, "rtt_s": times.get(at)})
    return points
