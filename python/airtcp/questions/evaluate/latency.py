"""Criteria of delay: E6 (under load), E7 (short flows), E13 (real time)."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.law import CUBIC
from airtcp.questions.evaluate.scenes import LAW, LINK, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

_MBPS, _RTT_MS = 20.0, 40.0
_PING: Final = "ping"
_OTHER: Final = "other"
_EXCHANGE: Final = {
    "kind": "request-response",
    "request": "100 B",
    "response": "100 B",
    "think": "20 ms",
}


def queues(*, ecn: bool) -> dict[str, dict[str, Any]]:
    """Return queue disciplines by name."""
    marks = {"ecn": True} if ecn else {}
    return {
        "CoDel": {"kind": "codel", **marks},
        "FQ-CoDel": {"kind": "fq-codel", **marks},
        "PIE": {"kind": "pie", **marks},
    }


def ping() -> dict[str, Any]:
    """Return a flow of short exchanges."""
    return scenes.flow(CUBIC.tcp(), _PING, app=_EXCHANGE)


def exchange_s(rep: Rep) -> float | None:
    """Return what 95 % of the exchanges take at most."""
    return rep.of(_PING)[0]["exchange_p95_s"]


def _loaded(waiting: dict[str, Any], name: str) -> Callable[[Law], list[Scene]]:
    def made(law: Law) -> list[Scene]:
        flows = [scenes.flow(law.tcp()), ping()]
        table = scenes.shared(flows, _MBPS, _RTT_MS, waiting, seconds=30, warmup=10)
        return [Scene(name, table)]

    return made


def _both_ways(law: Law) -> list[Scene]:
    """Return the load of RRUL: four flows up and four down, beside exchanges."""
    up = [scenes.flow(law.tcp(), f"{LAW}{at}") for at in range(4)]
    down = [scenes.flow(law.tcp(), f"{LAW}{at}") | {"from": "z", "to": "a"} for at in range(4, 8)]
    waiting = scenes.queue(_MBPS, _RTT_MS, 2)
    flows = [*up, *down, ping()]
    table = scenes.shared(flows, _MBPS, _RTT_MS, waiting, seconds=30, warmup=10)
    return [Scene("four up, four down", table)]


def _under_load(plan: Plan) -> list[Check]:
    found = {f"{bdp} BDP": scenes.queue(_MBPS, _RTT_MS, bdp) for bdp in (1, 4)}
    found |= queues(ecn=False)
    places = [(name, _loaded(waiting, name)) for name, waiting in found.items()]
    if plan.effort.thorough:
        places.append(("four up, four down", _both_ways))
    return [
        Check(name, made, exchange_s, bounds.DELAY, "p95 of a ping", "ms", 1e3)
        for name, made in places
    ]


UNDER_LOAD: Final = Criterion(
    "E6",
    "latency under load",
    "RFC 9743 5.1.2",
    _under_load,
    "delays others more than {first}",
)

_SIZES: Final = ("15 kB", "100 kB", "1 MB")
_SHORT: Final = 6
"""Short flows in a run."""
_APART_S: Final = 3.0
_FIRST_S: Final = 8.0
_END_S: Final = _FIRST_S + _SHORT * _APART_S + 4.0


def _short(tcp: dict[str, Any], size: str, load: dict[str, Any] | None) -> dict[str, Any]:
    """Return a scenario of short flows, one after another, beside a bulk flow if there is one."""
    flows = [
        scenes.flow(
            tcp,
            f"{_OTHER}{at}",
            app={"kind": "bulk", "size": size, "start": f"{_FIRST_S + _APART_S * at:g} s"},
        )
        for at in range(_SHORT)
    ]
    flows += [] if load is None else [scenes.flow(load, "bulk")]
    waiting = scenes.queue(_MBPS, _RTT_MS, 1)
    return scenes.shared(flows, _MBPS, _RTT_MS, waiting, seconds=_END_S, warmup=0)


def completion_s(rep: Rep) -> float:
    """Return the median time of the short flows; an unfinished one counts to the end of the run."""
    rows = rep.of(_OTHER)
    starts = [_FIRST_S + _APART_S * at for at in range(len(rows))]
    pairs = zip(rows, starts, strict=True)
    return median(row["completion_s"] or rep.duration_s - start for row, start in pairs)


def _delayed(alone: Rep, beside: Rep) -> float:
    """Return the harm to short flows: the share of their time that the law costs."""
    return 1 - completion_s(alone) / completion_s(beside)


def _short_flows(plan: Plan) -> list[Check]:
    sizes = _SIZES if plan.effort.thorough else _SIZES[1:2]
    checks: list[Check] = []
    for size in sizes:

        def idle(law: Law, size: str = size) -> list[Scene]:
            return [Scene(f"{size} alone", _short(law.tcp(), size, None))]

        def loaded(law: Law, size: str = size) -> list[Scene]:
            return [Scene(f"{size} beside cubic", _short(law.tcp(), size, CUBIC.tcp()))]

        def harmed(law: Law, size: str = size) -> list[Scene]:
            alone = _short(CUBIC.tcp(), size, None)
            beside = _short(CUBIC.tcp(), size, law.tcp())
            return [Scene(f"{size} of cubic alone", alone), Scene(f"{size} of cubic", beside)]

        bound = bounds.COMPLETION
        checks += [
            Check(f"{size} alone", idle, completion_s, bound, "completion", "ms", 1e3),
            Check(f"{size} beside cubic", loaded, completion_s, bound, "completion", "ms", 1e3),
            Check(f"{size} of cubic", harmed, _delayed, bounds.HARM, "harm"),
        ]
    return checks


SHORT_FLOWS: Final = Criterion(
    "E7",
    "short flows",
    "RFC 9743 5.2.3",
    _short_flows,
    "is slower than {first} in short flows, or slows short flows more",
)


def _beside(other: dict[str, Any], bdp: float, name: str) -> Callable[[Law], list[Scene]]:
    def made(law: Law) -> list[Scene]:
        flows = [scenes.flow(law.tcp()), other]
        waiting = scenes.queue(_MBPS, _RTT_MS, bdp)
        table = scenes.shared(flows, _MBPS, _RTT_MS, waiting, seconds=40, warmup=10)
        return [Scene(f"{name}, {bdp:g} BDP", table)]

    return made


def _lost(rep: Rep) -> float:
    """Return the share of the datagrams that is lost on the bottleneck."""
    row = rep.of(_OTHER)[0]
    lost = row["datagrams_lost"] or 0
    sent = row["segments_sent"] or 0
    return lost / sent if sent else 0.0


def _real_time(plan: Plan) -> list[Check]:
    del plan
    call = {
        "name": _OTHER,
        "from": "a",
        "to": "z",
        "transport": "udp",
        "app": {"kind": "constant-rate", "rate": "2.5 Mb/s", "message": "1200 B"},
    }
    tfrc = {"name": _OTHER, "from": "a", "to": "z", "transport": "tfrc"}
    checks: list[Check] = []
    for bdp in (1, 4):
        made, name = _beside(call, bdp, "2.5 Mb/s UDP"), f"2.5 Mb/s UDP, {bdp} BDP"
        checks += [
            Check(name, made, _lost, bounds.LOSS_OF_OTHERS, "its loss", "%", 100.0),
            Check(
                name,
                made,
                lambda rep: rep.link(LINK)["queue_delay_p95_s"] or 0.0,
                bounds.DELAY_OF_OTHERS,
                "its p95 wait",
                "ms",
                1e3,
            ),
            Check(
                f"TFRC, {bdp} BDP",
                _beside(tfrc, bdp, "TFRC"),
                lambda rep: rep.goodput(_OTHER),
                bounds.at_least(0.8, "all"),
                "its goodput",
                "Mb/s",
                1e-6,
            ),
        ]
    return checks


REAL_TIME: Final = Criterion(
    "E13",
    "real-time flows",
    "RFC 9743 5.2.2",
    _real_time,
    "harms real-time flows more than {both}",
    missing="airtcp has no GCC, NADA or SCReAM: a constant rate and TFRC stand for them",
)
EVERY: Final = (UNDER_LOAD, SHORT_FLOWS, REAL_TIME)
