#!/usr/bin/env python3
"""Keeps the recordings of `record.py --small` as captures of the tests, with what is true of each.

keep.py FOLDER TESTS
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from truth import Truth


def facts(truth: Truth) -> dict[str, Any]:
    """Return what a diagnosis of the capture should find."""
    options = truth.options
    return {
        "link": options,
        "seconds": truth.settings["seconds"],
        "application_mbps": truth.settings["application_mbps"],
        "beside": truth.settings["beside"],
        "rate_bps": truth.rate_bps,
        "level_packets": truth.level_packets,
        "link_loss": truth.link_loss,
        "lost_packets": [
            {"time_s": loss.time_s, "origin": loss.origin, "queue": loss.waiting}
            for loss in truth.losses
        ],
        "goodputs_bps": truth.goodputs_bps,
    }


def main() -> None:
    """Keep."""
    folder, tests = map(Path, sys.argv[1:])
    for path in sorted(folder.glob("*/cubic-1.json")):
        truth = Truth(path.parent)
        place = tests / truth.settings["name"]
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(path.with_name("cubic-1.pcap.gz"), place / "sender.pcap.gz")
        text = json.dumps(facts(truth), indent=1)
        (place / "truth.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
