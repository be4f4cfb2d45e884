"""TCP over the scenario of a measured path: as it is, without its losses, and other transports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run.call import run

if TYPE_CHECKING:
    from airtcp.inputs.arguments import Progress
    from airtcp.questions.measure.document import Replay

FASTEST: Final = 5e8
"""Rate above which nothing is replayed: it would take minutes."""
_NONE: Final = {"model": "none"}
VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "cubic": {},
    "no losses": {"links[0].loss": _NONE, "links[0].reverse.loss": _NONE},
    "bbr": {"flows[0].tcp.congestion": "bbr"},
    "sliding": {"flows[0].transport": "sliding"},
}


def replays(scenario: str, progress: Progress | None = None) -> list[Replay]:
    """Return what each variant delivers; those that a stop left out are missing.

    Args:
        scenario: The text of the scenario, with one flow.
        progress: Called with done, total and a label.
    """
    found: list[Replay] = []
    for name, change in VARIANTS.items():
        result = run("measured", text=scenario, overrides=change, progress=progress)
        if result.interrupted:
            return found
        goodput = result.json["summary"]["flows"][0]["goodput_bps"]
        replay: Replay = {
            "name": name,
            "goodput_bps": goodput["mean"],
            "low_bps": goodput["ci_low"],
            "high_bps": goodput["ci_high"],
        }
        found.append(replay)
    return found
