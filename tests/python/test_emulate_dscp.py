"""`airtcp-live emulate` of a cell with `dscp`: real packets are served by their DSCP."""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING, Final

import pytest

import airtcp
from test_emulate import emulate, needs_namespaces, needs_program, refused, start
from test_emulate_ends import frames_of

if TYPE_CHECKING:
    from pathlib import Path

CELL: Final = """
duration = "60 s"
[[cells]]
standard = "802.11a"
rate = "12 Mb/s"
layout = {{ kind = "star", stations = 1, radius_m = 5 }}
mac.access = "{access}"
queue = {{ kind = "drop-tail", packets = 100 }}
{keys}
[[flows]]
from = "ap"
to = "sta0"
"""
# Two calls of 100 packets a second with the DSCP of EF, beside more than the cell carries: a tenth
# of them passes a full queue without the key.
SEND: Final = """
import socket, time
def to(family, option, level, dscp):
    one = socket.socket(family, socket.SOCK_DGRAM)
    one.setsockopt(level, option, dscp << 2)
    one.connect(("server", 7000))
    return one
flood = to(socket.AF_INET, socket.IP_TOS, socket.IPPROTO_IP, 0)
calls = [
    (300, to(socket.AF_INET, socket.IP_TOS, socket.IPPROTO_IP, 46)),
    (320, to(socket.AF_INET6, socket.IPV6_TCLASS, socket.IPPROTO_IPV6, 46)),
]
begin = time.monotonic()
for n in range(4000):
    time.sleep(max(0, begin + n / 2000 - time.monotonic()))
    flood.send(bytes(1172))
    if n % 20 == 0:
        for length, call in calls:
            call.send(bytes(length - (28 if length == 300 else 48)))
time.sleep(0.5)
"""
HEAR: Final = """
import socket
here = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
here.bind(("::", 7000))
while True:
    here.recv(2000)
"""
FLOOD: Final = "1200"
CALLS: Final = ("300", "320")


def delays(folder: Path, keys: str) -> dict[str, float]:
    """Return the median time in the model of the packets that were delivered, by their length."""
    scenario = folder / "cell.toml"
    scenario.write_text(CELL.format(access="edca", keys=keys), "utf-8")
    server = folder / "hear.py"
    server.write_text(HEAR, "utf-8")
    words = ("--server", f"{sys.executable} {server}", "--", sys.executable, "-c", SEND)
    done = emulate(folder, scenario, *words)
    # What the receiver gets has the DSCP that it was sent with: EF, without ECN.
    expedited = bytes.fromhex("080045b8")
    assert sum(frame[12:16] == expedited for *_, frame in frames_of(done.pcap)) >= 50
    found: dict[str, list[float]] = {}
    for one in done.fates:
        if one["port"] == "sta0" and one["fate"] == "delivered":
            took = float(one["left_s"]) - float(one["entered_s"])
            found.setdefault(one["length"], []).append(took)
    assert all(len(found.get(length, [])) > 5 for length in (FLOOD, *CALLS))
    return {length: median(times) for length, times in found.items()}


@needs_namespaces
def test_real_packets_are_served_by_their_dscp(tmp_path: Path) -> None:
    with_key = delays(tmp_path, "dscp = true")
    without = delays(tmp_path, "")
    for call in CALLS:
        assert 5 * with_key[call] < with_key[FLOOD], with_key
        assert 2 * without[call] > without[FLOOD], without


@needs_program
@pytest.mark.parametrize(
    ("access", "keys", "said"),
    [
        ("dcf", "dscp = true", 'mac.access is "dcf": set mac.access = "edca"'),
        ("edca", 'dscp = true\nschemes = [{ scheme = "same-category" }]', "omit one of them"),
    ],
)
def test_a_key_without_meaning_is_refused(
    tmp_path: Path, access: str, keys: str, said: str
) -> None:
    scenario = tmp_path / "cell.toml"
    scenario.write_text(CELL.format(access=access, keys=keys), "utf-8")
    refused(start(scenario, "--", "true"), "cells[0].dscp", said)


def test_a_run_without_real_packets_refuses_it(tmp_path: Path) -> None:
    scenario = tmp_path / "cell.toml"
    scenario.write_text(CELL.format(access="edca", keys="dscp = true"), "utf-8")
    with pytest.raises(airtcp.ScenarioError, match="dscp: is for real packets"):
        airtcp.run(scenario, replications=1)
