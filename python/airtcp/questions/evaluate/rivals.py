"""Criterion E12: the law beside rivals, one to one and four to one.

Harm (Ware et al. 2019) is what a rival loses of what it has alone: (x - y) / x of its goodput.
Fair halves of a link are a harm of a half. A law does no more harm than the status quo if its harm
is that of Reno or CUBIC beside the same rival.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.scenes import LAW, Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.questions.evaluate.criterion import Effort, Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

MBPS, RTT_MS = 20.0, 40.0
RIVAL: Final = "rival"
_MANY: Final = 4
"""Flows of the law beside one rival."""
_MANY_BDP: Final = (1.0, 4.0)
_DEEP: Final = 2.0
"""BDP beyond which a queue is deep."""
_LONGER: Final = 3
"""Factor on the duration with a deep queue."""


def _beside(rival: Law, flows: int, bdp: float, effort: Effort) -> Callable[[Law], Sequence[Scene]]:
    """Return the scenes of a rival alone, and of the rival beside the law."""
    waiting = scenes.queue(MBPS, RTT_MS, bdp)
    # A sawtooth of Reno takes half a minute in a deep queue.
    seconds = effort.rival_s * (_LONGER if bdp > _DEEP and flows == 1 else 1)
    warmup = seconds / 4

    def made(law: Law) -> list[Scene]:
        other = scenes.flow(rival.tcp(), RIVAL)
        own = [scenes.flow(law.tcp(), LAW if flows == 1 else f"{LAW}{at}") for at in range(flows)]
        both = scenes.shared([other, *own], MBPS, RTT_MS, waiting, seconds=seconds, warmup=warmup)
        by_itself = scenes.shared([other], MBPS, RTT_MS, waiting, seconds=seconds, warmup=warmup)
        return [
            Scene(f"{rival.label} alone, {bdp:g} BDP, {seconds:g} s", by_itself),
            Scene(f"{flows} beside {rival.label}, {bdp:g} BDP", both),
        ]

    return made


def harm(alone: Rep, beside: Rep) -> float | None:
    """Return the share of its goodput that a rival loses beside the law."""
    before = alone.goodput(RIVAL)
    return (before - beside.goodput(RIVAL)) / before if before else None


def own_share(_alone: Rep, beside: Rep) -> float | None:
    """Return the share of the goodput that the law has beside a rival."""
    own, other = beside.goodput(LAW), beside.goodput(RIVAL)
    return own / (own + other) if own + other else None


def _rivals(plan: Plan) -> list[Check]:
    checks: list[Check] = []
    for number, rival in enumerate(plan.rivals):
        if rival.same(plan.law):
            continue  # How it shares with itself is another criterion.
        for bdp in plan.effort.rival_buffers_bdp:
            made = _beside(rival, 1, bdp, plan.effort)
            at = {"rival": float(number), "buffer_bdp": bdp, "flows": 1.0}
            name = f"beside {rival.label}, {bdp:g} BDP"
            checks += [
                Check(name, made, harm, bounds.harm(0.5), "harm", at=at),
                Check(name, made, own_share, bounds.own_share(0.5), "own share", at=at),
            ]
        if plan.effort.thorough:
            fair = 1 / (_MANY + 1)
            for bdp in _MANY_BDP:
                made = _beside(rival, _MANY, bdp, plan.effort)
                at = {"rival": float(number), "buffer_bdp": bdp, "flows": float(_MANY)}
                name = f"{_MANY} beside {rival.label}, {bdp:g} BDP"
                checks.append(Check(name, made, harm, bounds.harm(fair), "harm", at=at))
    return checks


RIVALS: Final = Criterion(
    "E12",
    "rivals",
    "RFC 9743 5.2.1",
    _rivals,
    "shares worse with rivals than {both}",
    "starves rivals",
)
EVERY: Final = (RIVALS,)
