"""Criteria of paths out of the ordinary: E8, E9, E16 to E19, E22, E23, E27."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.scenes import LAW, LINK, Scene
from airtcp.questions.evaluate.sharing import apart

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.bounds import Bound
    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

_MBPS, _RTT_MS = 20.0, 40.0
_OTHER: Final = "other"


def _goodput(rep: Rep) -> float:
    return rep.goodput(LAW)


def _path(
    name: str,
    *,
    seconds: float = 30,
    warmup: float = 5,
    mbps: float = _MBPS,
    rtt_ms: float = _RTT_MS,
    waiting: dict[str, Any] | None = None,
    **link: Any,
) -> Callable[[Law], list[Scene]]:
    """Return the scene of one flow over a link with further keys."""
    queue = scenes.queue(mbps, rtt_ms, 1) if waiting is None else waiting

    def made(law: Law) -> list[Scene]:
        path = scenes.link(mbps, rtt_ms, queue) | link
        return [Scene(name, scenes.alone(law.tcp(), path, seconds=seconds, warmup=warmup))]

    return made


def _amount(name: str, bound: Bound, **path: Any) -> Check:
    """Return the check of the goodput over a link."""
    return Check(name, _path(name, **path), _goodput, bound, "goodput", "Mb/s", 1e-6)


RATES: Final = {"steps": [["0 s", "20 Mb/s"], ["20 s", "5 Mb/s"], ["40 s", "20 Mb/s"]]}
"""A rate that falls to a quarter, and rises again."""
_DELAYS: Final = {"steps": [["0 s", "20 ms"], ["20 s", "60 ms"], ["50 s", "20 ms"]]}
"""One-way delays of a path of 40, 120 and again 40 ms."""


def _stepped(name: str, seconds: float, warmup: float, **keys: Any) -> Callable[[Law], list[Scene]]:
    """Return a path that changes during the run, measured from the end of its warm-up on."""
    waiting = scenes.queue(_MBPS, _RTT_MS, 2)
    return _path(name, seconds=seconds, warmup=warmup, waiting=waiting, **keys)


def _wait(name: str, made: Callable[[Law], list[Scene]]) -> Check:
    """Return the check of the mean wait in the queue."""
    return Check(
        name,
        made,
        lambda rep: rep.link(LINK)["queue_delay_mean_s"] or 0.0,
        bounds.DELAY,
        "mean wait",
        "ms",
        1e3,
    )


def _used(name: str, made: Callable[[Law], list[Scene]], bound: Bound = bounds.AS_GOOD) -> Check:
    """Return the check of the share of the link that is used."""
    return Check(name, made, lambda rep: rep.link(LINK)["utilisation"], bound, "utilisation")


def _on_off(law: Law) -> list[Scene]:
    other = {
        "name": _OTHER,
        "from": "a",
        "to": "z",
        "transport": "udp",
        "app": {"kind": "on-off", "rate": "10 Mb/s", "on": "2 s", "off": "2 s", "periods": "fixed"},
    }
    path = scenes.link(_MBPS, _RTT_MS, scenes.queue(_MBPS, _RTT_MS, 2))
    flows = [scenes.flow(law.tcp()), other]
    return [Scene("on-off UDP", scenes.scenario(40, 8, links=[path], flows=flows))]


def _steps(plan: Plan) -> list[Check]:
    del plan
    fall, rise = "5 s after the fall", "5 s after the rise"
    return [
        _wait(fall, _stepped(fall, 25, 20, rate=RATES)),
        _used(rise, _stepped(rise, 45, 40, rate=RATES)),
        Check("on-off UDP", _on_off, _goodput, bounds.AS_GOOD, "goodput", "Mb/s", 1e-6),
    ]


STEPS: Final = Criterion(
    "E8", "capacity step", "RFC 9743 7.8", _steps, "follows a change of capacity worse than {first}"
)


def _routes(plan: Plan) -> list[Check]:
    del plan
    longer, later = "10 s of 120 ms", "120 ms, after 20 s"
    shorter = "10 s of 40 ms again"
    return [
        _used(longer, _stepped(longer, 30, 20, delay=_DELAYS)),
        _used(later, _stepped(later, 50, 40, delay=_DELAYS), bounds.STUCK),
        _wait(shorter, _stepped(shorter, 60, 50, delay=_DELAYS)),
        _used(shorter, _stepped(shorter, 60, 50, delay=_DELAYS)),
    ]


ROUTES: Final = Criterion(
    "E9", "change of path", "RFC 9743 7.9", _routes, "follows a change of path worse than {first}"
)

_CELLULAR_S: Final = 30
_TICK_S: Final = 0.02
_MEAN_PPS, _SIGMA_PPS, _MOST_PPS = 500.0, 200.0, 1000.0
"""Packets a second: start, scatter of the Brownian motion in a second, and largest rate."""
_DRAWS: Final = 12
"""Uniform draws whose sum has a variance of 1."""


def cellular(number: int) -> str:
    """Return the rate of a cellular link over time, as the text of a table.

    A rate in Brownian motion between zero and a largest rate, with outages where it is zero, as in
    the model of Sprout (Winstein et al. 2013).

    Args: number: Which one.
    """
    draws = Random(number)  # noqa: S311 - a model, not a secret
    rate, lines = _MEAN_PPS, ["time_s,rate_mbps"]
    for tick in range(round(_CELLULAR_S / _TICK_S)):
        mbps = rate * scenes.PACKET * 8 / 1e6
        lines.append(f"{tick * _TICK_S:.2f},{mbps:.3f}")
        normal = sum(draws.random() for _ in range(_DRAWS)) - _DRAWS / 2
        rate = min(max(rate + _SIGMA_PPS * _TICK_S**0.5 * normal, 0.0), _MOST_PPS)
    return "\n".join(lines) + "\n"


def _cell(number: int, deep: str, packets: int) -> Callable[[Law], Scene]:
    name = f"cellular-{number}.csv"
    text = cellular(number)

    def made(law: Law) -> Scene:
        path = scenes.link(_MBPS, _RTT_MS, {"kind": "drop-tail", "packets": packets})
        path["rate"] = {"trace": name}
        table = scenes.alone(law.tcp(), path, seconds=_CELLULAR_S, warmup=5)
        return Scene(f"link {number}, {deep}, {law.label}", table, {name: text})

    return made


def dominated(own: Rep, other: Rep) -> float:
    """Return by which factor the law is worse than another in both goodput and delay."""
    less = other.goodput(LAW) / own.goodput(LAW) if own.goodput(LAW) else _HOPELESS
    before = other.link(LINK)["queue_delay_p95_s"] or 0.0
    longer = (own.link(LINK)["queue_delay_p95_s"] or 0.0) / before if before else _HOPELESS
    return min(less, longer)


_HOPELESS: Final = 1e3


def _cellular(plan: Plan) -> list[Check]:
    other = plan.yardsticks[0] if plan.yardsticks else plan.law
    checks: list[Check] = []
    numbers = (1, 2, 3) if plan.effort.thorough else (1,)
    for number in numbers:
        for deep, packets in (("0.5 s", 250), ("4 BDP", 80)):
            made = _cell(number, deep, packets)
            checks.append(
                Check(
                    f"link {number}, buffer {deep}",
                    lambda law, made=made: [made(law), made(other)],
                    dominated,
                    bounds.DOMINATED,
                    "worse in both",
                    most=1,
                )
            )
    return checks


CELLULAR: Final = Criterion(
    "E16",
    "cellular links",
    "RFC 9743 6.4",
    _cellular,
    "has less goodput and more delay than {first} on cellular links",
)


def _uneven(law: Law) -> list[Scene]:
    """Return two flows, one of them behind a link with jitter."""
    access = {"rate": "1 Gb/s", "delay": "1 ms"}
    jitter = {"mean": "5 ms", "distribution": "exponential"}
    links = [
        {"from": "s0", "to": "m", **access},
        {"from": "s1", "to": "m", **access, "jitter": jitter},
        {
            "name": LINK,
            "from": "m",
            "to": "z",
            "rate": "20 Mb/s",
            "delay": "19 ms",
            "queue": scenes.queue(_MBPS, _RTT_MS, 1),
        },
    ]
    flows = [
        scenes.flow(law.tcp(), name) | {"from": f"s{at}", "to": "z"}
        for at, name in enumerate((LAW, _OTHER))
    ]
    return [Scene("one of two with jitter", scenes.scenario(50, 15, links=links, flows=flows))]


def _jitter(plan: Plan) -> list[Check]:
    del plan
    checks = [
        _amount(
            f"jitter of {mean} ms",
            bounds.NEARLY,
            jitter={"mean": f"{mean} ms", "distribution": "exponential"},
        )
        for mean in (2, 10)
    ]
    return [
        *checks,
        Check(
            "one of two with jitter",
            _uneven,
            lambda rep: apart(rep.goodput(LAW), rep.goodput(_OTHER)),
            bounds.STARVES_ITSELF,
            "ratio of goodputs",
        ),
    ]


JITTER: Final = Criterion(
    "E17", "jitter", "RFC 9743 7.3", _jitter, "takes jitter for congestion more than {first} does"
)


def _reordering(plan: Plan) -> list[Check]:
    del plan
    return [
        _amount(
            f"{share} % held back {extra} ms",
            bounds.AS_GOOD,
            reordering={"probability": f"{share} %", "extra": f"{extra} ms"},
        )
        for share, extra in ((1, 5), (1, 30), (10, 30))
    ]


REORDERING: Final = Criterion(
    "E18", "reordering", "RFC 9743 7.7", _reordering, "loses more to reordering than {first}"
)


def _acks(plan: Plan) -> list[Check]:
    del plan
    slow = {"rate": "0.3 Mb/s", "queue": {"kind": "drop-tail", "packets": 50}}
    filtered = slow | {"queue": {"kind": "ack-filter", "packets": 50}}
    lossy = {"loss": {"model": "bernoulli", "probability": 0.1}}
    return [
        _amount(name, bounds.NEARLY, mbps=mbps, reverse=reverse)
        for name, mbps, reverse in (
            ("ACKs at 0.3 Mb/s", 50.0, slow),
            ("ACKs at 0.3 Mb/s, filtered", 50.0, filtered),
            ("10 % of ACKs lost", _MBPS, lossy),
        )
    ]


ACKS: Final = Criterion(
    "E19", "ACK path", "RFC 3449", _acks, "needs a better path for its ACKs than {first}"
)


def _far(plan: Plan) -> list[Check]:
    lossy = {"loss": {"model": "bernoulli", "probability": 0.001}, "reverse": {}}
    checks = [
        _amount("600 ms", bounds.AS_GOOD, rtt_ms=600.0, seconds=100, warmup=20),
        _amount(
            "600 ms, 0.1 % lost", bounds.AS_GOOD, rtt_ms=600.0, seconds=100, warmup=20, **lossy
        ),
    ]
    if plan.effort.thorough:
        checks.append(
            _amount("600 ms, first 20 s", bounds.NEARLY, rtt_ms=600.0, seconds=20, warmup=0)
        )
    return checks


FAR: Final = Criterion(
    "E22", "long delay", "RFC 9743 7.5", _far, "uses long paths less than {first}"
)


def _slow(plan: Plan) -> list[Check]:
    del plan
    name = "50 kb/s, 300 ms"
    waiting = {"kind": "drop-tail", "packets": 10}
    made = _path(name, mbps=0.05, rtt_ms=300.0, waiting=waiting, seconds=120, warmup=20)
    return [
        Check(
            name,
            made,
            lambda rep: rep.link(LINK)["utilisation"],
            bounds.UTILISATION,
            "utilisation",
        ),
        Check(name, made, lambda rep: rep.sent_again(LAW), bounds.LOSS, "sent again", "%", 100.0),
    ]


SLOW: Final = Criterion(
    "E23", "slow links", "RFC 9743 7.4", _slow, "does worse than {first} on slow links"
)


def _policed(plan: Plan) -> list[Check]:
    del plan
    name = "5 Mb/s, 100 kB"
    made = _path(name, policer={"rate": "5 Mb/s", "burst": "100 kB"}, seconds=40, warmup=10)
    return [
        Check(
            name, made, lambda rep: rep.sent_again(LAW), bounds.POLICED, "sent again", "%", 100.0
        ),
        Check(name, made, _goodput, bounds.at_least(0.5), "goodput", "Mb/s", 1e-6),
    ]


POLICED: Final = Criterion(
    "E27", "policer", "RFC 9743 5.1.3", _policed, "loses more to a policer than {first}"
)
EVERY: Final = (STEPS, ROUTES, CELLULAR, JITTER, REORDERING, ACKS, FAR, SLOW, POLICED)
