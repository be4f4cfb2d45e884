"""Diagnoses of a Linux kernel's transfers over known links: rate, queue, losses and predictions.

The captures and their truth are those of `docs/figures/links`: a log of every packet, and the
goodputs that CUBIC, BBR and Reno of the kernel got over the same link.
"""

from __future__ import annotations

import functools
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LINKS = Path(__file__).resolve().parents[2] / "crates/capture/tests/data/links"
ANSWERED = ("application", "codel", "late", "mixed", "random", "short-queue")
REFUSED = ("policer", "tcp-beside")
KNOWN = ("steady", "varying")
VARIANTS = {"cubic": "cubic", "bbr": "bbr1", "reno": "reno"}
NEAR_S = 0.02
"""A packet comes to the link at most this much later than to the capture, or 1 ms earlier."""


@functools.cache
def _truth(name: str) -> dict[str, Any]:
    return json.loads((LINKS / name / "truth.json").read_text("utf-8"))


@functools.cache
def _diagnosed(name: str) -> dict[str, Any]:
    """Diagnose a capture: neither law, nor rate, nor round-trip time is given."""
    command = [sys.executable, "-m", "airtcp", "diagnose", str(LINKS / name / "sender.pcap.gz")]
    done = subprocess.run([*command, "--json", "-q"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _predicted(name: str) -> dict[str, dict[str, Any]]:
    return {one["variant"]: one for one in _diagnosed(name)["predictions"]}


def _kernel(name: str, law: str) -> list[float]:
    """Goodputs of new runs, counted as the capture's: iperf3 counts another time."""
    runs = _truth(name)["goodputs_bps"]
    same = _diagnosed(name)["observed"]["goodput_bps"] / runs["cubic"][0]
    return [same * run for run in runs[law][law == "cubic" :]]


@pytest.mark.parametrize("name", ANSWERED)
def test_the_rate_is_the_links(name: str) -> None:
    rate, true = _diagnosed(name)["link"]["rate_bps"], _truth(name)["rate_bps"]
    assert rate["kind"] in KNOWN
    assert rate["value"] == pytest.approx(true, rel=0.03)
    assert rate["low"] <= true <= (math.inf if rate["high"] is None else rate["high"])


@pytest.mark.parametrize("name", [name for name in ANSWERED if _truth(name)["level_packets"]])
def test_the_queue_is_full_where_it_drops(name: str) -> None:
    queue, level = _diagnosed(name)["link"]["queue_packets"], _truth(name)["level_packets"]
    # The level counts the packet in service; the queue may or may not.
    assert level - 3 <= queue["value"] <= level + 2
    assert queue["high"] is not None


@pytest.mark.parametrize("name", ["application", "codel", "random"])
def test_a_queue_that_was_never_full_has_a_lower_bound_only(name: str) -> None:
    queue = _diagnosed(name)["link"]["queue_packets"]
    assert queue["high"] is None
    assert (queue["low"] or 0) <= _truth(name)["link"]["queue"] + 1


@pytest.mark.parametrize("name", ANSWERED)
def test_each_loss_has_the_origin_of_the_log(name: str) -> None:
    waiting = _truth(name)["lost_packets"]
    count, right, false = len(waiting), 0, 0
    for lost in sorted(_diagnosed(name)["lost_packets"], key=lambda lost: lost["time_s"]):
        at = lost["time_s"]
        same = [one for one in waiting if -1e-3 <= one["time_s"] - at <= NEAR_S][:1]
        right += sum(one["origin"] == lost["origin"] for one in same)
        false += not same
        waiting = [one for one in waiting if one not in same]
    # Late data without a DSACK looks lost.
    least, most = (0.85, 0.3) if name == "late" else (0.95, 0.05)
    assert right >= least * count
    assert false <= most * count


@pytest.mark.parametrize("name", ANSWERED)
def test_the_loss_of_the_link_is_in_its_interval(name: str) -> None:
    loss = _diagnosed(name)["link"]["link_loss"]
    assert loss["low"] <= _truth(name)["link_loss"] <= loss["high"]


@pytest.mark.parametrize("name", ANSWERED)
def test_bbr_gets_what_is_predicted(name: str) -> None:
    ratio = _predicted(name)["bbr1"]["goodput_bps"] / statistics.median(_kernel(name, "bbr"))
    assert 1 / 1.2 <= ratio <= 1.2


def test_the_intervals_contain_what_the_kernel_gets() -> None:
    inside = [
        one["low"] <= run <= (math.inf if one["high"] is None else one["high"])
        for name in ANSWERED
        for law, variant in VARIANTS.items()
        for one in [_predicted(name)[variant]]
        for run in _kernel(name, law)
    ]
    # 90 % of the runs of drawn links; runs over one link share its errors.
    assert statistics.mean(inside) >= 0.75


@pytest.mark.parametrize("name", ANSWERED)
def test_no_tcp_is_named_that_gets_less(name: str) -> None:
    for law, variant in VARIANTS.items():
        if _predicted(name)[variant]["p_better"] >= 0.95:
            assert (
                statistics.median(_kernel(name, law)) > _diagnosed(name)["observed"]["goodput_bps"]
            )


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_told_is_not_predicted(name: str) -> None:
    """No TCP gets more than a policer lets through, and how others react is not in the capture."""
    assert _diagnosed(name)["predictions"] == []


def test_the_policer_is_measured() -> None:
    rate, _burst = _truth("policer")["link"]["police"]
    found = _diagnosed("policer")["other_link"]["policer"]
    assert found["rate_bps"] == pytest.approx(rate * 1e6, rel=0.03)
