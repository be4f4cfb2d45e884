"""`airtcp capture -i` and `airtcp diagnose -i`: captures as they happen, beside tcpdump.

Two namespaces with a veth pair between them, which a guard removes. Traffic is bounded.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import pytest

import airtcp
from live_program import live

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

NEAR: Final = "10.78.0.1"
FAR: Final = "10.78.0.2"
DEVICE: Final = "cap0"
NOBODY: Final = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
MEGABYTE: Final = 1_000_000

SERVER: Final = f"""
import socket
with socket.create_server(("{FAR}", 5000)) as server:
    print("ready", flush=True)
    peer = server.accept()[0]
    while peer.recv(65536):
        pass
    peer.close()
"""
CLIENT: Final = f"""
import socket, sys
with socket.create_connection(("{FAR}", 5000)) as sock:
    sock.sendall(bytes(int(sys.argv[1])))
    sock.shutdown(socket.SHUT_WR)
    sock.recv(1)
"""
FLOOD: Final = f"""
import socket, sys
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[1])):
    sock.sendto(bytes(20), ("{FAR}", 6000))
"""


def ip(*words: str) -> str:
    """Run `ip`, and return what it said if it failed."""
    command = [shutil.which("ip") or "ip", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stderr.strip() or "failed" if done.returncode else ""


def lacking() -> str | None:
    """Return what keeps this machine from these tests."""
    if live() is None:
        return "needs the program airtcp-live (cargo build -p airtcp-live)"
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "needs Linux and root"
    if not shutil.which("ip"):
        return "needs ip"
    name = f"cap-try-{os.getpid()}"
    if said := ip("netns", "add", name):
        return f"needs network namespaces: {said}"
    ip("netns", "del", name)
    return None


pytestmark = pytest.mark.skipif(lacking() is not None, reason=lacking() or "")
needs_tcpdump = pytest.mark.skipif(shutil.which("tcpdump") is None, reason="needs tcpdump")


@contextmanager
def background(command: list[str], **options: Any) -> Generator[subprocess.Popen[Any]]:
    """Run a program that ends with the block at the latest."""
    with subprocess.Popen(command, **options) as running:
        try:
            yield running
        finally:
            running.kill()


class Pair:
    """Two namespaces with an interface each."""

    def __init__(self) -> None:
        """Name them."""
        self.near, self.far = f"cap-near-{os.getpid()}", f"cap-far-{os.getpid()}"

    def make(self) -> None:
        """Make them, with the interfaces up."""
        for name in (self.near, self.far):
            assert not ip("netns", "add", name)
        batch = f"""
            link add {DEVICE} netns {self.near} type veth peer name {DEVICE} netns {self.far}
            netns exec {self.near} ip addr add {NEAR}/24 dev {DEVICE}
            netns exec {self.far} ip addr add {FAR}/24 dev {DEVICE}
            netns exec {self.near} ip link set {DEVICE} up
            netns exec {self.far} ip link set {DEVICE} up
        """
        for line in batch.strip().splitlines():
            assert not ip(*line.split())

    def remove(self) -> None:
        """Remove them, and the interfaces with them."""
        for name in (self.near, self.far):
            ip("netns", "del", name)

    def at(self, name: str, *words: str) -> list[str]:
        """Return a command that runs words in a namespace."""
        return ["ip", "netns", "exec", name, *words]

    def transfer(self, size: int) -> None:
        """Send bytes from near to far over TCP."""
        serve = self.at(self.far, sys.executable, "-c", SERVER)
        with background(serve, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            server.stdout.readline()
            send = self.at(self.near, sys.executable, "-c", CLIENT, str(size))
            subprocess.run(send, check=True, timeout=60)

    def flood(self, packets: int) -> None:
        """Send UDP packets from near to far, where nobody listens."""
        send = self.at(self.near, sys.executable, "-c", FLOOD, str(packets))
        subprocess.run(send, check=True, timeout=60)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """Two namespaces with a veth pair between them."""
    pair = Pair()
    try:
        pair.make()
        yield pair
    finally:
        pair.remove()


def environment() -> dict[str, str]:
    """Return the environment in which `airtcp` finds the built program."""
    return {**os.environ, "AIRTCP_LIVE": live() or ""}


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, at most 30 s."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextmanager
def started(
    pair: Pair, program: list[str], *words: str, pcap: Path
) -> Generator[subprocess.Popen[str]]:
    """Start airtcp on the interface near, and wait until it captures."""
    command = pair.at(pair.near, *program, *words, "-i", DEVICE, "--pcap", str(pcap))
    with background(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    ) as running:
        # The header of the file stands there once the ring is open.
        until(lambda: running.poll() is not None or (pcap.exists() and pcap.stat().st_size > 0))
        assert running.poll() is None, running.communicate()
        yield running


def ended(running: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[str, str]:
    """End it as Ctrl-C in a terminal does: the signal goes to all processes of the group."""
    time.sleep(0.3)
    os.killpg(running.pid, number)
    return running.communicate(timeout=60)


@needs_tcpdump
def test_the_counts_are_those_of_tcpdump(pair: Pair, program: list[str], tmp_path: Path) -> None:
    kept, beside = tmp_path / "kept.pcapng", tmp_path / "beside.pcap"
    # With short packets its memory holds many.
    words = ["-i", DEVICE, "-s", "160", "--immediate-mode", "-U", "-Z", "root"]
    dump = pair.at(pair.near, "tcpdump", *words, "-w", str(beside), "tcp")
    with (
        started(pair, program, "capture", "--json", pcap=kept) as running,
        background(dump, stderr=subprocess.PIPE, text=True) as tcpdump,
    ):
        said = tcpdump.stderr
        assert said is not None
        until(lambda: "listening" in said.readline())
        pair.transfer(MEGABYTE)
        out, err = ended(running)
        tcpdump.send_signal(signal.SIGINT)
        tcpdump.communicate(timeout=30)
    assert (running.returncode, err) == (0, "")
    told = json.loads(out)
    assert "\x1b" not in out
    other = airtcp.capture(beside).json
    assert told["files"][0]["path"] == DEVICE
    assert told["files"][0]["dropped_packets"] == 0
    assert told["files"][0]["tcp_segments"] == other["files"][0]["tcp_segments"] > 10
    counts = [
        [
            (way["from"], way["packets"], way["data_segments"], way["unique_bytes"])
            for one in document["connections"]
            for way in one["directions"]
        ]
        for document in (told, other, airtcp.capture(kept).json)
    ]
    assert counts[0] == counts[1] == counts[2]
    assert max(way[3] for way in counts[0]) == MEGABYTE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_capture_with_its_answer(
    pair: Pair, program: list[str], tmp_path: Path, number: int
) -> None:
    with started(pair, program, "capture", pcap=tmp_path / "kept.pcapng") as running:
        pair.transfer(MEGABYTE)
        out, err = ended(running, number)
    assert (running.returncode, err) == (0, "")
    assert f"{NEAR}:" in out
    assert "Mb/s" in out
    assert "stopped" not in out
    assert "\x1b" not in out


def test_the_time_ends_the_capture(pair: Pair, program: list[str], tmp_path: Path) -> None:
    kept = tmp_path / "kept.pcapng"
    with started(pair, program, "capture", "--for", "1.5 s", pcap=kept) as running:
        pair.transfer(MEGABYTE)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert f"{NEAR}:" in out
    # The file is not replaced unasked.
    words = [*program, "capture", "-i", DEVICE, "--pcap", str(kept)]
    again = subprocess.run(pair.at(pair.near, *words), capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert str(kept) in again.stderr


def test_an_answer_is_refreshed_on_a_terminal(pair: Pair, program: list[str]) -> None:
    """A terminal shows the connection before the end, and then the last answer in its place."""
    parent, child = pty.openpty()
    command = pair.at(pair.near, *program, "capture", "-i", DEVICE)
    environ = {**environment(), "TERM": "xterm", "COLUMNS": "100"}
    shown: list[bytes] = []

    def read() -> None:
        # A terminal whose other end is closed is an error on Linux.
        with suppress(OSError):
            while part := os.read(parent, 65_536):
                shown.append(part)

    def text() -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", b"".join(shown).decode())

    with background(command, stdin=child, stdout=child, stderr=child, env=environ) as running:
        os.close(child)
        reader = threading.Thread(target=read)
        reader.start()
        until(lambda: f"{DEVICE}: 1 s; Ctrl-C ends" in text())
        pair.transfer(MEGABYTE)
        until(lambda: f"{NEAR}:" in text())
        before = text()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 0
        reader.join(timeout=30)
    os.close(parent)
    assert b"\x1b[" in b"".join(shown)
    last = text().rpartition("Ctrl-C ends")[2]
    assert len(text()) > len(before)
    assert f"{NEAR}:" in last
    assert "All: --details" in last


def test_drops_of_the_kernel_are_counted(pair: Pair, tmp_path: Path) -> None:
    """The reader stands still, so that the ring of 4,096 frames overflows."""
    kept, packets = tmp_path / "kept.pcapng", 20_000
    command = pair.at(pair.near, live() or "", "record", DEVICE, "--ring", "1")
    with kept.open("wb") as file, background(command, stdout=file) as running:
        until(lambda: kept.stat().st_size > 0)
        pair.flood(100)
        running.send_signal(signal.SIGSTOP)
        pair.flood(packets)
        running.send_signal(signal.SIGCONT)
        pair.transfer(MEGABYTE)
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 0
    result = airtcp.capture(kept, series=True)
    (file_report,) = result.json["files"]
    dropped = file_report["dropped_packets"]
    assert dropped >= packets - 4096 - 64
    assert sum(one["packets"] for one in file_report["drops"]) == dropped
    udp = file_report["packets"] - file_report["tcp_segments"]
    # All datagrams are there or counted, beside ICMP, ARP and neighbour discovery.
    assert 0 <= udp + dropped - packets - 100 < 100
    said = result.answer().doubt or ""
    assert said.startswith("The capturing system dropped ")
    assert "what seems lost may have passed" in said
    # The page shades the time of the drops where it is that of a connection.
    (connection,) = result.json["connections"]
    begin, end = (connection["start_s"], connection["start_s"] + connection["duration_s"])
    beside = any(one["to_s"] > begin and one["from_s"] < end for one in file_report["drops"])
    assert ("In the shaded times" in result.page()) == beside


def test_diagnose_captures_too(pair: Pair, program: list[str], tmp_path: Path) -> None:
    kept = tmp_path / "kept.pcapng"
    with started(pair, program, "diagnose", "--json", "-n", "5", pcap=kept) as running:
        pair.transfer(MEGABYTE)
        out, _ = ended(running)
    assert running.returncode == 0
    document: dict[str, Any] = json.loads(out)
    assert document["paths"] == [str(kept)]
    assert document["observed"]["unique_bytes"] == MEGABYTE


def refused(pair: Pair, program: list[str], *words: str, wrap: tuple[str, ...] = ()) -> str:
    """Return the one line of a refusal."""
    command = pair.at(pair.near, *wrap, *program, *words)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(), timeout=60
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("command", ["capture", "diagnose"])
def test_what_cannot_be_captured_is_one_line(pair: Pair, program: list[str], command: str) -> None:
    absent = refused(pair, program, command, "-i", "nosuch0")
    assert "'nosuch0' does not exist; there are lo, " in absent
    assert DEVICE in absent
    assert "is down" in refused(pair, program, command, "-i", "lo")
    silent = refused(pair, program, command, "-i", DEVICE, "--for", "0.2 s")
    assert f"no packet passed {DEVICE}" in silent
    assert "above 0" in refused(pair, program, command, "-i", DEVICE, "--for", "0 s")
    assert "-i INTERFACE" in refused(pair, program, command)
    assert "-i INTERFACE" in refused(pair, program, command, "x.pcap", "--for", "1 s")


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
def test_without_privilege_the_remedy_is_named(pair: Pair) -> None:
    words = ["record", DEVICE]
    command = pair.at(pair.near, *NOBODY, live() or "", *words)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not permitted" in done.stderr
    assert "setcap cap_net_raw+ep" in done.stderr
