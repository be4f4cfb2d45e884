"""Captures read by other programs: tshark and tcptrace agree with the simulator's counts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import airtcp

if TYPE_CHECKING:
    from pathlib import Path

BERNOULLI = '{{ model = "bernoulli", probability = {} }}'

# Name, loss forward, loss back, TCP, application.
CASES = [
    ("sack", 0.02, 0.0, 'recovery = "sack"', ""),
    ("newreno", 0.05, 0.0, 'recovery = "newreno"', ""),
    ("tahoe", 0.03, 0.0, 'recovery = "tahoe"', ""),
    ("timeouts", 0.2, 0.0, "", ""),
    ("linux", 0.05, 0.05, 'profile = "linux"', ""),
    ("whole", 0.01, 0.0, 'profile = "linux"', 'app = { kind = "bulk", size = "1 MB" }'),
]


def scenario(loss: float, back: float, tcp: str, app: str) -> str:
    return f"""
        duration = "20 s"
        [[links]]
        from = "a"
        to = "b"
        rate = "10 Mb/s"
        delay = "20 ms"
        loss = {BERNOULLI.format(loss)}
        reverse = {{ loss = {BERNOULLI.format(back)} }}
        [[flows]]
        from = "a"
        to = "b"
        tcp = {{ {tcp} }}
        {app}
    """


def captured(case: tuple[str, float, float, str, str], path: Path) -> int:
    """Run a case, write its capture, and return the simulator's count of retransmissions."""
    name, *parts = case
    result = airtcp.run(name, text=scenario(*parts), pcap=path, seed=3)
    again = result.json["replications"][0]["flows"][0]["retransmissions"]
    assert again > 0
    return again


FIELDS = [
    "tcp.len",
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
    "tcp.options.sack.dsack",
    "ip.checksum.status",
    "tcp.checksum.status",
    "_ws.malformed",
    "_ws.expert.severity",
]
WARNING = 0x00600000
GOOD = "1"


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_tshark_agrees(
    tshark: str, tmp_path: Path, case: tuple[str, float, float, str, str]
) -> None:
    path = tmp_path / "run.pcapng"
    again = captured(case, path)
    checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    fields = [part for field in FIELDS for part in ("-e", field)]
    done = subprocess.run(
        [tshark, "-r", path, *checks, "-T", "fields", *fields],
        capture_output=True,
        text=True,
        check=True,
    )
    said = [line for line in done.stderr.splitlines() if "Running as user" not in line]
    assert said == []
    seen = Counter[str]()
    for line in done.stdout.splitlines():
        length, *marks, ip, tcp, malformed, severity = line.split("\t")
        assert (ip, tcp, malformed) == (GOOD, GOOD, "")
        retransmission, fast, spurious, out_of_order, dsack = (mark != "" for mark in marks)
        # A sender sends nothing out of order. tshark calls a retransmission so if it follows
        # the highest segment within the time of a round trip or 3 ms.
        seen["again"] += int(length) > 0 and (retransmission or fast or spurious or out_of_order)
        worst = max((int(value) for value in severity.split(",") if value), default=0)
        # Its only other warning is the report of a duplicate (RFC 2883).
        assert worst < WARNING or out_of_order or dsack, line
    assert seen["again"] == again


def test_tcptrace_agrees(tmp_path: Path) -> None:
    tcptrace, editcap = shutil.which("tcptrace"), shutil.which("editcap")
    if tcptrace is None or editcap is None:
        pytest.skip("no tcptrace or no editcap on this machine: install tcptrace, wireshark-common")
    for case in CASES:
        path, plain = tmp_path / "run.pcapng", tmp_path / "run.pcap"
        again = captured(case, path)
        # tcptrace knows neither pcapng nor the link type of bare IPv4, only that of bare IP.
        subprocess.run([editcap, "-F", "pcap", "-T", "rawip", path, plain], check=True)
        done = subprocess.run(
            [tcptrace, "-l", "-n", plain], capture_output=True, text=True, check=True
        )
        counts = re.search(r"rexmt data pkts:\s+(\d+)\s+rexmt data pkts:\s+(\d+)", done.stdout)
        assert counts is not None, done.stdout
        assert counts.groups() == (str(again), "0"), case[0]
