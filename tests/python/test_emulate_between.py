"""`airtcp-live emulate --between`: the model between two machines, which are namespaces here."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from live_program import live
from test_emulate import needs_namespaces, needs_program, refused, space, start, until

if TYPE_CHECKING:
    from collections.abc import Iterator

SCENARIO: Final = """
links = [{ from = "left", to = "right", rate = "20 Mb/s", delay = "10 ms" }]
"""
HOLD: Final = [shutil.which("unshare") or "", "-n", "sleep", "300"]
SIZE: Final = 300_000
MACS: Final = ("02:00:00:00:0a:01", "02:00:00:00:0a:02")
SERVE: Final = f"""
import socket
here = socket.create_server(("", 7000))
print("up", flush=True)
there, _ = here.accept()
there.sendall(bytes(range(250)) * {SIZE // 250})
there.close()
"""
FETCH: Final = """
import socket, sys
there = socket.create_connection(("10.9.0.1", 7000), timeout=20)
data = b"".join(iter(lambda: there.recv(65536), b""))
assert data == bytes(range(250)) * (len(data) // 250)
print(len(data))
"""
# A frame with tag 5, of an experimental EtherType, and what the kernel says of it at the other end.
TAGGED: Final = """
import socket, sys
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("eth0", 0))
macs = bytes.fromhex("02000000 0a02 02000000 0a01".replace(" ", ""))
out.send(macs + bytes.fromhex("8100a005 88b5") + b"tagged" + bytes(40))
"""
HEAR: Final = """
import socket, struct
here = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
here.setsockopt(263, 8, 1)
here.bind(("eth0", 3))
here.settimeout(20)
print("up", flush=True)
while True:
    data, extra, _, _ = here.recvmsg(2000, 100)
    if b"tagged" in data:
        status, _, _, _, _, tag, kind = struct.unpack("IIIHHHH", extra[0][2][:20])
        print(bool(status & 16), tag, hex(kind), data[12:14].hex())
        break
"""
# Whether the kernel merges received packets: reads it, or sets it first.
GRO: Final = """
import ctypes, fcntl, socket, struct, sys
def ask(what, value):
    cell = ctypes.create_string_buffer(struct.pack("II", what, value))
    name = sys.argv[1].encode().ljust(16, b"\\0")
    request = struct.pack("16sQ16x", name, ctypes.addressof(cell))
    fcntl.ioctl(socket.socket(), 0x8946, request)
    return struct.unpack("II", cell.raw[:8])[1]
for value in sys.argv[2:]:
    ask(0x2c, int(value))
print(ask(0x2b, 0))
"""


class Bench:
    """Two machines and the one between them, each a namespace that a process holds."""

    def __init__(self) -> None:
        """Start the three processes."""
        self.held = [subprocess.Popen(HOLD) for _ in range(3)]
        self.started: list[subprocess.Popen[str]] = []
        own = space("self")
        assert until(lambda: all(space(one.pid) not in {own, None} for one in self.held))
        left, right, _ = self.held
        for device, held, mac, end in (("l0", left, MACS[0], 1), ("r0", right, MACS[1], 2)):
            self.ip(2, f"link add {device} type veth peer name eth0 address {mac} netns {held.pid}")
            self.ip(2, f"link set {device} up")
            side = end - 1
            self.ip(side, f"addr add 10.9.0.{end}/24 dev eth0")
            # Segments leave one by one, with checksums that the device would fill in.
            self.ip(side, "link set dev eth0 gso_max_segs 1 up")

    def ip(self, machine: int, words: str) -> str:
        """Run `ip` on a machine, and return its output."""
        return self.run(machine, "ip", *words.split())

    def enter(self, machine: int, *words: str) -> list[str]:
        """Return the command that runs a program on a machine: 0 left, 1 right, 2 between them."""
        return ["nsenter", "-t", str(self.held[machine].pid), "-n", *words]

    def run(self, machine: int, *words: str) -> str:
        """Run a program on a machine, and return its output."""
        done = subprocess.run(
            self.enter(machine, *words), capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def python(self, machine: int, code: str, *words: str) -> str:
        """Run a script on a machine, and return its output."""
        return self.run(machine, sys.executable, "-c", code, *words)

    def start(self, machine: int, code: str) -> subprocess.Popen[str]:
        """Start a script on a machine, and wait until it says that it is up."""
        command = self.enter(machine, sys.executable, "-c", code)
        script = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.started.append(script)
        assert script.stdout is not None
        assert script.stdout.readline() == "up\n"
        return script

    def emulate(self, *words: str | Path) -> subprocess.Popen[str]:
        """Start the model between the machines."""
        command = self.enter(2, live() or "", "emulate", *map(str, words))
        tool = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.started.append(tool)
        assert tool.stderr is not None
        said = tool.stderr.readline()
        while said.startswith("warning"):
            said = tool.stderr.readline()
        assert "Ctrl-C ends" in said, said
        return tool


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Two machines; they go with their processes."""
    made = Bench()
    yield made
    for one in (*made.held, *made.started):
        one.kill()
        one.wait()
        for pipe in (one.stdout, one.stderr):
            if pipe is not None:
                pipe.close()


@needs_namespaces
def test_two_machines_talk_over_the_model(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(SCENARIO, "utf-8")
    log, document, record = (tmp_path / name for name in ("fates", "run.json", "record"))
    files = ("--loss-log", log, "--json", document, "--record", record)
    scenario = tmp_path / "link.toml"
    assert bench.python(2, GRO, "l0", "1") == "1\n"
    before = bench.python(2, GRO, "r0")
    tool = bench.emulate(scenario, "--between", "l0", "r0", "--for", "60", *files)
    assert bench.python(2, GRO, "l0") == "0\n"
    server = bench.start(0, SERVE)
    assert bench.python(1, FETCH) == f"{SIZE}\n"
    server.wait()
    hears = bench.start(1, HEAR)
    bench.python(0, TAGGED)
    assert hears.stdout is not None
    assert hears.stdout.read() == "True 40965 0x8100 88b5\n"
    hears.wait()
    tool.send_signal(signal.SIGINT)
    assert tool.stderr is not None
    said = tool.stderr.read()
    assert tool.wait() in {0, 3}, said
    assert bench.python(2, GRO, "l0") == "1\n"
    assert bench.python(2, GRO, "r0") == before
    run = json.loads(document.read_text("utf-8"))
    assert [port["node"] for port in run["ports"]] == ["left", "right"]
    packets = run["packets"]
    assert packets["beside"] == packets["cut"] == packets["stray"] == packets["lost_by_rings"] == 0
    with log.open(encoding="utf-8") as lines:
        fates = list(csv.DictReader(lines, delimiter="\t"))
    took = [float(one["left_s"]) - float(one["entered_s"]) for one in fates]
    assert len(fates) > SIZE / 1448
    assert min(took) >= 0.01
    # ARP passes the model, without a flow; a frame without IP counts behind its Ethernet header.
    arp = [one for one in fates if one["flow"] == "0" and int(one["length"]) in {28, 46}]
    assert {one["port"] for one in arp} == {"left", "right"}
    assert [one for one in fates if int(one["length"]) == 4 + 46]
    command = [live() or "", "replay", str(scenario), str(record)]
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert again.stdout == log.read_text("utf-8")


@needs_namespaces
def test_offloads_come_back_after_a_kill(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(SCENARIO, "utf-8")
    bench.python(2, GRO, "r0", "1")
    tool = bench.emulate(tmp_path / "link.toml", "--between", "l0", "r0", "--for", "60")
    assert bench.python(2, GRO, "r0") == "0\n"
    # nsenter has become the program.
    tool.kill()
    tool.wait()
    assert until(lambda: bench.python(2, GRO, "r0") == "1\n")
    assert re.search(r"promiscuity 0\b", bench.ip(2, "-d link show r0"))


@needs_namespaces
def test_interfaces_that_do_not_fit_are_refused(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(SCENARIO, "utf-8")

    def said(*words: str, codes: tuple[int, ...] = (2,)) -> str:
        command = bench.enter(2, live() or "", "emulate", str(tmp_path / "link.toml"), *words)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        assert done.returncode in codes
        return done.stderr

    assert "interface 'no0' does not exist" in said("--between", "l0", "no0")
    assert 'has "l0" twice' in said("--between", "l0", "l0")
    bench.ip(2, "link set dev r0 mtu 1400")
    assert "an MTU of 1500 bytes" in said("--between", "l0", "r0")
    bench.ip(2, "link set dev r0 mtu 1500")
    bench.ip(2, "addr add 10.8.0.1/24 dev l0")
    assert "warning: l0 has IP addresses" in said(
        "--between", "l0", "r0", "--for", "0.1", codes=(0, 3)
    )


@needs_program
def test_no_program_runs_between_machines(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(SCENARIO, "utf-8")
    done = start(tmp_path / "link.toml", "--between", "a", "b", "--", "true")
    assert (done.returncode, "cannot be used with" in done.stderr) == (2, True)
    refused(start(tmp_path / "link.toml", "--between", "nosuch0", "nosuch1"), "nosuch0")


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: names are those of the host")
def test_named_namespaces_can_be_entered_and_go_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(SCENARIO, "utf-8")
    prefix = f"airtcp-{os.getpid()}-"
    words = [live() or "", "emulate", str(tmp_path / "link.toml"), "--ns-name", prefix]
    # `ip netns` mounts in /run: the test has mounts of its own.
    listed = "ip netns list; ip netns exec {0}right ip -br addr show air0"
    inside = ["unshare", "-m", *words, "--", "sh", "-c", listed.format(prefix)]
    done = subprocess.run(inside, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in {0, 3}, done.stderr
    assert f"{prefix}left" in done.stdout
    assert "10.77.0.2/24" in done.stdout
    left = Path("/run/netns")
    assert not left.exists() or not [one for one in left.iterdir() if prefix in one.name]
    bad = subprocess.run(
        [*words[:-1], "a/b"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (bad.returncode, "cannot be the name" in bad.stderr) == (2, True)
