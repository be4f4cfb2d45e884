"""Stations that do not hear each other upload over aggregates of 802.11ac; and captures as in S0.

The path loss of the first station is 60 dB. That of the second is the same, or 20 dB more: then the access
point decodes the frames of the first station in spite of those of the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
from aggregates import (
    QUEUE,
    RTS,
    RUN,
    SENDERS,
    document,
    estimate,
    laid_out,
    losses_db,
    shown,
    slowest,
    wire,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMITS: Final[dict[str, dict[str, Any]]] = {
    "1": {"max_mpdus": 1},
    "8": {"max_mpdus": 8},
    "64": {"max_mpdus": 64},
    "64, at most 1 ms": {"max_mpdus": 64, "max_time": "1 ms"},
    "64, BlockAckReq first": {"max_mpdus": 64, "after_missed_block_ack": "bar"},
}
CAPTURES: Final = ("none", "preamble-window", "message-in-message")
PAIRS: Final = (
    *((sender, sender) for sender in SENDERS),
    ("CUBIC", "LT-TCP"),
    ("CUBIC", "sliding"),
)
LOADS_MBPS: Final = (10, 40, 80)
DELAYS: Final = {10: "5 ms", 80: "40 ms", 200: "100 ms"}


def _cell(
    losses: Sequence[float], mac: Mapping[str, Any], aggregation: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "standard": "802.11ac",
        "mcs": 4,
        "layout": {"kind": "star", "stations": len(losses), "radius_m": 5},
        "propagation": losses_db(*losses),
        "queue": QUEUE,
        "mac": {"access": "edca", "aggregation": aggregation} | mac,
    }


def _uploads(
    difference: float,
    flows: Sequence[Mapping[str, Any]],
    *,
    rts: bool,
    aggregation: Mapping[str, Any] | None = None,
    capture: str | None = None,
) -> Any:
    cell = _cell((60.0, 60.0 + difference), RTS if rts else {}, aggregation or {})
    if capture is not None:
        cell["capture"] = {"model": capture}
    ends = [{"from": f"sta{i}", "to": "server", **flow} for i, flow in enumerate(flows)]
    return document(RUN | {"cells": [cell], "links": [wire()], "flows": ends})


def _row(run: Any) -> dict[str, float]:
    summary = run["summary"]
    row = estimate("total", summary["total_goodput_bps"], 1e-6)
    row |= estimate("slowest", slowest(run), 1e-6)
    for name, flow in zip(("first", "second"), summary["flows"], strict=True):
        row |= estimate(name, flow["goodput_bps"], 1e-6)
    for name, station in zip(("first", "second"), summary["cells"][0]["stations"][1:], strict=True):
        row |= estimate(f"{name}_lost", station["data_error_rate"], 100)
        row |= estimate(f"{name}_given_up", station["residual_loss"], 100)
    return row


def _limits() -> list[dict[str, object]]:
    flows = [SENDERS["CUBIC"]] * 2
    return [
        {"difference": difference, "rts": rts, "limit": limit}
        | _row(_uploads(difference, flows, rts=rts, aggregation=aggregation))
        for difference in (0, 20)
        for rts in (False, True)
        for limit, aggregation in LIMITS.items()
    ]


def _models() -> list[dict[str, object]]:
    flows = [SENDERS["CUBIC"]] * 2
    return [
        {"difference": difference, "rts": rts, "capture": model}
        | _row(_uploads(difference, flows, rts=rts, capture=model))
        for difference in (0, 20)
        for rts in (False, True)
        for model in CAPTURES
    ]


def _senders() -> list[dict[str, object]]:
    return [
        {"strong": first, "weak": second, "rts": rts}
        | _row(_uploads(20, (SENDERS[first], SENDERS[second]), rts=rts))
        for first, second in PAIRS
        for rts in (False, True)
    ]


def _loads() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for load in LOADS_MBPS:
        app = {"kind": "constant-rate", "rate": f"{load} Mb/s", "message": "1448 B"}
        strong = {"transport": "udp", "app": app | {"arrivals": "poisson"}}
        for sender, flow in SENDERS.items():
            for rts in (False, True):
                run = _uploads(20, (strong, flow), rts=rts)
                rows.append({"load": load, "sender": sender, "rts": rts} | _row(run))
    return rows


def _captures() -> list[dict[str, object]]:
    """250 ms every 2 s in which the access point decodes nothing, as S0 abstracts a hidden cell."""
    off = {"kind": "periodic", "period": "2 s", "on": "250 ms", "reach": {"stations": ["ap"]}}
    rows: list[dict[str, object]] = []
    for mpdus in (1, 64):
        for rtt, delay in DELAYS.items():
            for sender, flow in SENDERS.items():
                cell = _cell((60.0,), {}, {"max_mpdus": mpdus}) | {"interference": [off]}
                ends = {"from": "sta0", "to": "server", **flow}
                run = {"cells": [cell], "links": [wire(delay)], "flows": [ends]}
                run = document({"duration": "42 s", "warmup": "2 s", "replications": 8} | run)
                summary = run["summary"]
                row: dict[str, object] = {"mpdus": mpdus, "rtt_ms": rtt, "sender": sender}
                row |= estimate("goodput", summary["total_goodput_bps"], 1e-6)
                row |= estimate("timeouts", summary["flows"][0]["timeouts"], 1 / 20)
                dropped = summary["cells"][0]["stations"][1]["retry_drops"]
                rows.append(row | estimate("dropped", dropped, 1 / 20))
    return rows


def cells() -> dict[str, pl.DataFrame]:
    """Rates in Mb/s, shares in %, counts for each capture."""
    return {
        "modern-hidden-limits.csv": pl.DataFrame(_limits()),
        "modern-hidden-models.csv": pl.DataFrame(_models()),
        "modern-hidden-senders.csv": pl.DataFrame(_senders()),
        "modern-hidden-loads.csv": pl.DataFrame(_loads()),
        "modern-hidden-captures.csv": pl.DataFrame(_captures()),
    }


def _yes(row: Mapping[str, Any]) -> str:
    return "yes" if row["rts"] else "no"


def limits(data: Mapping[str, pl.DataFrame]) -> str:
    """Two uploads of CUBIC with each limit of the aggregates."""
    heads = ["second weaker by", "RTS", "MPDUs at most", "goodput (Mb/s)", "slower flow (Mb/s)"]
    heads += ["MPDUs lost, first (%)", "second (%)"]
    rows = [
        [f"{row['difference']} dB", _yes(row), row["limit"]]
        + [shown(row, name) for name in ("total", "slowest", "first_lost", "second_lost")]
        for row in data["modern-hidden-limits.csv"].to_dicts()
    ]
    return laid_out(heads, rows)


def models(data: Mapping[str, pl.DataFrame]) -> str:
    """Two uploads of CUBIC with each model of capture."""
    heads = ["second weaker by", "RTS", "capture", "goodput (Mb/s)", "slower flow (Mb/s)"]
    heads += ["given up, second (%)"]
    rows = [
        [f"{row['difference']} dB", _yes(row), f"`{row['capture']}`"]
        + [shown(row, name) for name in ("total", "slowest", "second_given_up")]
        for row in data["modern-hidden-models.csv"].to_dicts()
    ]
    return laid_out(heads, rows)


def senders(data: Mapping[str, pl.DataFrame]) -> str:
    """A strong and a weak station with each sender."""
    heads = ["strong station", "weak station", "RTS", "strong (Mb/s)", "weak (Mb/s)"]
    heads += ["given up, weak (%)"]
    rows = [
        [row["strong"], row["weak"], _yes(row)]
        + [shown(row, name) for name in ("first", "second", "second_given_up")]
        for row in data["modern-hidden-senders.csv"].to_dicts()
    ]
    return laid_out(heads, rows)


def loads(data: Mapping[str, pl.DataFrame]) -> str:
    """A weak station beside a strong one that sends UDP."""
    heads = ["strong station offers (Mb/s)", "RTS", *SENDERS, "given up, CUBIC (%)"]
    found = data["modern-hidden-loads.csv"].to_dicts()
    rows = []
    for load in LOADS_MBPS:
        for rts in (False, True):
            same = [row for row in found if (row["load"], row["rts"]) == (load, rts)]
            cells = [shown(row, "second") for row in same]
            rows.append([load, _yes(same[0]), *cells, shown(same[0], "second_given_up")])
    return laid_out(heads, rows)


def captures(data: Mapping[str, pl.DataFrame]) -> str:
    """One upload, and 250 ms every 2 s in which the access point decodes nothing."""
    heads = ["MPDUs at most", "round trip (ms)", "sender", "goodput (Mb/s)"]
    heads += ["timeouts for each capture", "packets given up for each capture"]
    rows = [
        [row["mpdus"], row["rtt_ms"], row["sender"]]
        + [shown(row, name) for name in ("goodput", "timeouts", "dropped")]
        for row in data["modern-hidden-captures.csv"].to_dicts()
    ]
    return laid_out(heads, rows)
