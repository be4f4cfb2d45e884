"""One transfer captured at several points: the capture at the sender is diagnosed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import airtcp
from airtcp.questions.diagnose import findings as words
from airtcp.questions.diagnose.points import seen_at
from airtcp.questions.diagnose.transfer import transfer_of

DATA = Path(__file__).resolve().parents[2] / "crates/capture/tests/data"


def _two_points() -> dict[str, Any]:
    """Join the documents of both ends of a transfer, the receiver's first."""
    parts = [
        airtcp.capture(DATA / "loss" / f"{end}.pcap.gz", events=True).json
        for end in ("receiver", "sender")
    ]
    whole: dict[str, Any] = {**parts[0], "connections": [], "retransmissions": []}
    whole["points"] = [
        {"point": 0, "files": ["a/receiver.pcap"]},
        {"point": 1, "files": ["a/sender.pcap"]},
    ]
    for point, part in enumerate(parts):
        before = len(whole["connections"])
        whole["connections"] += [{**each, "point": point} for each in part["connections"]]
        whole["retransmissions"] += [
            {**row, "connection": row["connection"] + before} for row in part["retransmissions"]
        ]
    return whole


def test_the_capture_at_the_sender_is_used() -> None:
    """Whatever the order of the files, the transfer is that of its sender's capture."""
    document = _two_points()
    transfer = transfer_of(document, None)
    assert transfer is not None
    alone = transfer_of(airtcp.capture(DATA / "loss/sender.pcap.gz", events=True).json, None)
    assert alone is not None
    assert (transfer.place, transfer.point) == ("sender", 1)
    assert (transfer.retransmissions, transfer.rtt) == (alone.retransmissions, alone.rtt)
    assert len(transfer.losses) == len(alone.losses) == 19
    # The option says which connection to take.
    other = seen_at(document, transfer.number)[1]["connection"]
    told = transfer_of(document, other)
    assert told is not None
    assert (told.place, told.point) == ("receiver", 0)


def test_the_findings_say_which_capture_is_used() -> None:
    """The used capture comes first, with the others and their places."""
    document = _two_points()
    transfer = transfer_of(document, None)
    assert transfer is not None
    shown = seen_at(document, transfer.number)
    assert [each["place"] for each in shown] == ["sender", "receiver"]
    found = words.points({"seen_at": shown})  # pyright: ignore[reportArgumentType]
    assert found is not None
    assert "2 points" in found.headline
    assert "uses sender.pcap (captured at the sender), and not receiver.pcap" in found.text


def test_a_capture_of_one_point_says_nothing() -> None:
    """Without points, the connection with the most data is taken as before."""
    document = airtcp.capture(DATA / "loss/sender.pcap.gz", events=True).json
    transfer = transfer_of(document, None)
    assert transfer is not None
    assert seen_at(document, transfer.number) == []
    assert transfer.point is None
