"""The probability that a frame of a saturated 802.11 cell collides, by model and by stations.

With W_i the window of the i-th attempt (CWmin + 1, doubled with each failure), R attempts:

    Bianchi   tau = sum p^i / sum p^i ((W_i - 1) / 2 + 1),   p = 1 - (1 - tau)^(n - 1)

Bianchi's counters count a busy period as a slot. Under the standard they count idle slots only. In
the first slot after a busy period, only the last sender may begin, and it does so alone if it draws
0. The refinement separates the two kinds of slots, with c the probability of a collision in a slot
after an idle one:

    p_i = (1 - 1/W_i) c,   pi_i = p_0 ... p_(i-1)
    tau = sum pi_i (1 - 1/W_i) / sum pi_i (W_i - 1) / 2,   c = 1 - (1 - tau)^(n - 1)
    p   = sum pi_i p_i / sum pi_i

(after Tinnirello, Bianchi and Xiao 2010; collisions of stations that collided before and both draw
0 are left out). `slotted` simulates the system slot by slot, and `simulation` is the cell of a
scenario whose stations always have a packet. `distance` is the difference of a model from
`slotted`.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers.base import Driver
from airtcp_papers.drivers.cell_run import CellRun
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp_papers.context import Context

PARAMETERS: Final[Form] = {
    "scenario": Key("scenario", "stations that always have a packet", required=True),
    "set": Key("open", "values in place of the scenario's, by path", default={}),
    "stations": Key("numbers", "how many stations", required=True),
    "cw_min": Key("whole", "least contention window", default=15),
    "doublings": Key("whole", "how often it doubles at most", default=6),
    "attempts": Key("whole", "attempts of a frame", default=7),
    "frames": Key("whole", "attempts that the slotted system makes", default=30_000),
    "runs": Key("whole", "replications of the cell", default=3),
}
_HALVINGS: Final = 60


def _root(excess: Callable[[float], float]) -> float:
    """Return the zero of a falling function of a probability."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return low


def bianchi(n: int, windows: Sequence[int]) -> float:
    """Return the collision probability of Bianchi's chain with as many attempts as windows.

    >>> round(bianchi(6, [16, 32, 64, 128, 256, 512, 1024]), 3)
    0.304
    """

    def tau(p: float) -> float:
        slots = sum(p**i * ((w - 1) / 2 + 1) for i, w in enumerate(windows))
        return sum(p**i for i in range(len(windows))) / slots

    return _root(lambda p: 1 - (1 - tau(p)) ** (n - 1) - p)


def refined(n: int, windows: Sequence[int]) -> float:
    """Return the collision probability with separate slots after idle and after busy ones.

    >>> round(refined(6, [16, 32, 64, 128, 256, 512, 1024]), 3)
    0.296
    """

    def chain(c: float) -> tuple[float, float]:
        reached, attempts, slots, collided, tried = 1.0, 0.0, 0.0, 0.0, 0.0
        for w in windows:
            p = (1 - 1 / w) * c
            attempts += reached * (1 - 1 / w)
            slots += reached * (w - 1) / 2
            tried += reached
            collided += reached * p
            reached *= p
        return attempts / slots, collided / tried

    return chain(_root(lambda c: 1 - (1 - chain(c)[0]) ** (n - 1) - c))[1]


def slotted(n: int, windows: Sequence[int], frames: int, seed: int) -> float:
    """Return the share of colliding attempts of stations that count idle slots only.

    >>> 0.28 < slotted(6, [16, 32, 64, 128, 256, 512, 1024], 20_000, 1) < 0.31
    True
    """
    rng = random.Random(seed)  # noqa: S311 - a simulation
    stage = [0] * n
    left = [rng.randrange(windows[0]) for _ in range(n)]
    attempts = collided = 0
    while attempts < frames:
        least = min(left)
        left = [slots - least for slots in left]
        senders = [i for i, slots in enumerate(left) if slots == 0]
        attempts += len(senders)
        failed = len(senders) > 1
        collided += len(senders) if failed else 0
        for i in senders:
            stage[i] = (stage[i] + 1) % len(windows) if failed else 0
            left[i] = rng.randrange(windows[stage[i]])
    return collided / attempts


def _simulated(context: Context, parameters: Mapping[str, Any], n: int) -> list[float | None]:
    overrides = {
        "cells[0].layout.stations": n,
        "flows[0].count": n,
        **parameters["set"],
    }
    runs = context.replications(
        parameters["scenario"], overrides, runs=context.repeats(parameters["runs"])
    )
    lost = [CellRun(run, parameters).lost("data") for run in runs]
    return [None if share is None else share / 100 for share in lost]


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    least = parameters["cw_min"] + 1
    windows = [least << min(i, parameters["doublings"]) for i in range(parameters["attempts"])]
    rows: list[dict[str, Any]] = []
    for n in [int(n) for n in parameters["stations"]]:
        exact = slotted(n, windows, parameters["frames"], context.seed)
        found = [
            Measure("collision", {"model": "Bianchi", "n": n}, bianchi(n, windows)),
            Measure("collision", {"model": "refined", "n": n}, refined(n, windows)),
            Measure("collision", {"model": "slotted", "n": n}, exact),
            repeated(
                "collision", {"model": "simulation", "n": n}, _simulated(context, parameters, n)
            ),
        ]
        outcome.measures += found
        outcome.measures += [
            Measure("distance", one.at, None if one.value is None else abs(one.value - exact))
            for one in found
        ]
        rows += [{"x": n, "y": one.value, "series": one.at["model"]} for one in found]
    if draw:
        outcome.plots.append(
            Plot(
                "collisions",
                "Collision probability over the number of stations",
                "Saturated stations; closed forms, the slotted system, and the cell.",
                Axis("stations"),
                Axis("probability of a collision"),
                [Layer("line", rows), Layer("point", rows)],
            )
        )
    return outcome


DRIVER = Driver("collisions", "collision models against the cell", PARAMETERS, measure)
