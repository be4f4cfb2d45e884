"""Frames of 802.11 behind radio headers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from packets import Connection, Packet

if TYPE_CHECKING:
    from collections.abc import Collection

STATION: Final = bytes.fromhex("020000000101")
ACCESS_POINT: Final = bytes.fromhex("020000000102")
SIFS_US: Final = 16
TSFT_FLAGS_RATE: Final = 0x07
FLAGS_RATE_TIMESTAMP: Final = 0x06 | 1 << 22
MICROSECONDS_OF_PPDU_START: Final = 0x11


def frames(
    packets: int, lost: Collection[int], gap_s: float, airtime_us: float
) -> list[tuple[float, bytes, bool]]:
    """Send TCP from the station; each attempt is a time, a frame, and true if it is data.

    The MAC ACK begins SIFS after the end of the frame. The attempts of `lost` have no MAC ACK, and
    one more attempt.
    """
    upload = Connection((55_000, 80), (1, 2), ("10.9.0.1", "10.9.0.2"))
    for place in range(packets):
        upload.send(0.1, "client", 1 + 800 * place, 1, length=800, window=502)
    found: list[tuple[float, bytes, bool]] = []
    time_s = 0.1
    for place, (_, packet) in enumerate(upload.packets):
        for again in (0, 1) if place in lost else (0,):
            control = bytes((0x88, 1 | again << 3)) + b"\x2c\0"
            number = struct.pack("<H", (place + 7) << 4)
            addresses = ACCESS_POINT + STATION + ACCESS_POINT
            llc = b"\xaa\xaa\3\0\0\0\x08\0"
            found.append((time_s, control + addresses + number + b"\0\0" + llc + packet, True))
            if again or place not in lost:
                ack_s = time_s + (airtime_us + SIFS_US) * 1e-6
                found.append((ack_s, b"\xd4\0\0\0" + STATION, False))
            time_s += gap_s
    return found


def ppi(time_s: float, frame: bytes, _is_data: bool) -> Packet:  # noqa: FBT001
    """Write PPI with the common field, whose timer counts ms by its flag, at 12 Mb/s."""
    fields = (2, 20, round(time_s * 1e3), 2, 24, 2437, 0xC0, 0, 0, -48, -95)
    head = struct.pack("<BBHI", 0, 0, 32, 105) + struct.pack("<HHQHHHHBBbb", *fields)
    return time_s, head + frame


def he(time_s: float, frame: bytes, is_data: bool) -> Packet:  # noqa: FBT001
    """Write radiotap: data with HE MCS 3, 20 MHz, 0.8 us; MAC ACKs with 24 Mb/s."""
    stamp = round(time_s * 1e6)
    if is_data:
        head = struct.pack("<QBxHHbx", stamp, 0, 5180, 0x140, -48)
        head += struct.pack("<6H", 0x40E0, 6, 3 << 8, 0, 2 << 6, 1)
        present = 1 | 2 | 8 | 32 | 1 << 23
    else:
        head = struct.pack("<QBBHHb", stamp, 0, 48, 5180, 0x140, -48)
        present = 0x2F
    return time_s, struct.pack("<BBHI", 0, 0, 8 + len(head), present) + head + frame


def legacy(time_s: float, frame: bytes, stamp_us: int) -> Packet:
    """Write radiotap with TSFT, at 24 Mb/s."""
    head = struct.pack("<BBHIQBB", 0, 0, 18, TSFT_FLAGS_RATE, stamp_us, 0, 48)
    return time_s, head + frame


def stamped_at_end(airtime_us: float, time_s: float, frame: bytes, is_data: bool) -> Packet:  # noqa: FBT001
    """Stamp the end of the PPDU, which takes `airtime_us`; a MAC ACK takes 28 us."""
    end_s = time_s + (airtime_us if is_data else 28) * 1e-6
    return legacy(end_s, frame, round(end_s * 1e6))


def stamped_late(time_s: float, frame: bytes, is_data: bool) -> Packet:  # noqa: FBT001
    """Stamp MAC ACKs 300 us late."""
    return legacy(time_s, frame, round(time_s * 1e6) + (0 if is_data else 300))


def in_milliseconds(time_s: float, frame: bytes, _is_data: bool) -> Packet:  # noqa: FBT001
    """Stamp whole milliseconds by the clocks of the radio and of the host."""
    milliseconds = int(time_s * 1e3)
    return milliseconds / 1e3, legacy(0, frame, milliseconds * 1000)[1]


def with_timestamp(time_s: float, frame: bytes, _is_data: bool) -> Packet:  # noqa: FBT001
    """Write radiotap's timestamp field in place of TSFT: us of the start of the PPDU."""
    head = struct.pack("<BBHIBB6x", 0, 0, 28, FLAGS_RATE_TIMESTAMP, 0, 48)
    head += struct.pack("<QHBB", round(time_s * 1e6), 22, MICROSECONDS_OF_PPDU_START, 0)
    return time_s, head + frame


def beacon(number: int) -> Packet:
    frame = b"\x80\0\0\0" + b"\xff" * 6 + ACCESS_POINT * 2 + b"\0\0"
    frame += bytes(8) + struct.pack("<HH", 100, 0x11) + b"\0\4test"
    return legacy(number * 0.1024, frame, number * 102_400)
