"""What a larger receive window would give: replays over the drawn links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from airtcp.api.scenarios import run
from airtcp.diagnosis.model import scenario
from airtcp.diagnosis.predict import Stopped, quantile

if TYPE_CHECKING:
    from airtcp.diagnose_document import Window
    from airtcp.diagnosis.predict import Asked, Replays

_FACTORS: Final = (2, 4, 8)
_LINKS: Final = 20
_LONGEST_S: Final = 30.0


def windows(found: Replays, asked: Asked) -> list[Window]:
    """Replay with larger receive windows.

    Raises:
        Stopped: If Ctrl-C stopped a run.
    """
    observed = round(asked.seen["flight_bytes"])
    is_bound = asked.seen["rate"]["kind"] in {"weak", "none"}
    duration = min(max(asked.seen["duration_s"], 1.0), _LONGEST_S)
    rows: list[Window] = []
    for factor in _FACTORS:
        sender = replace(asked.sender, receive_buffer=factor * observed, scaling=True)
        goodputs: list[float] = []
        for number, path in enumerate(found.paths[:_LINKS]):
            text = scenario(replace(path, trace=None), sender, duration, "window")
            seed = (asked.seed * 1000 + number) % (1 << 63)
            done = run("window", text=text, seed=seed, replications=1, workers=1)
            if done.interrupted:
                raise Stopped
            flows = done.json["replications"][0]["flows"]
            goodputs.append(sum(flow["goodput_bps"] for flow in flows))
        goodputs.sort()
        rows.append(
            {
                "factor": factor,
                "receive_buffer_bytes": factor * observed,
                "goodput_bps": quantile(goodputs, 0.5),
                "low": quantile(goodputs, 0.05),
                "high": None if is_bound else quantile(goodputs, 0.95),
            }
        )
    return rows
