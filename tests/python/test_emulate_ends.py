"""How a run of `airtcp-live emulate` ends, and what it says after it was disturbed.

COMMAND, the server and all that they started end with the run, however it ends. A run that was late
is not said to be valid.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from live_program import live
from test_emulate import CELL, LINK, NOBODY, emulate, lacking, until

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_namespaces = pytest.mark.skipif(lacking() is not None, reason=lacking() or "")
PYTHON: Final = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
"""One that other users may run."""
both_users = pytest.mark.parametrize("wrap", [[], NOBODY], ids=["root", "another user"])


def frames_of(pcapng: Path) -> Iterator[tuple[int, int, bytes]]:
    """Return interface, time in ns and bytes of each frame of a pcapng file that airtcp wrote."""
    data, at = pcapng.read_bytes(), 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            port, high, low, kept, _ = struct.unpack_from("<5I", data, at + 8)
            yield port, high << 32 | low, data[at + 28 : at + 28 + kept]
        at += length


def split(pcapng: Path, folder: Path) -> list[Path]:
    """Write a capture per interface of a pcapng file, because each port is a point of its own."""
    packets: dict[int, list[tuple[int, bytes]]] = {}
    for port, when, frame in frames_of(pcapng):
        packets.setdefault(port, []).append((when, frame))
    paths: list[Path] = []
    for port, frames in sorted(packets.items()):
        path = folder / f"port{port}.pcap"
        # The magic number of times in nanoseconds; link type 1 is Ethernet.
        parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65_535, 1)]
        for when, frame in sorted(frames):
            second, nanos = divmod(when, 10**9)
            parts.append(struct.pack("<4I", second, nanos, len(frame), len(frame)) + frame)
        path.write_bytes(b"".join(parts))
        paths.append(path)
    return paths


# It says how many SIGINTs it got within half a second of the first.
COUNT: Final = """
import signal, time
got = []
signal.signal(signal.SIGINT, lambda *_: got.append(1))
print("ready", flush=True)
while not got: time.sleep(0.02)
time.sleep(0.5)
print(len(got), flush=True)
"""


def running(mark: str) -> list[int]:
    """Return the processes that have `sleep MARK` as their command."""
    found: list[int] = []
    for one in Path("/proc").iterdir():
        try:
            words = (one / "cmdline").read_bytes().split(b"\0")[:-1]
        except OSError:
            continue
        if one.name.isdigit() and words == [b"sleep", mark.encode()]:
            found.append(int(one.name))
    return found


def mark() -> str:
    """Return a time to sleep that no other test has."""
    return f"91.{os.getpid()}{time.monotonic_ns() % 10**9}"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder where every user can read and write, with the scenario of a link."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        Path(shutil.copy(LINK, name)).chmod(0o644)
        yield Path(name)


@needs_namespaces
@both_users
def test_kill_ends_what_the_command_started(folder: Path, wrap: list[str]) -> None:
    """One of them has ignored SIGHUP and is in a session of its own."""
    if (why := lacking(*wrap)) is not None:
        pytest.skip(why)
    one, other = mark(), mark()
    script = f"(trap '' HUP; setsid sleep {one} &) ; sleep {one} & wait"
    scenario = folder / LINK.name
    words = ["emulate", str(scenario), "--server", f"sleep {other}", "--", "sh", "-c", script]
    tool = subprocess.Popen([*wrap, live() or "", *words], stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: len(running(one)) == 2 and len(running(other)) == 1)
    finally:
        tool.kill()
        tool.wait()
    assert until(lambda: not running(one) and not running(other))


@needs_namespaces
def test_what_the_command_leaves_behind_ends_with_the_run(tmp_path: Path) -> None:
    left = mark()
    done = emulate(tmp_path, LINK, "--", "sh", "-c", f"setsid sleep {left} & sleep 0.2; exit 4")
    assert done.code == (4 if done.document["valid"] else 3)
    assert until(lambda: not running(left))


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_a_command_that_becomes_another_user_ends_too() -> None:
    """The kernel forgets the wish to die with the parent when a process changes its user."""
    left = mark()
    words = ["emulate", str(LINK), "--", *NOBODY, "sh", "-c", f"id -u; sleep {left} & wait"]
    tool = subprocess.Popen(
        [live() or "", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert tool.stdout is not None
        assert tool.stdout.readline() == "65534\n"
        assert until(lambda: len(running(left)) == 1)
    finally:
        tool.kill()
        tool.communicate()
    assert until(lambda: not running(left))


class Interruptible:
    """A run that is sent signals."""

    def __init__(self, folder: Path, *command: str, options: tuple[str, ...] = ()) -> None:
        self.json: Final = folder / "run.json"
        words = ["emulate", str(LINK), "--json", str(self.json), *options, "--", *command]
        pipe = subprocess.PIPE
        self.tool: Final = subprocess.Popen(
            [live() or "", *words], stdout=pipe, stderr=pipe, text=True
        )

    def line(self) -> str:
        """Return a line of the command."""
        assert self.tool.stdout is not None
        return self.tool.stdout.readline().strip()

    def send(self, number: signal.Signals) -> None:
        self.tool.send_signal(number)

    def end(self) -> tuple[int, str, dict[str, Any]]:
        """Return the exit code, the rest of the command's output, and the document."""
        out, err = self.tool.communicate(timeout=30)
        document = json.loads(self.json.read_text("utf-8"))
        assert ("NOT valid" in err) == (not document["valid"])
        return self.tool.returncode, out, document


@needs_namespaces
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_has_its_last_words(tmp_path: Path, number: signal.Signals) -> None:
    script = f"trap 'sleep 0.4; echo summary; exit 0' {number.name[3:]}; echo ready; "
    run = Interruptible(tmp_path, "bash", "-c", script + "while :; do sleep 0.05; done")
    assert run.line() == "ready"
    run.send(number)
    code, out, document = run.end()
    assert out == "summary\n"
    assert document["ended"] == "interrupted"
    assert code == (130 if document["valid"] else 3)


@needs_namespaces
def test_a_second_interrupt_shortens_the_time_of_the_command(tmp_path: Path) -> None:
    run = Interruptible(tmp_path, "bash", "-c", "trap '' INT; echo ready; sleep 30")
    assert run.line() == "ready"
    begin = time.monotonic()
    run.send(signal.SIGINT)
    time.sleep(0.3)
    run.send(signal.SIGINT)
    code, _, document = run.end()
    # Less than the 3 s that it has after the first.
    assert time.monotonic() - begin < 2.5
    assert code == (130 if document["valid"] else 3)


@needs_namespaces
def test_a_command_that_does_not_end_is_killed(tmp_path: Path) -> None:
    left = mark()
    script = f"trap '' INT TERM; echo ready; while :; do sleep {left}; done"
    run = Interruptible(tmp_path, "bash", "-c", script)
    assert run.line() == "ready"
    for _ in range(3):
        run.send(signal.SIGINT)
        time.sleep(0.2)
    code, _, document = run.end()
    assert code == (130 if document["valid"] else 3)
    assert until(lambda: not running(left))


@needs_namespaces
def test_a_command_whose_time_is_over_is_interrupted(tmp_path: Path) -> None:
    run = Interruptible(tmp_path, sys.executable, "-c", COUNT, options=("--for", "1"))
    assert run.line() == "ready"
    code, out, document = run.end()
    assert out == "1\n"
    assert document["ended"] == "time-over"
    assert code == (0 if document["valid"] else 3)


@needs_namespaces
def test_ctrl_c_of_a_terminal_reaches_the_command_once() -> None:
    words = [live() or "", "emulate", str(LINK), "--quiet", "--", sys.executable, "-c", COUNT]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(words[0], words)  # noqa: S606 - no shell
    said = b""
    with contextlib.suppress(OSError):
        # An error, once the terminal has no program any more.
        while more := os.read(terminal, 4096):
            if b"ready" not in said and b"ready" in said + more:
                os.write(terminal, b"\x03")
            said += more
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) in {130, 3}
    lines = said.decode().replace("^C", "").splitlines()
    assert [line for line in lines if line.strip().isdigit()] == ["1"], lines


@needs_namespaces
def test_a_run_that_was_suspended_is_not_valid(tmp_path: Path) -> None:
    run = Interruptible(tmp_path, "sh", "-c", "echo ready; sleep 20")
    assert run.line() == "ready"
    run.send(signal.SIGSTOP)
    time.sleep(2)
    run.send(signal.SIGCONT)
    code, _, document = run.end()
    assert code == 3
    assert document["ended"] == "stopped"
    assert "stopped for more than a second" in document["problem"]


@needs_namespaces
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_outputs_change_nothing(tmp_path: Path, closed: str) -> None:
    file = tmp_path / "run.json"
    script = f'exec "$0" emulate "$1" --json "$2" -- sh -c "exit 6" {closed}'
    command = ["sh", "-c", script, live() or "", str(LINK), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    document = json.loads(file.read_text("utf-8"))
    assert document["ended"] == "command-ended"
    assert done.returncode == (6 if document["valid"] else 3)


@needs_namespaces
def test_the_bound_follows_the_rate(tmp_path: Path) -> None:
    done = emulate(tmp_path, CELL, "--", "true")
    late = done.document["lateness"]
    assert late["peak_bps"] < 1e8
    short = max(3e-4, done.document["base_rtt_s"] / 20)
    assert late["bound_s"] == pytest.approx(short)
    assert late["bound_99_9_s"] == pytest.approx(5 * short)


# 500 datagrams a second with their number, and their arrivals by the kernel's stamps.
SEND: Final = """
import socket, struct, time
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
begin = time.monotonic()
for n in range(2000):
    time.sleep(max(0, begin + n / 500 - time.monotonic()))
    try: to.sendto(struct.pack("!I", n) + bytes(996), ("receiver", 9000))
    except OSError: pass
"""
RECEIVE: Final = """
import socket, struct
at = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
at.setsockopt(socket.SOL_SOCKET, 35, 1)
at.settimeout(2)
at.bind(("", 9000))
for _ in range(1000):
    data, extra, _, _ = at.recvmsg(2000, 200)
    second, nano = struct.unpack("qq", extra[0][2][:16])
    print(struct.unpack("!I", data[:4])[0], second * 10**9 + nano)
"""
HOGS: Final = 4


@needs_namespaces
@pytest.mark.parametrize("wrap", [[], NOBODY], ids=["root", "another user"])
@pytest.mark.parametrize("hogs", [0, HOGS])
def test_a_run_that_is_said_to_be_valid_was_not_late(
    folder: Path, wrap: list[str], hogs: int
) -> None:
    """The receiver's kernel says when packets arrived, the loss log when they left the model."""
    if (why := lacking(*wrap)) is not None:
        pytest.skip(why)
    words = ["--set", "links[0].loss.probability=0", "--set", "links[0].rate=100 Mb/s"]
    words += ["--set", "links[0].delay=5 ms", "--server", f"{PYTHON} {folder / 'send.py'}"]
    (folder / "send.py").write_text(SEND, "utf-8")
    spin = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(spin) for _ in range(hogs)]
    try:
        command = (*words, "--", PYTHON, "-c", RECEIVE)
        done = emulate(folder, folder / LINK.name, *command, wrap=tuple(wrap))
    finally:
        for one in busy:
            one.kill()
            one.wait()
    # The number of a datagram comes after the headers of Ethernet, IPv4 and UDP.
    port = split(done.pcap, folder)[0].read_bytes()
    entered: dict[int, int] = {}
    at = 24
    while at < len(port):
        second, nano, kept, _ = (
            int.from_bytes(port[at + n : at + n + 4], "little") for n in (0, 4, 8, 12)
        )
        frame = port[at + 16 : at + 16 + kept]
        if len(frame) == 14 + 20 + 8 + 1000:
            entered[int.from_bytes(frame[42:46], "big")] = second * 10**9 + nano
        at += 16 + kept
    took = [
        float(one["left_s"]) - float(one["entered_s"])
        for one in done.fates
        if one["port"] == "sender" and one["length"] == "1028"
    ]
    # Packets are logged as they leave, in the order in which they came: there is one queue.
    numbers = sorted(entered, key=entered.__getitem__)
    left = {n: entered[n] + round(1e9 * took) for n, took in zip(numbers, took, strict=False)}
    lines = [line.split() for line in done.out.splitlines()]
    arrived = {int(number): int(when) for number, when in lines}
    late = sorted(arrived[n] - left[n] for n in arrived if n in left)
    assert len(late) > 900
    # Clocks are read 0.1 ms apart at most.
    assert late[0] > -100_000
    p99 = late[99 * len(late) // 100] / 1e9
    if done.document["valid"]:
        assert p99 < done.document["lateness"]["bound_s"] + 1e-4
    # One in a hundred is later than the program says of itself, but for the same 0.1 ms. Two in a
    # hundred of 1,000 deliveries are three standard errors more.
    own = round(1e9 * (done.document["lateness"]["p99_s"] * 1.01 + 1e-4))
    assert sum(each > own for each in late) < 0.02 * len(late)


THREE: Final = """
outside = [{ node = "ap" }, { node = "console" }, { node = "laptop" }]
"""
ANSWER: Final = """
import socket
at = socket.create_server(("", 7000))
print("ready", flush=True)
while True:
    with at.accept()[0] as one:
        one.sendall(one.recv(100).upper())
"""
ASK: Final = """
import socket, sys
with socket.create_connection((sys.argv[1], 7000), timeout=20) as to:
    to.sendall(sys.argv[2].encode())
    print(to.recv(100).decode())
"""


@needs_namespaces
def test_three_nodes_with_real_traffic_reach_each_other(tmp_path: Path) -> None:
    scenario, file = tmp_path / "three.toml", tmp_path / "run.json"
    fates = tmp_path / "fates.tsv"
    scenario.write_text(THREE + CELL.read_text("utf-8"), "utf-8")
    options = ["--for", "60", "--json", str(file), "--loss-log", str(fates)]
    tool = subprocess.Popen(
        [live() or "", "emulate", str(scenario), *options], stderr=subprocess.PIPE, text=True
    )
    assert tool.stderr is not None
    enter: dict[str, list[str]] = {}
    address: dict[str, str] = {}
    for _ in range(3):
        name, _, words = tool.stderr.readline().partition(": ")
        node, _, addresses = name.partition(" (")
        enter[node] = words.removesuffix(" COMMAND\n").split()
        address[node] = addresses.split(",")[0]
    assert list(enter) == ["ap", "console", "laptop"]
    servers: list[subprocess.Popen[str]] = []
    try:
        for words in enter.values():
            command = [*words, sys.executable, "-c", ANSWER]
            servers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        for server in servers:
            assert server.stdout is not None
            assert server.stdout.readline() == "ready\n"
        for asks, words in enter.items():
            for asked in enter.keys() - {asks}:
                command = [*words, sys.executable, "-c", ASK, address[asked], f"{asks} hears"]
                heard = subprocess.run(command, capture_output=True, text=True, check=True)
                assert heard.stdout == f"{asks} hears\n".upper()
    finally:
        for server in servers:
            server.kill()
            server.communicate()
        tool.send_signal(signal.SIGINT)
        tool.communicate(timeout=20)
    document = json.loads(file.read_text("utf-8"))
    assert [port["node"] for port in document["ports"]] == ["ap", "console", "laptop"]
    assert document["packets"]["stray"] == 0
    assert document["ended"] == "interrupted"
    lines = [line.split("\t") for line in fates.read_text("utf-8").splitlines()[1:]]
    pairs = {(line[0], line[-1]) for line in lines if line[-2] == "delivered"}
    assert {(a, b) for a in enter for b in enter if a != b} <= pairs
