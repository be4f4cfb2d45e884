"""Criteria of sharing among flows of one law: E10 (round-trip times), E11 (own), E24 (hops)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.scenes import LAW, Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

_MBPS: Final = 20.0
_OTHER: Final = "other"
_MS: Final = 50.0
"""Mean round-trip time of flows of 20 and 80 ms, which sets the buffer."""


def apart(one: float, other: float) -> float:
    """Return the larger of two over the smaller.

    >>> apart(2.0, 1.0), apart(1.0, 4.0)
    (2.0, 4.0)
    """
    least = min(one, other)
    return max(one, other) / least if least else _ENDLESS


_ENDLESS: Final = 1e3
"""The ratio of something to nothing."""


def jain(values: Sequence[float]) -> float:
    """Return Jain's index of fairness.

    >>> jain([1.0, 1.0]), jain([1.0, 0.0])
    (1.0, 0.5)
    """
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / len(values) / squares if squares else 0.0


def _two_rtts(bdp: float) -> Callable[[Law], list[Scene]]:
    def made(law: Law) -> list[Scene]:
        flows = [scenes.flow(law.tcp(), at=0), scenes.flow(law.tcp(), _OTHER, at=1)]
        table = scenes.dumbbell(
            flows,
            _MBPS,
            20,
            scenes.queue(_MBPS, _MS, bdp),
            seconds=60,
            warmup=15,
            delays=(1, 31),
        )
        return [Scene(f"20 and 80 ms, {bdp:g} BDP", table)]

    return made


def _over_rtts(plan: Plan) -> list[Check]:
    del plan
    return [
        Check(
            f"20 and 80 ms, {bdp:g} BDP",
            _two_rtts(bdp),
            lambda rep: apart(rep.goodput(LAW), rep.goodput(_OTHER)),
            bounds.RATIO,
            "ratio of goodputs",
        )
        for bdp in (0.5, 1, 4)
    ]


OVER_RTTS: Final = Criterion(
    "E10",
    "fairness over RTTs",
    "RFC 9743 5.1.4",
    _over_rtts,
    "is less fair than {first} over round-trip times",
)


def _ten(law: Law) -> list[Scene]:
    path = scenes.link(_MBPS, 40, scenes.queue(_MBPS, 40, 1))
    table = scenes.alone(law.tcp(), path, seconds=40, warmup=10, count=10)
    return [Scene("10 flows", table)]


def _newcomer(law: Law) -> list[Scene]:
    """Return a second flow that starts at 20 s; means are over its second ten seconds."""
    late = {"kind": "bulk", "start": "20 s"}
    flows = [scenes.flow(law.tcp()), scenes.flow(law.tcp(), _OTHER, app=late)]
    waiting = scenes.queue(_MBPS, 40, 1)
    table = scenes.shared(flows, _MBPS, 40, waiting, seconds=40, warmup=30)
    return [Scene("a second flow", table)]


def _late_share(rep: Rep) -> float:
    own, late = rep.goodput(LAW), rep.goodput(_OTHER)
    return late / (own + late) if own + late else 0.0


_JOINS_S: Final = (20.0, 20.4, 20.8)
"""Starts of the second flow: a start meets any place of the first flow's sawtooth."""
_SHARING_S: Final = 60.0
"""Time in which the two have to come to equal shares."""
_WINDOW: Final = 10
"""Intervals of 100 ms in a mean."""
_EQUAL: Final = (0.45, 0.55)


def _joined(law: Law) -> list[Scene]:
    """Return a second flow that starts at 20 s or a little later, recorded over time."""
    found: list[Scene] = []
    for at in _JOINS_S:
        flows = [scenes.flow(law.tcp()), scenes.flow(law.tcp(), _OTHER)]
        flows[1] |= {"start_spread": "0 s", "app": {"kind": "bulk", "start": f"{at:g} s"}}
        table = scenes.shared(
            flows, _MBPS, 40, scenes.queue(_MBPS, 40, 1), seconds=at + _SHARING_S, warmup=0
        )
        found.append(Scene(f"a second flow after {at:g} s", table, series=True))
    return found


def time_to_equal(rep: Rep, start_s: float) -> float:
    """Return the time from a flow's start until both have 45 to 55 % in the mean of a second.

    Args: rep: The replication, with series. start_s: The start of the second flow.

    A pair that does not come to equal shares has the whole time that it had.
    """
    bits: dict[str, dict[int, float]] = {LAW: {}, _OTHER: {}}
    for row in rep.series["delivered_series"]:
        if row["side"] == "server":
            bits[row["flow"]][round(row["t_s"] * 10)] = row["goodput_bps"] * row["interval_s"]
    first, last = round(start_s * 10), round((start_s + _SHARING_S) * 10)
    for at in range(first, last - _WINDOW + 1):
        own, late = (
            sum(bits[name].get(at + i, 0.0) for i in range(_WINDOW)) for name in (LAW, _OTHER)
        )
        if own + late and _EQUAL[0] <= late / (own + late) <= _EQUAL[1]:
            return (at + _WINDOW) / 10 - start_s
    return _SHARING_S


def _mean_time(*reps: Rep) -> float:
    times = [time_to_equal(rep, at) for rep, at in zip(reps, _JOINS_S, strict=True)]
    return sum(times) / len(times)


def _own(plan: Plan) -> list[Check]:
    del plan
    return [
        Check(
            "10 flows",
            _ten,
            lambda rep: jain([row["goodput_bps"] for row in rep.of(LAW)]),
            bounds.JAIN,
            "Jain's index",
        ),
        Check("10 s after its start", _newcomer, _late_share, bounds.SHARE, "newcomer's share"),
        Check(
            "a second flow",
            _joined,
            _mean_time,
            bounds.CONVERGENCE,
            "time to equal shares",
            "s",
            most=1,
        ),
    ]


OWN: Final = Criterion(
    "E11",
    "own fairness",
    "RFC 9743 5.1.4",
    _own,
    "shares worse among its own flows than {first}",
)


def _hops(law: Law) -> list[Scene]:
    """Return a flow over three equal links, each with a flow of its own."""
    hop = {"rate": "20 Mb/s", "delay": "10 ms", "queue": scenes.queue(_MBPS, 40, 1)}
    cross = [
        scenes.flow(law.tcp(), f"{_OTHER}{at}") | {"from": f"n{at}", "to": f"n{at + 1}"}
        for at in range(3)
    ]
    long = scenes.flow(law.tcp()) | {"from": "n0", "to": "n3"}
    table = scenes.scenario(
        50, 15, topology={"kind": "chain", "hops": 3, "link": hop}, flows=[long, *cross]
    )
    return [Scene("three hops", table)]


def _in_a_row(plan: Plan) -> list[Check]:
    del plan
    return [
        Check(
            "three hops",
            _hops,
            lambda rep: rep.goodput(LAW),
            bounds.HALF,
            "the long flow",
            "Mb/s",
            1e-6,
        )
    ]


IN_A_ROW: Final = Criterion(
    "E24",
    "bottlenecks",
    "Common TCP Evaluation Suite",
    _in_a_row,
    "leaves a flow over several bottlenecks less than half of what {both} leave",
)
EVERY: Final = (OVER_RTTS, OWN, IN_A_ROW)
