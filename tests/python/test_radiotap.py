"""Radio captures read by tshark, against the simulator's counts of the same frames."""

from __future__ import annotations

import shlex
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import airtcp
from examples import DOCS, SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

DURATION = 0.5
KINDS = {
    "0x0028": "data",
    "0x0020": "data",
    "0x001d": "mac_ack",
    "0x0018": "block_ack_req",
    "0x0019": "mac_ack",
    "0x001b": "rts",
    "0x001c": "cts",
}
FIELDS = [
    "wlan.fc.type_subtype",
    "wlan.fcs.status",
    "radiotap.flags.badfcs",
    "wlan.fc.retry",
    "wlan.fc.frag",
    "wlan.ta",
    "wlan.duration",
    "wlan.seq",
    "frame.len",
    "radiotap.length",
    "radiotap.dbm_antsignal",
    "radiotap.mactime",
    "tcp.len",
    "ip.checksum.status",
    "tcp.checksum.status",
    "_ws.malformed",
    "_ws.expert.severity",
]
ERROR = 0x00800000
GOOD, BAD = "1", "0"
CHECKS = ["ip.check_checksum", "tcp.check_checksum", "udp.check_checksum", "wlan.check_checksum"]
VARIANTS = {
    "basic": {},
    "rts": {"cells[0].mac.rts_threshold": "0 B"},
    "edca": {"cells[0].mac.access": "edca"},
    "b": {"cells[0].standard": "802.11b", "cells[0].rate": "11 Mb/s"},
    "fragments": {"cells[0].mac.fragmentation_threshold": "600 B"},
    "aggregates": {"cells[0].standard": "802.11n", "cells[0].rate": "60 Mb/s"},
}


def dissected(tshark: str, path: Path, *, checks: list[str]) -> list[dict[str, str]]:
    options = [option for field in FIELDS for option in ("-e", field)]
    checked = [option for name in checks for option in ("-o", f"{name}:TRUE")]
    run = subprocess.run(
        [tshark, "-r", path, "-T", "fields", "-E", "occurrence=f", *checked, *options],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.splitlines()
    return [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in lines]


def as_the_guide_says(tshark: str, folder: Path) -> list[str]:
    """Run the filter for garbled frames that the guide shows, as it is written there."""
    lines = (DOCS / "guide" / "wifi.md").read_text("utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("tshark -r captures/ap.pcapng")]
    done = subprocess.run(
        [tshark, *shlex.split(line)[1:]], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("variant", VARIANTS)
def test_captures_of_hidden_stations(tshark: str, tmp_path: Path, variant: str) -> None:
    result = airtcp.run(
        SCENARIOS / "wifi-hidden.toml",
        replications=1,
        overrides={
            "duration": f"{DURATION} s",
            "warmup": "0 s",
            **VARIANTS[variant],
        },
        timeline=f"0 s..{DURATION} s",
        radiotap=tmp_path / "captures",
    )
    on_air = result.table("timeline_frames").to_polars()
    assert result.timeline() is not None
    captures = {
        path.stem: dissected(tshark, path, checks=CHECKS)
        for path in (tmp_path / "captures").glob("*.pcapng")
    }
    assert set(captures) == {"ap", "sta0", "sta1"}
    for name, packets in captures.items():
        plain = dissected(tshark, tmp_path / "captures" / f"{name}.pcapng", checks=[])
        for packet in plain:
            assert not packet["_ws.malformed"], (name, packet)
            assert int(packet["_ws.expert.severity"] or "0") < ERROR, (name, packet)
        assert packets
        for packet in packets:
            # tshark calls a wrong checksum malformed. These frames are flagged as such.
            bad = packet["wlan.fcs.status"] == BAD
            assert bool(packet["_ws.malformed"]) == bad, (name, packet)
            assert (packet["radiotap.flags.badfcs"] in {"1", "True"}) == bad, (name, packet)
            if not bad and packet["tcp.len"]:
                assert packet["ip.checksum.status"] == GOOD
                assert packet["tcp.checksum.status"] == GOOD
    if variant == "basic":
        garbled = [p for p in captures["ap"] if p["wlan.fcs.status"] == BAD]
        assert len(as_the_guide_says(tshark, tmp_path)) == len(garbled) > 0
    for i, name in enumerate(["ap", "sta0", "sta1"]):
        check_sent(name, captures[name], on_air)
        if i > 0:
            check_heard(name, captures["ap"], on_air, f"02:00:00:00:00:{i:02x}")
    # Whole or put together from fragments: nearly all that stations send is TCP with payload.
    heard = [p for p in captures["ap"] if p["radiotap.dbm_antsignal"] and p["wlan.seq"]]
    heard = [p for p in heard if p["wlan.fcs.status"] == GOOD]
    last = [p for p in heard if p["wlan.fc.frag"] in {"0", "False"}]
    segments = [p for p in last if int(p["tcp.len"] or "0") > 500]
    assert len(segments) > 0.9 * len(last) > 50
    assert (len(heard) > 2.5 * len(last)) == (variant == "fragments")


def sizes(packets: list[dict[str, str]]) -> int:
    return sum(int(p["frame.len"]) - int(p["radiotap.length"]) for p in packets)


def check_sent(name: str, packets: list[dict[str, str]], on_air: pl.DataFrame) -> None:
    """The sent frames of a station are all its transmissions."""
    sent = [p for p in packets if not p["radiotap.dbm_antsignal"]]
    frames = on_air.filter(on_air["station"] == name)
    kinds = Counter(KINDS[p["wlan.fc.type_subtype"]] for p in sent)
    classes = Counter("data" if c == "tcp_ack" else c for c in frames["class"])
    assert kinds == classes
    assert sizes(sent) == frames["bytes"].sum()
    # On both sides the retry bit is of data frames alone: control frames have it at 0.
    again = frames.filter(frames["retry"])
    assert sum(p["wlan.fc.retry"] in {"1", "True"} for p in sent) == again.height
    for packet, frame in zip(sent, frames.iter_rows(named=True), strict=True):
        assert packet["wlan.fcs.status"] == GOOD
        reserved = round((frame["reserved_until_s"] - frame["end_s"]) * 1e9)
        assert int(packet["wlan.duration"]) == -(-reserved // 1000)
        start, end = frame["start_s"] * 1e6, frame["end_s"] * 1e6
        # The MPDUs of an aggregate begin at any time, and radiotap has whole microseconds.
        assert start - 1 < int(packet["radiotap.mactime"]) < end
        if frame["attempt"] is not None:
            assert int(packet["wlan.seq"]) == frame["sequence"]


def check_heard(
    name: str, packets: list[dict[str, str]], on_air: pl.DataFrame, address: str
) -> None:
    """The received frames of the access point are those it decoded, intact or garbled."""
    heard = [p for p in packets if p["radiotap.dbm_antsignal"] and p["wlan.ta"] == address]
    # ACK and CTS have no transmitter's address, BlockAcks have one.
    heard = [p for p in heard if KINDS[p["wlan.fc.type_subtype"]] != "mac_ack"]
    named = ~on_air["class"].is_in(["mac_ack", "cts"])
    frames = on_air.filter((on_air["station"] == name) & named)
    whole = [p for p in heard if p["wlan.fcs.status"] == GOOD]
    decoded = frames.filter(frames["decoded"])
    assert len(whole) == decoded.height
    assert sizes(whole) == decoded["bytes"].sum()
    lost = frames.height - decoded.height
    assert 0 <= len(heard) - len(whole) <= lost
    assert lost > 0
    assert {p["radiotap.dbm_antsignal"] for p in heard} == {"-74"}
