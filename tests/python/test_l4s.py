"""Accurate ECN feedback: what a run counts is what its packets tell another reader."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

import airtcp

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
duration = "10 s"
[[links]]
name = "link"
from = "a"
to = "b"
rate = "20 Mb/s"
delay = "10 ms"
queue = { kind = "dualpi2" }
[[flows]]
name = "scalable"
from = "a"
to = "b"
tcp = { profile = "linux", congestion = "prague", ecn = true, accecn = true, ect = "ect1" }
[[flows]]
name = "classic"
from = "a"
to = "b"
tcp = { profile = "linux", congestion = "cubic", ecn = true, accecn = %s }
"""


def _run(accecn: str, place: Path) -> int:
    """Run, write what the senders' captures have, and return the packets that the queue marked."""
    run = airtcp.run("l4s", text=TEXT % accecn, replications=1, seed=3, pcap=place)
    return run.json["replications"][0]["links"][0]["marked_packets"]


@pytest.mark.parametrize("accecn", ["true", "false"])
def test_a_capture_reads_the_counters_of_the_receivers(accecn: str, tmp_path: Path) -> None:
    place = tmp_path / "senders.pcapng"
    marks = _run(accecn, place)
    told = [
        connection["directions"][0].get("accecn_marked")
        for connection in airtcp.capture(place)["connections"]
    ]
    found = [value for value in told if value is not None]
    assert len(found) == (2 if accecn == "true" else 1)
    # The marks of the last round trip are still on their way; without AccECN the other flow's are
    # not told.
    assert 50 < sum(found) <= marks
    if accecn == "true":
        assert sum(found) >= marks - 8


def test_tshark_reads_the_same_counters(tshark: str, tmp_path: Path) -> None:
    place = tmp_path / "senders.pcapng"
    marks = _run("true", place)
    command = [tshark, "-r", str(place), "-T", "fields"]
    for name in ("tcp.stream", "tcp.srcport", "tcp.flags", "ip.dsfield.ecn", "tcp.len"):
        command += ["-e", name]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    read = [[int(part, 0) for part in line.split("\t")] for line in lines]
    total = 0
    fields: list[set[int]] = []
    for stream in range(2):
        mine = [packet[1:] for packet in read if packet[0] == stream]
        client = mine[0][0]
        assert [flags >> 6 for _, flags, _, _ in mine[:3]] == [0b111, 0b010, 0b010]
        fields.append({ecn for port, _, ecn, size in mine if port == client and size > 0})
        # The flag SYN is the second bit.
        counters = [flags >> 6 for port, flags, _, _ in mine if port != client and not flags & 2]
        told = sum((b - a) % 8 for a, b in zip([5, *counters], counters, strict=False))
        total += told
    # ECT(1) of the scalable flow, ECT(0) of the classic one.
    assert sorted(fields, key=min) == [{1}, {2}]
    assert marks - 8 <= total <= marks
