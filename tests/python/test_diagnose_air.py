"""Diagnoses with the air beside a host: what is measured there is not guessed."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import airtcp
from airtcp.questions.diagnose import predict
from airtcp.questions.diagnose.air import fates_fit, measured
from airtcp.questions.diagnose.link import usable
from airtcp.questions.diagnose.transfer import Transfer, transfer_of

DATA = Path(__file__).resolve().parents[2] / "crates/capture/tests/data"


def _files(name: str) -> list[Path]:
    return [DATA / f"joined-{name}" / f"{point}.pcap.gz" for point in ("host", "air")]


def _document(name: str) -> tuple[dict[str, Any], Transfer]:
    document = airtcp.capture(_files(name), events=True).json
    transfer = transfer_of(document, None)
    assert transfer is not None
    return document, transfer


def _measured(document: dict[str, Any], transfer: Transfer) -> Any:
    found = measured(document, transfer)
    assert found is not None
    return found


def _truth(name: str) -> dict[str, float]:
    rows = (DATA / f"joined-{name}" / "truth.csv").read_text("utf-8").splitlines()[1:]
    pairs = (row.split(",") for row in rows if not row.startswith("timeout "))
    return {key: float(value) for key, value in pairs}


@pytest.mark.parametrize("name", ["clean", "lossy"])
def test_losses_are_those_that_the_station_gave_up(name: str) -> None:
    """The air counts each packet that the station gave up, and each that the queue dropped."""
    found, truth = _measured(*_document(name)), _truth(name)
    assert found["not_used"] is None
    assert abs(found["lost"] - truth["given_up"]) <= 1
    assert found["not_on_air"] == truth["queue_drops"]
    loss = found["loss"]
    assert loss["low"] < truth["given_up"] / found["packets"] < loss["high"]


def test_a_full_queue_is_counted() -> None:
    """The station's queue holds 100 packets; the first cell fills it, the second does not."""
    full = _measured(*_document("clean"))["queue_packets"]
    assert full["low"] <= 100 <= full["high"] <= 103
    assert _measured(*_document("lossy"))["queue_packets"]["high"] is None


def test_the_rate_is_that_of_packets_that_follow_each_other() -> None:
    """A made-up air of 1 ms for each packet gives 1 packet a millisecond, whatever its latency."""
    document, transfer = _document("clean")
    size = transfer.payload_bytes
    rows = [row for row in document["joined"]["packets"] if row["length"] == size]
    for number, row in enumerate(rows):
        # Every tenth packet comes late, after a pause.
        row["time_s"] = number / 1e3 + (number // 10) / 1e2
        row["queueing_s"] = 0.005 if number % 10 else 0.0
    document["joined"]["packets"] = rows
    assert transfer.rtt is not None
    short = {**transfer.rtt, "p50": transfer.base_rtt_s or 0.0}
    rate = _measured(document, replace(transfer, rtt=short))["rate_bps"]
    assert rate["value"] == pytest.approx(8e3 * transfer.packet_bytes, rel=1e-6)
    assert rate["low"] <= rate["value"] * (1 + 1e-6)
    assert rate["high"] >= rate["value"] * (1 - 1e-6)


def test_a_sniffer_that_misses_frames_is_not_used() -> None:
    """Counts of the air need a sniffer that hears nearly all frames."""
    document, transfer = _document("lossy")
    link = next(each for each in document["links"] if each["transmitter"].endswith(":01"))
    link["sniffer"]["ack_miss_share"] = 0.05
    found = _measured(document, transfer)
    assert found["not_used"] == "missed"
    assert usable(found) is None


def test_a_queue_behind_the_air_is_not_taken_for_the_one_before_it() -> None:
    """If round-trip times grow but packets do not wait before the air, the queue is elsewhere."""
    document, transfer = _document("lossy")
    assert transfer.rtt is not None
    assert transfer.base_rtt_s is not None
    slow = replace(transfer, rtt={**transfer.rtt, "p50": 4 * transfer.base_rtt_s})
    found = _measured(document, slow)
    assert found["queue_elsewhere"]
    assert found["rate_bps"] is found["queue_packets"] is None
    # Its losses are still those of the air.
    assert usable(found) is found


@pytest.mark.parametrize(("begin", "end"), [(0.05, 0.95), (0.01, 0.3), (0.002, 0.5)])
def test_intervals_cover_the_parameters_of_chains(begin: float, end: float) -> None:
    """Of 95 % intervals for simulated chains of Gilbert, at least 90 % contain loss and burst."""
    draw = random.Random(15)  # noqa: S311 - a simulation
    runs, inside, bursts, fitted = 100, 0, 0, 0
    for _ in range(runs):
        fates: list[bool] = []
        lost = draw.random() < begin / (begin + end)
        for _ in range(2500):
            fates.append(lost)
            lost = draw.random() >= end if lost else draw.random() < begin
        fit: Any = fates_fit(fates)
        inside += fit["loss"]["low"] <= begin / (begin + end) <= fit["loss"]["high"]
        if fit["mean_burst"] is not None:
            fitted += 1
            bursts += fit["mean_burst"]["low"] <= 1 / end <= fit["mean_burst"]["high"]
    assert inside >= 0.9 * runs
    assert fitted > runs / 4
    assert bursts >= 0.9 * fitted


def test_each_parameter_says_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the air, the losses of the link are counted there, and findings say how many."""
    monkeypatch.setattr(predict, "laws", lambda: ["cubic", "reno"])
    result = airtcp.diagnose(_files("clean"), replications=5)
    link = result.json["link"]
    assert link is not None
    air = result.json["air_fit"]
    assert air is not None
    assert link["link_loss"] == air["loss"]
    expected = ["timing", "timing", "backlog", "air"]
    assert result.table("link").to_polars()["source"].to_list() == expected
    (said,) = [f for f in result.findings if f.headline == "On the air"]
    assert "gave up 7 of" in said.text
    told = airtcp.diagnose(_files("clean"), replications=5, rate="10 Mb/s").json["link"]
    assert told is not None
    assert told["sources"]["rate_bps"] == "option"
    assert told["rate_bps"]["value"] == 1e7
