"""Where the classes of links by PRR begin and end (S1, figure 2).

Traces with every PRR from 0 to 1 in hundredths are classified; a class begins at the least PRR
that has it, and ends where the next one begins.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp_papers.drivers.base import Driver
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp_papers.context import Context
    from airtcp_papers.form import Form

PARAMETERS: Final[Form] = {}
_STEPS: Final = 100


def measure(context: Context, _: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    with tempfile.TemporaryDirectory(prefix="airtcp-") as home:
        paths: list[str] = []
        for received in range(_STEPS + 1):
            path = Path(home) / f"{received:03}.txt"
            path.write_text("1" * received + "0" * (_STEPS - received) + "\n")
            paths.append(str(path))
        context.check()
        document = json.loads(_core.trace_stats(paths, "{}"))
    least: dict[str, float] = {}
    for link in document["links"]:
        least.setdefault(link["class"], link["prr"])
    begins = sorted(least.items(), key=lambda pair: pair[1])
    outcome = Outcome()
    rows: list[dict[str, Any]] = []
    for i, (name, low) in enumerate(begins):
        high = begins[i + 1][1] if i + 1 < len(begins) else 1.0
        outcome.measures += [
            Measure("begins", {"class": name}, 100 * low, unit="%"),
            Measure("ends", {"class": name}, 100 * high, unit="%"),
        ]
        rows += [{"x": low, "y": i + 1, "series": name}, {"x": high, "y": i + 1, "series": name}]
    if draw:
        outcome.plots.append(
            Plot(
                "classes",
                "Classes of links by packet reception ratio",
                "A perfect link has a PRR of 1.",
                Axis("packet reception ratio (PRR)", domain=(0.0, 1.0)),
                Axis("class", domain=(0.0, float(len(begins) + 1))),
                [Layer("line", rows), Layer("point", rows)],
            )
        )
    return outcome


DRIVER = Driver("link-classes", "where the classes of links by PRR begin", PARAMETERS, measure)
