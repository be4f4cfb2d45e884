"""Criteria of one law alone on a path: E2 to E5.

The grid is drop-tail queues of 0.25 to 4 BDP, and of four packets at least, at 1 to 100 Mb/s and 10
to 300 ms. A cell lasts for 100 round trips at least, after 30 that do not count.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import exp, log
from typing import TYPE_CHECKING, Final

from airtcp.questions.evaluate import bounds, scenes
from airtcp.questions.evaluate.criterion import Check, Criterion
from airtcp.questions.evaluate.scenes import LAW, LINK, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.evaluate.criterion import Plan
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep

_MANY: Final = (4, 16, 64)
"""Flows of one law on a link of 100 Mb/s and 40 ms."""
_MANY_MBPS, _MANY_MS = 100.0, 40.0
_SLOW_MBPS: Final = 20.0
_LEAST_PACKETS: Final = 4
"""Least queue of the grid: three duplicate ACKs need four packets (RFC 5681)."""
_FEW: Final = 3
"""Replications of a cell of the grid, in which only the start, and what a law draws, differ."""
_LOSSES: Final = (1e-4, 1e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1)
_LOSSY_MBPS, _LOSSY_MS = 20.0, 40.0
_SHALLOW, _DEEP = 1.0, 4.0
"""Buffers in BDP: the least that fills a link, and one that a law should not fill."""


def _grid(plan: Plan) -> list[tuple[float, float, float]]:
    """Return rate, round-trip time and buffer of the cells whose buffer holds a few packets."""
    effort = plan.effort
    every = product(effort.rates_mbps, effort.rtts_ms, effort.buffers_bdp)
    return [cell for cell in every if scenes.queue(*cell)["packets"] >= _LEAST_PACKETS]


def _cell(mbps: float, rtt_ms: float, bdp: float) -> Callable[[Law], list[Scene]]:
    """Return the scene of one flow in a cell of the grid."""
    waiting = scenes.queue(mbps, rtt_ms, bdp)
    # At a high rate half as long: as many packets, at the same cost.
    least = 20.0 if mbps <= _SLOW_MBPS else 10.0
    seconds, warmup = max(least, 0.13 * rtt_ms), max(least / 4, 0.03 * rtt_ms)

    def made(law: Law) -> list[Scene]:
        path = scenes.link(mbps, rtt_ms, waiting)
        table = scenes.alone(law.tcp(), path, seconds=seconds, warmup=warmup)
        return [Scene(_name(mbps, rtt_ms, bdp), table)]

    return made


def _name(mbps: float, rtt_ms: float, bdp: float) -> str:
    return f"{mbps:g} Mb/s, {rtt_ms:g} ms, {bdp:g} BDP"


def _at(mbps: float, rtt_ms: float, bdp: float) -> dict[str, float]:
    return {"rate_bps": mbps * 1e6, "rtt_s": rtt_ms / 1e3, "buffer_bdp": bdp}


def _bulk(plan: Plan) -> list[Check]:
    return [
        Check(
            _name(*cell),
            _cell(*cell),
            lambda rep: rep.link(LINK)["utilisation"],
            bounds.UTILISATION,
            "utilisation",
            at=_at(*cell),
            most=_FEW,
        )
        for cell in _grid(plan)
        if cell[2] >= _SHALLOW
    ]


def _bufferbloat(plan: Plan) -> list[Check]:
    checks: list[Check] = []
    for mbps, rtt_ms, bdp in _grid(plan):
        packets = scenes.queue(mbps, rtt_ms, bdp)["packets"]
        whole_s = packets * scenes.PACKET * 8 / (mbps * 1e6)

        def filled(rep: Rep, whole_s: float = whole_s) -> float:
            return (rep.link(LINK)["queue_delay_p95_s"] or 0.0) / whole_s

        if bdp == _DEEP:
            checks.append(
                Check(
                    _name(mbps, rtt_ms, bdp),
                    _cell(mbps, rtt_ms, bdp),
                    filled,
                    bounds.QUEUE,
                    "p95 queue/buffer",
                    at=_at(mbps, rtt_ms, bdp),
                    most=_FEW,
                )
            )
    return checks


def _loss(plan: Plan) -> list[Check]:
    checks = [
        Check(
            _name(*cell),
            _cell(*cell),
            lambda rep: rep.sent_again(LAW),
            bounds.LOSS,
            "sent again",
            "%",
            100.0,
            at=_at(*cell),
            most=_FEW,
        )
        for cell in _grid(plan)
    ]
    for flows, bdp in product(_MANY if plan.effort.thorough else _MANY[:2], (0.5, 1.5)):
        name = f"{flows} flows, {bdp:g} BDP"

        def made(law: Law, flows: int = flows, bdp: float = bdp, name: str = name) -> list[Scene]:
            path = scenes.link(_MANY_MBPS, _MANY_MS, scenes.queue(_MANY_MBPS, _MANY_MS, bdp))
            table = scenes.alone(law.tcp(), path, seconds=12, warmup=4, count=flows)
            return [Scene(name, table)]

        few = flows <= bounds.MANY_FLOWS
        checks.append(
            Check(
                name,
                made,
                lambda rep: rep.sent_again(LAW),
                bounds.LOSS_OF_FEW if few else bounds.LOSS,
                "sent again",
                "%",
                100.0,
                at={"flows": flows, "buffer_bdp": bdp},
                most=_FEW,
            )
        )
    return checks


def _lossy(loss: float) -> Callable[[Law], Scene]:
    """Return the scene of one flow over a link that loses packets at random."""

    def made(law: Law) -> Scene:
        path = scenes.link(
            _LOSSY_MBPS,
            _LOSSY_MS,
            scenes.queue(_LOSSY_MBPS, _LOSSY_MS, 1),
            loss={"model": "bernoulli", "probability": loss},
            reverse={},
        )
        name = f"loss {100 * loss:g} %"
        return Scene(name, scenes.alone(law.tcp(), path, seconds=60, warmup=5))

    return made


def _share(rep: Rep, loss: float) -> float:
    """Return the goodput as a share of what the losses leave of the link."""
    return rep.goodput(LAW) / (_LOSSY_MBPS * 1e6 * scenes.PAYLOAD * (1 - loss))


def halving(*reps: Rep) -> float:
    """Return the loss rate at which half of the link is left, on a logarithmic scale."""
    shares = [_share(rep, loss) for rep, loss in zip(reps, _LOSSES, strict=True)]
    if shares[0] < _HALF:
        return _LOSSES[0]
    for at, share in enumerate(shares[1:], 1):
        if share < _HALF:
            before, low, high = shares[at - 1], log(_LOSSES[at - 1]), log(_LOSSES[at])
            return exp(low + (high - low) * (before - _HALF) / (before - share))
    return _LOSSES[-1]


_HALF: Final = 0.5


def _random_loss(plan: Plan) -> list[Check]:
    del plan
    paths = [_lossy(loss) for loss in _LOSSES]
    checks = [
        Check(
            "loss that halves goodput",
            lambda law: [made(law) for made in paths],
            halving,
            bounds.TOLERANCE,
            "loss rate",
            "%",
            100.0,
        )
    ]
    for loss, path in zip(_LOSSES, paths, strict=True):
        checks.append(
            Check(
                f"loss {100 * loss:g} %",
                lambda law, path=path: [path(law)],
                partial(_share, loss=loss),
                bounds.TOLERANCE,
                "share of the link",
                at={"loss_rate": loss},
            )
        )
    return checks


BULK: Final = Criterion(
    "E2", "bulk transfer", "RFC 9743 6.1", _bulk, "leaves links idle that {first} fills"
)
BUFFERBLOAT: Final = Criterion(
    "E3", "bufferbloat", "RFC 9743 5.1.2", _bufferbloat, "keeps longer queues than {first}"
)
LOSS: Final = Criterion(
    "E4",
    "loss it causes",
    "RFC 9743 5.1.3",
    _loss,
    "loses more packets than {first}",
    "keeps losing packets in short buffers",
)
RANDOM_LOSS: Final = Criterion(
    "E5", "random loss", "RFC 9743 6.4", _random_loss, "stands less random loss than {first}"
)
EVERY: Final = (BULK, BUFFERBLOAT, LOSS, RANDOM_LOSS)
