"""Criterion E15: Wi-Fi cells, whose access points have a queue for each station."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.latency import exchange_s
from airtcp.questions.evaluate.law import CUBIC
from airtcp.questions.evaluate.scenes import LAW, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

Table = dict[str, Any]
_LOSS: Final = {"model": "log-distance", "exponent": 3.5, "reference_loss_db": 46.67}
_WIRE: Final = {
    "from": "server",
    "to": "ap",
    "rate": "1 Gb/s",
    "delay": "10 ms",
    "queue": {"kind": "drop-tail", "packets": 1000},
}
_EXCHANGE: Final = {
    "kind": "request-response",
    "request": "100 B",
    "response": "100 B",
    "think": "20 ms",
}
_SECONDS, _WARMUP = 4.0, 1.5
_FEW: Final = 3
"""Replications: a second of a cell of 802.11ax costs as much as a minute of a link."""


def _star(standard: str, number: int, **keys: Any) -> Table:
    modern = {"streams": 2, "rate_control": {"control": "ideal"}}
    return {
        "standard": standard,
        "layout": {"kind": "star", "stations": number, "radius_m": 10},
        "propagation": {"path_loss": _LOSS},
        "mac": {"access": "edca"},
        "access_point_queue": {"kind": "airtime-fair"},
        **(modern if standard in {"802.11n", "802.11ac", "802.11ax"} else {}),
        **keys,
    }


def _downloads(name: str, cell: Table, number: int) -> Callable[[Law], list[Scene]]:
    """Return downloads to the first stations of a cell, beside exchanges of the last."""

    def made(law: Law) -> list[Scene]:
        down = scenes.flow(law.tcp()) | {"from": "server", "to": "sta*", "count": number}
        talk = scenes.flow(CUBIC.tcp(), "ping", app=_EXCHANGE)
        talk |= {"from": "server", "to": f"sta{number}"}
        return [_scene(name, cell, [down, talk])]

    return made


def _uploads(name: str, cell: Table, number: int) -> Callable[[Law], list[Scene]]:
    """Return uploads of the stations of a cell."""

    def made(law: Law) -> list[Scene]:
        up = scenes.flow(law.tcp()) | {"from": "sta*", "to": "server", "count": number}
        return [_scene(name, cell, [up])]

    return made


def _scene(name: str, cell: Table, flows: list[Table]) -> Scene:
    table = scenes.scenario(_SECONDS, _WARMUP, cells=[cell], links=[_WIRE], flows=flows)
    return Scene(name, table)


def _total(rep: Rep) -> float:
    return rep.goodput(LAW)


def _least(rep: Rep) -> float:
    return min(row["goodput_bps"] for row in rep.of(LAW))


def _places(plan: Plan) -> list[tuple[str, Callable[[Law], list[Scene]], bool]]:
    """Return the cells: name, scenes, and whether there are exchanges."""
    pair = {"kind": "positions", "stations": [[-20, 0], [20, 0]]}
    hidden = _star("802.11a", 2, layout=pair, noise={"floor_dbm": -99}, rate="24 Mb/s")
    slow = _star("802.11a", 4, stations=[{"name": "sta2", "rate": "6 Mb/s"}])
    places = [
        (f"{kind}, 3 downloads", _downloads(f"{kind}, 3 downloads", _star(kind, 4), 3), True)
        for kind in (("802.11n", "802.11ac", "802.11ax") if plan.effort.thorough else ("802.11ac",))
    ]
    places.append(("hidden stations", _uploads("hidden stations", hidden, 2), False))
    if plan.effort.thorough:
        one = "802.11ac, 1 download"
        up = "802.11ac, 3 uploads"
        filtered = "3 uploads, ACK filter"
        fifo = "one FIFO for all"
        sieve = _star("802.11ac", 3, access_point_queue={"kind": "ack-filter"})
        plain = _star("802.11ac", 4, access_point_queue={"kind": "drop-tail", "packets": 1000})
        places += [
            (one, _downloads(one, _star("802.11ac", 2), 1), True),
            (up, _uploads(up, _star("802.11ac", 3), 3), False),
            (filtered, _uploads(filtered, sieve, 3), False),
            ("a slow station", _downloads("a slow station", slow, 3), True),
            (fifo, _downloads(fifo, plain, 3), True),
        ]
    return places


def _wifi(plan: Plan) -> list[Check]:
    checks: list[Check] = []
    for name, made, talks in _places(plan):
        checks.append(Check(name, made, _total, bounds.AS_GOOD, "goodput", "Mb/s", 1e-6, most=_FEW))
        checks.append(
            Check(name, made, _least, bounds.NEARLY, "slowest flow", "Mb/s", 1e-6, most=_FEW)
        )
        if talks:
            checks.append(
                Check(name, made, exchange_s, bounds.DELAY, "p95 of a ping", "ms", 1e3, most=_FEW)
            )
    return checks


WIFI: Final = Criterion(
    "E15", "Wi-Fi cells", "RFC 9743 6.4", _wifi, "does worse than {first} in Wi-Fi cells"
)
EVERY: Final = (WIFI,)
