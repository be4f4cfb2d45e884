"""Write small captures of rare but legal TCP and 802.11, each with known counts.

    python make.py DIR

The right values are in right.csv.
"""

from __future__ import annotations

import struct
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from air import (
    beacon,
    frames,
    he,
    in_milliseconds,
    ppi,
    stamped_at_end,
    stamped_late,
    with_timestamp,
)
from packets import (
    IPV4,
    MACS,
    Connection,
    Packet,
    download,
    ethernet,
    ip,
    ipv4,
    one_loss,
    options,
    write_pcap,
    write_simple,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def merged_clocks() -> list[Packet]:
    """Merge two captures: the clock at the client is 50 ms early."""
    found = download(60)
    client = found.addresses["client"]
    return [(t - 0.05 if data[12:16] == client else t, data) for t, data in found.packets]


def written_late() -> list[Packet]:
    """Write every twelfth data segment behind its ACK, as a second receive queue does."""
    packets: list[Packet] = []
    count = 0
    for time_s, data in download(50).packets:
        is_data = len(data) > 1000
        count += is_data
        packets.append((time_s + 0.0003 * (is_data and count % 12 == 6), data))
    return packets


def late_direction(lag_s: float) -> list[Packet]:
    """Write all data so late that their ACKs come first; nothing identifies a packet."""
    return [
        (time_s + lag_s * (len(data) > 1000), data[:4] + bytes(2) + data[6:])
        for time_s, data in download(120).packets
    ]


def one_way() -> list[Packet]:
    """Write the server's packets only."""
    found = download(60)
    server = found.addresses["server"]
    return [(time_s, data) for time_s, data in found.packets if data[12:16] == server]


def begins_in_recovery() -> list[Packet]:
    """Begin behind a lost segment: its repair is needed, though the capture holds later data."""
    found = Connection((54_000, 443), (7, 8))
    at = [1 + place * 1200 for place in range(12)]
    for place in range(4, 11):
        time_s = 0.1 + place * 1e-4
        if place > 4:
            found.send(time_s, "server", at[place], 1, length=1200)
        blocks = [(at[4], at[place + 1])]
        found.send(time_s + 1e-5, "client", 1, at[3], sack=blocks)
    found.send(0.1015, "server", at[3], 1, length=1200)
    found.send(0.10151, "client", 1, at[11])
    return found.packets


def window_probes() -> list[Packet]:
    """Close the receiver's window twice; the sender probes it with one byte (RFC 9293 3.8.6.1)."""
    found = Connection((53_000, 8080), (5, 6)).opened(0, 0.02)
    sequence, time_s = 1, 0.1

    def burst(time_s: float) -> None:
        nonlocal sequence
        for place in range(6):
            at = time_s + place * 0.001
            found.send(at, "client", sequence, 1, length=1400, window=502)
            sequence += 1400

    for _ in range(2):
        burst(time_s)
        time_s += 0.026
        found.send(time_s, "server", 1, sequence, window=0)
        for gap_s in (0.5, 1.0, 2.0):
            time_s += gap_s
            found.send(time_s, "client", sequence, 1, length=1, window=502)
            found.send(time_s + 0.02, "server", 1, sequence, window=0)
        time_s += 0.3
        found.send(time_s, "server", 1, sequence, window=500)
        time_s += 0.001
    burst(time_s)
    found.send(time_s + 0.026, "server", 1, sequence, window=500)
    return found.packets


def both_open() -> list[Packet]:
    """Open from both ends at once (RFC 9293 3.5), then send data from the second end."""
    found = Connection((7000, 7001), (10, 20))
    first = options(1460, 7, sack_permitted=True)
    found.send(0.0, "server", 0, 0, "S", window=64_240, option=first)
    found.send(0.002, "client", 0, 0, "S", window=64_240, option=first)
    found.send(0.030, "server", 0, 1, "SA", window=64_240, option=first)
    found.send(0.032, "client", 0, 1, "SA", window=64_240, option=first)
    for place in range(12):
        time_s = 0.1 + place * 0.001
        found.send(time_s, "server", 1 + place * 700, 1, length=700)
        found.send(time_s + 0.031, "client", 1, 1 + (place + 1) * 700)
    return found.packets


def accecn() -> list[Packet]:
    """Mark five of 30 segments; AccECN (RFC 9768) counts them modulo 8 in three flags."""
    found = Connection((54_000, 443), (1, 2))
    first = options(1460, 7, sack_permitted=True)
    found.send(0.0, "client", 0, 0, "SECN", window=64_240, option=first)
    found.send(0.03, "server", 0, 1, "SAC", window=64_240, option=first)
    found.send(0.0301, "client", 1, 1, "AC", window=502)
    count = 5
    for place in range(30):
        is_marked = place in {4, 5, 6, 20, 21}
        time_s, at = 0.1 + place * 0.001, 1 + place * 500
        tos = 3 if is_marked else 1
        found.send(time_s, "client", at, 1, "AEN", length=500, window=502, tos=tos)
        count = (count + is_marked) % 8
        flags = "N" * (count >> 2 & 1) + "C" * (count >> 1 & 1) + "E" * (count & 1)
        found.send(time_s + 0.03, "server", 1, at + 500, "A" + flags)
    return found.packets


def closed_by_reset() -> list[Packet]:
    """Reset a connection: the window of a reset is none."""
    found = download(10)
    found.send(0.4, "client", 1, 12_001, "RA", window=0)
    return found.packets


def outer(protocol: int, payload: bytes) -> bytes:
    return ethernet(ip(protocol, payload, ipv4("10.1.1.1"), ipv4("10.1.1.2"), ttl=61))


def udp(port: int, payload: bytes) -> bytes:
    return outer(17, struct.pack("!HHHH", 41_000, port, 8 + len(payload), 0) + payload)


def tagged(packet: bytes) -> bytes:
    return MACS + b"\x81\0\0\x63" + IPV4 + packet


def mpls(packet: bytes) -> bytes:
    """Three labels; the third has the bottom of the stack (RFC 3032)."""
    labels = struct.pack("!III", 16 << 12 | 63, 17 << 12 | 63, 18 << 12 | 0x100 | 63)
    return MACS + b"\x88\x47" + labels + packet


def geneve(packet: bytes) -> bytes:
    """Ethernet behind one option of four bytes (RFC 8926)."""
    head = struct.pack("!BBHI", 1, 0, 0x6558, 5 << 8)
    return udp(6081, head + b"\1\2\1\0" + ethernet(packet))


def erspan3(packet: bytes) -> bytes:
    gre = struct.pack("!HHI", 0x1000, 0x22EB, 4)
    return outer(47, gre + struct.pack("!HHIHH", 0x2000, 1, 5, 0, 0) + ethernet(packet))


def gtpu(packet: bytes) -> bytes:
    """A T-PDU (3GPP TS 29.281)."""
    return udp(2152, struct.pack("!BBHI", 0x30, 255, len(packet), 77) + packet)


def llc_snap(packet: bytes) -> bytes:
    length = struct.pack("!H", len(packet) + 8)
    return MACS + length + b"\xaa\xaa\3\0\0\0" + IPV4 + packet


def pktap(packet: bytes) -> bytes:
    head = struct.pack("<III", 108, 1, 12) + b"utun3".ljust(24, b"\0")
    head += struct.pack("<IIIIi", 1, 2, 0, 0, 77) + b"app".ljust(20, b"\0")
    return head + struct.pack("<IHHi", 0, 1, 3, 77) + b"app".ljust(20, b"\0") + packet


def nflog(packet: bytes) -> bytes:
    """Write the payload as the only attribute."""
    attribute = struct.pack("<HH", 4 + len(packet), 9)
    return b"\2\0\0\0" + attribute + packet + b"\0" * (-len(packet) % 4)


def vxlan(port: int, packet: bytes) -> bytes:
    return udp(port, b"\x08\0\0\0\0\0\5\0" + ethernet(packet))


def vxlan_gpe(packet: bytes) -> bytes:
    return udp(4790, b"\x0c\0\0\1\0\0\5\0" + packet)


def l2tp(packet: bytes) -> bytes:
    """PPP with its address and control fields (RFC 2661)."""
    length = len(packet) + 12
    return udp(1701, struct.pack("!HHHH", 0x4002, length, 7, 9) + b"\xff\3\0\x21" + packet)


def pseudowire(packet: bytes) -> bytes:
    """Ethernet behind two labels and a control word (RFC 4448)."""
    labels = struct.pack("!III", 16 << 12 | 63, 17 << 12 | 0x100 | 63, 0)
    return MACS + b"\x88\x47" + labels + ethernet(packet)


def erspan1(packet: bytes) -> bytes:
    return outer(47, b"\0\0\x88\xbe" + ethernet(packet))


def erspan2(packet: bytes) -> bytes:
    head = struct.pack("!HHIHHI", 0x1000, 0x88BE, 4, 0x1064, 0x1005, 16)
    return outer(47, head + ethernet(packet))


def session(packet: bytes) -> bytes:
    """PPPoE behind two VLAN tags."""
    head = b"\x88\xa8\0\5\x81\0\0\7\x88\x64\x11\0\0\1"
    return MACS + head + struct.pack("!H", len(packet) + 2) + b"\0\x21" + packet


def esp(packet: bytes) -> bytes:
    """Write what IPsec encrypted."""
    return outer(50, struct.pack("!II", 9, 9) + bytes(byte ^ 0x55 for byte in packet))


def ipnet(packet: bytes) -> bytes:
    return struct.pack("!BBHIIIII", 1, 2, 2, len(packet), 1, 1, 0, 0) + packet


def fddi(packet: bytes) -> bytes:
    return b"\x50" + MACS + b"\xaa\xaa\3\0\0\0" + IPV4 + packet


def as_it_is(packet: bytes) -> bytes:
    return packet


TCP: Final = {
    "merged-clocks": merged_clocks,
    "written-late": written_late,
    "late-direction": partial(late_direction, 0.2),
    "later-direction": partial(late_direction, 1.2),
    "one-way": one_way,
    "begins-in-recovery": begins_in_recovery,
    "window-probes": window_probes,
    "both-open": both_open,
    "accecn-counter": accecn,
    "reset-window": closed_by_reset,
}
TUNNELS: Final = {
    "mpls3": mpls,
    "geneve": geneve,
    "erspan3": erspan3,
    "gtpu": gtpu,
    "llc-snap": llc_snap,
    "vxlan-linux": partial(vxlan, 8472),
    "vxlan-gpe": vxlan_gpe,
    "l2tp": l2tp,
    "pseudowire": pseudowire,
    "erspan1": erspan1,
    "erspan2": erspan2,
    "pppoe": session,
    "esp": esp,
}


def beside(wrap: Callable[[bytes], bytes]) -> list[Packet]:
    """Two equal uploads: one as it is, and one from port 52001 in a tunnel."""
    plain = [(t, ethernet(data)) for t, data in one_loss()]
    return plain + [(t + 1e-5, wrap(data)) for t, data in one_loss(52_001)]


def twice(wrap: Callable[[bytes], bytes]) -> list[Packet]:
    """One upload that is captured twice: on a port, and 30 us later in what `wrap` adds."""
    upload = one_loss()
    copies = [(t + 3e-5, wrap(data)) for t, data in upload]
    return [(t, ethernet(data)) for t, data in upload] + copies


def write(folder: Path) -> None:
    """Write all captures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, packets in TCP.items():
        write_pcap(folder / f"{name}.pcap", packets())
    for name, wrap in TUNNELS.items():
        write_pcap(folder / f"beside-{name}.pcap", beside(wrap), wrap=as_it_is)
    write_pcap(folder / "port-and-trunk.pcap", twice(tagged), wrap=as_it_is)
    write_pcap(folder / "link-pktap.pcap", one_loss(), 258, pktap)
    write_pcap(folder / "link-nflog.pcap", one_loss(), 239, nflog)
    write_pcap(folder / "link-ipnet.pcap", one_loss(), 226, ipnet)
    write_pcap(folder / "link-fddi.pcap", one_loss(), 10, fddi)
    write_simple(folder / "simple-packets.pcapng", one_loss())
    write_air(folder)


def write_air(folder: Path) -> None:
    """Write the captures of 802.11."""

    def write_frames(name: str, link_type: int, packets: list[Packet]) -> None:
        write_pcap(folder / f"{name}.pcap", packets, link_type, as_it_is)

    # Frames at 12 Mb/s: 48 bits in each symbol of 4 us.
    airtime_us = 20 + 4 * -(-(22 + 8 * 878) // 48)
    sent = frames(60, (3, 9, 30, 31, 55), 0.0011, airtime_us)
    write_frames("ppi-milliseconds", 192, [ppi(*frame) for frame in sent])
    # HE MCS 3 in 20 MHz: 468 bits in each symbol of 13.6 us, behind a preamble of 43.2 us.
    airtime_us = 43.2 + 13.6 * -(-(22 + 8 * (878 + 4)) // 468)
    sent = frames(50, (4, 8, 15, 41), 0.002, airtime_us)
    write_frames("he-preamble-stamps", 127, [he(*frame) for frame in sent])
    # Frames at 24 Mb/s: 96 bits in each symbol of 4 us.
    airtime_us = 20 + 4 * -(-(22 + 8 * (878 + 4)) // 96)
    sent = frames(50, (4, 8, 15, 41), 0.0023, airtime_us)
    write_frames("end-stamps", 127, [stamped_at_end(airtime_us, *frame) for frame in sent])
    write_frames("late-stamps", 127, [stamped_late(*frame) for frame in sent])
    write_frames("milliseconds", 127, [in_milliseconds(*frame) for frame in sent])
    write_frames("timestamp-field", 127, [with_timestamp(*frame) for frame in sent])
    write_frames("only-beacons", 127, [beacon(number) for number in range(20)])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
