"""A link as drivers use it: its metrics, and TCP over it and over models of it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Bursts


@dataclass(frozen=True)
class LinkRun:
    """A link, and TCP over it and over models of it; rates in packets per second."""

    name: str
    kind: str
    packets: int
    slot_s: float
    prr: float
    mu: float | None
    tcp: float
    timeouts: int
    independent: tuple[float, ...]
    chain: tuple[float, ...] | None
    longest: int
    chain_longest: float | None
    isolated: float | None
    isolated_packets: float | None
    loss_runs: Bursts
    success_runs: Bursts
    prefix: tuple[tuple[int, float], ...]
    chunk: int
    chunk_rms: float | None
    mu_error: float | None
    """Standard error of mu of the whole trace."""
    chunk_ratio: float | None
    """The scatter of mu over chunks, as a multiple of what a stationary chain shows."""
    models: bool

    @property
    def rate(self) -> float:
        """Most packets per second of the link."""
        return 1.0 / self.slot_s

    @property
    def delivered(self) -> float:
        """Packets that TCP delivered over the trace."""
        return self.tcp * self.packets * self.slot_s

    def to_json(self) -> list[Any]:
        """Write it as a JSON list, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def from_json(cls, values: Sequence[Any]) -> LinkRun:
        """Read back what `to_json` wrote."""
        link = cls(*values)
        pairs = tuple((packets, mu) for packets, mu in link.prefix)
        chain = None if link.chain is None else tuple(link.chain)
        return replace(link, prefix=pairs, chain=chain, independent=tuple(link.independent))


def link_run(link: dict[str, Any], *, models: bool) -> LinkRun:
    """Select the values of a link in a study's document that drivers need.

    Args: link: The link of the document. models: Whether TCP ran over models of it.
    """
    tcp = link["tcp"]
    chain = tcp["gilbert_elliott"]
    convergence = link["convergence"]
    return LinkRun(
        link["name"],
        link["class"],
        link["packets"],
        tcp["slot_s"],
        link["prr"],
        link["mu"],
        tcp["empirical"]["packets_per_second"],
        tcp["empirical"]["timeouts"],
        tuple(tcp["independent"]["replica_packets_per_second"]),
        None if chain is None else tuple(chain["replica_packets_per_second"]),
        link["longest_success_burst"] or 0,
        None if chain is None else chain["longest_success_burst"]["mean"],
        link["isolated_loss_share"],
        link["isolated_loss_packet_share"],
        cast("Bursts", link["loss_bursts"]),
        cast("Bursts", link["success_bursts"]),
        tuple((n, mu) for n, mu in convergence["prefix"]),
        convergence["chunk"],
        convergence["chunk_rms"],
        convergence["standard_error"],
        convergence["nonstationarity_ratio"],
        models,
    )
