"""Queue disciplines on links and in cells, as runs see them."""

from __future__ import annotations

import pytest

import airtcp

LINK = """
duration = "20 s"
warmup = "5 s"
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
queue = { %s }
"""
FLOW = """
[[flows]]
name = "bulk"
from = "a"
to = "b"
tcp = { profile = "linux", ecn = %s }
"""
CELL = """
duration = "20 s"
[[cells]]
standard = "802.11b"
access_point = "bs"
prefix = "node"
layout = { kind = "star", stations = 1, radius_m = 5 }
queue = { %s }
[[links]]
from = "bs"
to = "server"
rate = "100 Mb/s"
delay = "%s"
[[flows]]
from = "node0"
to = "server"
tcp = { profile = "s0", ecn = true }
"""


def _link(queue: str, ecn: str = "false", more: str = "") -> airtcp.RunResult:
    return airtcp.run("queues", text=LINK % queue + FLOW % ecn + more)


@pytest.mark.parametrize("kind", ["codel", "fq-codel", "pie"])
@pytest.mark.parametrize("ecn", ["false", "true"])
def test_a_managed_queue_stays_short_and_the_link_busy(kind: str, ecn: str) -> None:
    full = _link('kind = "drop-tail", packets = 1000').links.to_polars().row(0, named=True)
    result = _link(f'kind = "{kind}", ecn = {ecn}', ecn)
    link = result.links.to_polars().row(0, named=True)
    assert full["mean_queue_packets"] > 100
    # The targets are 5 and 15 ms, 4 and 12.5 packets.
    assert link["mean_queue_packets"] < 25
    # A single flow that halves (or less) beside a short queue leaves some of the link idle.
    assert link["utilisation"] > 0.8
    dropped = link["dropped_queue_early_packets"]
    assert (link["marked_packets"] > 0) == (ecn == "true")
    assert (dropped > 0) == (ecn == "false")


def test_flows_that_take_turns_do_not_suffer_from_each_other() -> None:
    flood = """
[[flows]]
name = "flood"
from = "a"
to = "b"
transport = "udp"
app = { kind = "constant-rate", rate = "20 Mb/s", message = "1200 B" }
"""
    shares = {}
    for kind in ("codel", "fq-codel"):
        flows = _link(f'kind = "{kind}"', more=flood).flows.to_polars()
        shares[kind] = dict(flows.select("name", "goodput_bps").iter_rows())["bulk"]
    assert shares["codel"] < 1e6, "no discipline of one line protects from a flood"
    assert 4.2e6 < shares["fq-codel"] < 5.2e6, "half of the link, without headers"


@pytest.mark.parametrize("kind", ["codel", "fq-codel", "pie"])
def test_in_a_cell(kind: str) -> None:
    result = airtcp.run("queues", text=CELL % (f'kind = "{kind}", ecn = true', "5 ms"))
    assert result.flows.to_polars()["goodput_bps"][0] > 3.5e6
    assert result.flows.to_polars()["ecn_reactions"][0] > 0


@pytest.mark.parametrize(
    "queue", ['kind = "red", ecn = true', 'kind = "jersey", weight = 0.002, threshold = 20']
)
def test_a_cell_knows_the_time_of_a_packet(queue: str) -> None:
    """Without it an average that was high after slow start starves the flow."""
    goodput = {}
    for more in ("", ', packet_time = "1.93 ms"', ', packet_time = "1000 s"'):
        text = CELL % (f"{queue}{more}", "100 ms")
        goodput[more] = airtcp.run("queues", text=text).flows.to_polars()["goodput_bps"][0]
    derived, given, never = goodput.values()
    assert derived == pytest.approx(given, rel=0.02)
    assert derived > 2.5e6
    assert never < 0.97 * derived
