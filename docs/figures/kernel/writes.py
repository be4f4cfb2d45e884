"""When Linux's BBR leaves Startup, by how the application writes: it blocks, or waits with `select`.

    airtcp emulate half.toml --server ".venv/bin/python docs/figures/kernel/writes.py block 6" \\
        -- .venv/bin/python docs/figures/kernel/writes.py read

`half.toml` is a link of 100 Mb/s and 50 ms with a queue of 417 packets, from `server` to `client`. Needs root and the
kernel's module of BBR. The first pacing gain below 1 is that of Drain.
"""

from __future__ import annotations

import select
import socket
import struct
import sys
import threading
import time

PORT = 5201
TCP_INFO, CONGESTION, CC_INFO = 11, 13, 26
WRITE = b"\0" * 131_072


def watch(stream: socket.socket, end: threading.Event) -> None:
    """Look at the connection every 10 ms, and print what it did."""
    begin, drained, limited, looks, again = time.monotonic(), 0.0, 0, 0, 0
    while not end.wait(0.01):
        info = stream.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 192)
        gain = struct.unpack_from("<5I", stream.getsockopt(socket.IPPROTO_TCP, CC_INFO, 20))[3]
        now, looks, limited = time.monotonic() - begin, looks + 1, limited + (info[7] & 1)
        again = struct.unpack_from("<24I", info, 8)[23]
        if not drained and now > 0.3 and gain < 256:
            drained = now
    left = f"Drain after {drained:.1f} s" if drained else "no Drain"
    print(f"{left}, {again} retransmissions, {limited / looks:.0%} limited", file=sys.stderr)


def send(how: str, seconds: float) -> None:
    """Write as fast as the connection takes it."""
    with socket.create_server(("", PORT)) as server:
        server.setsockopt(socket.IPPROTO_TCP, CONGESTION, b"bbr")
        stream = server.accept()[0]
    end = threading.Event()
    looks = threading.Thread(target=watch, args=(stream, end))
    looks.start()
    stream.setblocking(how == "block")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if how == "block":
            stream.sendall(WRITE)
        elif select.select([], [stream], [], 0.5)[1]:
            stream.send(WRITE)
    end.set()
    looks.join()


def read() -> None:
    """Read until the sender ends."""
    for _ in range(50):
        try:
            stream = socket.create_connection(("server", PORT))
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit("no sender")
    while stream.recv(1 << 20):
        pass


if __name__ == "__main__":
    if sys.argv[1:] == ["read"]:
        read()
    else:
        send(sys.argv[1], float(sys.argv[2]))
