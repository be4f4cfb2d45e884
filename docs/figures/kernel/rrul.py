"""Linux under four flows each way, and what an exchange of 100 B takes beside them (as the test RRUL of flent).

    airtcp emulate rrul.toml --server ".venv/bin/python docs/figures/kernel/rrul.py server bbr" \\
        -- .venv/bin/python docs/figures/kernel/rrul.py client bbr

`rrul.toml` is a link of 20 Mb/s and 20 ms with a queue of 133 packets, from `server` to `client`. The flows take 30 s;
exchanges count from 10 s on. Needs root and the kernel's module of the congestion control.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from statistics import quantiles

PORT = 5201
CONGESTION = 13
SECONDS, FIRST_S = 30.0, 10.0
FLOWS = b"dduuduud"
DOWN, EXCHANGE = ord("d"), ord("e")


def bulk(stream: socket.socket, law: str) -> None:
    """Write for the whole time."""
    stream.setsockopt(socket.IPPROTO_TCP, CONGESTION, law.encode())
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        stream.sendall(b"\0" * 16_384)
    stream.shutdown(socket.SHUT_WR)


def sink(stream: socket.socket) -> None:
    """Read to the end."""
    while stream.recv(1 << 18):
        pass


def answer(stream: socket.socket) -> None:
    """Answer each request."""
    while stream.recv(100, socket.MSG_WAITALL):
        stream.sendall(b"x" * 100)


def ask(stream: socket.socket) -> None:
    """Make exchanges, 20 ms apart, and print what they take."""
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    begin, trips = time.monotonic(), list[float]()
    while (at := time.monotonic()) - begin < SECONDS:
        stream.sendall(b"x" * 100)
        stream.recv(100, socket.MSG_WAITALL)
        if at - begin > FIRST_S:
            trips.append(1e3 * (time.monotonic() - at))
        time.sleep(0.02)
    cut = quantiles(trips, n=20)
    print(f"{len(trips)} exchanges: median {cut[9]:.1f} ms, 95 % within {cut[18]:.1f} ms")
    stream.close()


def serve(law: str) -> None:
    """Take all connections; the first byte of each says what it is for."""
    with socket.create_server(("", PORT), backlog=16) as server:
        server.setsockopt(socket.IPPROTO_TCP, CONGESTION, law.encode())
        work: list[threading.Thread] = []
        for _ in range(len(FLOWS) + 1):
            stream = server.accept()[0]
            kind = stream.recv(1)[0]
            if kind == DOWN:
                work.append(threading.Thread(target=bulk, args=(stream, law)))
            else:
                task = answer if kind == EXCHANGE else sink
                work.append(threading.Thread(target=task, args=(stream,)))
            work[-1].start()
    for thread in work:
        thread.join()


def connected(kind: int) -> socket.socket:
    """Connect to the server, which may have just begun."""
    for _ in range(50):
        try:
            stream = socket.create_connection(("server", PORT))
        except OSError:
            time.sleep(0.1)
        else:
            stream.sendall(bytes([kind]))
            return stream
    sys.exit("no server")


def request(law: str) -> None:
    """Begin all flows."""
    work: list[threading.Thread] = []
    for kind in FLOWS:
        stream = connected(kind)
        task = (sink, (stream,)) if kind == DOWN else (bulk, (stream, law))
        work.append(threading.Thread(target=task[0], args=task[1]))
        work[-1].start()
        time.sleep(0.02)
    ask(connected(EXCHANGE))
    for thread in work:
        thread.join()


if __name__ == "__main__":
    (serve if sys.argv[1] == "server" else request)(sys.argv[2])
