"""What BlockAck leaves of independent losses: packets given up, delays; and links with LL-HARQ beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
from aggregates import QUEUE, RUN, SENDERS, document, estimate, laid_out, shown, wire

if TYPE_CHECKING:
    from collections.abc import Mapping

LOSSES: Final = (0.0, 0.1, 0.3, 0.5)
SHORT: Final = {"duration": "5 s", "warmup": "1 s"}
"""For links: units at this rate take long to simulate."""
LINK_MBPS: Final = 621
"""Rate of the links: over the cell, CUBIC has 600 Mb/s without losses, 1448 of 1500 B."""
REORDER: Final[dict[str, dict[str, Any]]] = {
    "in order": {},
    "in order, no BlockAckReq": {"after_missed_block_ack": "no-bar"},
    "after at most 1 ms": {"reorder_timeout": "1 ms"},
}
"""How the receiver hands packets over; 1 ms is the shortest timeout that airtcp accepts."""
PROTOCOLS: Final[dict[str, dict[str, Any]]] = {
    "link, LL-HARQ": {"protocol": {"kind": "ll-harq"}},
    "link, LL-ARQ": {"protocol": {"kind": "ll-arq", "attempts": 7}},
    "link, no protocol": {},
}


def _cell(loss: float, aggregation: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "standard": "802.11ac",
        "streams": 2,
        "layout": {"kind": "star", "stations": 1, "radius_m": 5},
        "noise": {"floor_dbm": -99},
        "residual_error": loss,
        "queue": QUEUE,
        "mac": {"access": "edca", "aggregation": aggregation},
    }


def _delays() -> list[dict[str, object]]:
    """A request for one packet at a time, beside UDP of 60 Mb/s to the same station."""
    app = {"kind": "constant-rate", "rate": "60 Mb/s", "message": "1448 B", "arrivals": "poisson"}
    asked = {"kind": "request-response", "request": "100 B", "response": "1448 B", "think": "1 ms"}
    flows = [
        {"from": "sta0", "to": "server", "tcp": SENDERS["CUBIC"]["tcp"], "app": asked},
        {"from": "server", "to": "sta0", "transport": "udp", "app": app},
    ]
    rows: list[dict[str, object]] = []
    for loss in LOSSES:
        for order, aggregation in REORDER.items():
            run = RUN | {"cells": [_cell(loss, aggregation)], "links": [wire()], "flows": flows}
            run = document(run)
            row: dict[str, object] = {"loss": loss, "order": order}
            station = run["summary"]["cells"][0]["stations"][0]
            row |= estimate("given_up", station["residual_loss"], 100)
            for share in ("p50", "p95", "p99"):
                row |= estimate(f"service_{share}", station[f"service_{share}_s"], 1e3)
                found = [one["flows"][0][f"exchange_{share}_s"] for one in run["replications"]]
                row |= estimate(f"exchange_{share}", found, 1e3)
            found = [one["flows"][0]["exchange_max_s"] for one in run["replications"]]
            rows.append(row | estimate("exchange_max", found, 1e3))
    return rows


def _links() -> list[dict[str, object]]:
    """The same losses over the cell and over links whose rate is the cell's without losses."""
    rows: list[dict[str, object]] = []
    for path in ("802.11ac, BlockAck", *PROTOCOLS):
        for sender, flow in SENDERS.items():
            for loss in LOSSES:
                flows = [{"from": "server", "to": "sta0", **flow}]
                if path in PROTOCOLS:
                    radio = {"from": "ap", "to": "sta0", "rate": f"{LINK_MBPS} Mb/s"}
                    radio |= {"delay": "0.1 ms", "queue": QUEUE}
                    radio |= PROTOCOLS[path]
                    if loss:
                        radio["loss"] = {"model": "bernoulli", "probability": loss}
                    radio["reverse"] = {"loss": {"model": "none"}}
                    run = {"links": [wire(), radio], "flows": flows}
                else:
                    run = {"cells": [_cell(loss, {})], "links": [wire()], "flows": flows}
                found = document(RUN | SHORT | run)["summary"]["total_goodput_bps"]
                row: dict[str, object] = {"path": path, "sender": sender, "loss": loss}
                rows.append(row | estimate("goodput", found, 1e-6))
    return rows


def cells() -> dict[str, pl.DataFrame]:
    """Rates in Mb/s, delays in ms, shares in %."""
    return {
        "modern-residual-delays.csv": pl.DataFrame(_delays()),
        "modern-residual-links.csv": pl.DataFrame(_links()),
    }


def delays(data: Mapping[str, pl.DataFrame]) -> str:
    """Packets given up and delays for each loss."""
    heads = ["MPDUs lost", "hand-over", "given up (%)", "service, 50 % (ms)", "95 %", "99 %"]
    heads += ["exchange, 50 % (ms)", "95 %", "99 %", "longest"]
    names = ["given_up", *(f"service_{share}" for share in ("p50", "p95", "p99"))]
    names += [f"exchange_{share}" for share in ("p50", "p95", "p99", "max")]
    rows = [
        [f"{100 * row['loss']:.0f} %", row["order"], *(shown(row, name) for name in names)]
        for row in data["modern-residual-delays.csv"].to_dicts()
    ]
    return laid_out(heads, rows)


def links(data: Mapping[str, pl.DataFrame]) -> str:
    """Goodput over the cell and over links."""
    heads = ["path", "sender", *(f"{100 * loss:.0f} %" for loss in LOSSES)]
    found = data["modern-residual-links.csv"].to_dicts()
    rows = []
    for path in dict.fromkeys(row["path"] for row in found):
        for sender in SENDERS:
            same = [row for row in found if (row["path"], row["sender"]) == (path, sender)]
            rows.append([path, sender, *(shown(row, "goodput") for row in same)])
    return laid_out(heads, rows)
