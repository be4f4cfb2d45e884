"""Captures of the air: hidden stations, what happens over time, outages, and decryption."""

from __future__ import annotations

import copy
import gzip
import os
import struct
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.capture import charts_air as charts
from airtcp.questions.capture import rows_air as capture_air_rows
from airtcp.questions.capture import rows_timeouts as capture_timeout_rows
from airtcp.questions.capture.decrypt import _blocks
from examples import SCENARIOS

if TYPE_CHECKING:
    import polars as pl

    from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
AIR = ROOT / "crates/capture/tests/data/air-single/monitor.pcap.gz"
UNAWARE_S = 22e-6
_DRAWN = """
[...document.querySelectorAll("[data-chart]")].map((n) => [n.dataset.chart, n.dataset.drawn])
"""
STATIONS = [f"02:00:00:00:00:0{i}" for i in range(5)]
# Two stations that cannot sense each other, the access point between them, and a radio that sends
# nothing, nearer to one of the two.
HIDDEN = {
    "cells[0].layout": {"kind": "positions", "stations": [[-20, 0], [20, 0], [-12, 0]]},
    "flows": [
        {"from": source, "to": to, "transport": "udp"}
        | {"app": {"kind": "constant-rate", "rate": rate}}
        # Both stations hear the frames of the access point.
        for source, to, rate in (
            ("sta0", "ap", "3 Mb/s"),
            ("sta1", "ap", "3 Mb/s"),
            ("ap", "sta2", "0.5 Mb/s"),
        )
    ],
}
# The same without the distance.
ALL_HEAR = HIDDEN | {
    "cells[0].layout": {"kind": "positions", "stations": [[-4, 0], [4, 0], [-2, 0]]},
}


def _run(folder: Path, overrides: dict[str, Any], duration: str) -> pl.DataFrame:
    result = airtcp.run(
        SCENARIOS / "wifi-hidden.toml",
        replications=1,
        overrides={"duration": duration, "warmup": "0 s", **overrides},
        timeline=f"0 s..{duration}",
        radiotap=folder,
    )
    return result.table("timeline_frames").to_polars()


def _merged(first: Path, second: Path, place: Path) -> Path:
    """Merge two captures of one interface each by time, as mergecap does."""
    head: list[bytes] = []
    packets: list[tuple[int, bytes]] = []
    for number, path in enumerate((first, second)):
        for block in _blocks(BytesIO(path.read_bytes())):
            (kind,) = struct.unpack_from("<I", block)
            if kind == 6:
                struct.pack_into("<I", block, 8, number)
                high, low = struct.unpack_from("<II", block, 12)
                packets.append((high << 32 | low, bytes(block)))
            elif kind == 1 or number == 0:
                head.append(bytes(block))
    packets.sort(key=lambda packet: packet[0])
    place.write_bytes(b"".join([*head, *(block for _, block in packets)]))
    return place


def _overlaps(frames: pl.DataFrame) -> int:
    """Count frames of either station that begin within a frame of the other."""
    rows = frames.select("station", "start_s", "end_s", "class").sort("start_s").rows()
    sent = [row for row in rows if row[0] in {"sta0", "sta1"} and row[3] in {"data", "tcp_ack"}]
    return sum(
        later[0] != row[0] and row[1] + UNAWARE_S < later[1] < row[2]
        for i, row in enumerate(sent)
        for later in sent[i + 1 : i + 6]
    )


def test_hidden_stations_are_found(tmp_path: Path) -> None:
    """Two radios show each overlap of the run, one radio a part of it, and both no other pair."""
    frames = _run(tmp_path / "air", HIDDEN, "0.9 s")
    assert frames["end_s"].max() > 0.89
    both = _merged(
        tmp_path / "air/sta0.pcapng", tmp_path / "air/sta1.pcapng", tmp_path / "m.pcapng"
    )
    truth = _overlaps(frames)
    assert truth > 70
    result = airtcp.capture(both)
    (pair,) = result["air"]["carrier_sensing"]["pairs"]
    assert pair["stations"] == STATIONS[1:3]
    assert pair["hidden"]
    assert pair["p_value"] < 1e-9
    # Before the first frame that both captured, their clocks are not aligned.
    assert 0.95 * truth <= pair["overlaps"] <= truth
    # An overlap destroys both frames at the access point, between two signals of the same power.
    for losses in pair["losses"]:
        assert losses["loss_with_overlap"] > 0.9
        assert losses["loss_without_overlap"] < 0.5
        assert losses["p_value"] < 1e-9
    assert [finding.headline for finding in result.findings].count("Hidden stations") == 1


def test_one_radio_shows_a_part(tmp_path: Path) -> None:
    """A radio near one of the stations captures frames that begin right after the other's."""
    _run(tmp_path / "air", HIDDEN, "5 s")
    alone = airtcp.capture(tmp_path / "air/sta2.pcapng")["air"]["carrier_sensing"]
    (pair,) = alone["pairs"]
    assert pair["stations"] == STATIONS[1:3]
    assert pair["hidden"]
    assert 3 <= pair["overlaps"] + pair["early_starts"] < 0.1 * pair["frames"]


def test_stations_that_hear_each_other_are_not_hidden(tmp_path: Path) -> None:
    """Collisions within the first slot are no evidence."""
    _run(tmp_path / "air", ALL_HEAR, "2 s")
    both = _merged(
        tmp_path / "air/sta0.pcapng", tmp_path / "air/sta1.pcapng", tmp_path / "m.pcapng"
    )
    for path in [both, *sorted((tmp_path / "air").glob("*.pcapng"))]:
        found = airtcp.capture(path)
        sensing = found["air"]["carrier_sensing"]
        assert sensing["pairs_tested"] > 0
        assert sensing["pairs"] == []
        assert all(finding.headline != "Hidden stations" for finding in found.findings)


def test_the_air_over_time_adds_up(browser: Browser, tmp_path: Path) -> None:
    """Attempts and airtime of all intervals are those of the link and of the station."""
    result = airtcp.capture(AIR, series=True)
    air = result["air"]
    for link in result["links"]:
        points = link["over_time"]
        assert sum(point["attempts"] for point in points) == link["attempts"]
        assert all(point["acknowledged"] <= point["attempts"] for point in points)
        assert points == sorted(points, key=lambda point: point["time_s"])
    for station in air["stations"]:
        total = sum(point["airtime_s"] for point in station["over_time"])
        assert total == pytest.approx(station["airtime_s"])
        assert all(p["airtime_s"] < 1.5 * air["interval_s"] for p in station["over_time"])
    rows = capture_air_rows.timeline(result.json)
    names = set(charts.air_charts(rows))
    assert {"air_attempts", "air_loss", "air_rate", "air_airtime"} <= names <= set(charts.AIR)
    page = browser.open(result.report(tmp_path / "page.html"))
    drawn = dict(page.evaluate(_DRAWN))
    assert all(drawn[name] not in (None, "empty") for name in names), drawn


def test_a_link_to_a_group_has_no_loss_over_time() -> None:
    """Nobody acknowledges its frames, which is not a loss of all of them."""
    document = copy.deepcopy(airtcp.capture(AIR, series=True).json)
    first = document["links"][0]
    first |= {"receiver": "01:00:5e:00:00:fb", "raw_loss": None}
    rows = capture_air_rows.timeline(document)["links"]
    name = f"{first['transmitter']} -> {first['receiver']}"
    losses = {row["loss"] for row in rows if row["name"] == name and row["attempts"]}
    assert losses == {None}
    assert any(row["loss"] is not None for row in rows if row["name"] != name)


def _visits(path: Path, times: list[float]) -> Path:
    """Write a radiotap capture in which each frame, of a station of its own, comes at its time."""
    packets = b""
    for number, time in enumerate(times):
        frame = struct.pack("<BBHI", 0, 0, 8, 0)
        frame += struct.pack("<HH", 0x0108, 0) + b"\x02" * 6 + bytes([2, 0, 0, 0, 0, number + 1])
        frame += b"\x02" * 6 + struct.pack("<H", number << 4) + b"\xaa" * 8
        seconds = int(time)
        packets += struct.pack("<4I", seconds, round((time - seconds) * 1e6), *[len(frame)] * 2)
        packets += frame
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127) + packets)
    return path


@pytest.mark.parametrize("span", [86_400, 4_000_000_000])
def test_two_frames_far_apart_make_a_small_page(tmp_path: Path, span: int) -> None:
    """Time without frames has no rows: the page does not grow with the time between two frames."""
    near = airtcp.capture(_visits(tmp_path / "near.pcap", [100.0, 101.0]), series=True)
    path = _visits(tmp_path / "far.pcap", [100.0, 100.0 + span])
    assert path.stat().st_size < 160
    far = airtcp.capture(path, series=True)
    assert far["air"]["interval_s"] == near["air"]["interval_s"] == 0.01
    rows = capture_air_rows.timeline(far.json)
    assert len(rows["links"]) <= 8
    assert max(row["t"] for row in rows["links"]) == pytest.approx(span)
    assert sum(row["attempts"] * 0.01 for row in rows["links"]) == pytest.approx(2)
    assert len(far.page()) < 1.01 * len(near.page())


def test_the_packets_around_a_timeout(browser: Browser, tmp_path: Path) -> None:
    """Figure 8 of S2: the copies of a segment, and all packets between them."""
    joined = ROOT / "crates/capture/tests/data/joined-lossy"
    files = [joined / "air.pcap.gz", joined / "host.pcap.gz"]
    result = airtcp.capture(files, events=True, series=True)
    timeout, rows = capture_timeout_rows.around(result.json)
    assert timeout is not None
    found = [copy for copy in timeout["copies"] if copy["fate"] is not None]
    copies = [row for row in rows if row["what"] == capture_timeout_rows.SEGMENT]
    assert [row["attempts"] for row in copies] == [copy["attempts"] for copy in found]
    assert [row["fate"] for row in copies] == [copy["fate"].replace("_", " ") for copy in found]
    waits = [row["t"] for row in copies]
    sent = [copy["sent_s"] - found[0]["sent_s"] + copy["queueing_s"] for copy in found]
    clock = result["joined"]["hosts"][0]["clock"]
    assert waits == pytest.approx(sent, abs=2 * clock["uncertainty_s"] + 1e-5)
    # Others of the sender between the first and the last copy are all there.
    mine = [p for p in result["joined"]["packets"] if p["is_sent"] and p["from"] == timeout["from"]]
    first, last = (copies[i]["t"] for i in (0, -1))
    between = [row for row in rows if first <= row["t"] <= last]
    start = next(p for p in mine if p["sequence"] == copies[0]["sequence"])["time_s"]
    inside = [p for p in mine if start - 1e-6 <= p["time_s"] <= start + last - first + 1e-6]
    assert len(inside) == len(between) > len(copies)
    page = browser.open(result.report(tmp_path / "page.html"))
    drawn = dict(page.evaluate(_DRAWN))
    assert all(drawn[name] not in (None, "empty") for name in charts.TIMEOUT), drawn
    assert "Attempts around a timeout" not in airtcp.capture(files).page()


def test_an_access_point_that_polls_is_found(tmp_path: Path) -> None:
    """Outages of 20 ms each 2 s (S4) have this period; without them there is none."""
    for interference, found in (([{"kind": "polling"}], [2.0]), ([], [])):
        folder = tmp_path / f"air{len(found)}"
        airtcp.run(
            SCENARIOS / "polling-access-point.toml",
            replications=1,
            overrides={"duration": "40 s", "cells[0].interference": interference},
            radiotap=folder,
        )
        result = airtcp.capture(folder / "ap.pcapng", patterns=True)
        (link,) = [link for link in result["links"] if link["transmitter"] == STATIONS[0]]
        periods = [p for p in link.get("loss_periods", []) if p["pattern"] == "polling"]
        assert [p["period_s"] for p in periods] == pytest.approx(found, rel=0.01)


KEYS = '# Wireshark 80211_keys\n"wpa-pwd","Induction:Coherer"\n'
IDENTITY = [
    "ip.src", "ip.dst", "tcp.srcport", "tcp.dstport", "ip.id", "tcp.seq_raw", "tcp.ack_raw",
    "tcp.len",
]  # fmt: skip


def _public() -> Path:
    root = os.environ.get("AIRTCP_DATA")
    if root is None:
        pytest.skip("AIRTCP_DATA is not set, the public captures are not read")
    return Path(root) / "wireshark-80211/wpa-Induction.pcap.gz"


def test_protected_frames_are_decrypted(tshark: str, tmp_path: Path) -> None:
    """With the passphrase, TCP is that which tshark decrypts; the air is the same as without."""
    path, keys = _public(), tmp_path / "keys"
    keys.write_text(KEYS)
    result = airtcp.capture(path, decrypt_with=keys)
    (file,) = result["files"]
    assert file["path"] == str(path)
    fields = [option for field in IDENTITY for option in ("-e", field)]
    options = ["-o", "wlan.enable_decryption:TRUE"]
    options += ["-o", 'uat:80211_keys:"wpa-pwd","Induction:Coherer"']
    run = subprocess.run(
        [tshark, "-r", path, *options, "-Y", "tcp", "-T", "fields", *fields],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = run.stdout.splitlines()
    segments = set(lines)
    # Each attempt and each hop has a line; a segment counts once.
    assert file["tcp_segments"] == len(segments) < len(lines)
    ends = {frozenset([tuple(row[0:3:2]), tuple(row[1:4:2])]) for row in map(_split, segments)}
    assert len(result["connections"]) + result["without_data"] == len(ends) > 1
    plain = airtcp.capture(path)
    assert plain["connections"] == []
    for key in ("attempts", "packets", "raw_loss", "bytes", "latency_s", "rates"):
        assert [link[key] for link in result["links"]] == [link[key] for link in plain["links"]]
    assert any("not visible" in finding.text for finding in plain.findings)
    keys.write_text('"wpa-pwd","another one:Coherer"\n')
    (file,) = airtcp.capture(path, decrypt_with=keys)["files"]
    assert any("decrypted none of" in warning for warning in file["warnings"])


def _split(line: str) -> list[str]:
    return line.split("\t")


def test_the_passphrase_stays_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors name the file and the line, not the key; a missing tshark with its package."""
    keys = tmp_path / "keys"
    for text, expected in (
        ("Induction:Coherer\n", "line 1 is no key; expected lines of Wireshark's 80211_keys"),
        ("\n# none\n", "no key; expected lines"),
    ):
        keys.write_text(text)
        with pytest.raises(airtcp.TraceError, match=expected) as caught:
            airtcp.capture(AIR, decrypt_with=keys)
        assert "Induction" not in str(caught.value)
    with pytest.raises(airtcp.TraceError, match="No such file"):
        airtcp.capture(AIR, decrypt_with=tmp_path / "none")
    keys.write_text(KEYS)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(airtcp.TraceError, match=r"needs tshark.*apt install tshark"):
        airtcp.capture(AIR, decrypt_with=keys)


def test_other_captures_stay_as_they_are(tshark: str, tmp_path: Path) -> None:
    """A capture of a host is not copied, and one that tshark cannot read is named."""
    assert tshark
    keys = tmp_path / "keys"
    keys.write_text(KEYS)
    host = ROOT / "crates/capture/tests/data/loss/sender.pcap.gz"
    assert airtcp.capture(host, decrypt_with=keys).text == airtcp.capture(host).text
    whole = gzip.decompress(AIR.read_bytes())
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(whole[: len(whole) // 2])
    (file,) = airtcp.capture(cut, decrypt_with=keys)["files"]
    assert any("tshark stopped at damage" in warning for warning in file["warnings"])
    other = tmp_path / "picture.png"
    other.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(airtcp.TraceError, match=r"picture\.png: tshark: "):
        airtcp.capture(other, decrypt_with=keys)
    run = subprocess.run(
        [sys.executable, "-m", "airtcp", "capture", "-", "--decrypt-with", keys],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode != 0
    assert "instead of standard input" in " ".join(run.stderr.split())
