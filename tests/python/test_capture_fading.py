"""Timeouts over a fading channel: the analysis of a capture against the counters of the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
CELL = ROOT / "papers/scenarios/s4-cell.toml"
OLD = {"profile": "s2", "timestamps": False, "max_window": 32}
"""Linux of 2007: it offers SACK. The tests tell how it repairs."""
SENDERS: dict[str, tuple[dict[str, Any], int]] = {
    "reno": ({**OLD, "congestion": "reno", "recovery": "reno"}, 0),
    "cubic": ({**OLD, "congestion": "cubic", "recovery": "sack"}, 0),
    "no sack": (
        {**OLD, "congestion": "reno", "recovery": "newreno", "sack": False, "dsack": False},
        0,
    ),
    "rfc": ({**OLD, "profile": "rfc", "congestion": "reno", "recovery": "newreno"}, 0),
    "rack": ({"profile": "linux", "congestion": "cubic", "timestamps": True}, 1),
    "bbr": ({"profile": "linux", "congestion": "bbr", "timestamps": True}, 1),
}
"""Senders, and by how many timeouts a capture may differ: RACK and the timer can act together."""


def _cell(tcp: Mapping[str, Any]) -> dict[str, Any]:
    losses = [{"between": ["ap", "sta0"], "loss_db": 108}]
    return {
        "flows[0].tcp": dict(tcp),
        "flows[0].app": {"kind": "bulk", "size": "40 MB"},
        "cells[0].propagation.path_loss": {"model": "matrix", "losses": losses},
        "cells[0].fading": {"model": "rayleigh", "coherence_time": "1 s"},
    }


@pytest.mark.parametrize("name", SENDERS)
def test_timeouts_of_a_fading_channel(name: str, tmp_path: Path) -> None:
    """The capture shows each timeout of the run, those within a recovery too, and no other one.

    Its time in recovery is that in which the run waits for repairs and timers.
    """
    tcp, off = SENDERS[name]
    path = tmp_path / "run.pcapng"
    run = airtcp.run(CELL, seed=1, replications=1, overrides=_cell(tcp), pcap=path, workers=1)
    flow = run.json["replications"][0]["flows"][0]
    directions = [d for c in airtcp.capture(path)["connections"] for d in c["directions"]]
    upload = max(directions, key=lambda d: d["unique_bytes"])
    assert upload["retransmitted_segments"] == flow["retransmissions"]
    assert flow["timeouts"] >= 20
    assert abs(upload["timeouts"] - flow["timeouts"]) <= off
    repair = flow["waits_recovery"] + flow["waits_timeout"]
    assert upload["limited_by"]["recovery"] == pytest.approx(repair, rel=0.06)
    assert upload["goodput_bps"] == pytest.approx(flow["goodput_bps"], rel=0.01)


@pytest.mark.parametrize("timestamps", [True, False])
def test_time_in_spurious_recoveries(*, timestamps: bool, tmp_path: Path) -> None:
    """A recovery ends when timestamps or DSACKs tell the sender that it was spurious."""
    path = tmp_path / "run.pcapng"
    late = {
        "links[0].loss": {"model": "bernoulli", "probability": 0.0},
        "links[0].reordering": {"probability": 0.002, "extra": "25 ms"},
        "flows[0].tcp": {"profile": "linux", "congestion": "cubic", "timestamps": timestamps},
    }
    link = ROOT / "scenarios/lossy-link.toml"
    run = airtcp.run(link, seed=1, replications=1, overrides=late, pcap=path, workers=1)
    flow = run.json["replications"][0]["flows"][0]
    directions = [d for c in airtcp.capture(path)["connections"] for d in c["directions"]]
    upload = max(directions, key=lambda d: d["unique_bytes"])
    assert flow["spurious_recoveries"] > 0
    repair = flow["waits_recovery"] + flow["waits_timeout"]
    assert upload["limited_by"]["recovery"] == pytest.approx(repair, rel=0.01)
