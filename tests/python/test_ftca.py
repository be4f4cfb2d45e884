"""`airtcp ftca`: the rules mark exactly what a capture shows, and leave nothing behind.

The set-ups are network namespaces of their own, which end with the test. They need root, nft, ip,
iperf3 and tcpdump, and the program `airtcp-live`.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import airtcp
from airtcp.questions.compare import gain_ftca
from live_program import live

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PREFIX: Final = f"aft{os.getpid() % 100_000}"
SETUPS: Final = ("v4", "v6", "v4-no-offloads", "v6-no-offloads", "bridged", "routed")
RATE: Final = "20M"
"""Rate of the bounded senders, in bits a second."""


def lacking() -> str | None:
    """Return what keeps this machine from running the rules."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "needs root on Linux"
    if absent := [name for name in ("nft", "ip", "iperf3", "tcpdump") if not shutil.which(name)]:
        return f"needs {', '.join(absent)}"
    if live() is None:
        return "needs the program airtcp-live (cargo build -p airtcp-live)"
    probe = "table netdev t { chain c { type filter hook egress device lo priority 0; }; }"
    shell = ["unshare", "-n", "nft", "-f", "-"]
    tried = subprocess.run(shell, input=probe, text=True, capture_output=True, check=False)
    return None if tried.returncode == 0 else f"no egress hook: {tried.stderr.splitlines()[0]}"


needs_rules = pytest.mark.skipif(lacking() is not None, reason=lacking() or "")
needs_program = pytest.mark.skipif(live() is None, reason="needs airtcp-live (cargo build)")


def run(*words: str, of: str | None = None, ok: bool = True) -> str:
    """Run a program, in a namespace if one is named, and return its output."""
    inside = ["ip", "netns", "exec", of] if of else []
    done = subprocess.run(
        [*inside, *words], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 0 or not ok, (words, done.stderr)
    return done.stdout


def ftca(*words: str, of: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run `airtcp-live ftca`."""
    inside = ["ip", "netns", "exec", of] if of else []
    command = [*inside, live() or "", "ftca", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


class Net:
    """Namespaces `a` (the sender of data), `b` (between) and `c` (the receiver)."""

    def __init__(self) -> None:
        """Make the namespaces."""
        self.names = [f"{PREFIX}{letter}" for letter in "abc"]
        for name in self.names:
            run("ip", "netns", "add", name)
            run("ip", "link", "set", "lo", "up", of=name)

    def close(self) -> None:
        """End what runs in the namespaces, and remove them."""
        for name in self.names:
            for process in run("ip", "netns", "pids", name, ok=False).split():
                os.kill(int(process), 9)
            run("ip", "netns", "del", name, ok=False)

    def wire(self, left: str, one: str, right: str, other: str) -> None:
        """Join two namespaces by a pair of devices."""
        run("ip", "link", "add", one, "netns", left, "type", "veth",
            "peer", "name", other, "netns", right)  # fmt: skip
        for name, device in ((left, one), (right, other)):
            run("sysctl", "-qw", f"net.ipv6.conf.{device}.accept_dad=0", of=name, ok=False)
            run("ip", "link", "set", device, "up", of=name)

    def address(self, name: str, device: str, host: int, net: int = 1) -> None:
        """Give a device an IPv4 and an IPv6 address."""
        run("ip", "address", "add", f"10.99.{net}.{host}/24", "dev", device, of=name)
        run("ip", "-6", "address", "add", f"fd99:{net}::{host}/64", "dev", device, "nodad", of=name)


@pytest.fixture
def net() -> Iterator[Net]:
    made = Net()
    try:
        yield made
    finally:
        made.close()


def build(net: Net, kind: str) -> tuple[str, str, str]:
    """Build a set-up; return where the rules are, their device, and the receiver's address.

    The rules are at the egress that the receiver's ACKs pass.
    """
    a, b, c = net.names
    if kind == "bridged":
        net.wire(a, "a0", b, "left")
        net.wire(b, "right", c, "c0")
        run("ip", "link", "add", "br0", "type", "bridge", of=b)
        for device in ("left", "right"):
            run("ip", "link", "set", device, "master", "br0", of=b)
        run("ip", "link", "set", "br0", "up", of=b)
        net.address(a, "a0", 1)
        net.address(c, "c0", 2)
        return b, "left", "10.99.1.2"
    if kind == "routed":
        net.wire(a, "a0", b, "left")
        net.wire(b, "right", c, "c0")
        run("sysctl", "-qw", "net.ipv4.ip_forward=1", of=b)
        for name, device, host, lan in ((a, "a0", 1, 1), (b, "left", 254, 1)):
            net.address(name, device, host, lan)
        for name, device, host, lan in ((b, "right", 254, 2), (c, "c0", 2, 2)):
            net.address(name, device, host, lan)
        run("ip", "route", "add", "default", "via", "10.99.1.254", of=a)
        run("ip", "route", "add", "default", "via", "10.99.2.254", of=c)
        return b, "left", "10.99.2.2"
    net.wire(a, "a0", c, "phy0-ap0")
    net.address(a, "a0", 1)
    net.address(c, "phy0-ap0", 2)
    if kind.endswith("no-offloads"):
        for name, device in ((a, "a0"), (c, "phy0-ap0")):
            off(name, device)
    return c, "phy0-ap0", "fd99:1::2" if kind.startswith("v6") else "10.99.1.2"


def off(name: str, device: str) -> None:
    """Turn TSO, GSO and GRO of a device off."""
    if shutil.which("ethtool"):
        run("ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off", of=name)
        return
    # The kernel then makes no packet longer than one segment.
    run("ip", "link", "set", device, "gso_max_segs", "1", of=name)


def counted(pcap: Path) -> dict[str, int]:
    """Count the TCP packets of a capture: with payload, SYN, FIN or RST without, pure ACKs.

    The longest frame tells whether the kernel made packets of several segments.
    """
    data = pcap.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    counts = {"data": 0, "syn_fin_rst": 0, "pure_ack": 0, "longest": 0}
    at = 24
    while at + 16 <= len(data):
        kept, whole = struct.unpack_from(f"{order}II", data, at + 8)
        counts["longest"] = max(counts["longest"], whole)
        frame, at = data[at + 16 : at + 16 + kept], at + 16 + kept
        ethertype = int.from_bytes(frame[12:14], "big")
        packet = frame[14:]
        if ethertype == 0x0800 and packet[9] == 6:
            header = 4 * (packet[0] & 15)
            segment = packet[header : int.from_bytes(packet[2:4], "big")]
            length = int.from_bytes(packet[2:4], "big") - header
        elif ethertype == 0x86DD and packet[6] == 6:
            segment, length = packet[40:], int.from_bytes(packet[4:6], "big")
        else:
            continue
        payload = length - 4 * (segment[12] >> 4)
        if payload:
            counts["data"] += 1
        else:
            counts["syn_fin_rst" if segment[13] & 7 else "pure_ack"] += 1
    return counts


def counters(name: str, device: str) -> dict[str, int]:
    """Return the counters of the rules, and packets with payload that a later chain saw raised."""
    listed = json.loads(run("nft", "-j", "list", "ruleset", of=name))["nftables"]
    found = [one["counter"] for one in listed if "counter" in one]
    assert any(one["table"] == f"airtcp_ftca_{device}" for one in found)
    return {one["name"]: one["packets"] for one in found}


LATER: Final = """
table netdev later {{
  counter raised {{ }}
  counter plain {{ }}
  chain c {{
    type filter hook egress device "{device}" priority 10; policy accept;
    ip protocol tcp meta priority 0:{priority} counter name raised accept
    ip6 nexthdr tcp meta priority 0:{priority} counter name raised accept
    ip protocol tcp counter name plain
    ip6 nexthdr tcp counter name plain
  }}
}}
"""


@needs_rules
@pytest.mark.parametrize("kind", SETUPS)
def test_counters_equal_the_capture_and_no_data_is_marked(
    net: Net, kind: str, tmp_path: Path
) -> None:
    name, device, address = build(net, kind)
    a, _, c = net.names
    before = run("nft", "list", "ruleset", of=name)
    assert ftca("install", "--dev", device, "--class", "voice", of=name).returncode == 0
    rules = tmp_path / "later.nft"
    rules.write_text(LATER.format(device=device, priority="106"))
    run("nft", "-f", str(rules), of=name)
    pcap = tmp_path / "egress.pcap"
    inside = ["ip", "netns", "exec", name]
    dump = subprocess.Popen(
        [*inside, "tcpdump", "-i", device, "-Q", "out", "-B", "8192", "-s", "128", "-U",
         "--immediate-mode", "-w", str(pcap), "tcp"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert dump.stderr is not None
    assert "listening on" in dump.stderr.readline()
    serve = ["ip", "netns", "exec", c, "iperf3", "-s"]
    server = subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    for direction in ((), ("-R",)):
        run("iperf3", "-c", address, "-b", RATE, "-n", "2M", *direction, of=a)
    time.sleep(1)
    dump.terminate()
    said = dump.communicate(timeout=10)[1]
    server.kill()
    server.wait()
    assert "\n0 packets dropped by kernel" in said
    seen, ours = counted(pcap), counters(name, device)
    assert seen["pure_ack"] > 20
    assert seen["data"] > 20
    if kind in {"v4", "v6"} or kind.endswith("no-offloads"):
        assert (seen["longest"] <= 1514) == kind.endswith("no-offloads")
    assert (ours["pure_ack"], ours["syn_fin_rst"]) == (seen["pure_ack"], seen["syn_fin_rst"])
    assert ours["raised"] == seen["pure_ack"] + seen["syn_fin_rst"]
    assert ours["plain"] == seen["data"]
    run("nft", "delete", "table", "netdev", "later", of=name)
    assert ftca("remove", "--dev", device, of=name).returncode == 0
    assert run("nft", "list", "ruleset", of=name) == before


@needs_rules
def test_remove_leaves_a_ruleset_as_it_was_and_install_twice_is_install_once(net: Net) -> None:
    name, device, _ = build(net, "v4")
    others = (
        "table inet mine { chain c { type filter hook input priority 0; tcp dport 22 accept; }; }"
    )
    run("nft", others, of=name)
    before = run("nft", "list", "ruleset", of=name)
    ftca("install", "--dev", device, of=name)
    once = run("nft", "list", "ruleset", of=name)
    ftca("install", "--dev", device, of=name)
    assert run("nft", "list", "ruleset", of=name) == once
    assert "airtcp_ftca_phy0-ap0" in once
    for _ in range(2):
        assert ftca("remove", "--dev", device, of=name).returncode == 0
        assert run("nft", "list", "ruleset", of=name) == before


@needs_rules
def test_verify_tells_missing_rules_silent_ones_and_later_chains(net: Net, tmp_path: Path) -> None:
    name, device, _ = build(net, "v4")
    watch = ("verify", "--dev", device, "--for", "1")
    assert ftca(*watch, of=name).returncode == 4
    ftca("install", "--dev", device, of=name)
    silent = ftca(*watch, of=name)
    assert (silent.returncode, "iw is missing" in silent.stdout) == (5, True)
    rules = tmp_path / "later.nft"
    rules.write_text(
        f'table netdev later {{\n chain c {{\n type filter hook egress device "{device}" '
        "priority 5;\n meta priority set 0:1\n }\n}\n"
    )
    run("nft", "-f", str(rules), of=name)
    overruled = ftca(*watch, of=name)
    assert overruled.returncode == 4
    assert "table netdev later sets the priority again" in overruled.stdout


@needs_program
@pytest.mark.parametrize(
    "name", ["a b", 'x"y', "a/b", "sixteen-byteslng", "", "$(id)", "-x", "é\n"]
)
def test_hostile_names_of_devices_are_refused(name: str) -> None:
    done = ftca("install", "--dry-run", f"--dev={name}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: " in done.stderr


@needs_program
def test_a_device_that_is_not_there_is_one_line() -> None:
    done = ftca("install", "--dev", "no-such-device")
    assert done.returncode == 2
    assert done.stderr == "error: there is no device no-such-device; `ip link` lists them\n"


@needs_program
def test_dry_run_and_the_service_need_nothing_installed() -> None:
    environment = {"PATH": "/nowhere"}
    for words in (["--dev", "wlan9", "--dry-run"], ["--print-service"]):
        done = subprocess.run(
            [live() or "", "ftca", "install", *words],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "airtcp_ftca_wlan9" in done.stdout or "ExecStart=" in done.stdout


@pytest.mark.parametrize("name", ["wifi-star", "wifi6-home"])
def test_gain_fits_a_screen(name: str) -> None:
    command = [sys.executable, "-m", "airtcp", "ftca", "gain", f"scenarios/{name}.toml"]
    words = ["-n", "3", "--set", "duration=4 s", "--quiet"]
    done = subprocess.run([*command, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") <= 25
    assert f"airtcp compare scenarios/{name}.toml --schemes ftca" in done.stdout


def test_gain_names_the_commands_of_what_is_better() -> None:
    cell = ROOT / "scenarios" / "wifi-star.toml"
    result = airtcp.compare_schemes(
        cell, schemes=gain_ftca.SCHEMES, replications=3, overrides={"duration": "5 s"}
    )
    answer: Any = gain_ftca.answer(result.json)
    assert answer.next.startswith("All: airtcp compare ")
    lines = gain_ftca.commands(result.json)
    assert any("ack-filter: tc qdisc" in line for line in lines)
    assert any("airtcp ftca install --dev wlan0" in line for line in lines)


def test_without_the_program_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    environment = os.environ | {"PATH": str(tmp_path)}
    script = (
        "import sys; sys.executable = '/nowhere/python'; sys.argv = ['airtcp', 'ftca', 'install']; "
        "from airtcp.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: airtcp ftca install needs the program airtcp-live")
    assert done.stderr.count("\n") == 1
