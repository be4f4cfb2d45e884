"""What the tunnel does at its bounds: many clients, many addresses, narrow links, its end."""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from live_program import live
from test_emulate import lacking
from test_tunnel import (
    DATA,
    PATIENCE,
    channels,
    echo,
    exchanged,
    free_port,
    key,
    running,
    tunnel,
    until,
)

pytestmark = pytest.mark.skipif(
    live() is None or not sys.platform.startswith("linux"),
    reason="needs Linux and the program airtcp-live (cargo build -p airtcp-live)",
)

__all__ = ["echo"]


class Words:
    """The command lines of a client and a server that know each other."""

    def __init__(self, folder: Path, listen: str = "127.0.0.1", at: str = "127.0.0.1") -> None:
        (ours, our_public), (theirs, their_public) = key(folder, "client"), key(folder, "server")
        port = free_port(socket.SOCK_DGRAM)
        listen = str(ipaddress.IPv4Address(0)) if listen == "*" else listen
        self.client, self.server = folder / "c.sock", folder / "s.sock"
        serve = ("serve", "--listen", f"{listen}:{port}", "--key", theirs, "--peer", our_public)
        connect = ("connect", f"{at}:{port}", "--key", ours, "--peer", their_public)
        self.serve = (*serve, "--socket", self.server, "--allow", "127.0.0.1:*")
        self.connect = (*connect, "--socket", self.client)


def processor_time(place: Path) -> float:
    """Return the seconds of processor time of the process that listens at a socket."""
    ss = shutil.which("ss") or "ss"
    done = subprocess.run([ss, "-xlpH"], text=True, capture_output=True, check=True)
    (line,) = (line for line in done.stdout.splitlines() if str(place) in line)
    pid = line.partition("pid=")[2].partition(",")[0]
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not shutil.which("ss"), reason="needs ss (iproute2)")
def test_idle_clients_of_socks_cost_nothing_and_hold_nobody_up(tmp_path: Path, echo: int) -> None:
    words, forwarded, proxy = Words(tmp_path), free_port(), free_port()
    carry = ("-L", f"{forwarded}:127.0.0.1:{echo}", "--socks", proxy)
    with (
        running(*words.serve, after="listening"),
        running(*words.connect, *carry, after="connected"),
        ExitStack() as idle,
    ):
        for _ in range(300):
            idle.enter_context(socket.create_connection(("127.0.0.1", proxy)))
        time.sleep(0.5)
        before, start = processor_time(words.client), time.monotonic()
        time.sleep(1.5)
        share = (processor_time(words.client) - before) / (time.monotonic() - start)
        assert share < 0.3
        with socket.create_connection(("127.0.0.1", forwarded)) as one:
            assert exchanged(one, DATA) == DATA
        with socket.create_connection(("127.0.0.1", proxy)) as one:
            one.settimeout(PATIENCE)
            one.sendall(b"\x05\x01\x00")
            assert one.recv(2) == b"\x05\x00"
            one.sendall(b"\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack(">H", echo))
            assert one.recv(10)[1] == 0
            assert exchanged(one, b"still here") == b"still here"


@pytest.mark.skipif(not shutil.which("ss"), reason="needs ss (iproute2)")
def test_connections_beyond_the_most_wait_and_cost_nothing(tmp_path: Path, echo: int) -> None:
    words, forwarded = Words(tmp_path), free_port()
    with (
        running(*words.serve, after="listening"),
        running(*words.connect, "-L", f"{forwarded}:127.0.0.1:{echo}", after="connected"),
        ExitStack() as idle,
    ):
        many = [
            idle.enter_context(socket.create_connection(("127.0.0.1", forwarded)))
            for _ in range(1025)
        ]
        until(lambda: len(channels(words.client)) == 1024)
        time.sleep(0.5)
        before, start = processor_time(words.client), time.monotonic()
        time.sleep(1.5)
        share = (processor_time(words.client) - before) / (time.monotonic() - start)
        assert share < 0.3
        # The last one waits until another ends.
        many[0].close()
        assert exchanged(many[-1], b"last") == b"last"


def test_a_host_answers_from_the_address_that_was_asked(tmp_path: Path, echo: int) -> None:
    words, forwarded = Words(tmp_path, "*", "127.0.0.2"), free_port()
    with (
        running(*words.serve, after="listening"),
        running(*words.connect, "-L", f"{forwarded}:127.0.0.1:{echo}", after="connected"),
        socket.create_connection(("127.0.0.1", forwarded)) as one,
    ):
        assert exchanged(one, DATA) == DATA


def test_what_was_sent_is_delivered_when_the_tunnel_ends(tmp_path: Path) -> None:
    """An application sends and closes, and the client is told to end at once."""
    words, forwarded = Words(tmp_path), free_port()
    got: list[bytes] = []

    def sink(listener: socket.socket) -> None:
        one, _ = listener.accept()
        with one, suppress(ConnectionResetError):
            while part := one.recv(1 << 16):
                got.append(part)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=sink, args=(listener,))
        thread.start()
        carry = ("-L", f"{forwarded}:127.0.0.1:{listener.getsockname()[1]}")
        with running(*words.serve, after="listening"):
            with (
                running(*words.connect, *carry, after="connected"),
                socket.create_connection(("127.0.0.1", forwarded)) as one,
            ):
                one.sendall(DATA)
            thread.join(PATIENCE)
    assert b"".join(got) == DATA


def test_a_status_socket_that_was_left_is_taken_over(tmp_path: Path) -> None:
    words = Words(tmp_path)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(words.server))
    with running(*words.serve, after="listening") as said:
        assert tunnel("status", "--socket", words.server).returncode == 0
    assert not any("will not find" in line for line in said)


def test_a_folder_of_others_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "airtcp"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with socket.socket(socket.AF_UNIX) as forged:
        forged.bind(str(folder / "tunnel-1.sock"))
        forged.listen()
        done = tunnel("status")
    assert done.returncode == 2
    assert "no tunnel of this user" in done.stderr


def test_a_status_cannot_move_the_cursor(tmp_path: Path) -> None:
    place = tmp_path / "forged.sock"
    session = (
        '{"peer":"a\\"b","address":"\\u001b[2J","rtt_s":1,"queue_s":0,"loss":0,"mean_burst":1,'
        '"rate_bps":1,"overhead":1,"wire_sent_bytes":1,"wire_received_bytes":1,'
        '"channels":[{"target":"\\u001b]0;x\\u0007","sent_bytes":0,"received_bytes":0}]}'
    )
    document = f'{{"role":"client","key":"k","sessions":[{session}]}}'

    def answer(listener: socket.socket) -> None:
        for _ in range(2):
            one, _ = listener.accept()
            with one:
                one.sendall(document.encode())

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        thread = threading.Thread(target=answer, args=(listener,))
        thread.start()
        plain = tunnel("status", "--socket", place)
        prometheus = tunnel("status", "--prometheus", "--socket", place)
        thread.join(PATIENCE)
    assert plain.returncode == 0, plain.stderr
    assert "\x1b" not in plain.stdout
    assert 'peer="a?b"' in prometheus.stdout


@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
def test_a_narrow_link_is_said(tmp_path: Path) -> None:
    path, public = key(tmp_path, "one")
    own = ["-n"] if os.geteuid() == 0 else ["-r", "-n"]
    words = f"tunnel connect 127.0.0.1 --key {path} --peer {public} --socks 1080"
    script = f"ip link set lo up mtu 1200 && exec {live()} {words}"
    done = subprocess.run(
        [shutil.which("unshare") or "unshare", *own, "sh", "-c", script],
        text=True,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 2, done.stderr
    assert "carries no packets of 1,280 bytes" in done.stderr.splitlines()[-1]
