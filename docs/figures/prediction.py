"""The synthetic sets of docs/models/prediction.md, and the errors of the fits over them.

*chains*: Gilbert-Elliott chains with a PRR drawn evenly from 0.2 to 0.95 and a mu from 0 to 0.95.
*long bursts*: PRR and mu drawn the same way, with g = p (1 - m) and b = (1 - p) (1 - m). Loss runs
are geometric with mean 1/g. A share w of the success runs, drawn evenly by logarithm from
10^-3.5 to 10^-1.5, is geometric with a mean L, drawn evenly by logarithm from 100 to 1000
packets; the others are geometric with the mean s that makes the mean of all 1/b. What leaves no
s of 1 or more is drawn anew.

A draw is named by its number, from which its seeds follow. The table of the page is draw 1.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import simulate

import airtcp

if TYPE_CHECKING:
    from collections.abc import Callable

LINKS: Final = 80
PACKETS: Final = 100_000
DRAWS: Final = 10
METRIC: Final = "log(residual_success_burst)"
PRR: Final = (0.2, 0.95)
MU: Final = (0.0, 0.95)
SHARE: Final = (-3.5, -1.5)
LONG: Final = (2.0, 3.0)


def _chain(draw: random.Random) -> dict[str, Any]:
    prr, mu = draw.uniform(*PRR), draw.uniform(*MU)
    return {"model": "gilbert-elliott", "g": prr * (1 - mu), "b": (1 - prr) * (1 - mu)}


def _long_bursts(draw: random.Random) -> dict[str, Any]:
    while True:
        chain = _chain(draw)
        share = 10 ** draw.uniform(*SHARE)
        long = 10 ** draw.uniform(*LONG)
        short = (1 / chain["b"] - share * long) / (1 - share)
        if short < 1:
            continue
        parts = [
            {"weight": 1 - share, "of": {"lengths": "geometric", "mean": short}},
            {"weight": share, "of": {"lengths": "geometric", "mean": long}},
        ]
        return {
            "model": "semi-markov",
            "success": {"lengths": "mixture", "parts": parts},
            "loss": {"lengths": "geometric", "mean": 1 / chain["g"]},
        }


SETS: Final[dict[str, Callable[[random.Random], dict[str, Any]]]] = {
    "chains": _chain,
    "long bursts": _long_bursts,
}


def _fitted(name: str, number: int) -> list[dict[str, Any]]:
    draw = random.Random(f"{name} {number}")  # noqa: S311 - reproducible, not secret
    with simulate.folder() as home:
        for i in range(LINKS):
            path = Path(home) / f"{i:02}.txt"
            airtcp.synth(path, model=SETS[name](draw), packets=PACKETS, seed=1000 * number + i)
        document = airtcp.trace_fit(home, metrics=METRIC, seed=number).json
    forms = [*document["fits"], *document["formulas"]]
    return [
        {
            "set": name,
            "draw": number,
            "form": form["name"].replace(METRIC, "M"),
            "in_sample_percent": _percent(form["error"]),
            "left_out_percent": _percent(form.get("leave_one_out_error")),
        }
        for form in forms
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None or not math.isfinite(share) else 100 * share


def errors() -> dict[str, Any]:
    """Fit every draw of both sets; write the errors."""
    rows = [row for name in SETS for i in range(1, DRAWS + 1) for row in _fitted(name, i)]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return {"prediction.csv": frame}
