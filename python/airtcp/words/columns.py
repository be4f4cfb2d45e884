"""The metrics in the tables of results, in the order of importance.

The catalogue (`airtcp.data.metrics`) has the metrics of each record. This module adds those that a
table takes from two records, or computes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from airtcp.data.metrics import Metric, columns, declared, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_RARE = frozenset({"lifetime_drops", "refused_drops"})
"""Rare drops: their column appears only with such drops."""


@cache
def flows() -> tuple[Metric, ...]:
    """Return the metrics of flows; `datagrams.shown` computes that of UDP flows."""
    lost = Metric(
        "datagram_loss",
        "Datagrams lost",
        "%",
        scale=100.0,
        rank=2,
        limits=(0.0, 1.0),
        meaning="Share of a UDP flow's datagrams that never arrived.",
    )
    return (*columns("run", "FlowResult"), lost)


@cache
def coded_flows() -> tuple[Metric, ...]:
    """Return the metrics of flows whose transport sends parity: LT-TCP."""
    return columns("run", "FlowResult", "coding")


@cache
def links() -> tuple[Metric, ...]:
    """Return the metrics of links."""
    return columns("run", "LinkResult")


@cache
def protocols() -> tuple[Metric, ...]:
    """Return the metrics of links with a link protocol: goodput, cost, residual loss."""
    link = record("run", "LinkResult")
    return (
        link["delivered_bps"].named("Goodput", 1),
        *columns("run", "ProtocolResult"),
        link["loss_rate"].named("Residual loss", 2),
    )


@cache
def _stations() -> tuple[Metric, ...]:
    error = record("run", "FrameResult")["error_rate"]
    errors = (
        error.named("Data error", 5, "data_error_rate"),
        error.named("TCP-ACK error", 8, "tcp_ack_error_rate"),
    )
    return tuple(sorted((*columns("run", "StationResult"), *errors), key=lambda m: m.rank))


def stations(rows: Iterable[dict[str, Any]]) -> tuple[Metric, ...]:
    """Return the metrics of stations of a cell."""
    met = {key for key in _RARE for row in rows if key in row and row[key]["mean"]}
    return tuple(metric for metric in _stations() if metric.key not in _RARE - met)


@cache
def studied() -> dict[str, Metric]:
    """Return the metrics of studied links by key: of the trace, and of TCP over it."""

    def link(key: str, title: str, rank: int, unit: str = "", scale: float = 1.0) -> Metric:
        return declared("study", "LinkStudy", key, title, rank, unit, scale)

    rate = "packets/s"
    metrics = (
        link("prr", "PRR", 1),
        link("mu", "mu", 2),
        declared("study", "TcpOutcome", "packets_per_second", "Throughput", 1, rate),
        declared("study", "TcpStudy", "independent", "Independent", 2),
        declared("study", "TcpStudy", "gilbert_elliott", "Gilbert-Elliott", 3),
        declared("study", "Difference", "percent", "Gain", 2, "%"),
        link("class", "Class", 4),
        link("converged", "Settled", 5),
        link("longest_success_burst", "Longest run", 6),
        link("longest_loss_burst", "Longest loss", 6),
        link("beta", "Beta", 7),
        declared("study", "TcpStudy", "slot_s", "Slot", 7, "ms", 1e3),
        link("interval_s", "Interval", 7, "ms", 1e3),
        link("packets", "Packets", 8),
    )
    return {metric.key: metric for metric in metrics}


@cache
def outcomes() -> tuple[Metric, ...]:
    """Return the metrics of a TCP in a comparison, beside its goodput and shares."""
    return columns("compare", "Outcome")


@cache
def remedies() -> tuple[Metric, ...]:
    """Return the metrics of a remedy beside its goodput, with the residual loss early."""
    of = record("compare", "Outcome")
    keys = (
        "delivery_p95_s",
        "bytes_per_byte",
        "residual_loss",
        "jain_index",
        "delivery_p50_s",
        "queue_delay_s",
        "timeouts",
    )
    return tuple(of[key].named(of[key].title, rank) for rank, key in enumerate(keys, 1))


@cache
def paths() -> dict[str, Metric]:
    """Return the metrics of `paths.protocol_paths`, over all hops of a path together."""
    protocol = {metric.key: metric for metric in protocols()}
    return {
        "goodput": protocol["delivered_bps"],
        "latency": protocol["latency_mean_s"],
        "residual": protocol["loss_rate"],
    }


def with_values(metrics: Iterable[Metric], rows: Sequence[dict[str, Any]]) -> list[Metric]:
    """Leave out metrics without values, and sort the others by rank."""
    used = [
        metric
        for metric in metrics
        if any((row.get(metric.key) or {"mean": None})["mean"] is not None for row in rows)
    ]
    return sorted(used, key=lambda metric: metric.rank)
