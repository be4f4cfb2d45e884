"""Parts of the scenarios of docs/findings/modern-wifi.md, and means with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import airtcp
from airtcp.data.extension import mean_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SENDERS: Final[dict[str, dict[str, Any]]] = {
    "CUBIC": {"tcp": {"profile": "linux", "congestion": "cubic"}},
    "BBR": {"tcp": {"profile": "linux", "congestion": "bbr"}},
    "LT-TCP": {"transport": "lt-tcp"},
    "sliding": {"transport": "sliding"},
}
RUN: Final = {"duration": "12 s", "warmup": "2 s", "replications": 8}
QUEUE: Final = {"kind": "drop-tail", "packets": 1000}
RTS: Final = {"rts_threshold": "0 B"}


def wire(delay: str = "5 ms") -> dict[str, Any]:
    """Return the link between the access point and a server; both directions have a long queue."""
    link = {"from": "server", "to": "ap", "rate": "1 Gb/s", "delay": delay}
    return link | {"queue": {"kind": "drop-tail", "packets": 10_000}}


def losses_db(*losses: float) -> dict[str, Any]:
    """Return a path loss for each station to the access point; stations do not hear each other."""
    pairs = [{"between": ["ap", f"sta{i}"], "loss_db": loss} for i, loss in enumerate(losses)]
    return {"path_loss": {"model": "matrix", "losses": pairs}}


def document(scenario: Mapping[str, Any]) -> Any:
    """Run a scenario and return its results."""
    return airtcp.run(scenario).json


def estimate(
    name: str, found: Mapping[str, float] | Iterable[float], scale: float
) -> dict[str, float]:
    """Return a mean with the ends of its interval: of a summary, or of one value per replication."""
    if hasattr(found, "keys"):
        ends = {end: found[end] for end in ("mean", "ci_low", "ci_high")}
    else:
        values = list(found)
        low, high = mean_interval(values) or (values[0], values[0])
        ends = {"mean": sum(values) / len(values), "ci_low": low, "ci_high": high}
    return {f"{name}_{end}": scale * value for end, value in ends.items()}


def slowest(run: Any) -> list[float]:
    """Return the goodput of the slowest flow of each replication."""
    return [min(flow["goodput_bps"] for flow in one["flows"]) for one in run["replications"]]


def shown(row: Mapping[str, float], name: str, digits: int = 3) -> str:
    """Write an estimate of a row; quantities here are not negative."""
    ends = (max(row[f"{name}_{end}"], 0.0) for end in ("mean", "ci_low", "ci_high"))
    mean, low, high = (f"{end:.{digits}g}" for end in ends)
    return f"{mean} [{low}, {high}]"


def laid_out(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table in Markdown."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])
