"""What a measurement says, from what `airtcp-live measure` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import version
from airtcp.data.plain import printable
from airtcp.questions.measure import over_time
from airtcp.questions.measure.answer import answer
from airtcp.questions.measure.replays import FASTEST, replays
from airtcp.questions.measure.scenario import queue, scenario
from airtcp.questions.trace.call_stats import stats
from airtcp.questions.trace.findings import memory
from airtcp.words.answer import answered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.inputs.arguments import Progress
    from airtcp.questions.measure.document import (
        Capacity,
        Clocks,
        Idle,
        Load,
        Losses,
        MeasureDocument,
        Way,
    )

WAYS: Final = ("up", "down")
"""To the server, and from it."""


def document(
    raw: Mapping[str, Any],
    host: str,
    files: str | None = None,
    *,
    progress: Progress | None = None,
) -> MeasureDocument:
    """Return the document of a measurement, with its answer.

    Args:
        raw: What `airtcp-live measure` wrote.
        host: The server, as it was asked for.
        files: What the names of the files begin with, if there are any.
        progress: Called with done, total and a label, while TCP is replayed.
    """
    idle = raw["idle"]
    up, down = _way(raw["up"], idle), _way(raw["down"], idle)
    title = f"The path to {printable(raw['address'])}, as measured"
    made: MeasureDocument = {
        "schema": "airtcp.measure/1",
        "airtcp_version": version(),
        "host": host,
        "address": raw["address"],
        "cut": raw["cut"],
        "idle": idle,
        "clocks": _clocks(raw["clocks"]),
        "up": up,
        "down": down,
        "scenario": scenario(idle, up, down, title=title),
        "files": files,
    }
    for way, upload in ((down, False), (up, True)):
        text = scenario(idle, up, down, upload=upload)
        capacity = way["capacity"]
        if text is not None and capacity is not None and capacity["bps"] <= FASTEST:
            way["replays"] = replays(text, progress)
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


def _clocks(raw: Mapping[str, Any] | None) -> Clocks | None:
    if raw is None:
        return None
    drift, error = raw["drift"], raw["drift_error"]
    return {
        "offset_s": raw["offset_s"],
        "offset_error_s": raw["offset_error_s"],
        "drift_ppm": None if drift is None else 1e6 * drift,
        "drift_error_ppm": None if error is None else 1e6 * error,
    }


def _way(raw: Mapping[str, Any], idle: Idle) -> Way:
    losses, load = _losses(raw["train"]), _load(raw["load"])
    capacity = _capacity(raw["capacity"], load)
    return {
        "losses": losses,
        "capacity": capacity,
        "load": load,
        "queue": queue(capacity, load, losses, idle),
        "replays": [],
    }


def _load(raw: Mapping[str, Any] | None) -> Load | None:
    if raw is None:
        return None
    return {
        "duration_s": raw["duration_s"],
        "goodput_bps": 8 * raw["acked"] / raw["duration_s"],
        "retransmissions": raw["retransmitted"],
        "busy_s": raw["busy_s"],
        "rwnd_limited_s": raw["rwnd_limited_s"],
        "sndbuf_limited_s": raw["sndbuf_limited_s"],
        "rtt": raw["echoes"]["rtt"],
        "over_time": over_time.load(raw["samples"]),
    }


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
        "runs": over_time.runs(outcomes),
        "over_time": over_time.losses(train["sent_s"], train["delay_s"]),
    }


def _capacity(raw: Mapping[str, Any] | None, load: Load | None) -> Capacity | None:
    if raw is None:
        return None
    low, high = raw["interval_bps"]
    bps, goodput = raw["bps"], 0.0 if load is None else load["goodput_bps"]
    if raw["kind"] == "varying" and high is not None and goodput > bps:
        # A burst fills no large aggregate of 802.11, and waits for the medium; TCP fills many.
        bps, high = goodput, max(high, goodput)
    return {
        "bps": bps,
        "kind": raw["kind"],
        "low_bps": low,
        "high_bps": high,
        "support": raw["support"],
        "bursts": raw["bursts"],
        "sent_bps": raw["sent_bps"],
        "over_time": over_time.bursts(raw["over_time"]),
    }
