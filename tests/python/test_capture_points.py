"""Captures of both ends of a transfer, from the command line and from Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import airtcp
from airtcp.questions.capture import findings_points as words

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/capture/tests/data"


def ends(name: str) -> list[Path]:
    """Return the captures of both ends of a labelled transfer."""
    return [DATA / name / "sender.pcap.gz", DATA / name / "receiver.pcap.gz"]


def test_a_transfer_is_told_once(program: list[str]) -> None:
    """The sentences and the table take the capture of the sender; the document has both."""
    result = airtcp.capture(ends("freeze"))
    document = result.json
    assert [point["point"] for point in document["points"]] == [0, 1]
    kept = words.at_senders(document)
    assert len(document["connections"]) == 2 * len(kept) == 4
    assert {connection["vantage"] for connection in kept} == {"client"}
    run = subprocess.run(
        [*program, "capture", *map(str, ends("freeze")), "--details"],
        capture_output=True,
        text=True,
        check=True,
    )
    shown = " ".join(run.stdout.split())
    assert shown.count("captured at the client") == 2
    assert "captured at the server" not in shown
    assert any("lost between sender.pcap.gz and" in finding.headline for finding in result.findings)


def test_the_table_has_each_sender() -> None:
    """One row per connection and sender; the evidence is in the document."""
    result = airtcp.capture(ends("loss"), workers=2)
    table = result.between.to_polars()
    assert table.height == 4
    data = table.filter(table["sent"] > 300).row(0, named=True)
    assert (data["near_point"], data["far_point"]) == (0, 1)
    assert (data["lost"], data["retransmissions"], data["spurious"]) == (19, 19, 0)
    assert result.json == airtcp.capture(ends("loss"), workers=1).json


def test_traces_come_from_the_sender(tmp_path: Path) -> None:
    """Each direction has one trace, from the point nearest its sender."""
    both = airtcp.capture(ends("loss"), trace_out=tmp_path / "both.csv")
    one = airtcp.capture(ends("loss")[:1], trace_out=tmp_path / "one.csv")
    assert both["traces"]["traces"] == one["traces"]["traces"]
    assert both["between"] == airtcp.capture(ends("loss"))["between"]


def test_taps_of_one_direction_are_named(tmp_path: Path) -> None:
    """Two files with one direction each are named, with the program that merges them."""
    import gzip
    import struct

    raw = gzip.decompress(ends("loss")[0].read_bytes())
    head, at = raw[:24], 24
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    while at < len(raw):
        length = struct.unpack_from("<I", raw, at + 8)[0]
        packet = raw[at : at + 16 + length]
        # The first address of the IP header is that of the sender.
        parts[packet[16 + 14 + 15] == 1].append(packet)
        at += 16 + length
    paths = [tmp_path / "out.pcap", tmp_path / "in.pcap"]
    for path, packets in zip(paths, parts, strict=True):
        path.write_bytes(head + b"".join(packets))
    found = words.halves(airtcp.capture(paths).json)
    assert found is not None
    assert "mergecap" in found.text
    assert words.halves(airtcp.capture(ends("loss")).json) is None
    # Two files with the same direction of both ends are no halves.
    raw = gzip.decompress(ends("loss")[1].read_bytes())
    at, sent = 24, list[bytes]()
    while at < len(raw):
        length = struct.unpack_from("<I", raw, at + 8)[0]
        packet = raw[at : at + 16 + length]
        if packet[16 + 14 + 15] == 1:
            sent.append(packet)
        at += 16 + length
    paths[1].write_bytes(head + b"".join(sent))
    paths[0].write_bytes(head + b"".join(parts[1]))
    document = airtcp.capture(paths).json
    assert words.halves(document) is None
    assert (
        document["between"][0]["directions"][0]["lost"]
        + document["between"][1]["directions"][0]["lost"]
        == 19
    )


def test_two_radios_are_told_apart(tmp_path: Path, program: list[str]) -> None:
    """The frames of two sniffers do not count twice: each link has its point."""
    air = DATA / "air-single/monitor.pcap.gz"
    other = tmp_path / "other.pcap.gz"
    other.write_bytes(air.read_bytes())
    document = airtcp.capture([air, other]).json
    alone = airtcp.capture(air).json
    assert [link["point"] for link in document["links"]].count(0) == len(alone["links"])
    for link in document["links"]:
        (same,) = [
            one
            for one in alone["links"]
            if (one["transmitter"], one["receiver"]) == (link["transmitter"], link["receiver"])
        ]
        assert link["attempts"] == same["attempts"]
    assert document["air"]["frames"] == alone["air"]["frames"]
    command = [*program, "capture", str(air), str(other)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "at point 1" in run.stdout
