"""The probability of two successes in a row, on bursty and independent links (S1, section 6.2)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp_papers.drivers.base import Driver
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Outcome, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp_papers.context import Context

PARAMETERS: Final[Form] = {
    "links": Key("list", "the links: [PRR, mu] each", required=True),
    "packets": Key("whole", "packets of a trace", default=200_000),
    "runs": Key("whole", "traces of each link", default=6),
}


def measure(context: Context, parameters: Mapping[str, Any], _: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="airtcp-") as home:
        for prr, mu in parameters["links"]:
            context.check()
            paths: list[str] = []
            for run in range(context.repeats(parameters["runs"])):
                path = Path(home) / f"{prr}-{mu}-{run}.txt"
                spec = {
                    "path": str(path),
                    "packets": parameters["packets"],
                    "prr": prr,
                    "mu": mu,
                    "seed": 1000 * context.seed + run,
                }
                _core.trace_synth(json.dumps(spec))
                paths.append(str(path))
            links = json.loads(_core.trace_stats(paths, "{}"))["links"]
            found = [None if x["b"] is None else x["prr"] * (1 - x["b"]) for x in links]
            outcome.measures.append(repeated("two successes", {"prr": prr, "mu": mu}, found))
    return outcome


DRIVER = Driver("success-pairs", "how likely two successes in a row are", PARAMETERS, measure)
