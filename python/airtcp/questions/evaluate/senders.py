"""Criteria of how a sender sends: E20 (little to send), E21 (bursts), E25 (incast), E26."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.law import CUBIC
from airtcp.questions.evaluate.scenes import LAW, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

_MBPS, _RTT_MS = 20.0, 40.0
_LOAD_MBPS: Final = 4.0
"""What an application with little to send writes."""
_AFTER_S: Final = 5.0
"""Seconds at the start that the longest queue leaves out."""
_ACCESS: Final = "access"


def _limited(law: Law) -> list[Scene]:
    """Return a flow with a fifth of the link to send."""
    path = scenes.link(_MBPS, _RTT_MS, scenes.queue(_MBPS, _RTT_MS, 1))
    app = {"kind": "constant-rate", "rate": f"{_LOAD_MBPS:g} Mb/s", "message": "1448 B"}
    table = scenes.alone(law.tcp(), path, seconds=20, warmup=5, app=app)
    return [Scene("a fifth of the link", table, series=True)]


def unused(rep: Rep) -> float:
    """Return the largest window over what the application fills in a round trip."""
    rows = rep.series["window_series"]
    windows = [row["cwnd_bytes"] for row in rows if row["side"] == "client"]
    return max(windows, default=0) / (_LOAD_MBPS * 1e6 / 8 * _RTT_MS / 1e3)


def _pauses(law: Law) -> list[Scene]:
    """Return a flow that sends at nine tenths of the link for a second, and rests for three."""
    path = scenes.link(_MBPS, _RTT_MS, scenes.queue(_MBPS, _RTT_MS, 1))
    app = {"kind": "on-off", "rate": "18 Mb/s", "on": "1 s", "off": "3 s", "periods": "fixed"}
    table = scenes.alone(law.tcp(), path, seconds=60, warmup=0, app=app)
    return [Scene("1 s on, 3 s off", table)]


def _little(plan: Plan) -> list[Check]:
    del plan
    return [
        Check(
            "a fifth of the link",
            _limited,
            unused,
            bounds.UNUSED_WINDOW,
            "window over load",
            most=1,
        ),
        Check(
            "1 s on, 3 s off",
            _pauses,
            lambda rep: rep.sent_again(LAW),
            bounds.LOSS,
            "sent again",
            "%",
            100.0,
        ),
        Check(
            "1 s on, 3 s off",
            _pauses,
            lambda rep: rep.goodput(LAW),
            bounds.AS_GOOD,
            "goodput",
            "Mb/s",
            1e-6,
        ),
    ]


LITTLE: Final = Criterion(
    "E20", "app-limited", "RFC 7661", _little, "does worse than {first} when it has little to send"
)


def _behind(law: Law) -> list[Scene]:
    """Return a flow over a fast access link in front of a slow one."""
    access = {
        "name": _ACCESS,
        "from": "a",
        "to": "m",
        "rate": "1 Gb/s",
        "delay": "1 ms",
        "queue": {"kind": "drop-tail", "packets": 1000},
    }
    path = scenes.link(_MBPS, _RTT_MS - 2, scenes.queue(_MBPS, _RTT_MS, 1)) | {"from": "m"}
    table = scenes.scenario(15, 5, links=[access, path], flows=[scenes.flow(law.tcp())])
    return [Scene("1 Gb/s before 20 Mb/s", table, series=True)]


def longest(rep: Rep) -> float:
    """Return the longest queue at the access link after the start, in packets."""
    return max(
        (
            row["queue_packets"]
            for row in rep.series["queue_series"]
            if row["link"] == _ACCESS and row["t_s"] >= _AFTER_S
        ),
        default=0.0,
    )


def _bursts(plan: Plan) -> list[Check]:
    del plan
    return [Check("1 Gb/s before 20 Mb/s", _behind, longest, bounds.BURST, "longest burst", most=1)]


BURSTS: Final = Criterion("E21", "bursts", "RFC 9002", _bursts, "sends longer bursts than {first}")

_SERVERS: Final = 32


def _incast(law: Law) -> list[Scene]:
    """Return 32 flows of 64 kB that start together over a link of 1 Gb/s and 140 us."""
    path = scenes.link(1000, 0.14, {"kind": "drop-tail", "packets": 100})
    flow = scenes.flow(law.tcp(), app={"kind": "bulk", "size": "64 kB"}, count=_SERVERS)
    flow["start_spread"] = "100 us"
    return [Scene("32 flows of 64 kB", scenes.scenario(3, 0, links=[path], flows=[flow]))]


def _slowest_s(rep: Rep) -> float:
    return max(row["completion_s"] or rep.duration_s for row in rep.of(LAW))


def _data_centre(plan: Plan) -> list[Check]:
    del plan
    return [
        Check("32 flows of 64 kB", _incast, _slowest_s, bounds.TWICE, "slowest flow", "ms", 1e3)
    ]


DATA_CENTRE: Final = Criterion(
    "E25", "data centre", "RFC 9743 7.11", _data_centre, "is slower than {both} in an incast"
)
_LIES: Final = {
    "10 ACKs for one": {"ack_division": 10},
    "ACKs 20 segments ahead": {"optimistic_acks": 20},
}


def _deceived(lie: dict[str, int], name: str) -> Callable[[Law], list[Scene]]:
    """Return a flow beside an honest one of CUBIC, with an honest receiver and with a false one."""

    def made(law: Law) -> list[Scene]:
        found: list[Scene] = []
        for said, keys in (("honest", {}), (name, {"misbehaviour": lie})):
            flows = [scenes.flow(law.tcp(**keys)), scenes.flow(CUBIC.tcp(), "other")]
            waiting = scenes.queue(_MBPS, _RTT_MS, 1)
            table = scenes.shared(flows, _MBPS, _RTT_MS, waiting, seconds=40, warmup=10)
            found.append(Scene(said, table))
        return found

    return made


def gained(honest: Rep, deceived: Rep) -> float | None:
    """Return the goodput with a false receiver over that with an honest one."""
    before = honest.goodput(LAW)
    return deceived.goodput(LAW) / before if before else None


def _false(plan: Plan) -> list[Check]:
    del plan
    return [
        Check(name, _deceived(lie, name), gained, bounds.DECEIVED, "gain")
        for name, lie in _LIES.items()
    ]


MISBEHAVING: Final = Criterion(
    "E26",
    "false ACKs",
    "RFC 9743 7.6",
    _false,
    "lets a receiver gain by false ACKs more than {both}",
)
EVERY: Final = (LITTLE, BURSTS, DATA_CENTRE, MISBEHAVING)
