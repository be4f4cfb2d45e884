"""What measurements of `airtcp-live` share: its place and processor time, iperf3's result, load."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add `--program`, by default that of target/release: on the search path of a checkout is the slow one of the tests."""
    built = ROOT / "target" / "release" / "airtcp-live"
    parser.add_argument("--program", default=str(built) if built.is_file() else None)


def cpu(process: int) -> float:
    """Return the seconds that all threads of a process have computed."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def goodput(text: str) -> float:
    """Return what the receiver of iperf3 got, in Mb/s, from its JSON."""
    return json.loads(text)["end"]["sum_received"]["bits_per_second"] / 1e6


def say_load() -> None:
    """Print what the numbers may depend on."""
    load = os.getloadavg()[0]
    print(f"\nLoad {load:.1f} on {os.cpu_count()} cores, Linux {os.uname().release}.")
