"""`airtcp-live emulate`: real programs over a scenario, and what its files say about their packets.

Each run has network namespaces of its own, which end with the run. The tests check no time and no
validity of a run, because both depend on the load of the machine.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import airtcp
from live_program import live

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).resolve().parents[2]
LINK: Final = ROOT / "scenarios" / "lossy-link.toml"
CELL: Final = ROOT / "scenarios" / "wifi6-home.toml"
LOSS: Final = 0.01
"""Loss probability of LINK."""
FILE_BYTES: Final = 3_000_000
NOBODY: Final = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

# It reads the whole file, and waits until the last ACKs have passed the link.
FETCH: Final = """
import sys, time, urllib.request
for _ in range(100):
    try:
        size = len(urllib.request.urlopen("http://server:8000/file", timeout=20).read())
        break
    except OSError:
        time.sleep(0.1)
print(size)
time.sleep(0.5)
"""


def lacking(*wrap: str) -> str | None:
    """Return what keeps this machine from running an emulation."""
    if not sys.platform.startswith("linux"):
        return "needs Linux"
    if live() is None:
        return "needs the program airtcp-live (cargo build -p airtcp-live)"
    needed = ["ip", "unshare", *wrap[:1]]
    if absent := [name for name in needed if not shutil.which(name)]:
        return f"needs {', '.join(absent)}"
    own = ["-n"] if os.geteuid() == 0 and not wrap else ["-r", "-n"]
    probe = [*wrap, "unshare", *own, "ip", "link", "add", "one0", "type", "veth"]
    tried = subprocess.run(probe, text=True, capture_output=True, check=False)
    if tried.returncode == 0:
        return None
    said = tried.stderr.strip().splitlines() or ["no reason given"]
    return f"needs root or user namespaces: {said[0]}"


needs_program = pytest.mark.skipif(live() is None, reason="needs airtcp-live (cargo build)")
needs_namespaces = pytest.mark.skipif(lacking() is not None, reason=lacking() or "")
needs_iperf3 = pytest.mark.skipif(shutil.which("iperf3") is None, reason="needs iperf3")


@dataclass(frozen=True)
class Emulated:
    """A run: exit code and output, the document, and the lines of the loss log."""

    code: int
    out: str
    err: str
    document: dict[str, Any]
    fates: list[dict[str, str]]
    pcap: Path


def start(*words: str | Path, wrap: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run `airtcp-live emulate`."""
    command = [*wrap, live() or "", "emulate", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def emulate(folder: Path, scenario: Path, *words: str, wrap: tuple[str, ...] = ()) -> Emulated:
    """Run an emulation with all its files.

    The exit code is 3, and the document and the text say so, exactly if the run is not valid.
    """
    files = {name: folder / name for name in ("run.json", "fates.tsv", "all.pcapng")}
    options = ["--json", files["run.json"], "--loss-log", files["fates.tsv"]]
    done = start(scenario, *options, "--pcap", files["all.pcapng"], *words, wrap=wrap)
    document = json.loads(files["run.json"].read_text("utf-8"))
    assert (document["valid"] is False) == (done.returncode == 3) == ("NOT valid" in done.stderr)
    assert (document["problem"] is None) == document["valid"]
    with files["fates.tsv"].open(encoding="utf-8") as lines:
        fates = list(csv.DictReader(lines, delimiter="\t"))
    return Emulated(done.returncode, done.stdout, done.stderr, document, fates, files["all.pcapng"])


def fetched(folder: Path, **values: str) -> Emulated:
    """Download a file over LINK with these values, to its end."""
    (folder / "file").write_bytes(os.urandom(FILE_BYTES))
    words = [word for key, value in values.items() for word in ("--set", f"links[0].{key}={value}")]
    serve = f"{sys.executable} -m http.server 8000 --directory {folder}"
    fetch = ("--server", serve, "--", sys.executable, "-c", FETCH)
    return emulate(folder, LINK, *words, *fetch)


@pytest.fixture(scope="module")
def download(tmp_path_factory: pytest.TempPathFactory) -> Emulated:
    """A download over a link with losses at random."""
    return fetched(tmp_path_factory.mktemp("emulate"), delay="5 ms", rate="20 Mb/s")


@pytest.fixture(scope="module")
def overflow(tmp_path_factory: pytest.TempPathFactory) -> Emulated:
    """A download whose queue overflows."""
    folder = tmp_path_factory.mktemp("overflow")
    queue = '{ kind = "drop-tail", packets = 20 }'
    return fetched(folder, delay="5 ms", rate="20 Mb/s", queue=queue, loss='{ model = "none" }')


@needs_namespaces
def test_the_download_is_whole_and_standard_output_is_that_of_the_command(
    download: Emulated,
) -> None:
    assert download.out == f"{FILE_BYTES}\n"
    assert download.document["ended"] == "command-ended"


@needs_namespaces
def test_the_loss_log_has_the_counts_of_the_document(download: Emulated) -> None:
    packets = download.document["packets"]
    lines = Counter((one["fate"], one["place"]) for one in download.fates)
    rows = {(row["fate"], row["place"]): row["packets"] for row in download.document["fates"]}
    assert lines == rows
    delivered = sum(n for (fate, _), n in lines.items() if fate in {"delivered", "marked"})
    assert delivered == packets["delivered"]
    assert lines.total() - delivered == packets["dropped"]
    assert packets["lost_by_rings"] == packets["cut"] == packets["stray"] == 0
    # All bytes of the packets that were delivered at a port, with the header of Ethernet.
    for port in download.document["ports"]:
        lengths = [
            int(one["length"]) + 14
            for one in download.fates
            if one["place"] == port["node"] and one["fate"] == "delivered"
        ]
        assert (len(lengths), sum(lengths)) == (port["frames"], port["bytes"])


@needs_namespaces
def test_the_link_loses_the_share_of_its_model(download: Emulated) -> None:
    """A binomial interval: the loss model decides each packet independently."""
    sent = [one for one in download.fates if one["port"] == "sender"]
    fates = Counter(one["fate"] for one in sent)
    tries = fates["delivered"] + fates["loss"]
    assert tries > FILE_BYTES / 1448
    # Four standard deviations: outside in one of 16,000 correct programs.
    spread = 4 * sqrt(tries * LOSS * (1 - LOSS))
    assert abs(fates["loss"] - tries * LOSS) < spread
    assert not [one for one in download.fates if one["port"] != "sender" and one["fate"] == "loss"]


@needs_namespaces
def test_a_delivered_packet_takes_at_least_its_time_on_the_link(download: Emulated) -> None:
    """Times of the model: serialization and propagation, however late the program was."""
    for one in download.fates:
        took = float(one["left_s"]) - float(one["entered_s"])
        if one["fate"] == "delivered":
            assert took >= 0.005 + 8 * int(one["length"]) / 20e6 - 1e-8


@dataclass
class Way:
    """Data segments of one end: sent, not delivered, and with bytes only that were sent before."""

    sent: int = 0
    lost: int = 0
    again: int = 0


def logged(fates: list[dict[str, str]], port: str) -> Way:
    """Count the data segments that entered at a port, by the loss log.

    Packets of a flow that are longer than an ACK with three SACK blocks have data; their TCP header
    has the option of timestamps, 52 bytes with that of IPv4.
    """
    way, last = Way(), dict[str, int]()
    for one in sorted(fates, key=lambda one: float(one["entered_s"])):
        if one["port"] == port and one["flow"] != "0" and int(one["length"]) > 100:
            end = int(one["seq"]) + int(one["length"]) - 52
            before = last.setdefault(one["flow"], int(one["seq"]))
            # Sequence numbers wrap.
            ahead = (end - before + 2**31) % 2**32 - 2**31
            way.sent += 1
            way.lost += one["fate"] not in {"delivered", "marked"}
            way.again += ahead <= 0
            last[one["flow"]] = before + max(ahead, 0)
    return way


def compared(document: dict[str, Any], sender: str) -> Way:
    """Count the data segments of a sender, by the comparison of both interfaces of a capture."""
    ways = [way for one in document["between"] for way in one["directions"]]
    own = [way for way in ways if way["from"].startswith(sender)]
    keys = ("sent", "lost", "retransmissions")
    return Way(*(sum(way[key] for way in own) for key in keys))


@needs_namespaces
@pytest.mark.parametrize("run", ["download", "overflow"])
def test_the_capture_agrees_with_the_loss_log(run: str, request: pytest.FixtureRequest) -> None:
    """Exactly, in both directions: the capture has each packet at the port where it entered."""
    done: Emulated = request.getfixturevalue(run)
    document = airtcp.capture(done.pcap).json
    packets = done.document["packets"]
    frames = packets["entered"] + packets["delivered"] + 2 * packets["beside"]
    assert sum(file["packets"] for file in document["files"]) == frames
    # In the order of their first packets.
    names = sorted(point["interfaces"] for point in document["points"])
    assert names == [["receiver"], ["sender"]]
    # The first node has the address that ends in 1.
    ways = {"sender": "10.77.0.1:", "receiver": "10.77.0.2:"}
    for port, address in ways.items():
        assert compared(document, address) == logged(done.fates, port)
    data = compared(document, ways["sender"])
    assert data.sent > FILE_BYTES / 1448
    assert data.lost > 0
    # The interface of the sender alone shows the same retransmissions.
    alone = airtcp.capture(done.pcap, interface="sender").json
    assert "points" not in alone
    ends = [one for all_of in alone["connections"] for one in all_of["directions"]]
    own = [one for one in ends if one["from"].startswith(ways["sender"])]
    assert sum(one["data_segments"] for one in own) == data.sent
    assert sum(one["retransmitted_segments"] for one in own) == data.again


@needs_namespaces
def test_the_answer_names_the_interfaces(download: Emulated, program: list[str]) -> None:
    listed = [*program, "capture", str(download.pcap)]
    done = subprocess.run(listed, capture_output=True, text=True, check=True)
    said = " ".join(done.stdout.split())
    assert "lost between sender and receiver." in said
    assert " are interfaces of one file with the same packets; --interface takes one alone." in said
    other = [*listed, "--interface", "eth0"]
    absent = subprocess.run(other, capture_output=True, text=True, check=False)
    assert absent.returncode == 2
    assert "no interface 'eth0'; it has sender, receiver" in absent.stderr


@needs_namespaces
def test_lateness_is_reported(download: Emulated) -> None:
    late = download.document["lateness"]
    assert late["frames"] == download.document["packets"]["delivered"]
    assert 0 <= late["p50_s"] <= late["p99_s"] <= late["p99_9_s"] <= 1.01 * late["max_s"]
    # The path takes 10 ms: the bound is the larger of 300 us and a twentieth.
    assert download.document["base_rtt_s"] == pytest.approx(0.01, rel=0.05)
    assert late["bound_s"] == pytest.approx(download.document["base_rtt_s"] / 20)
    assert download.document["priority"] in download.err


@needs_namespaces
@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("exit 0", 0), ("kill -9 $$", 137)])
def test_the_exit_status_of_the_command_passes(tmp_path: Path, script: str, code: int) -> None:
    done = emulate(tmp_path, LINK, "--", "sh", "-c", f"echo said; {script}")
    assert done.out == "said\n"
    assert done.code == (code if done.document["valid"] else 3)


@needs_namespaces
@pytest.mark.skipif(lacking(*NOBODY) is not None, reason=lacking(*NOBODY) or "")
def test_another_user_needs_no_privilege() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        scenario = Path(shutil.copy(LINK, folder))
        scenario.chmod(0o644)
        done = emulate(folder, scenario, "--", "echo", "said", wrap=tuple(NOBODY))
    assert done.out == "said\n"
    assert done.code == (0 if done.document["valid"] else 3)


@needs_namespaces
@pytest.mark.parametrize("wrap", [[], NOBODY], ids=["root", "another user"])
def test_the_printed_line_enters_a_node(wrap: list[str]) -> None:
    if (why := lacking(*wrap)) is not None:
        pytest.skip(why)
    with tempfile.TemporaryDirectory() as name:
        scenario = Path(shutil.copy(LINK, name))
        Path(name).chmod(0o755)
        scenario.chmod(0o644)
        command = [*wrap, live() or "", "emulate", scenario, "--for", "20"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
            assert running.stderr is not None
            line = running.stderr.readline()
            enter = line.partition(": ")[2].removesuffix(" COMMAND\n").split()
            done = subprocess.run(
                [*wrap, *enter, "ip", "-br", "addr"], capture_output=True, text=True, check=False
            )
            running.kill()
    assert "10.77.0.1/24" in done.stdout, done.stderr


@needs_namespaces
@needs_iperf3
@pytest.mark.parametrize("version", ["-4", "-6"])
def test_a_cell_with_simulated_stations_carries_tcp(tmp_path: Path, version: str) -> None:
    """The download of the home is real, and the other flows of the scenario are simulated."""
    words = ("iperf3", version, "-c", "server", "-R", "-b", "10M", "-t", "1", "--json")
    done = emulate(tmp_path, CELL, "--", *words)
    measured = json.loads(done.out)
    address = measured["start"]["connected"][0]["remote_host"]
    assert address == ("10.77.0.1" if version == "-4" else "fd77::1")
    received = measured["end"]["sum_received"]["bytes"]
    assert received > 100_000
    delivered = sum(int(one["length"]) for one in done.fates if one["place"] == "console")
    assert delivered > received
    assert {port["node"] for port in done.document["ports"]} == {"ap", "console"}


def refused(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    """Check for exit code 2 and one line."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


@needs_namespaces
def test_a_command_that_is_not_there_is_one_line() -> None:
    refused(start(LINK, "--", "no-such-program"), "no-such-program")


@needs_program
def test_a_scenario_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    refused(start(tmp_path / "absent.toml", "--", "true"), "absent.toml")
    trace = ROOT / "demo" / "synthetic-good.txt.gz"
    refused(start(trace, "--", "true"), "synthetic-good.txt.gz", "expected a scenario")


@needs_program
def test_an_agent_that_no_real_sender_can_obey_is_refused(tmp_path: Path) -> None:
    scenario = tmp_path / "agent.toml"
    scenario.write_text(CELL.read_text("utf-8") + 'schemes = [{ scheme = "snoop" }]\n', "utf-8")
    refused(start(scenario, "--", "true"), "agent.toml", "cells[0].schemes", "snoop")
    scenario.write_text(CELL.read_text("utf-8").replace('to = "console"', 'to = "phone"'), "utf-8")
    notices = ("--set", "flows[0].tcp.loss_notification=oracle", "--", "true")
    refused(start(scenario, *notices), "flows[0].tcp.loss_notification", "take the key out")
    # In the file, the line is named; the table is that of the flow between the two nodes.
    phone = 'to = "phone"'
    text = CELL.read_text("utf-8").replace(
        phone, f'{phone}, tcp = {{ loss_notification = "oracle" }}'
    )
    ends = "".join(f'[[outside]]\nnode = "{node}"\n' for node in ("ap", "phone"))
    scenario.write_text(text + ends, "utf-8")
    line = 1 + next(n for n, row in enumerate(text.splitlines()) if "oracle" in row)
    place = f"agent.toml:{line}: flows[4].tcp.loss_notification"
    refused(start(scenario, "--", "true"), place, "take the key out")


@needs_program
def test_a_key_that_is_wrong_names_the_option_or_the_file(tmp_path: Path) -> None:
    refused(start(LINK, "--set", "links[0].dealy=1 ms", "--", "true"), "links[0].dealy=1 ms: ")
    scenario = tmp_path / "wrong.toml"
    scenario.write_text(LINK.read_text("utf-8").replace("delay", "dealy"), "utf-8")
    refused(start(scenario, "--set", "seed=2", "--", "true"), "wrong.toml:", "dealy")


def children(process: int) -> list[int]:
    """Return the processes that a process started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    return [int(one) for one in listed.split()]


def names(folder: str) -> set[str]:
    """Return the names in a folder."""
    return {one.name for one in Path(folder).iterdir()}


def until(condition: Callable[[], bool]) -> bool:
    """Wait for a condition, at most 20 s."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def space(process: int | str) -> int | None:
    """Return the network namespace of a process that still runs."""
    try:
        return Path(f"/proc/{process}/ns/net").stat().st_ino
    except OSError:
        return None


@needs_namespaces
def test_kill_leaves_no_process_no_interface_and_no_namespace() -> None:
    interfaces = names("/sys/class/net")
    command = [live() or "", "emulate", str(LINK), "--server", "sleep 60", "--", "sleep", "60"]
    tool = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    own = space(os.getpid())
    try:
        # Children have left the namespace of the tests once their program runs.
        assert until(
            lambda: (
                len(found := children(tool.pid)) == 2
                and all(space(one) not in {own, None, space(tool.pid)} for one in found)
            )
        )
        programs = children(tool.pid)
        spaces = {space(tool.pid), *map(space, programs)}
        assert len(spaces) == 3
        assert own not in spaces
    finally:
        tool.send_signal(signal.SIGKILL)
        tool.wait()
    assert until(lambda: not any(Path(f"/proc/{one}").exists() for one in programs))
    processes = [name for name in names("/proc") if name.isdigit()]
    assert not [one for one in processes if space(one) in spaces]
    left = names("/sys/class/net") - interfaces
    assert not [name for name in left if name.startswith(("air", "port"))]
    assert not [
        n for n in spaces if f"net:[{n}]" in Path("/proc/self/mountinfo").read_text("utf-8")
    ]
