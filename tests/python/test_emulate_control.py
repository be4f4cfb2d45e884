"""`airtcp-live emulate --control`: a scenario that changes while real packets pass it."""

from __future__ import annotations

import csv
import io
import json
import stat
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Final

import pytest

from live_program import live
from test_emulate import LINK, needs_namespaces, needs_program, refused, start, until

if TYPE_CHECKING:
    from pathlib import Path

ECHO: Final = """
import socket
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.bind(("", 7000))
while True:
    here.sendto(*here.recvfrom(2000))
"""
SEND: Final = """
import socket, sys, time
there = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
there.connect(("server", 7000))
for _ in range(int(sys.argv[1])):
    there.send(bytes(56))
    open(sys.argv[2], "w").close()
    time.sleep(0.02)
time.sleep(0.3)
"""


def exchange(folder: Path, count: int) -> list[str]:
    """Return arguments: the client sends a datagram each 20 ms, and the server sends it back.

    The client makes the file `begun` when it does.
    """
    (folder / "echo.py").write_text(ECHO, "utf-8")
    server = f"{sys.executable} {folder / 'echo.py'}"
    client = [sys.executable, "-c", SEND, str(count), str(folder / "begun")]
    return ["--server", server, "--", *client]


def airtcp_with_live() -> list[str]:
    """Return the command line of airtcp, with the program under test."""
    code = f"""
from airtcp.cli import continued
continued.program = lambda: {live()!r}
from airtcp.__main__ import main
main()
"""
    return [sys.executable, "-c", code]


def fates(text: str) -> list[dict[str, str]]:
    """Return the lines of a loss log."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@needs_namespaces
def test_changes_take_effect_are_answered_and_meet_the_same_fates_again(
    tmp_path: Path,
) -> None:
    control, log, record = (tmp_path / name for name in ("control", "fates.tsv", "arrivals"))
    lines = (
        "set links[0].delay=60 ms",
        "set links[0].loss.probability=1",
        "set links[0].mtu=500 B",
        "set links.0.rate=5 Mb/s",
        "faster!",
        "set links[0].loss.probability=0",
    )
    modes: list[int] = []

    def write() -> None:
        # On a busy machine, packets begin to pass long after the pipe is there.
        until((tmp_path / "begun").exists)
        modes.append(control.stat().st_mode)
        for line in lines:
            time.sleep(0.25)
            with control.open("w", encoding="utf-8") as pipe:
                pipe.write(line + "\n")

    writer = threading.Thread(target=write)
    writer.start()
    options = ("--control", control, "--loss-log", log, "--record", record)
    base = ("--set", "links[0].delay=5 ms", "--set", "links[0].loss.probability=0")
    done = start(LINK, *base, *options, *exchange(tmp_path, 110))
    writer.join()
    assert done.returncode in {0, 3}, done.stderr
    assert stat.S_ISFIFO(modes[0])
    assert stat.S_IMODE(modes[0]) == 0o600
    assert not control.exists()
    said = [line for line in done.stderr.splitlines() if line.startswith("airtcp emulate, ")]
    answers = [line.partition(" s: ")[2] for line in said]
    assert [answers[i] for i in (0, 1, 5)] == [lines[0], lines[1], lines[5]]
    assert answers[2].startswith("nothing changed: links[0].mtu: cannot change while the link runs")
    assert answers[3].endswith("an element of a list has its number in brackets: links[0].rate")
    assert '"faster!" is no change: expected such as set links[0].rate=5 Mb/s' in answers[4]
    # The delay doubles for both directions, and all is lost for a while in one.
    times = [float(line.split()[2]) for line in said]
    log_lines = fates(log.read_text("utf-8"))
    for one in log_lines:
        entered = float(one["entered_s"])
        took = float(one["left_s"]) - entered
        if one["fate"] == "delivered" and not times[0] - 0.01 < entered < times[0] + 0.001:
            assert abs(took - (0.005 if entered < times[0] else 0.06)) < 0.002
        dark = one["port"] == "sender" and times[1] < entered < times[5]
        if not any(abs(entered - when) < 0.002 for when in (times[1], times[5])):
            assert (one["fate"] == "loss") == dark, one
    assert sum(one["fate"] == "loss" for one in log_lines) > 10
    again = subprocess.run(
        [live() or "", "replay", LINK, *base, record], capture_output=True, text=True, check=True
    )
    assert fates(again.stdout) == log_lines
    # The same by the name of a run.
    run = [*airtcp_with_live(), "run", LINK, *base, "--arrivals", record]
    named = subprocess.run(run, capture_output=True, text=True, check=True)
    assert named.stdout == again.stdout


@pytest.mark.parametrize("unfit", [("--pcap", "x.pcapng"), ("--json",), ("-n", "3")])
def test_options_of_a_simulated_run_are_refused_beside_arrivals(
    unfit: tuple[str, ...], program: list[str]
) -> None:
    words = [*program, "run", str(LINK), "--arrivals", "absent", *unfit]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--arrivals prints the fate of each packet, and --" in done.stderr


@needs_namespaces
def test_lines_from_standard_input(tmp_path: Path) -> None:
    document = tmp_path / "run.json"
    command = [live() or "", "emulate", LINK, "--for", "0.6", "--control", "-", "--json", document]
    text = "# slower\nset links[0].rate=1 Mb/s\n" + "x" * 5_000 + "\nset links[0].delay=9 ms"
    done = subprocess.run(
        list(map(str, command)), input=text, capture_output=True, text=True, check=False, timeout=30
    )
    assert "s: set links[0].rate=1 Mb/s\n" in done.stderr
    assert "nothing changed: a line has more than 4096 bytes" in done.stderr
    assert json.loads(document.read_text("utf-8"))["ended"] == "time-over"


@needs_program
def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    refused(start(LINK, "--control", "-", "--", "true"), "--control -", "give a path")
    mine = tmp_path / "mine"
    mine.write_text("text", "utf-8")
    refused(start(LINK, "--control", mine, "--", "true"), "is no named pipe", "mkfifo")
    assert mine.read_text("utf-8") == "text"


@needs_namespaces
def test_a_rate_file_and_blackouts_of_a_scenario_come_at_their_times(tmp_path: Path) -> None:
    """The times of the loss log are those of the model."""
    (tmp_path / "rate").write_text("".join(f"{ms}\n" for ms in (10, 20, 30, 100)), "utf-8")
    scenario = tmp_path / "schedules.toml"
    scenario.write_text(
        'links = [{ from = "a", to = "b", rate = { trace = "rate" }, delay = "3 ms", '
        'loss = { model = "blackout", period = "200 ms", duration = "50 ms", phase = "0 s" } }]\n',
        "utf-8",
    )
    log = tmp_path / "fates.tsv"
    done = start(scenario, "--loss-log", log, *exchange(tmp_path, 60))
    assert done.returncode in {0, 3}, done.stderr
    lines = fates(log.read_text("utf-8"))
    delivered = [one for one in lines if one["fate"] == "delivered"]
    assert len(delivered) > 20
    for one in delivered:
        # Packets leave at an opportunity of the file, which repeats after 100 ms, and travel 3 ms.
        gone = round((float(one["left_s"]) - 0.003) * 1e6) % 100_000
        assert gone in {10_000, 20_000, 30_000, 0}, one
    sent = [one for one in lines if one["port"] == "a"]
    lost = [one for one in sent if one["fate"] == "loss"]
    assert len(lost) > 5
    # A transmission begins at the arrival, or at the end of the one before, 70 ms later at most.
    dark = [round(float(one["entered_s"]) * 1e3) % 200 for one in lost]
    assert all(ms < 50 or ms >= 130 for ms in dark), dark
