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


def _run(accecn: str, place: Path) -> dict[str, int]:
    """Run, write what the senders' captures have, and return the marks that each receiver counted."""
    run = airtcp.run("l4s", text=TEXT % accecn, replications=1, seed=3, pcap=place)
    return {row["name"]: row["ecn_marks"] for row in run.json["replications"][0]["flows"]}


@pytest.mark.parametrize("accecn", ["true", "false"])
def test_a_capture_reads_the_counters_of_the_receivers(accecn: str, tmp_path: Path) -> None:
    place = tmp_path / "senders.pcapng"
    marks = _run(accecn, place)
    assert marks["scalable"] > 50
    told = [
        connection["directions"][0]["accecn_marked"]
        for connection in airtcp.capture(place)["connections"]
    ]
    found = sorted(value for value in told if value is not None)
    expected = sorted(marks.values() if accecn == "true" else [marks["scalable"]])
    assert len(found) == len(expected)
    for value, count in zip(found, expected, strict=True):
        # The marks of the last round trip are still on their way.
        assert count - 8 <= value <= count


def test_tshark_reads_the_same_counters(tshark: str, tmp_path: Path) -> None:
    place = tmp_path / "senders.pcapng"
    marks = _run("true", place)
    command = [tshark, "-r", str(place), "-T", "fields"]
    for name in ("tcp.stream", "tcp.srcport", "tcp.flags", "ip.dsfield.ecn", "tcp.len"):
        command += ["-e", name]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    read = [[int(part, 0) for part in line.split("\t")] for line in lines]
    for stream, (name, field) in enumerate((("scalable", 1), ("classic", 2))):
        mine = [packet[1:] for packet in read if packet[0] == stream]
        client = mine[0][0]
        assert [flags >> 6 for _, flags, _, _ in mine[:3]] == [0b111, 0b010, 0b010]
        assert {ecn for port, _, ecn, size in mine if port == client and size > 0} == {field}
        # The flag SYN is the second bit.
        counters = [flags >> 6 for port, flags, _, _ in mine if port != client and not flags & 2]
        told = sum((b - a) % 8 for a, b in zip([5, *counters], counters, strict=False))
        assert marks[name] - 8 <= told <= marks[name]
