"""The rate at which data arrives: that of a link with a constant rate, and no bound elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import airtcp
from airtcp.diagnosis import matching
from airtcp.diagnosis.delivery import delivery
from airtcp.diagnosis.linkfit import fitted, known_of
from airtcp.diagnosis.losses import fit_losses
from airtcp.diagnosis.model import sender_of
from airtcp.diagnosis.pipeline import fitting_replayer
from airtcp.diagnosis.transfer import Delivery, Transfer, transfer_of

DATA = Path(__file__).resolve().parents[2] / "crates/capture/tests/data"
RATES = {
    "loss": 20,
    "bursts": 20,
    "freeze": 5,
    "reorder": 20,
    "duplicates": 20,
    "no-timestamps": 20,
    "ipv6": 20,
    "bbr": 10,
}
"""Rates of the links of labelled captures with SACK, in Mb/s."""


def _read(path: Path) -> tuple[Transfer, Delivery | None]:
    read = airtcp.capture(path, events=True, series=True)
    transfer = transfer_of(read.json, None)
    assert transfer is not None
    return transfer, delivery(read, transfer)


@pytest.mark.parametrize(("name", "rate"), RATES.items())
def test_data_arrives_no_faster_than_the_link(name: str, rate: int) -> None:
    """With losses, late packets, duplicates and standstills, within the jitter of a real host."""
    _, found = _read(DATA / name / "sender.pcap.gz")
    assert found is not None
    assert found.p95_bps <= found.largest_bps <= rate * 1e6 * 1.05
    assert found.steady_bps is None or found.steady_bps <= rate * 1e6


def test_a_link_whose_rate_varies_gives_no_bound() -> None:
    """Packets of an 802.11 cell arrive in bunches: faster for a while than on average."""
    transfer, found = _read(DATA / "joined-clean" / "host.pcap.gz")
    assert found is not None
    assert found.largest_bps > 1.2 * transfer.goodput_bps
    assert found.steady_bps is None


def test_acks_without_sack_and_other_places_show_no_rate() -> None:
    """Without SACK, the ACK of a repaired hole reports data that arrived long before."""
    assert _read(DATA / "no-sack" / "sender.pcap.gz")[1] is None
    assert _read(DATA / "loss" / "receiver.pcap.gz")[1] is None


@pytest.mark.parametrize(("name", "law"), [("freeze", "cubic"), ("reorder", "reno")])
def test_the_rate_is_found_where_the_link_stands_still_or_delays(name: str, law: str) -> None:
    """Replays alone find a rate that is too low, or too high, for these paths."""
    transfer, found = _read(DATA / name / "sender.pcap.gz")
    losses = fit_losses(transfer)
    replayer = fitting_replayer(transfer, sender_of(transfer, law, None), 1)

    def rate(known: matching.Known) -> tuple[float, float]:
        match = matching.match(replayer, losses, known, lambda _done, _planned: None)
        ends = fitted(transfer, losses, match, told=False)["rate_bps"]
        return ends["low"] or 0.0, ends["high"] or float("inf")

    true = RATES[name] * 1e6
    low, high = rate(known_of(None, None, found))
    assert low <= true <= high
    result = airtcp.diagnose(DATA / name / "sender.pcap.gz", tcp=law, replications=5)
    assert result.json["link"] is not None
    assert result.json["link"]["sources"]["rate_bps"] == "delivery"
    low, high = rate(matching.Known())
    assert not low <= true <= high


def test_a_full_queue_shows_the_rate_of_the_link(tmp_path: Path) -> None:
    """While packets wait, a simulated link delivers at its rate, to the digit."""
    text = """
    duration = "4 s"
    [[links]]
    from = "a"
    to = "b"
    rate = "8 Mb/s"
    delay = "25 ms"
    queue = { kind = "drop-tail", packets = 40 }
    [[flows]]
    from = "a"
    to = "b"
    tcp = { profile = "linux", congestion = "cubic" }
    """
    airtcp.run("full", text=text, replications=1, pcap=tmp_path / "full.pcapng")
    transfer, found = _read(tmp_path / "full.pcapng")
    assert found is not None
    assert found.largest_bps == pytest.approx(8e6, rel=0.005)
    assert found.p95_bps == pytest.approx(8e6, rel=0.005)
    assert replace(found, p95_bps=7e6).steady_bps is None
    assert transfer.delivery is None
