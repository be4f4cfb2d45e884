"""Criteria E0 and E1: a run can be repeated, and the law backs off under heavy loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.scenes import LAW, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

_LOSSES: Final = (0.3, 0.5, 0.8)
_RTT_MS: Final = 40.0
_SECONDS: Final = 120.0
_FLOWS: Final = 4
"""Flows of a scene with heavy loss: one sends so little that its rate is mostly chance."""


def _twice(law: Law) -> list[Scene]:
    """Return a scene, and the same in a process of its own."""
    path = scenes.link(
        20, 40, scenes.queue(20, 40, 1), loss={"model": "bernoulli", "probability": 0.001}
    )
    table = scenes.alone(law.tcp(), path, seconds=20, warmup=5)
    return [Scene("here", table, again=True), Scene("in a fresh process", table, fresh=True)]


def _repeated(plan: Plan) -> list[Check]:
    del plan
    return [
        Check(
            "two processes",
            _twice,
            lambda here, fresh: float(here.fingerprint == fresh.fingerprint),
            bounds.REPRODUCIBLE,
            "equal runs",
            most=1,
        )
    ]


def _lossy(loss: float) -> Callable[[Law], list[Scene]]:
    def made(law: Law) -> list[Scene]:
        path = scenes.link(
            20,
            _RTT_MS,
            scenes.queue(20, _RTT_MS, 1),
            loss={"model": "bernoulli", "probability": loss},
            reverse={},
        )
        table = scenes.alone(law.tcp(), path, seconds=_SECONDS, warmup=10, count=_FLOWS)
        return [Scene(f"{100 * loss:g} % lost", table)]

    return made


def _a_round_trip(rep: Rep) -> float:
    """Return the segments that a flow sends in a round trip without a queue."""
    return rep.total(LAW, "segments_sent") / _FLOWS / _SECONDS * _RTT_MS / 1e3


def _back_off(plan: Plan) -> list[Check]:
    del plan
    return [
        Check(
            f"{100 * loss:g} % lost",
            _lossy(loss),
            _a_round_trip,
            bounds.BACK_OFF if loss == max(_LOSSES) else bounds.HEAVY_LOSS,
            "packets per RTT",
        )
        for loss in _LOSSES
    ]


REPEATED: Final = Criterion(
    "E0",
    "reproducible",
    "airtcp",
    _repeated,
    "gives another result in another process",
)
BACK_OFF: Final = Criterion(
    "E1",
    "full back-off",
    "RFC 9743 5.1.1",
    _back_off,
    "sends more than {both} under heavy loss",
    "does not back off under heavy loss",
    missing="the contract of the law's calls is checked elsewhere: its suite does not run here",
)
EVERY: Final = (REPEATED, BACK_OFF)
