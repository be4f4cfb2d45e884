"""Residual loss of a simulated cell whose MAC ACKs the sniffer misses, against its counts."""

from __future__ import annotations

import random
import struct
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import airtcp
from examples import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENHANCED_PACKET = 6
MAC_ACK = 0xD4
DATA = 0x08
RETRY_AND_NUMBER = slice(22, 24)
STATION = "02:00:00:00:00:01"


def blocks(capture: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(capture):
        kind, length = struct.unpack_from("<II", capture, at)
        yield kind, capture[at : at + length]
        at += length


def frame(block: bytes) -> bytes:
    """Take the 802.11 frame behind its radiotap header."""
    (captured,) = struct.unpack_from("<I", block, 20)
    packet = block[28 : 28 + captured]
    return packet[struct.unpack_from("<H", packet, 2)[0] :]


def without_acks(capture: bytes, share: float) -> bytes:
    chance = random.Random(7)  # noqa: S311
    kept = [
        block
        for kind, block in blocks(capture)
        if kind != ENHANCED_PACKET or frame(block)[0] != MAC_ACK or chance.random() >= share
    ]
    return b"".join(kept)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("radio")
    airtcp.run(
        SCENARIOS / "wifi-star.toml",
        replications=1,
        overrides={
            "duration": "12 s",
            "warmup": "0 s",
            "cells[0].layout.stations": 1,
            "cells[0].residual_error": "45 %",
            "cells[0].mac.attempts": 4,
            "flows[0].count": 1,
        },
        radiotap=folder,
    )
    return folder / "ap.pcapng"


def given_up(capture: bytes) -> tuple[int, float]:
    """Count the station's packets, and the share without MAC ACK in the whole capture."""
    acknowledged: Counter[bool] = Counter()
    last: bytes | None = None
    station = bytes.fromhex(STATION.replace(":", ""))
    is_acked = False
    for kind, block in blocks(capture):
        if kind != ENHANCED_PACKET:
            continue
        found = frame(block)
        if found[0] & 0x0C == DATA and found[10:16] == station:
            number = found[RETRY_AND_NUMBER]
            if last is not None and number != last:
                acknowledged[is_acked] += 1
            last, is_acked = number, is_acked and number == last
        elif found[0] == MAC_ACK and found[4:10] == station:
            is_acked = True
    packets = acknowledged.total()
    return packets, acknowledged[False] / packets


def test_missed_acks_do_not_raise_the_residual_loss(capture: Path, tmp_path: Path) -> None:
    whole = capture.read_bytes()
    packets, residual = given_up(whole)
    assert packets > 2000
    assert residual == pytest.approx(0.041, abs=0.01)
    for share in (0.0, 0.05, 0.1, 0.2):
        path = tmp_path / "missed.pcapng"
        path.write_bytes(without_acks(whole, share))
        links = airtcp.capture(path).json["links"]
        (link,) = [link for link in links if link["transmitter"] == STATION]
        # Three standard errors of the number of missed MAC ACKs of the longest packets.
        error = 3 * (0.1 * share / packets) ** 0.5 + 0.001
        assert link["residual_loss"] == pytest.approx(residual, abs=error), share
        assert link["sniffer"]["ack_miss_share"] == pytest.approx(share, abs=0.03)
