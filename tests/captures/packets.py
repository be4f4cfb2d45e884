"""Packets and pcap files of which every byte is known.

The packets of a connection are TCP segments in IPv4 (RFC 9293, RFC 791) with right checksums of IP
and contiguous identifications. Times are in seconds from the start of the capture.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

End = Literal["client", "server"]
Packet = tuple[float, bytes]

START_S: Final = 1_700_000_000
FLAGS: Final = {"F": 1, "S": 2, "R": 4, "P": 8, "A": 16, "E": 64, "C": 128, "N": 256}
MACS: Final = bytes.fromhex("020000000002 020000000001")
IPV4: Final = b"\x08\x00"


def ipv4(address: str) -> bytes:
    return bytes(int(part) for part in address.split("."))


def checksum(data: bytes) -> bytes:
    """Sum of the 16-bit words in one's complement (RFC 1071)."""
    words = struct.unpack(f"!{len(data) // 2}H", data)
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!H", ~total & 0xFFFF)


def ip(protocol: int, payload: bytes, source: bytes, destination: bytes, **fields: int) -> bytes:
    """Write an IPv4 header before `payload`: `id`, `tos` and `ttl` are fields."""
    head = struct.pack(
        "!BBHHHBB2x4s4s",
        0x45,
        fields.get("tos", 0),
        20 + len(payload),
        fields.get("id", 9),
        0x4000,
        fields.get("ttl", 64),
        protocol,
        source,
        destination,
    )
    return head[:10] + checksum(head) + head[12:] + payload


def options(
    mss: int | None = None,
    window_scale: int | None = None,
    sack: Sequence[tuple[int, int]] | None = None,
    *,
    sack_permitted: bool = False,
) -> bytes:
    """Write the options of a TCP header, with no-operations up to a multiple of four."""
    found = b""
    if mss is not None:
        found += struct.pack("!BBH", 2, 4, mss)
    if sack_permitted:
        found += b"\4\2"
    if window_scale is not None:
        found += bytes((3, 3, window_scale))
    if sack:
        found += bytes((5, 2 + 8 * len(sack)))
        found += b"".join(struct.pack("!II", *block) for block in sack)
    return found + b"\1" * (-len(found) % 4)


class Connection:
    """A client and a server; `packets` grows with every segment that one of them sends."""

    def __init__(
        self,
        ports: tuple[int, int],
        initial: tuple[int, int],
        addresses: tuple[str, str] = ("10.44.0.9", "10.55.0.3"),
    ) -> None:
        self.ports = {"client": ports[0], "server": ports[1]}
        self.initial = {"client": initial[0], "server": initial[1]}
        self.addresses = {"client": ipv4(addresses[0]), "server": ipv4(addresses[1])}
        self.ids = {"client": 100, "server": 30_000}
        self.packets: list[Packet] = []

    def send(
        self,
        time_s: float,
        end: End,
        sequence: int,
        acknowledgement: int,
        flags: str = "A",
        length: int = 0,
        *,
        window: int = 60_000,
        tos: int = 0,
        option: bytes = b"",
        sack: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Send a segment; its numbers count from the initial sequence numbers."""
        other: End = "server" if end == "client" else "client"
        first, second = self.initial[end], self.initial[other]
        option += options(sack=[(second + left, second + right) for left, right in sack])
        bits = sum(FLAGS[flag] for flag in flags)
        head = struct.pack(
            "!HHIIHHHH",
            self.ports[end],
            self.ports[other],
            (first + sequence) & 0xFFFFFFFF,
            (second + acknowledgement) & 0xFFFFFFFF if "A" in flags else 0,
            (20 + len(option)) // 4 << 12 | bits,
            window,
            0,
            0,
        )
        data = bytes((first + sequence + place) * 7 & 0xFF for place in range(length))
        number = self.ids[end]
        self.ids[end] = (number + 1) & 0xFFFF
        ends = self.addresses[end], self.addresses[other]
        self.packets.append((time_s, ip(6, head + option + data, *ends, id=number, tos=tos)))

    def opened(self, time_s: float, round_trip_s: float) -> Connection:
        """Open the connection, seen at the client."""
        first = options(1460, 7, sack_permitted=True)
        self.send(time_s, "client", 0, 0, "S", window=64_240, option=first)
        self.send(time_s + round_trip_s, "server", 0, 1, "SA", window=65_160, option=first)
        self.send(time_s + round_trip_s + 1e-4, "client", 1, 1, window=502)
        return self


def download(segments: int, *, round_trip_s: float = 0.030) -> Connection:
    """Send segments of 1200 B, 2 ms apart, each acknowledged after 0.1 ms, seen at the client."""
    found = Connection((51_000, 443), (777_000, 4_290_000_000)).opened(0, round_trip_s)
    for place in range(segments):
        time_s = 0.2 + place * 0.002
        found.send(time_s, "server", 1 + place * 1200, 1, length=1200)
        found.send(time_s + 1e-4, "client", 1, 1 + (place + 1) * 1200, window=1000)
    return found


def one_loss(port: int = 52_000) -> list[Packet]:
    """Upload 15 segments of 900 B, of which the network loses the fourth; fast recovery repairs it.

    34 packets: 16 data segments with 13 500 B, the handshake with 25.1 ms, and ACKs.
    """
    found = Connection((port, 9000), (31, 99)).opened(0, 0.025)
    at = [1 + place * 900 for place in range(17)]
    for place in range(15):
        found.send(0.1 + place * 5e-4, "client", at[place], 1, length=900, window=502)
    for place in range(3):
        found.send(0.125 + place * 5e-4, "server", 1, at[place + 1])
    for place in range(4, 15):
        blocks = [(at[4], at[place + 1])]
        found.send(0.125 + place * 5e-4, "server", 1, at[3], sack=blocks)
    found.send(0.1287, "client", at[3], 1, length=900, window=502)
    found.send(0.1537, "server", 1, at[15])
    return by_time(found.packets)


def by_time(packets: Iterable[Packet]) -> list[Packet]:
    return sorted(packets, key=lambda packet: packet[0])


def ethernet(packet: bytes) -> bytes:
    return MACS + IPV4 + packet


def write_pcap(
    path: Path,
    packets: Iterable[Packet],
    link_type: int = 1,
    wrap: Callable[[bytes], bytes] = ethernet,
) -> None:
    """Write packets in the order of their times, with timestamps in microseconds."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, link_type))
        for time_s, packet in by_time(packets):
            data = wrap(packet)
            seconds, micros = divmod(round((START_S + time_s) * 1_000_000), 1_000_000)
            file.write(struct.pack("<IIII", seconds, micros, len(data), len(data)) + data)


def write_simple(path: Path, packets: Iterable[Packet]) -> None:
    """Write pcapng with simple packet blocks, which have no times."""

    def block(kind: int, body: bytes) -> bytes:
        body += b"\0" * (-len(body) % 4)
        length = 12 + len(body)
        return struct.pack("<II", kind, length) + body + struct.pack("<I", length)

    with path.open("wb") as file:
        file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        file.write(block(1, struct.pack("<HHI", 1, 0, 0)))
        for _, packet in by_time(packets):
            data = ethernet(packet)
            file.write(block(3, struct.pack("<I", len(data)) + data))
