"""`airtcp-live tunnel`: two ends on this host, and over a lossy link of `airtcp-live emulate`.

Over loopback no privilege is needed. No test checks a rate, which depends on the load of the
machine; what the tunnel gets from a path is tested in virtual time, in `crates/tunnel/tests`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from live_program import live
from test_emulate import lacking

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    live() is None or not sys.platform.startswith("linux"),
    reason="needs Linux and the program airtcp-live (cargo build -p airtcp-live)",
)

PATIENCE: Final = 60.0
DATA: Final = b"".join(hashlib.sha256(str(i).encode()).digest() for i in range(20_000))
"""640 kB that tell where they stand."""


def tunnel(*words: object, timeout: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    """Run `airtcp-live tunnel` to its end."""
    command = [live() or "", "tunnel", *map(str, words)]
    return subprocess.run(command, text=True, capture_output=True, timeout=timeout, check=False)


def key(folder: Path, name: str) -> tuple[Path, str]:
    """Make a key; return its file and its public half."""
    path = folder / f"{name}.key"
    done = tunnel("keygen", "--out", path)
    assert done.returncode == 0, done.stderr
    return path, done.stdout.strip()


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """Return a port that nobody uses."""
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


@contextmanager
def running(*words: object, after: str) -> Generator[list[str]]:
    """Run `airtcp-live tunnel` until the block ends, once it has said `after`; give all it says."""
    command = [live() or "", "tunnel", *map(str, words)]
    with subprocess.Popen(command, text=True, stderr=subprocess.PIPE) as process:
        said: list[str] = []
        ready = threading.Event()

        def listen() -> None:
            for line in process.stderr or ():
                said.append(line)
                if after in line:
                    ready.set()
            ready.set()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        try:
            assert ready.wait(PATIENCE), said
            assert process.poll() is None, said
            yield said
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0, said
            thread.join(PATIENCE)


@dataclass
class Ends:
    """A pair of ends on this host: what to connect to, and where they tell."""

    forwarded: int
    refused: int
    denied: int
    socks: int
    echo: int
    client: Path
    server: Path


@pytest.fixture(scope="module")
def echo() -> Iterator[int]:
    """Serve bytes that are sent back after their end: a half-closed connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer(one: socket.socket) -> None:
        with one, suppress(ConnectionResetError):
            parts: list[bytes] = []
            while part := one.recv(1 << 16):
                parts.append(part)
            one.sendall(b"".join(parts))

    def serve() -> None:
        while True:
            try:
                one, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(one,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory, echo: int) -> Iterator[Ends]:
    """A client and a server that know each other."""
    folder = tmp_path_factory.mktemp("tunnel")
    (ours, our_public), (theirs, their_public) = key(folder, "client"), key(folder, "server")
    port = free_port(socket.SOCK_DGRAM)
    forwarded, refused, denied, socks = (free_port() for _ in range(4))
    closed = free_port()
    sockets = folder / "c.sock", folder / "s.sock"
    serve = ("serve", "--listen", f"127.0.0.1:{port}", "--key", theirs, "--peer", our_public)
    allow = ("--allow", f"127.0.0.1:{echo}", "--allow", f"127.0.0.1:{closed}")
    connect = ("connect", f"127.0.0.1:{port}", "--key", ours, "--peer", their_public)
    carry = ("-L", f"{forwarded}:127.0.0.1:{echo}", "-L", f"{refused}:127.0.0.1:{closed}")
    more = ("-L", f"{denied}:127.0.0.1:{free_port()}", "--socks", socks)
    with (
        running(*serve, *allow, "--socket", sockets[1], after="listening"),
        running(*connect, *carry, *more, "--socket", sockets[0], after="connected"),
    ):
        yield Ends(forwarded, refused, denied, socks, echo, *sockets)


def exchanged(one: socket.socket, data: bytes) -> bytes:
    """Send data and their end, and return what comes back until the other end's."""
    one.settimeout(PATIENCE)

    def send() -> None:
        one.sendall(data)
        one.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=send)
    thread.start()
    parts: list[bytes] = []
    while part := one.recv(1 << 16):
        parts.append(part)
    thread.join(PATIENCE)
    return b"".join(parts)


def channels(place: Path) -> list[dict[str, Any]]:
    """Ask the end that tells at `place` for its channels."""
    done = tunnel("status", "--json", "--socket", place)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)[0]["sessions"][0]["channels"]
    return found


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_private_key_is_its_owner_s_alone(tmp_path: Path) -> None:
    path, public = key(tmp_path, "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert re.fullmatch("[0-9a-f]{64}", public)
    assert public not in path.read_text("utf-8")
    again = tunnel("keygen", "--out", path)
    assert again.returncode == 2
    assert "exists" in again.stderr
    path.chmod(0o644)
    done = tunnel("connect", "192.0.2.1", "--key", path, "--peer", public, "--socks", free_port())
    assert done.returncode == 2
    assert "chmod 600" in done.stderr


def test_a_forwarded_port_carries_both_directions(ends: Ends) -> None:
    for data in (b"", b"x", DATA):
        with socket.create_connection(("127.0.0.1", ends.forwarded)) as one:
            assert exchanged(one, data) == data


def test_many_connections_at_once(ends: Ends) -> None:
    found: list[bytes] = []

    def one(number: int) -> None:
        with socket.create_connection(("127.0.0.1", ends.forwarded)) as each:
            data = DATA[number : number + 50_000]
            found.append(b"same" if exchanged(each, data) == data else b"other")

    threads = [threading.Thread(target=one, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert found == [b"same"] * 40


def test_a_refused_target_resets_the_connection(ends: Ends) -> None:
    for port in (ends.refused, ends.denied):
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.settimeout(PATIENCE)
            with pytest.raises(ConnectionResetError):
                assert one.recv(1) == b"never"


def test_an_application_that_resets_ends_its_channel(ends: Ends) -> None:
    one = socket.create_connection(("127.0.0.1", ends.forwarded))
    one.sendall(b"x")
    time.sleep(0.3)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()
    for place in (ends.client, ends.server):
        until(lambda place=place: not channels(place))


def test_an_end_resets_the_connections_that_it_leaves(tmp_path: Path, echo: int) -> None:
    (ours, our_public), (theirs, their_public) = key(tmp_path, "client"), key(tmp_path, "server")
    port, forwarded = free_port(socket.SOCK_DGRAM), free_port()
    serve = ("serve", "--listen", f"127.0.0.1:{port}", "--key", theirs, "--peer", our_public)
    connect = ("connect", f"127.0.0.1:{port}", "--key", ours, "--peer", their_public)
    carry = ("-L", f"{forwarded}:127.0.0.1:{echo}", "--socket", tmp_path / "c")
    allow = ("--allow", f"127.0.0.1:{echo}", "--socket", tmp_path / "s")
    with running(*serve, *allow, after="listening"):
        with running(*connect, *carry, after="connected"):
            one = socket.create_connection(("127.0.0.1", forwarded))
            one.settimeout(PATIENCE)
            one.sendall(DATA)
            time.sleep(0.3)
        with one, pytest.raises(ConnectionResetError):
            assert one.recv(1) == b"never"


def socks(ends: Ends, request: bytes) -> socket.socket:
    """Ask the SOCKS port for something; its answer to the request is to be read."""
    one = socket.create_connection(("127.0.0.1", ends.socks))
    one.settimeout(PATIENCE)
    one.sendall(b"\x05\x01\x00")
    assert one.recv(2) == b"\x05\x00"
    one.sendall(request)
    return one


def test_socks_connects_and_says_why_not(ends: Ends) -> None:
    def name(host: bytes, port: int) -> bytes:
        return b"\x05\x01\x00\x03" + bytes([len(host)]) + host + struct.pack(">H", port)

    with socks(ends, name(b"127.0.0.1", ends.echo)) as one:
        assert one.recv(10)[1] == 0
        assert exchanged(one, DATA) == DATA
    # Not allowed by a rule; BIND.
    denied = b"\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack(">H", ends.denied)
    for request, code in ((denied, 2), (b"\x05\x02" + denied[2:], 7)):
        with socks(ends, request) as one:
            assert one.recv(10)[1] == code


def test_status_says_what_the_tunnel_does(ends: Ends) -> None:
    with socket.create_connection(("127.0.0.1", ends.forwarded)) as one:
        one.sendall(DATA)
        until(lambda: any(each["sent_bytes"] > 0 for each in channels(ends.client)))
        (document,) = json.loads(tunnel("status", "--json", "--socket", ends.client).stdout)
        (session,) = document["sessions"]
        assert document["role"] == "client"
        (channel,) = session["channels"]
        assert channel["target"] == f"127.0.0.1:{ends.echo}"
        assert 0 < channel["sent_bytes"] <= len(DATA)
        assert session["wire_sent_bytes"] > 0
        assert 0 <= session["loss"] < 1
        assert session["rtt_s"] > 0
    told = tunnel("status", "--prometheus", "--socket", ends.server).stdout
    assert re.search(
        r'^airtcp_tunnel_rtt_seconds\{peer="[0-9a-f]{64}"\} [0-9.e-]+$', told, re.MULTILINE
    )
    assert "loses" in tunnel("status", "--socket", ends.server).stdout


def test_a_wrong_key_is_named_and_not_tried_again(tmp_path: Path) -> None:
    (ours, our_public), (theirs, their_public) = key(tmp_path, "client"), key(tmp_path, "server")
    _, stranger = key(tmp_path, "stranger")
    port = free_port(socket.SOCK_DGRAM)
    connect = ("connect", f"127.0.0.1:{port}", "--key", ours, "--socks", free_port())
    serve = ("serve", "--listen", f"127.0.0.1:{port}", "--key", theirs)
    with running(*serve, "--peer", our_public, after="listening"):
        done = tunnel(*connect, "--peer", stranger)
        assert done.returncode == 2
        assert their_public in done.stderr.splitlines()[-1]
    with running(*serve, "--peer", stranger, after="listening") as said:
        done = tunnel(*connect, "--peer", their_public)
        assert done.returncode == 2
        assert f"--peer {our_public}" in done.stderr.splitlines()[-1]
    assert any(f"--peer {our_public}" in line for line in said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["connect", "127.0.0.1"], "nothing to carry"),
        (["connect", "127.0.0.1", "-L", "80:host"], "-L '80:host': expected"),
        (["connect", "127.0.0.1", "--socks", "x"], "--socks 'x': expected"),
        (["connect", "no such host", "--socks", "1"], "'no such host': expected a host"),
        (["serve", "--allow", "host"], "--allow 'host': expected"),
        (["serve", "--listen", "host:0"], "--listen 'host:0': expected"),
    ],
)
def test_wrong_words_are_said_in_one_line(tmp_path: Path, words: list[str], said: str) -> None:
    path, public = key(tmp_path, "one")
    done = tunnel(*words, "--key", path, "--peer", public)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert said in line


def test_a_port_in_use_and_a_wrong_peer_are_said(tmp_path: Path) -> None:
    path, public = key(tmp_path, "one")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = tunnel("connect", "127.0.0.1", "--key", path, "--peer", public, "--socks", port)
    assert done.returncode == 2
    assert f"127.0.0.1:{port}: the port is in use" in done.stderr
    done = tunnel("connect", "127.0.0.1", "--key", path, "--peer", "abc", "--socks", free_port())
    assert done.returncode == 2
    assert "--peer abc: expected a public key" in done.stderr
    done = tunnel("status", "--socket", tmp_path / "none")
    assert done.returncode == 2
    done = tunnel("status", "--socket", path)
    assert done.returncode == 2
    assert path.exists(), "a file that is no socket is left alone"


@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
def test_a_lossy_link_carries_every_byte(tmp_path: Path) -> None:
    (ours, our_public), (theirs, their_public) = key(tmp_path, "client"), key(tmp_path, "server")
    (tmp_path / "file").write_bytes(DATA)
    link = tmp_path / "link.toml"
    losses = '{ model = "bernoulli", probability = 0.1 }'
    link.write_text(
        f"""[[links]]
from = "server"
to = "client"
rate = "10 Mb/s"
delay = "40 ms"
queue = {{ kind = "drop-tail", packets = 100 }}
loss = {losses}
reverse = {{ loss = {losses} }}

[[flows]]
from = "server"
to = "client"
""",
        encoding="utf-8",
    )
    program, python = live() or "", sys.executable
    (tmp_path / "serve.sh").write_text(
        f"cd {tmp_path}\n"
        f"{python} -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &\n"
        f"exec {program} tunnel serve --key {theirs} --peer {our_public} --quiet"
        " --allow 127.0.0.1:8123 --socket ./s.sock\n",
        encoding="utf-8",
    )
    fetch = (
        "import sys, urllib.request\n"
        "got = urllib.request.urlopen('http://127.0.0.1:9001/file', timeout=100).read()\n"
        "open(sys.argv[1], 'wb').write(got)\n"
    )
    (tmp_path / "fetch.py").write_text(fetch, encoding="utf-8")
    (tmp_path / "client.sh").write_text(
        f"{program} tunnel connect server --key {ours} --peer {their_public} --quiet"
        f" -L 9001:127.0.0.1:8123 --socket {tmp_path}/c.sock &\n"
        f"sleep 1\n{python} {tmp_path}/fetch.py {tmp_path}/got\nkill -TERM $!\nwait $!\n",
        encoding="utf-8",
    )
    command = [program, "emulate", link, "--server", f"sh {tmp_path}/serve.sh", "--"]
    done = subprocess.run(
        [*command, "sh", tmp_path / "client.sh"],
        text=True,
        capture_output=True,
        timeout=200,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    # A late run is still right.
    assert done.returncode in {0, 3}, done.stderr
    assert (tmp_path / "got").read_bytes() == DATA, done.stderr
