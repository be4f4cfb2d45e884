"""Captures: the labelled ones of the crate, beside other programs, and those that airtcp writes."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import airtcp
from test_guide import on_a_terminal

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/capture/tests/data"
PAGE = ROOT / "docs/models/captures.md"
TRANSFERS = sorted(path.parent.name for path in DATA.glob("*/sender.pcap.gz"))
FILTER = "tcp.len > 0 and tcp.dstport == 5201"


def _truth(name: str) -> list[list[str]]:
    lines = (DATA / name / "truth.csv").read_text().splitlines()
    return [line.split(",") for line in lines if line[0].isdigit()]


def _uploads(path: Path) -> list[dict[str, int]]:
    return [c["directions"][0] for c in airtcp.capture(path)["connections"]]


def _tshark(path: Path, flag: str) -> int:
    run = subprocess.run(
        [str(shutil.which("tshark")), "-r", path, "-Y", f"tcp.analysis.{flag} and {FILTER}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return len(run.stdout.splitlines())


def _tcptrace(path: Path, unpacked: Path) -> list[int]:
    unpacked.write_bytes(gzip.decompress(path.read_bytes()))
    run = subprocess.run(
        [str(shutil.which("tcptrace")), "-l", "-n", unpacked],
        capture_output=True,
        text=True,
        check=True,
    )
    # Each line has both directions of a connection.
    return [
        sum(int(x) for x in re.findall(rf"{what}:\s+(\d+)", run.stdout))
        for what in ("rexmt data pkts", "outoforder pkts")
    ]


def _table(tmp_path: Path) -> str:
    head = [
        "capture", "sent again", "spurious", "airtcp: sent again", "out of order", "duplicates",
        "spurious", "tshark: sent again", "out of order", "spurious", "tcptrace: sent again",
        "out of order",
    ]  # fmt: skip
    rows = [head, ["---"] * len(head)]
    for end in ("sender", "receiver"):
        for name in TRANSFERS:
            path = DATA / name / f"{end}.pcap.gz"
            sent = [row for row in _truth(name) if end == "sender" or row[3] == "1"]
            keys = (
                "retransmitted_segments", "out_of_order", "network_duplicates",
                "spurious_retransmissions",
            )  # fmt: skip
            uploads = _uploads(path)
            numbers = [len(sent), sum(row[4] == "1" for row in sent)]
            numbers += [sum(upload[key] for upload in uploads) for key in keys]
            flags = ("retransmission", "out_of_order", "spurious_retransmission")
            numbers += [_tshark(path, flag) for flag in flags]
            numbers += _tcptrace(path, tmp_path / "unpacked.pcap")
            rows.append([f"{name}, {end}", *map(str, numbers)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


@pytest.mark.skipif(
    not (shutil.which("tshark") and shutil.which("tcptrace")), reason="needs tshark and tcptrace"
)
def test_the_page_has_what_other_programs_say(tmp_path: Path) -> None:
    """The table of the page is that of the programs installed here."""
    page = PAGE.read_text()
    shown = page.split("<!-- peers -->\n")[1].split("<!-- end of peers -->")[0].strip()
    fresh = _table(tmp_path)
    assert shown == fresh, f"the table of {PAGE.name} is:\n{fresh}"


def test_a_simulated_transfer_is_read_as_it_was(tmp_path: Path) -> None:
    """The analysis of airtcp's own capture agrees with the counters of the run."""
    for law in ("reno", "cubic", "bbr"):
        place = tmp_path / f"{law}.pcapng"
        overrides = {"duration": "30 s", "flows[0].tcp": {"congestion": law}}
        scenario = ROOT / "scenarios/lossy-link.toml"
        run = airtcp.run(scenario, replications=1, pcap=place, overrides=overrides)
        flow = run.json["replications"][0]["flows"][0]
        (connection,) = airtcp.capture(place)["connections"]
        upload = connection["directions"][0]
        assert connection["vantage"] == "client"
        assert upload["retransmitted_segments"] == flow["retransmissions"] > 0
        assert upload["timeouts"] == flow["timeouts"]
        assert upload["out_of_order"] == upload["network_duplicates"] == 0


def test_the_guide_shows_a_capture(tmp_path: Path, program: list[str]) -> None:
    """The commands of the guide print what it shows."""
    page = (ROOT / "docs/guide/captures.md").read_text("utf-8")
    commands, shown = page.split("```\n")[1:4:2]
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    printed = ""
    for command in commands.splitlines():
        arguments = shlex.split(command.removeprefix("airtcp"))
        printed = on_a_terminal([*program, *arguments], tmp_path)
    assert printed.strip() == shown.strip()


def test_events_are_a_table() -> None:
    """With --events --format csv, each retransmission is a row."""
    path = DATA / "loss" / "sender.pcap.gz"
    run = subprocess.run(
        [ROOT / ".venv/bin/airtcp", "capture", path, "--events", "--format", "csv"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = run.stdout.splitlines()
    assert lines[0].startswith("time_s,connection,from,sequence,length,cause,spurious,")
    assert len(lines) == 1 + len(_truth("loss"))


def test_standard_input() -> None:
    """A capture comes through a pipe as from a file."""
    data = gzip.decompress((DATA / "loss" / "sender.pcap.gz").read_bytes())
    command = [ROOT / ".venv/bin/airtcp", "capture", "-", "--json"]
    piped = subprocess.run(command, input=data, capture_output=True, check=True)
    document = json.loads(piped.stdout)
    assert document["connections"] == airtcp.capture(DATA / "loss/sender.pcap.gz")["connections"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A file that is no capture is named with its kind and what is accepted."""
    place = tmp_path / "picture.png"
    place.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(airtcp.TraceError, match="a PNG picture; expected pcap and pcapng captures"):
        airtcp.capture(place)
    with pytest.raises(airtcp.TraceError, match="No such file"):
        airtcp.capture(tmp_path / "none.pcap")
