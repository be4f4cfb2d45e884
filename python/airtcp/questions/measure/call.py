"""What a measurement says, from what `airtcp-live measure` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import version
from airtcp.questions.measure.answer import answer
from airtcp.questions.trace.call_stats import stats
from airtcp.questions.trace.findings import memory
from airtcp.words.answer import answered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.questions.measure.document import Capacity, Losses, MeasureDocument, Way

WAYS: Final = ("up", "down")
"""To the server, and from it."""


def document(raw: Mapping[str, Any], host: str, trace: str | None = None) -> MeasureDocument:
    """Return the document of a measurement, with its answer.

    Args:
        raw: What `airtcp-live measure` wrote.
        host: The server, as it was asked for.
        trace: The file of the delivery trace, if there is one.
    """
    made: MeasureDocument = {
        "schema": "airtcp.measure/1",
        "airtcp_version": version(),
        "host": host,
        "address": raw["address"],
        "cut": raw["cut"],
        "idle": raw["idle"],
        "up": _way(raw["up"]),
        "down": _way(raw["down"]),
        "trace": trace,
    }
    return answered(made, answer(made))


def trace_text(raw: Mapping[str, Any]) -> str:
    """Return the delivery trace of both directions, a packet a line.

    Args:
        raw: What `airtcp-live measure` wrote.
    """
    lines = [f"# airtcp measure {raw['address']}: up is to the server", "link,sent_time_s,received"]
    for way in WAYS:
        train = raw[way]["train"]
        if train is not None:
            pairs = zip(train["sent_s"], train["outcomes"], strict=True)
            lines += [f"{way},{sent:.7f},{outcome}" for sent, outcome in pairs]
    return "\n".join(lines) + "\n"


def _way(raw: Mapping[str, Any]) -> Way:
    return {"losses": _losses(raw["train"]), "capacity": _capacity(raw["capacity"])}


def _losses(train: Mapping[str, Any] | None) -> Losses | None:
    if train is None:
        return None
    outcomes: str = train["outcomes"]
    link = stats([int(each) for each in outcomes])["links"][0]
    low, high = link["prr_ci"]
    bursts = link["loss_bursts"]
    return {
        "interval_s": train["interval_s"],
        "sent": train["sent"],
        "arrived": train["arrived"],
        "loss": 1 - link["prr"],
        "loss_low": 1 - high,
        "loss_high": 1 - low,
        "memory": memory(link),
        "mu": link["mu"],
        "bursts": bursts["count"],
        "mean_burst": bursts["mean"] if bursts["count"] else None,
        "longest_burst": link["longest_loss_burst"] or 0,
        "duplicates": train["duplicates"],
        "late": train["late"],
        "pauses": train["pauses"],
        "delay": train["delay"],
    }


def _capacity(raw: Mapping[str, Any] | None) -> Capacity | None:
    if raw is None:
        return None
    low, high = raw["interval_bps"]
    return {
        "bps": raw["bps"],
        "kind": raw["kind"],
        "low_bps": low,
        "high_bps": high,
        "support": raw["support"],
        "bursts": raw["bursts"],
        "sent_bps": raw["sent_bps"],
    }
