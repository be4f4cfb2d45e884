"""Writes captures of a given number of packets, for counts and measurements of their analysis."""

from __future__ import annotations

import struct
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SEGMENT = 1448
BURST = 8
"""Segments that are sent at once; every second one is acknowledged."""
LOSS = 0.01
"""Share of the segments that the receiver lacks: it sends SACK blocks, and they are sent again."""
ETHERNET = b"\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\0"


def _tcp(ports: tuple[int, int], sequence: int, ack: int, flags: int, options: bytes) -> bytes:
    offset = (20 + len(options)) // 4 << 4
    head = (*ports, sequence & 0xFFFFFFFF, ack & 0xFFFFFFFF, offset, flags, 2000, 0x1234, 0)
    return struct.pack(">HHIIBBHHH", *head) + options


def _stamps(value: int, echo: int) -> bytes:
    return struct.pack(">BBBBII", 1, 1, 8, 10, value & 0xFFFFFFFF, echo & 0xFFFFFFFF)


class _Flow:
    """A bulk transfer: client, server, their next sequence numbers and IP identifications."""

    def __init__(self, number: int) -> None:
        self.hosts = (
            bytes([10, 1 + (number >> 16), number >> 8 & 255, number & 255]),
            bytes([10, 2, 0, number % 7]),
        )
        self.ports = (40_000 + number % 20_000, 5201)
        self.next = [1000 + number * 7777, 5000 + number * 991]
        self.ids = [0, 0]


class Writer:
    """A pcap file of bulk transfers; `snap` bytes of each packet are kept."""

    def __init__(self, path: Path, *, flows: int, snap: int) -> None:
        self._file = path.open("wb", buffering=1 << 20)
        self._file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap, 1))
        self._snap = snap
        self._us = 1_700_000_000_000_000
        self._random = Random(1)
        self.packets = 0
        self._flows = [_Flow(n) for n in range(flows)]
        for flow in self._flows:
            self._open(flow)

    def _put(
        self, flow: _Flow, end: int, flags: int, options: bytes, payload: int = 0, *,
        sequence: int | None = None, ack: int | None = None, after_us: int = 2,
    ) -> None:  # fmt: skip
        self._us += after_us
        flow.ids[end] += 1
        other = 1 - end
        ports = (flow.ports[end], flow.ports[other])
        sequence = flow.next[end] if sequence is None else sequence
        segment = _tcp(ports, sequence, flow.next[other] if ack is None else ack, flags, options)
        total = 20 + len(segment) + payload
        head = (0x45, 0, total, flow.ids[end] & 0xFFFF, 0x4000, 64, 6, 0)
        ip = struct.pack(">BBHHHBBH", *head) + flow.hosts[end] + flow.hosts[other]
        raw = (ETHERNET + ip + segment + bytes(payload))[: self._snap]
        times = (self._us // 1_000_000, self._us % 1_000_000)
        self._file.write(struct.pack("<IIII", *times, len(raw), 14 + total) + raw)
        self.packets += 1

    def _stamp(self, ago_ms: int = 1) -> bytes:
        now = self._us // 1000
        return _stamps(now, now - ago_ms)

    def _open(self, flow: _Flow) -> None:
        offer = b"\x02\x04\x05\xb4\x04\x02\x08\x0a" + bytes(8) + b"\x01\x03\x03\x07"
        self._put(flow, 0, 0x02, offer, ack=0)
        flow.next[0] += 1
        self._put(flow, 1, 0x12, offer, after_us=20_000)
        flow.next[1] += 1
        self._put(flow, 0, 0x10, self._stamp())

    def step(self, flow: _Flow, end: int, flags: int, payload: int) -> None:
        """Write a packet of a short connection."""
        opens = flags & 0x02
        offer = b"\x02\x04\x05\xb4\x04\x02\x08\x0a" + bytes(8) + b"\x01\x03\x03\x07"
        ack = 0 if flags == 0x02 else None  # noqa: PLR2004 - a SYN alone
        self._put(flow, end, flags, offer if opens else self._stamp(), payload, ack=ack)
        flow.next[end] = (flow.next[end] + payload + (flags & 0x01) + opens // 2) & 0xFFFFFFFF

    def burst(self) -> None:
        """Send a burst of one flow, and what the receiver answers."""
        flow = self._random.choice(self._flows)
        start = flow.next[0]
        lost = []
        for _ in range(BURST):
            self._put(flow, 0, 0x10, self._stamp(), SEGMENT)
            if self._random.random() < LOSS:
                lost.append(flow.next[0])
            flow.next[0] += SEGMENT
        self._us += 100
        if lost:
            self._repair(flow, lost)
            return
        for count in range(2, BURST + 1, 2):
            self._put(flow, 1, 0x10, self._stamp(), ack=start + count * SEGMENT)

    def _repair(self, flow: _Flow, lost: list[int]) -> None:
        first, end = lost[0], flow.next[0]
        for count in range(2, 5):
            block = (first + SEGMENT, min(first + count * SEGMENT, end))
            sack = struct.pack(">II", *(edge & 0xFFFFFFFF for edge in block))
            self._put(flow, 1, 0x10, self._stamp() + b"\x01\x01\x05\x0a" + sack, ack=first)
        for sequence in lost:
            self._put(flow, 0, 0x10, self._stamp(), SEGMENT, sequence=sequence)
        self._put(flow, 1, 0x10, self._stamp(), after_us=100)

    def close(self) -> None:
        """Write what is left."""
        self._file.close()


def transfers(path: Path, packets: int, *, flows: int = 10, snap: int = 96) -> int:
    """Write at least `packets` packets of bulk transfers; return their number."""
    writer = Writer(path, flows=flows, snap=snap)
    while writer.packets < packets:
        writer.burst()
    writer.close()
    return writer.packets


_STEPS = (
    (0, 0x02, 0), (1, 0x12, 0), (0, 0x10, 0),
    (0, 0x18, 300), (1, 0x10, 0), (1, 0x18, 900), (0, 0x10, 0),
    (0, 0x11, 0), (1, 0x11, 0), (0, 0x10, 0),
)  # fmt: skip
"""The packets of a short connection: sender, flags, and bytes of payload."""


def connections(path: Path, count: int, *, open_at_once: int = 1000) -> int:
    """Write `count` connections of ten packets: handshake, request and response, and FINs.

    Returns:
        The number of packets.
    """
    writer = Writer(path, flows=0, snap=96)
    flows: list[_Flow] = []
    for first in range(0, count, open_at_once):
        flows = [_Flow(n) for n in range(first, min(first + open_at_once, count))]
        for step in _STEPS:
            for flow in flows:
                writer.step(flow, *step)
    writer.close()
    return writer.packets


def syn_flood(path: Path, count: int) -> int:
    """Write `count` SYNs of as many addresses and ports; return their number."""
    writer = Writer(path, flows=0, snap=96)
    for number in range(count):
        writer.step(_Flow(number), 0, 0x02, 0)
    writer.close()
    return writer.packets
