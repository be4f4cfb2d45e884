"""The answer of `measure`: what the path loses, how long a round trip takes, what it carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.words.answer import Answer
from airtcp.words.grid import Column, Grid
from airtcp.words.names import shell_paths
from airtcp.words.sentences import counted, number, share

if TYPE_CHECKING:
    from airtcp.questions.measure.document import Capacity, Losses, MeasureDocument, Way

MBPS: Final = 1e-6
MS: Final = 1e3
_FEW: Final = 10
"""Losses below which their order says little."""


def answer(document: MeasureDocument) -> Answer:
    """Return the answer of a measurement.

    Args:
        document: The document.
    """
    return Answer(
        _headline(document),
        None,
        _doubt(document),
        _table(document),
        _next(document),
    )


def _headline(document: MeasureDocument) -> str:
    up, down = document["up"], document["down"]
    rtt = document["idle"]["rtt"]
    if rtt is None or up["losses"] is None or down["losses"] is None:
        return f"The measurement ended before packets were counted both ways: {_idle(document)}."
    carries = _carries(down, up)
    trip = f"a round trip takes {_ms(rtt['median_s'])}"
    lost = [
        (way["losses"]["loss"], said) for way, said in ((down, _FROM), (up, _TO)) if way["losses"]
    ]
    if not any(loss for loss, _ in lost):
        return f"The path{carries} lost none of the packets, and {trip}."
    loss, where = max(lost, key=lambda pair: pair[0])
    return f"The path{carries} loses {share(loss)} of the packets {where}, and {trip}."


_FROM: Final = "from the server"
_TO: Final = "to the server"


def _idle(document: MeasureDocument) -> str:
    rtt = document["idle"]["rtt"]
    if rtt is None:
        return "no echo was answered"
    return f"a round trip takes {_ms(rtt['median_s'])}"


def _carries(down: Way, up: Way) -> str:
    """Say the capacity, of the direction from the server if there is one."""
    capacity = down["capacity"] or up["capacity"]
    if capacity is None:
        return ""
    return f" of {_rate(capacity)}"


def _rate(capacity: Capacity) -> str:
    if capacity["kind"] == "varying" and capacity["high_bps"] is not None:
        low, high = number(capacity["low_bps"] * MBPS, 2), number(capacity["high_bps"] * MBPS, 2)
        return f"{low} to {high} Mb/s"
    bound = "at least " if capacity["kind"] == "at least" else ""
    return f"{bound}{number(capacity['bps'] * MBPS, 3)} Mb/s"


def _ms(seconds: float) -> str:
    return f"{number(seconds * MS, 2)} ms"


def _doubt(document: MeasureDocument) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    both = [way["losses"] for way in (document["up"], document["down"]) if way["losses"]]
    pauses = sum(losses["pauses"] for losses in both)
    kinds = {losses["memory"] for losses in both}
    doubts = (
        (
            document["cut"] == "interrupted",
            "The measurement was ended early; what was measured is here.",
        ),
        (
            document["cut"] == "silent",
            "The server stopped answering; what was measured until then is here.",
        ),
        (
            pauses,
            f"A host is busy, which adds to delays: it stood still {counted(pauses, 'time')}.",
        ),
        (
            "undecided" in kinds,
            "Whether losses come in bursts cannot be told: a longer measurement would (--for).",
        ),
    )
    return next((said for holds, said in doubts if holds), None)


def _table(document: MeasureDocument) -> Grid:
    ways = [(document["down"], _FROM), (document["up"], _TO)]
    losses = [way["losses"] for way, _ in ways]
    return Grid(
        "direction",
        [name for _, name in ways],
        [
            Column("capacity\n(Mb/s)", [_cell(way["capacity"]) for way, _ in ways]),
            Column("lost\n(%)", [_lost(each) for each in losses]),
            Column(
                "losses", [_KINDS[each["memory"]] if each else "-" for each in losses], left=True
            ),
            Column("mean\nburst", [_burst(each) for each in losses]),
            Column(
                "longest\nburst",
                ["-" if not each else str(each["longest_burst"]) for each in losses],
            ),
            Column("delay added\np95 (ms)", [_added(each) for each in losses]),
        ],
    )


_KINDS: Final = {
    "constant": "-",
    "independent": "independent",
    "bursty": "in bursts",
    "oscillating": "apart",
    "undecided": "unclear",
    "unmeasured": "-",
}


def _cell(capacity: Capacity | None) -> str:
    if capacity is None:
        return "-"
    value = number(capacity["bps"] * MBPS)
    if capacity["high_bps"] is None:
        return f"over {value}"
    if capacity["kind"] == "varying":
        low, high = number(capacity["low_bps"] * MBPS, 2), number(capacity["high_bps"] * MBPS, 2)
        return f"{low} to {high}"
    half = (capacity["high_bps"] - capacity["low_bps"]) / 2 * MBPS
    return f"{value} \N{PLUS-MINUS SIGN}{number(half, 1)}"


def _lost(losses: Losses | None) -> str:
    if losses is None:
        return "-"
    low, high = number(100 * losses["loss_low"], 2), number(100 * losses["loss_high"], 2)
    return f"{number(100 * losses['loss'], 2)} [{low}, {high}]"


def _burst(losses: Losses | None) -> str:
    return (
        "-" if losses is None or losses["mean_burst"] is None else number(losses["mean_burst"], 2)
    )


def _added(losses: Losses | None) -> str:
    delay = None if losses is None else losses["delay"]
    return "-" if delay is None else number(delay["p95_s"] * MS, 2)


def _next(document: MeasureDocument) -> str:
    if document["trace"] is None:
        return "Trace and document for further commands: --out PREFIX"
    return f"What TCP gets: airtcp study {shell_paths([document['trace']])}"
