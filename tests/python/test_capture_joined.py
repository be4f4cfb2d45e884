"""Captures of the air joined with those of hosts, and delivery traces, from the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import airtcp

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/capture/tests/data"
AIR, HOST = DATA / "joined-lossy/air.pcap.gz", DATA / "joined-lossy/host.pcap.gz"


def test_the_link_types_show_which_is_which() -> None:
    """Files in any order give the same as --air and --host."""
    document = airtcp.capture([HOST, AIR], events=True)
    told = airtcp.capture([], air=AIR, hosts=HOST, events=True)
    assert document["joined"] == told["joined"]
    (host,) = document["joined"]["hosts"]
    assert abs(host["clock"]["offset_s"]) <= host["clock"]["uncertainty_s"]
    causes = document["joined"]["timeout_causes"]
    assert sum(causes.values()) == len(document["joined"]["timeouts"]) == 14
    assert document["joined"]["packets"]
    # The connection is that of the host, once.
    (connection,) = document["connections"]
    assert connection["vantage"] == "client"
    assert connection["directions"][0]["timeouts"] == 14


def test_traces_are_read_by_study(tmp_path: Path, program: list[str]) -> None:
    """A trace of attempts has the loss of the link when it is read back."""
    place = tmp_path / "links.csv"
    command = [*program, "capture", str(AIR), "--trace-out", str(place), "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(run.stdout)
    links = airtcp.stats(place)["links"]
    assert len(links) == len(document["traces"]["traces"]) == 2
    for trace, link in zip(document["traces"]["traces"], links, strict=True):
        assert link["packets"] == trace["outcomes"]
        assert abs(link["prr"] - trace["delivered"]) < 1e-9
    # An existing file stays unless --force is given.
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode != 0
    assert "--force" in again.stderr
    subprocess.run([*command, "--force"], capture_output=True, check=True)


def test_the_terminal_says_what_was_joined(program: list[str]) -> None:
    """The answer has the wait, the losses of the link and the timeouts; the details the clock."""
    command = [*program, "capture", str(AIR), str(HOST)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    said = " ".join(run.stdout.split())
    assert said.startswith("Packets of host.pcap.gz waited 0.214 ms for the air (median), and the")
    assert "7 of 14 timeouts came because the last attempt of the link failed." in said
    assert "Clock of host" not in run.stdout
    whole = subprocess.run([*command, "--details"], capture_output=True, text=True, check=True)
    for words in ("the air", "Clock of host.pcap.gz", "14 timeouts. 7 after the last attempt"):
        assert words in " ".join(whole.stdout.split()), whole.stdout
