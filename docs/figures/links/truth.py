"""What is true of a recorded link: its settings, what its log says of each loss, and what the kernel got."""

from __future__ import annotations

import csv
import gzip
import json
import statistics
import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

QUEUES: Final = ("queue", "aqm")
"""Fates in the log that are losses of the queue."""
NOT_CONSTANT: Final = ("step-down", "step-up", "cellular", "wifi", "ampdu")
SHARED: Final = ("tcp-beside", "cbr", "cbr-on-off", "fq-codel")
NO_LEVEL: Final = ("codel", "fq-codel", "pie", "red", "policer", *SHARED)
"""Kinds whose queue does not drop at one number of the capture's own packets."""


@dataclass(frozen=True)
class Loss:
    """A data packet that did not arrive, and of which a later copy was sent."""

    time_s: float
    origin: str
    waiting: int


def capture_start_s(path: Path) -> float:
    """Time of the first packet of a pcap file, in seconds since 1970."""
    with gzip.open(path) as file:
        magic, *_ = struct.unpack("<I20x", file.read(24))
        seconds, fraction = struct.unpack("<II", file.read(8))
    return seconds + fraction / (1e9 if magic == 0xA1B23C4D else 1e6)


class Truth:
    """A folder of `record.py`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings: dict[str, Any] = json.loads((folder / "settings.json").read_text("utf-8"))
        self.kind: str = self.settings["kind"]
        self.options: dict[str, Any] = self.settings["options"]

    @cached_property
    def goodputs_bps(self) -> dict[str, list[float]]:
        """Goodputs that the kernel got, by law; the first of `cubic` is that of the capture."""
        found: dict[str, list[float]] = {}
        for law in ("cubic", "bbr", "reno"):
            runs = sorted(self.folder.glob(f"{law}-[0-9]*.json"))
            found[law] = [json.loads(run.read_text("utf-8"))["goodput_bps"] for run in runs]
        return found

    def median_bps(self, law: str) -> float:
        """The median goodput of a law."""
        return statistics.median(self.goodputs_bps[law])

    @property
    def rate_bps(self) -> float | None:
        """The rate, if it is constant and the transfer has the link alone."""
        if self.kind in (*NOT_CONSTANT, *SHARED, "policer"):
            return None
        return 1e6 * (self.options["shape"][0] if "shape" in self.options else self.options["rate"])

    @cached_property
    def _rows(self) -> list[dict[str, str]]:
        with gzip.open(self.folder / "cubic-1.csv.gz", "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return [row for row in rows if row["direction"] == "0" and int(row["payload"]) > 0]

    @cached_property
    def losses(self) -> list[Loss]:
        """Every lost data packet of which a later copy was sent, in order of sending."""
        rows = sorted(self._rows, key=lambda row: float(row["entered_s"]))
        last = {(row["port"], row["sequence"]): number for number, row in enumerate(rows)}
        return [
            Loss(float(row["entered_s"]), _origin(row["fate"]), int(row["queue"]))
            for number, row in enumerate(rows)
            if row["fate"] != "ok" and last[row["port"], row["sequence"]] > number
        ]

    @property
    def level_packets(self) -> float | None:
        """Packets that wait or are in service when the queue drops, if it drops at one number, five times."""
        found = [int(row["queue"]) for row in self._rows if row["fate"] == "queue"]
        return statistics.median(found) if len(found) >= 5 and self.kind not in NO_LEVEL else None

    @property
    def queue_packets(self) -> int | None:
        """The most packets that may wait or be in service, if they are all of this transfer."""
        return (
            None
            if self.kind in NO_LEVEL
            else self.options["queue"] + (64 if "wifi" in self.options else 1)
        )

    @property
    def longest_packets(self) -> int:
        """The most packets that a packet found which the queue accepted."""
        return max(
            int(row["queue"]) for row in self._rows if row["fate"] not in (*QUEUES, "police")
        )

    @property
    def link_loss(self) -> float:
        """Share of the data packets behind the queue that the link lost."""
        fates = [row["fate"] for row in self._rows]
        lost = fates.count("link")
        return lost / max(1, lost + fates.count("ok"))


def _origin(fate: str) -> str:
    return "queue" if fate in QUEUES else fate
