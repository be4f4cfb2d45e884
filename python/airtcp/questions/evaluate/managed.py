"""Criterion E14: managed queues that mark, and the queue of L4S.

In all queues but DualPI2 marks mean what losses mean (RFC 3168). In DualPI2 (RFC 9332) a scalable
flow, here Prague, has a queue of its own, and the coupling should give it and a flow of the law
equal rates. A scalable law runs with accurate feedback and ECT(1) in all of them: beside CUBIC in
one queue that marks as RFC 3168 has it, it may take more than its share (RFC 9331, section 4.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.latency import queues
from airtcp.questions.evaluate.law import CUBIC, SCALABLE
from airtcp.questions.evaluate.rivals import MBPS, RIVAL, RTT_MS, harm, own_share
from airtcp.questions.evaluate.scenes import LAW, LINK, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

DUALPI2: Final = "DualPI2"
_FAIR: Final = 0.5


def _scene(name: str, waiting: dict[str, Any], *tcps: tuple[str, dict[str, Any]]) -> Scene:
    flows = [scenes.flow(tcp, flow) for flow, tcp in tcps]
    return Scene(name, scenes.shared(flows, MBPS, RTT_MS, waiting, seconds=40, warmup=10))


def _alone(name: str, waiting: dict[str, Any]) -> list[Check]:
    def made(law: Law) -> list[Scene]:
        return [_scene(name, waiting, (LAW, law.marked()))]

    def wait(rep: Rep) -> float:
        return rep.link(LINK)["queue_delay_p95_s"] or 0.0

    return [
        Check(name, made, lambda rep: rep.link(LINK)["utilisation"], bounds.AS_GOOD, "utilisation"),
        Check(name, made, wait, bounds.DELAY, "p95 wait", "ms", 1e3),
        Check(name, made, lambda rep: rep.sent_again(LAW), bounds.MARKED, "sent again", "%", 100.0),
    ]


def _beside_cubic(name: str, waiting: dict[str, Any]) -> Check:
    def made(law: Law) -> list[Scene]:
        tcps = ((LAW, law.marked()), (RIVAL, CUBIC.marked()))
        return [_scene(f"{name}, beside cubic", waiting, *tcps)]

    bound = bounds.at_least(0.9, "all")
    return Check(
        f"{name}, beside cubic",
        made,
        lambda rep: rep.goodput(RIVAL),
        bound,
        "rival's goodput",
        "Mb/s",
        1e-6,
    )


def _beside_scalable(waiting: dict[str, Any]) -> Callable[[Law], list[Scene]]:
    """Return the scenes of a scalable flow alone, and beside the law."""
    other = (RIVAL, SCALABLE.marked())
    name = f"{SCALABLE.label} in {DUALPI2}"

    def made(law: Law) -> list[Scene]:
        both = _scene(f"beside {name}", waiting, (LAW, law.marked()), other)
        return [_scene(f"{name} alone", waiting, other), both]

    return made


def _managed(plan: Plan) -> list[Check]:
    dualpi2 = {"kind": "dualpi2"}
    every = {"RED": {"kind": "red", "ecn": True}, **queues(ecn=True), DUALPI2: dualpi2}
    checks: list[Check] = []
    for name, waiting in every.items():
        checks += [*_alone(name, waiting), _beside_cubic(name, waiting)]
    if not SCALABLE.same(plan.law):
        made, name = _beside_scalable(dualpi2), f"{DUALPI2}, beside {SCALABLE.label}"
        checks += [
            Check(name, made, harm, bounds.harm(_FAIR), "harm"),
            Check(name, made, own_share, bounds.own_share(_FAIR), "own share"),
        ]
    return checks


MANAGED: Final = Criterion(
    "E14",
    "AQM, ECN, L4S",
    "RFC 9743 7.1",
    _managed,
    "does worse than {first} with managed queues",
    "starves a scalable flow",
    missing="airtcp has no CAKE; a law of one's own does not run as a scalable one",
)
EVERY: Final = (MANAGED,)
